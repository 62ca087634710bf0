/// The names and the meaning of ID token claims.
public enum IDTokenClaims {
  /// The names that no developer claim may have. Firebase's client libraries permit some of them.
  public static let reservedNames: Set<String> = [
    "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat", "iss", "jti", "nbf",
    "nonce", "sub",
  ]

  /// The names that a developer claim may have, as in Firebase, but that tokens never take from a developer claim,
  /// because it could be mistaken for a verified address or number.
  static let computedNames: Set<String> = ["email", "email_verified", "phone_number", "provider_id", "user_id"]

  /// Returns true when the server itself sets a claim, so that a setting for a custom claim cannot use its name.
  public static func isTaken(_ name: String) -> Bool { reservedNames.contains(name) || computedNames.contains(name) }

  /// The suffix of the project in the audience of a token that is only valid for enrolling a second factor.
  static let enrolmentAudience = "/second-factor-enrolment"

  /// Returns the project in an ID token's audience, including that of a token for enrolling a second factor.
  package static func project(ofAudience audience: String) -> String {
    audience.hasSuffix(enrolmentAudience) ? String(audience.dropLast(enrolmentAudience.count)) : audience
  }

  /// Checks the claims that a developer adds to tokens: no reserved name, and at most 1000 bytes as JSON.
  public static func check(custom claims: [ClaimValue.Member]) throws(TokenMintError) {
    for claim in claims where reservedNames.contains(claim.name) { throw .forbiddenClaim(claim.name) }
    guard ClaimValue.object(claims).json.utf8.count <= TokenLimits.customClaimsBytesMax else { throw .claimsTooLarge }
  }

  /// Returns true when a text can be a user id: 1 to 128 UTF-16 units, no control characters.
  public static func isUID(_ text: String) -> Bool {
    !text.isEmpty && text.utf16.count <= TokenLimits.uidLengthMax
      && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }

  /// Returns the `auth` value of rules: the user, the provider without `.com`, and all claims.
  static func authPayload(uid: String, provider: String, claims: ClaimValue) -> ClaimValue {
    let suffix = ".com"
    // An operator has chosen the names `oidc.…` and `saml.…`, so they are not shortened.
    let isOwn = provider.hasPrefix("oidc.") || provider.hasPrefix("saml.")
    let short = !isOwn && provider.hasSuffix(suffix) ? String(provider.dropLast(suffix.count)) : provider
    return .object([
      ClaimValue.Member("uid", .string(uid)), ClaimValue.Member("provider", .string(short)),
      ClaimValue.Member("token", claims),
    ])
  }
}
