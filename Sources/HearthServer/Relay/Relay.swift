import HearthTransport
import Logging
import NIOCore

/// How a node of a cluster finds the one that answers certain requests, and hands them to it.
struct Relay: Sendable {
  /// Why a node that was asked gave no answer.
  enum Failure: Error, Sendable, Equatable {
    /// Nothing was sent, or nothing was taken in: nothing was done.
    case notReached
    /// Nobody here knows what was done.
    case outcomeUnknown
  }

  /// This node's name.
  let node: String
  /// The name of the node that answers such requests, as far as this one knows: its own, another's, or nil. From any
  /// thread.
  let owner: @Sendable () -> String?
  /// Whose word about a client's address counts here.
  let proxies: TrustedProxies
  let logger: Logger
}
