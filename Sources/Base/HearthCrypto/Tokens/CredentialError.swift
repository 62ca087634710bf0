/// The reason why a credential was not accepted. Two errors are equal when their codes are.
public struct CredentialError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The status words of the socket protocol; never renamed.
  public enum Code: String, Sendable, CaseIterable {
    /// The format, signature, issuer or audience is not valid.
    case invalidToken = "invalid_token"
    /// The credential was valid once and has expired.
    case expiredToken = "expired_token"
    /// The server could not verify the credential (out of memory, no random bytes). Must not be reported to a client,
    /// because legacy clients delete their session after a failed `auth`; callers close the connection or answer 500
    /// instead.
    case unavailable = "unavailable"
  }

  /// The kind of fault; errors are compared by it.
  public var code: Code

  /// The text that a client may see. The same for every cryptographic failure, which gives an attacker no information.
  public var message: String

  /// The exact failure, for the server's log. It contains no part of the credential.
  public var reason: String

  /// Creates an error. The code determines ``message``; the reason is for the server's log.
  public init(_ code: Code, reason: String) {
    self.code = code
    self.reason = reason
    message =
      switch code {
      case .invalidToken: "Could not parse auth token."
      case .expiredToken: "Auth token is expired."
      case .unavailable: "The credential could not be checked."
      }
  }

  static func invalid(_ reason: String) -> CredentialError { CredentialError(.invalidToken, reason: reason) }
  static func expired(_ reason: String) -> CredentialError { CredentialError(.expiredToken, reason: reason) }

  public var description: String { "\(code.rawValue): \(reason)" }

  public static func == (left: CredentialError, right: CredentialError) -> Bool { left.code == right.code }
}
