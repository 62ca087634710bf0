/// The reason why a custom token is not accepted for a sign-in. Two errors are equal when their codes are.
public struct CustomTokenError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The codes of the identity API; never renamed.
  public enum Code: String, Sendable, CaseIterable {
    /// The request has no token.
    case missingCustomToken = "MISSING_CUSTOM_TOKEN"
    /// The format, signature, audience or time is wrong; only ``CustomTokenError/reason`` states which.
    case invalidCustomToken = "INVALID_CUSTOM_TOKEN"
    /// The signer is not a service account of this project.
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
    /// The server could not verify the token, which may be valid.
    case unavailable = "UNAVAILABLE"
  }

  /// The kind of fault; errors are compared by it.
  public var code: Code

  /// A detail that the client may read after the code, such as the name of a forbidden claim; nil when the code is
  /// enough.
  public var detail: String?

  /// The exact failure, for the server's log. It contains no part of the token's signature.
  public var reason: String

  /// Creates an error. The detail is for the client, the reason for the server's log.
  public init(_ code: Code, detail: String? = nil, reason: String) {
    self.code = code
    self.detail = detail
    self.reason = reason
  }

  /// Returns an error with the same code for every failure of format, signature and time, which gives an attacker no
  /// information.
  static func invalid(_ reason: String) -> CustomTokenError {
    CustomTokenError(.invalidCustomToken, detail: "The custom token is not valid.", reason: reason)
  }

  public var description: String { "\(code.rawValue): \(reason)" }

  public static func == (left: CustomTokenError, right: CustomTokenError) -> Bool { left.code == right.code }
}
