/// The reason why a custom token is not accepted for a sign-in. Equal by code.
public struct CustomTokenError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The codes of the identity API; never renamed.
  public enum Code: String, Sendable, CaseIterable {
    /// The request has no token.
    case missingCustomToken = "MISSING_CUSTOM_TOKEN"
    /// The form, signature, audience or time is wrong; only ``CustomTokenError/reason`` says which.
    case invalidCustomToken = "INVALID_CUSTOM_TOKEN"
    /// The signer is no service account of this project.
    case credentialMismatch = "CREDENTIAL_MISMATCH"
    /// `uid` is missing, or not 1 to 128 characters without control characters.
    case missingIdentifier = "MISSING_IDENTIFIER"
    /// `claims` is not an object.
    case invalidClaims = "INVALID_CLAIMS"
    /// A claim has a reserved name; ``CustomTokenError/detail`` names it.
    case forbiddenClaim = "FORBIDDEN_CLAIM"
    /// `claims` is longer than `TokenLimits.customClaimsBytesMax`.
    case claimsTooLarge = "CLAIMS_TOO_LARGE"
    /// `tenant_id` is not the tenant that the request names.
    case tenantIDMismatch = "TENANT_ID_MISMATCH"
    /// The server could not decide. This is no answer about the token.
    case unavailable = "UNAVAILABLE"
  }

  /// The kind of fault; errors are compared by it.
  public var code: Code

  /// A detail that the client may read after the code, such as the name of a forbidden claim; nil when the code is
  /// enough.
  public var detail: String?

  /// The exact failure, for the server's log. Holds no part of the token's signature.
  public var reason: String

  /// An error: the detail is for the client, the reason for the server's log.
  public init(_ code: Code, detail: String? = nil, reason: String) {
    self.code = code
    self.detail = detail
    self.reason = reason
  }

  /// An error with the same text for every failure of form, signature and time, so that it gives a forger no hint.
  static func invalid(_ reason: String) -> CustomTokenError {
    CustomTokenError(.invalidCustomToken, detail: "The custom token is not valid.", reason: reason)
  }

  public var description: String { "\(code.rawValue): \(reason)" }

  public static func == (left: CustomTokenError, right: CustomTokenError) -> Bool { left.code == right.code }
}
