/// The reason why nothing came back from another server. Equal by code.
///
/// The message names the host at most: no path, query, header, body, password or address of a person is in it, so it
/// may be logged.
public struct OutboundError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// The URL, a header or an address is one that is never sent.
    case invalidRequest
    /// The name resolves to an address, or the URL has a scheme, that the policy does not admit.
    case forbiddenAddress
    /// The name is unknown, no route leads to the host, or the connection was refused or lost.
    case unreachable
    /// The peer's certificate or TLS itself was not right, or TLS was required and not offered.
    case untrusted
    /// The request's time was over before the whole answer was there.
    case timedOut
    /// The answer went over the limit.
    case tooLarge
    /// Too many transfers are waiting.
    case busy
    /// The task that waited was cancelled.
    case cancelled
    /// The bytes received are not the protocol.
    case malformedResponse
    /// The mail server refused the mail.
    case refused
  }

  /// The kind of failure; errors are compared by it.
  public var code: Code
  /// A description of the failure, in words that may be logged.
  public var message: String
  /// True when the request was on its way to the other server, which may have read it and acted.
  public var wasSent = false
  /// True when an answer had begun.
  public var wasAnswered = false

  /// An error; the message may name the host and nothing else of the request.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public static func == (left: OutboundError, right: OutboundError) -> Bool { left.code == right.code }

  public var description: String { "\(code.rawValue): \(message)" }
}
