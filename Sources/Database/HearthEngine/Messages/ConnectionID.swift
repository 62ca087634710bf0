/// Names one connection, or one place at the edge that one-off requests are answered to. Never used twice.
public struct ConnectionID: Sendable, Hashable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

extension ConnectionID: CustomStringConvertible {
  public var description: String { "connection \(rawValue)" }
}
