/// Why a custom token signs nobody in. Equal by code.
public struct CustomTokenError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The codes of the identity API; never renamed.
  public enum Code: String, Sendable, CaseIterable {
    case missingCustomToken = "MISSING_CUSTOM_TOKEN"
    case invalidCustomToken = "INVALID_CUSTOM_TOKEN"
    case credentialMismatch = "CREDENTIAL_MISMATCH"
    case missingIdentifier = "MISSING_IDENTIFIER"
    case invalidClaims = "INVALID_CLAIMS"
    case forbiddenClaim = "FORBIDDEN_CLAIM"
    case claimsTooLarge = "CLAIMS_TOO_LARGE"
    case tenantIDMismatch = "TENANT_ID_MISMATCH"
    /// The server could not decide. Not an answer about the token.
    case unavailable = "UNAVAILABLE"
  }

  public var code: Code

  /// What a client may read after the code, such as the name of a forbidden claim; nil where the code says enough.
  public var detail: String?

  /// What exactly failed, for the server's log. Holds no part of the token's signature.
  public var reason: String

  public init(_ code: Code, detail: String? = nil, reason: String) {
    self.code = code
    self.detail = detail
    self.reason = reason
  }

  /// The same text for every failure of form, signature and time, so that it tells a forger nothing.
  static func invalid(_ reason: String) -> CustomTokenError {
    CustomTokenError(.invalidCustomToken, detail: "The custom token is not valid.", reason: reason)
  }

  public var description: String { "\(code.rawValue): \(reason)" }

  public static func == (left: CustomTokenError, right: CustomTokenError) -> Bool { left.code == right.code }
}
