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
  /// How long it waits between two looks for such a node, and how often it looks again.
  var patience = (pause: TimeAmount.milliseconds(RelayLimits.pauseMilliseconds), triesMax: RelayLimits.triesMax)

  /// Waits until another node is known to answer such requests than this one, which is giving that up.
  ///
  /// - Returns: False when this one still is it in the end.
  func otherOwner(triesLeft: Int, on loop: any EventLoop) -> EventLoopFuture<Bool> {
    if owner() != node { return loop.makeSucceededFuture(true) }
    guard triesLeft > 0 else { return loop.makeSucceededFuture(false) }
    return loop.scheduleTask(in: patience.pause) {}.futureResult
      .flatMap { otherOwner(triesLeft: triesLeft - 1, on: loop) }
  }
}
