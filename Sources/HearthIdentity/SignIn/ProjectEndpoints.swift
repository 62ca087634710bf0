import HearthAccounts
import HearthPlugin
import HearthTree

/// What clients ask about the project before they sign anybody in.
struct ProjectEndpoints: EndpointArea {
  let accounts: Accounts

  func project(_ call: IdentityCall) async throws(AccountError) -> JSON {
    .object([
      JSON.Member("projectId", .string(accounts.configuration.projectNumber)),
      JSON.Member("authorizedDomains", .array(accounts.configuration.authorizedDomains.map { .string($0) })),
    ])
  }

  func passwordPolicy(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let policy = accounts.configuration.passwordPolicy
    let isStricter =
      policy.requiresLowercase || policy.requiresUppercase || policy.requiresDigit || policy.requiresOther
      || policy.lengthMin > PasswordPolicy().lengthMin
    var strength = [
      JSON.Member("minPasswordLength", .int(Int64(policy.lengthMin))),
      JSON.Member("maxPasswordLength", .int(Int64(policy.sizeBytesMax))),
    ]
    for (name, isRequired) in [
      ("containsLowercaseCharacter", policy.requiresLowercase),
      ("containsUppercaseCharacter", policy.requiresUppercase),
      ("containsNumericCharacter", policy.requiresDigit),
      ("containsNonAlphanumericCharacter", policy.requiresOther),
    ] where isRequired {
      strength.append(JSON.Member(name, .bool(true)))
    }
    return .object([
      JSON.Member("customStrengthOptions", .object(strength)),
      JSON.Member("allowedNonAlphanumericCharacters", .array(Self.signs.map { .string(String($0)) })),
      JSON.Member("enforcementState", .string(isStricter ? "ENFORCE" : "OFF")),
      JSON.Member("forceUpgradeOnSignin", .bool(false)),
      JSON.Member("schemaVersion", .int(1)),
    ])
  }

  /// No captcha is asked for: there is no service of that kind to ask.
  func captcha(_ call: IdentityCall) async throws(AccountError) -> JSON { .object([]) }

  /// The printable signs of ASCII, which client SDKs count as "not alphanumeric".
  private static let signs = "^$*.[]{}()?\"!@#%&/\\,><':;|_~-+= `"
}
