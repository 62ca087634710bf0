/// The reason why a request to another server has no answer. Two errors are equal when their codes are.
///
/// The message contains the host at most, and no path, query, header, body, password or e-mail address, so it may be
/// logged.
public struct OutboundError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Sendable, CaseIterable {
    /// The URL, a header or an address is invalid, so that the request is not sent.
    case invalidRequest
    /// The name resolves to an address, or the URL has a scheme, that the policy does not permit.
    case forbiddenAddress
    /// The name is unknown, no route leads to the host, or the connection was refused or lost.
    case unreachable
    /// The peer's certificate or the TLS handshake was invalid, or TLS was required and not offered.
    case untrusted
    /// The timeout of the request ended before the answer was complete.
    case timedOut
    /// The answer exceeded the size limit.
    case tooLarge
    /// Too many transfers are waiting.
    case busy
    /// The task that waited for the answer was cancelled.
    case cancelled
    /// The received bytes violate the protocol.
    case malformedResponse
    /// The mail server refused the mail.
    case refused
  }

  /// The kind of failure; errors are compared by it.
  public var code: Code
  /// A description of the failure, which may be logged.
  public var message: String
  /// True when at least a part of the request was sent, so that the other server may have processed it.
  public var wasSent = false
  /// True when an answer had begun.
  public var wasAnswered = false

  /// Creates an error. Of the request, the message may contain only the host.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public static func == (left: OutboundError, right: OutboundError) -> Bool { left.code == right.code }

  public var description: String { "\(code.rawValue): \(message)" }
}
