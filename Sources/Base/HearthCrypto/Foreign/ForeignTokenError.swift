/// The reason why another provider's token is not accepted. Two errors are equal when their codes are.
public struct ForeignTokenError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The fault of a token.
  public enum Code: String, Sendable, CaseIterable {
    /// The text is not a token in compact form, its algorithm is not RS256 or ES256, or a time is missing or not a
    /// number.
    case malformed = "malformed"
    /// The set has no such key. It may be new, so the set should be fetched again from time to time.
    case unknownKey = "unknown_key"
    /// The signature was not made with the key that the header names.
    case signature = "signature"
    /// `iss` is not one of the expected issuers.
    case issuer = "issuer"
    /// The token was made for another application.
    case audience = "audience"
    /// `exp` has passed, including the permitted clock difference.
    case expired = "expired"
    /// `iat` or `nbf` is in the future by more than the permitted clock difference.
    case notYetValid = "not_yet_valid"
    /// `nonce` is not the one of the sign-in request.
    case nonce = "nonce"
    /// `sub` is missing, empty or too long.
    case subject = "subject"
    /// The server could not verify the token, which may be valid.
    case unavailable = "unavailable"
  }

  /// The kind of fault; errors are compared by it.
  public var code: Code
  /// The exact failure. It contains no part of the token.
  public var reason: String

  /// Creates an error. The reason is for the server's log and must contain no part of the token.
  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  public var description: String { "\(code.rawValue): \(reason)" }

  public static func == (left: ForeignTokenError, right: ForeignTokenError) -> Bool { left.code == right.code }
}
