/// A message that leaves nothing to answer: the socket is closed.
public struct WireError: Error, Sendable {
  /// The closed list of codes; their texts are never renamed.
  public enum Code: String, Sendable {
    /// Not JSON, or not an envelope of the protocol.
    case malformed
    /// A count above ``WireLimits/segmentsMax``.
    case tooManySegments = "too_many_segments"
    /// A message longer than ``WireLimits/messageBytesMax``.
    case tooLong = "too_long"
  }

  /// What is wrong with the message.
  public var code: Code
  /// For the server's log.
  public var message: String

  /// The error of that code, in words for the developer of the client.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension WireError: Equatable {
  /// Equal by code.
  public static func == (a: WireError, b: WireError) -> Bool { a.code == b.code }
}

extension WireError: CustomStringConvertible {
  public var description: String { "\(code.rawValue): \(message)" }
}
