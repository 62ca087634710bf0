import HearthAccounts
import HearthPlugin
import HearthTree

/// The password policy, as clients read it before they ask for a password, and administrators in the configuration.
struct PasswordPolicyInfo: Sendable {
  private let policy: PasswordPolicy

  init(_ policy: PasswordPolicy) { self.policy = policy }

  /// The answer to `passwordPolicy`.
  var forClients: JSON {
    .object([
      JSON.Member("customStrengthOptions", strength(isWhole: false)),
      JSON.Member("allowedNonAlphanumericCharacters", .array(Self.signs.map { .string(String($0)) })),
      JSON.Member("enforcementState", .string(state)),
      JSON.Member("forceUpgradeOnSignin", .bool(policy.appliesAtSignIn)),
      JSON.Member("schemaVersion", .int(1)),
    ])
  }

  /// The `passwordPolicyConfig` of responses.
  var config: JSON {
    .object([
      JSON.Member("passwordPolicyEnforcementState", .string(state)),
      JSON.Member("forceUpgradeOnSignin", .bool(policy.appliesAtSignIn)),
      JSON.Member(
        "passwordPolicyVersions",
        .array([
          .object([
            JSON.Member("customStrengthOptions", strength(isWhole: true)), JSON.Member("schemaVersion", .int(1)),
          ])
        ])),
    ])
  }

  /// The state: a policy that requires no more than the six characters of Firebase Authentication is off.
  private var state: String {
    let isStricter =
      policy.requiresLowercase || policy.requiresUppercase || policy.requiresDigit || policy.requiresOther
      || policy.appliesAtSignIn || policy.lengthMin > PasswordPolicy().lengthMin
      || policy.sizeBytesMax < PasswordPolicy().sizeBytesMax
    return isStricter ? "ENFORCE" : "OFF"
  }

  /// - Parameter isWhole: true to include kinds of characters that are not required, for administrators.
  private func strength(isWhole: Bool) -> JSON {
    var strength = [
      JSON.Member("minPasswordLength", .int(Int64(policy.lengthMin))),
      JSON.Member("maxPasswordLength", .int(Int64(policy.sizeBytesMax))),
    ]
    for (name, isRequired) in [
      ("containsLowercaseCharacter", policy.requiresLowercase),
      ("containsUppercaseCharacter", policy.requiresUppercase),
      ("containsNumericCharacter", policy.requiresDigit),
      ("containsNonAlphanumericCharacter", policy.requiresOther),
    ] where isRequired || isWhole {
      strength.append(JSON.Member(name, .bool(isRequired)))
    }
    return .object(strength)
  }

  /// The printable ASCII symbols, which client SDKs count as "not alphanumeric".
  private static let signs = "^$*.[]{}()?\"!@#%&/\\,><':;|_~-+= `"
}
