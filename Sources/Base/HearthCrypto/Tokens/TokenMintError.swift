/// The reason why a token could not be created. Two errors are equal when their codes are.
public struct TokenMintError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The fault of the requested token.
  public enum Code: String, Sendable, CaseIterable {
    /// The user ID is missing, and the token is not an administrator's.
    case missingUID = "missing_uid"
    /// The user id is longer than the kind of token permits; the message states the limit.
    case uidTooLong = "uid_too_long"
    /// A claim has a reserved name, or a name occurs twice.
    case forbiddenClaim = "forbidden_claim"
    /// The claims are longer than `TokenLimits.customClaimsBytesMax` as JSON.
    case claimsTooLarge = "claims_too_large"
    /// The whole token would be longer than its kind permits.
    case tokenTooLong = "token_too_long"
    /// A time or lifetime is outside of the range that the kind of token permits.
    case invalidTimes = "invalid_times"
    /// A token cannot be created with the key or the claims; the message states which.
    case refused = "refused"
    /// The server has no signing keys and cannot make any.
    case unavailable = "unavailable"
  }

  /// The kind of fault; errors are compared by it.
  public var code: Code
  /// A description of the fault; contains no secret.
  public var message: String

  static let missingUID = TokenMintError(
    code: .missingUID, message: "the user id is missing; only administrators have none")
  static func uidTooLong(lengthMax: Int) -> TokenMintError {
    TokenMintError(code: .uidTooLong, message: "the user id is longer than \(lengthMax) characters")
  }
  static func forbiddenClaim(_ name: String) -> TokenMintError {
    TokenMintError(code: .forbiddenClaim, message: "the claim \(name) is reserved, or occurs twice")
  }
  static let claimsTooLarge = TokenMintError(
    code: .claimsTooLarge, message: "custom claims are longer than \(TokenLimits.customClaimsBytesMax) bytes of JSON")
  static func tooLong(sizeBytesMax: Int) -> TokenMintError {
    TokenMintError(code: .tokenTooLong, message: "the token would be longer than \(sizeBytesMax) bytes")
  }
  static func invalidTimes(_ message: String) -> TokenMintError {
    TokenMintError(code: .invalidTimes, message: message)
  }
  static let unavailable = TokenMintError(code: .unavailable, message: "the server's signing keys cannot be created")
  static func refused(_ message: String) -> TokenMintError { TokenMintError(code: .refused, message: message) }

  public var description: String { "\(code.rawValue): \(message)" }

  public static func == (left: TokenMintError, right: TokenMintError) -> Bool { left.code == right.code }
}
