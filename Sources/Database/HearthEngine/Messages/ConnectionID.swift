/// The ID of one connection, or of the server component that receives the answers to one-off requests. It is never
/// reused.
public struct ConnectionID: Sendable, Hashable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

extension ConnectionID: CustomStringConvertible {
  public var description: String { "connection \(rawValue)" }
}
