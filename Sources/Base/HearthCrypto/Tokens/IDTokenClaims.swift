/// The rules about names and meanings of ID token claims, in one place.
public enum IDTokenClaims {
  /// Names that no developer claim may have. The service's own client libraries let some of them through.
  public static let reservedNames: Set<String> = [
    "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat", "iss", "jti", "nbf",
    "nonce", "sub",
  ]

  /// Names that a developer claim may have, as at the service, and that no token takes from one: for an account without
  /// an address the token has none, or the claim would pass for a verified one.
  static let computedNames: Set<String> = ["email", "email_verified", "phone_number", "provider_id", "user_id"]

  /// Returns true when the server computes the values of a claim: a setting that names a custom claim cannot name it.
  public static func isTaken(_ name: String) -> Bool { reservedNames.contains(name) || computedNames.contains(name) }

  /// The suffix of the project in the audience of a token that is only valid for enrolling a second factor.
  static let enrolmentAudience = "/second-factor-enrolment"

  /// The project that an ID token's audience names, whatever the token is valid for.
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

  /// The `auth` value of rules: the user, the provider without its `.com`, and the whole claim set.
  static func authPayload(uid: String, provider: String, claims: ClaimValue) -> ClaimValue {
    let suffix = ".com"
    // `oidc.…` and `saml.…` are names an operator chose; they stay whole.
    let isOwn = provider.hasPrefix("oidc.") || provider.hasPrefix("saml.")
    let short = !isOwn && provider.hasSuffix(suffix) ? String(provider.dropLast(suffix.count)) : provider
    return .object([
      ClaimValue.Member("uid", .string(uid)), ClaimValue.Member("provider", .string(short)),
      ClaimValue.Member("token", claims),
    ])
  }
}
