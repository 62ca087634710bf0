/// The reason why a credential was not accepted. Equal by code.
public struct CredentialError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The status words of the socket protocol; never renamed.
  public enum Code: String, Sendable, CaseIterable {
    /// The form, signature, issuer or audience is not valid here.
    case invalidToken = "invalid_token"
    /// The credential was valid once and has ended.
    case expiredToken = "expired_token"
    /// The server could not decide (out of memory, no randomness). Not to be reported to a client: a failed `auth`
    /// erases the session of legacy clients, so close the connection or answer 500 instead.
    case unavailable = "unavailable"
  }

  /// The kind of fault; errors are compared by it.
  public var code: Code

  /// The text that a client may see. The same for every cryptographic failure, so that it gives a forger no hint.
  public var message: String

  /// The exact failure, for the server's log. Holds no part of the credential.
  public var reason: String

  /// An error; ``message`` follows from the code, the reason goes to the server's log.
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
