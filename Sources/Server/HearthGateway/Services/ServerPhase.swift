import Synchronization

/// The phase of a server between its start and its end, for load balancers.
package final class ServerPhase: Sendable {
  /// The phases in order. The texts are interface.
  package enum Value: UInt8, Sendable {
    /// The port is open, and the work before the first request is not finished.
    case starting
    case serving
    /// The server is about to stop; it answers as before.
    case draining
  }

  private let raw = Atomic(Value.serving.rawValue)

  /// Creates a phase that begins with serving.
  package init() {}

  /// The current phase.
  package var value: Value {
    get { Value(rawValue: raw.load(ordering: .relaxed)) ?? .draining }
    set { raw.store(newValue.rawValue, ordering: .relaxed) }
  }
}
