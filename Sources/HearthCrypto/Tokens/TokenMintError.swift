/// Why a token could not be made. Equal by code.
public struct TokenMintError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: String, Sendable, CaseIterable {
    case missingUID = "missing_uid"
    case uidTooLong = "uid_too_long"
    case forbiddenClaim = "forbidden_claim"
    case claimsTooLarge = "claims_too_large"
    case tokenTooLong = "token_too_long"
    case invalidTimes = "invalid_times"
    case refused = "refused"
    case unavailable = "unavailable"
  }

  public var code: Code
  public var message: String

  static let missingUID = TokenMintError(code: .missingUID, message: "a user id is needed, except for an administrator")
  static func uidTooLong(lengthMax: Int) -> TokenMintError {
    TokenMintError(code: .uidTooLong, message: "the user id is longer than \(lengthMax) characters")
  }
  static func forbiddenClaim(_ name: String) -> TokenMintError {
    TokenMintError(code: .forbiddenClaim, message: "the claim \(name) is reserved, or given twice")
  }
  static let claimsTooLarge = TokenMintError(
    code: .claimsTooLarge, message: "custom claims are longer than \(TokenLimits.customClaimsBytesMax) bytes of JSON")
  static func tooLong(sizeBytesMax: Int) -> TokenMintError {
    TokenMintError(code: .tokenTooLong, message: "the token would be longer than \(sizeBytesMax) bytes")
  }
  static func invalidTimes(_ message: String) -> TokenMintError {
    TokenMintError(code: .invalidTimes, message: message)
  }
  static let unavailable = TokenMintError(code: .unavailable, message: "the server's signing keys cannot be made")
  static func refused(_ message: String) -> TokenMintError { TokenMintError(code: .refused, message: message) }

  public var description: String { "\(code.rawValue): \(message)" }

  public static func == (left: TokenMintError, right: TokenMintError) -> Bool { left.code == right.code }
}
