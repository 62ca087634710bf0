/// A failure of TLS, in words for the developer of an app.
package struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure.
  package enum Code: Sendable {
    /// The settings are invalid, such as a text without certificates or a host that is no possible name.
    case invalidSettings
    /// The server's certificate is not trusted, has expired, or is for another host.
    case certificateRejected
    /// The server sent something that is not TLS, or a version or cipher that is not accepted.
    case handshakeFailed
    /// A record is damaged or against the protocol.
    case invalidRecord
    /// The connection ended without TLS's own end: data may be missing.
    case truncated
  }

  /// The kind of the failure.
  package let code: Code
  /// The sentence.
  package let description: String

  init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }
}
