/// The error for a message that cannot be answered; the socket is closed.
public struct WireError: Error, Sendable {
  /// The codes. Their texts are stable.
  public enum Code: String, Sendable {
    /// The text is not JSON, or not an envelope of the protocol.
    case malformed
    /// A count above ``WireLimits/segmentsMax``.
    case tooManySegments = "too_many_segments"
    /// A message longer than ``WireLimits/messageBytesMax``.
    case tooLong = "too_long"
  }

  /// The kind of fault.
  public var code: Code
  /// A description for the server's log.
  public var message: String

  /// Creates an error, with a description for the developer of the client.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension WireError: Equatable {
  /// Compares the codes.
  public static func == (a: WireError, b: WireError) -> Bool { a.code == b.code }
}

extension WireError: CustomStringConvertible {
  public var description: String { "\(code.rawValue): \(message)" }
}
