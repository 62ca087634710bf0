/// The reason why another provider's token is not accepted. Equal by code.
public struct ForeignTokenError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The fault of a token.
  public enum Code: String, Sendable, CaseIterable {
    /// No token in compact form, an algorithm other than RS256 and ES256, or a time that is missing or no number.
    case malformed = "malformed"
    /// The set has no such key. It may be new, so the set should be fetched again from time to time.
    case unknownKey = "unknown_key"
    /// The signature was not made with the key that the header names.
    case signature = "signature"
    /// `iss` is not the provider that was expected.
    case issuer = "issuer"
    /// The token was made for another application.
    case audience = "audience"
    /// `exp` has passed, the permitted clock difference included.
    case expired = "expired"
    /// `iat` or `nbf` lies in the future, the permitted clock difference included.
    case notYetValid = "not_yet_valid"
    /// `nonce` is not the one of the sign-in request.
    case nonce = "nonce"
    /// `sub` is missing, empty or too long.
    case subject = "subject"
    /// The server could not decide. This is no answer about the token.
    case unavailable = "unavailable"
  }

  /// The kind of fault; errors are compared by it.
  public var code: Code
  /// The exact failure. Holds no part of the token.
  public var reason: String

  /// An error; the reason goes to the server's log and holds no part of the token.
  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  public var description: String { "\(code.rawValue): \(reason)" }

  public static func == (left: ForeignTokenError, right: ForeignTokenError) -> Bool { left.code == right.code }
}
