import Synchronization

/// Where a server is between its start and its end, for those who send requests its way.
package final class ServerPhase: Sendable {
  /// In this order. The texts are interface.
  package enum Value: UInt8, Sendable {
    /// The port is open, and not everything is done that comes before the first request.
    case starting
    case serving
    /// The server is about to stop; it answers as before.
    case draining
  }

  private let raw = Atomic(Value.serving.rawValue)

  /// A server that serves.
  package init() {}

  /// The place where it is now.
  package var value: Value {
    get { Value(rawValue: raw.load(ordering: .relaxed)) ?? .draining }
    set { raw.store(newValue.rawValue, ordering: .relaxed) }
  }
}
