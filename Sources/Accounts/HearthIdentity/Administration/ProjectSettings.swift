import HearthAccounts
import HearthPlugin
import HearthTree

/// Translates an administrator's changes from Identity Platform's form to that of the operator's file.
struct ProjectSettings: Sendable {
  private let body: JSON
  /// Returns true when a plugin serves a sign-in method, so that it can be switched on.
  private let serves: @Sendable (SignInMethod) -> Bool
  /// True when phone numbers, which no plugin serves, can be enabled.
  private let servesPhones: Bool
  /// The changeable settings, for the message that refuses another one.
  private let known: String
  private var members: [JSON.Member] = []
  private var factors: [JSON.Member] = []
  private var phone: [JSON.Member] = []
  private var policy: [JSON.Member] = []
  /// True when the whole policy returns to the file's.
  private var resetsPolicy = false

  private static let policyConfig = "passwordPolicyConfig"

  /// - Parameters:
  ///   - body: the request's body.
  ///   - serves: returns true when a plugin serves a sign-in method, so that it can be switched on.
  ///   - servesPhones: the same for phone numbers, which no plugin serves.
  ///   - known: a description of the changeable settings; nil for those of projects.
  init(
    _ body: JSON, serves: @escaping @Sendable (SignInMethod) -> Bool, servesPhones: Bool, known: String? = nil
  ) {
    self.body = body
    self.known = known ?? Self.ofProject
    self.serves = serves
    self.servesPhones = servesPhones
  }

  /// The changes for ``ConfigurationAdministration/change(_:by:)``; nil when there are none.
  var changes: JSON? {
    let policies =
      resetsPolicy
      ? [JSON.Member("passwordPolicy", .null)]
      : policy.isEmpty ? [] : [JSON.Member("passwordPolicy", .object(policy))]
    let factors = factors.isEmpty ? [] : [JSON.Member("secondFactors", .object(factors))]
    let phone = phone.isEmpty ? [] : [JSON.Member("phone", .object(phone))]
    let all = members + factors + phone + policies
    return all.isEmpty ? nil : .object(all)
  }

  /// Applies the body's value at a path of the configuration.
  ///
  /// - Parameter mask: names with points; a prefix of settings means all below it.
  /// - Throws: `notImplemented` for a setting that cannot be changed here; `invalidArgument` for a value of another
  ///   type.
  mutating func change(_ mask: String) throws(AccountError) {
    let path = Self.camelCase(mask)
    var isKnown = false
    func names(_ setting: String) -> Bool {
      let isNamed = setting == path || setting.hasPrefix("\(path).")
      if isNamed { isKnown = true }
      return isNamed
    }
    if names("authorizedDomains") { set("authorizedDomains", try value("authorizedDomains")) }
    if names("emailPrivacyConfig.enableImprovedEmailPrivacy") {
      set("protectsFromEnumeration", try bool("emailPrivacyConfig.enableImprovedEmailPrivacy").map { .bool($0) })
    }
    if names("client.permissions.disabledUserSignup") {
      set("allowsSignUp", try bool("client.permissions.disabledUserSignup").map { .bool(!$0) })
    }
    if names("client.permissions.disabledUserDeletion") {
      set("allowsDeletion", try bool("client.permissions.disabledUserDeletion").map { .bool(!$0) })
    }
    try changeFactors(named: names)
    try changeSignIn(named: names)
    try changePhones(named: names)
    if names("multiTenant.allowTenants"), try bool("multiTenant.allowTenants") == false {
      throw AccountError(
        .notImplemented, "multiTenant.allowTenants cannot be false. A project without tenants needs no setting.")
    }
    if path == Self.policyConfig {
      isKnown = true
      if try value(path) == nil { resetsPolicy = true } else { try changePolicy() }
    } else if path.hasPrefix("\(Self.policyConfig).") {
      isKnown = true
      try changePolicy()
    }
    guard isKnown else {
      throw Self.refusal(of: path, what: "cannot be changed through this API", known: known)
    }
  }

  /// The settings that a project can change.
  private static let ofProject =
    "authorizedDomains, client.permissions, emailPrivacyConfig, mfa, passwordPolicyConfig, signIn, smsRegionConfig, "
    + "blockingFunctions; all others are in the file of --auth-config"

  /// Returns the refusal of a setting that cannot be changed, with a known reason.
  ///
  /// - Parameters:
  ///   - path: the path of the setting.
  ///   - what: the error.
  ///   - known: a description of the changeable settings.
  static func refusal(of path: String, what: String, known: String) -> AccountError {
    let reason = reasons.first { $0.0 == path || path.hasPrefix("\($0.0).") }?.1
    return AccountError(
      .notImplemented, "\(shown(path)) \(what)\(reason.map { ": \($0)" } ?? ""). Settings that can: \(known).")
  }

  /// The reasons why settings of Identity Platform's configuration cannot be changed.
  private static let reasons = [
    ("autodeleteAnonymousUsers", "anonymous users are kept until they are deleted"),
    ("hashConfig", "every new password is hashed with scrypt"),
    ("inheritance", "mails use the project's settings"),
    ("mobileLinksConfig", "links lead to the server's publicURL or one of pageDomains; Dynamic Links have ended"),
    ("monitoring", "requests are recorded in the audit trail and the log"),
    ("multiTenant.defaultTenantLocation", "tenants are kept in the project"),
    ("notification", "the sender and the app's name in mails are in the file of --auth-config, under mail"),
    ("quota", "the limits of clients are in the file of --auth-config, under limits"),
    ("recaptchaConfig", "the captcha is in the file of --auth-config, under phone"),
    ("signIn.hashConfig", "every new password is hashed with scrypt"),
  ]

  /// Applies `mfa`: the policy for second factors, and the available kinds.
  private mutating func changeFactors(named names: (String) -> Bool) throws(AccountError) {
    if names("mfa.state") {
      let state = try text("mfa.state")
      let policy = state.flatMap { SecondFactorSettings.Policy(state: $0) }
      guard (state == nil) == (policy == nil) else {
        throw AccountError(.invalidArgument, "mfa.state must be DISABLED, ENABLED or MANDATORY")
      }
      setFactor("policy", policy.map { .string($0.rawValue) })
    }
    if names("mfa.enabledProviders") {
      let providers = try value("mfa.enabledProviders")
      guard providers.map({ $0.array?.allSatisfy { $0.string == "PHONE_SMS" } == true }) ?? true else {
        throw AccountError(.invalidArgument, "mfa.enabledProviders must be [] or [\"PHONE_SMS\"]")
      }
      setPhone("secondFactor", providers.map { .bool($0.array?.isEmpty == false) })
    }
    guard names("mfa.providerConfigs") else { return }
    guard let configs = try value("mfa.providerConfigs") else {
      setFactor("totp", nil)
      setFactor("totpAdjacentIntervals", nil)
      return
    }
    let authenticators = try AuthenticatorConfigs.read(configs, at: "mfa")
    setFactor("totp", .bool(authenticators.isOn))
    setFactor("totpAdjacentIntervals", authenticators.adjacentIntervals.map { .int($0) })
  }

  private mutating func setFactor(_ name: String, _ value: JSON?) {
    factors.removeAll { $0.name == name }
    factors.append(JSON.Member(name, value ?? .null))
  }

  /// Applies `signIn`: enables and disables the sign-in methods of plugins.
  private mutating func changeSignIn(named names: (String) -> Bool) throws(AccountError) {
    if names("signIn.email.enabled") {
      let isOn = try bool("signIn.email.enabled")
      if isOn == true { try requireServed(.password, as: "signIn.email") }
      set("allowsPasswords", isOn.map { .bool($0) })
      set("allowsEmailLinks", isOn == false ? .bool(false) : nil)
    }
    if names("signIn.email.passwordRequired"), let isRequired = try bool("signIn.email.passwordRequired") {
      let isOff = try bool("signIn.email.enabled") == false
      if !isRequired, !isOff { try requireServed(.emailLink, as: "signIn.email without passwordRequired") }
      set("allowsEmailLinks", .bool(!isRequired && !isOff))
    }
    if names("signIn.anonymous.enabled") {
      let isOn = try bool("signIn.anonymous.enabled")
      if isOn == true { try requireServed(.anonymous, as: "signIn.anonymous") }
      set("allowsAnonymous", isOn.map { .bool($0) })
    }
    if names("signIn.allowDuplicateEmails") {
      set("allowsDuplicateEmails", try bool("signIn.allowDuplicateEmails").map { .bool($0) })
    }
  }

  /// Applies `smsRegionConfig` and `signIn.phoneNumber`: the regions for messages, and the uses of phones.
  private mutating func changePhones(named names: (String) -> Bool) throws(AccountError) {
    if names("signIn.phoneNumber.enabled") {
      let isOn = try bool("signIn.phoneNumber.enabled")
      guard isOn != true || servesPhones else { throw Self.unserved("signIn.phoneNumber") }
      set("allowsPhones", isOn.map { .bool($0) })
    }
    if names("signIn.phoneNumber.testPhoneNumbers") {
      setPhone("testNumbers", try value("signIn.phoneNumber.testPhoneNumbers"))
    }
    let (denied, allowed) = ("allowByDefault.disallowedRegions", "allowlistOnly.allowedRegions")
    guard names("smsRegionConfig.\(denied)") || names("smsRegionConfig.\(allowed)") else { return }
    func list(_ kind: String, _ name: String) throws(AccountError) -> JSON? {
      guard try value("smsRegionConfig.\(kind)") != nil else { return nil }
      return try value("smsRegionConfig.\(kind).\(name)") ?? .array([])
    }
    switch (try list("allowByDefault", "disallowedRegions"), try list("allowlistOnly", "allowedRegions")) {
    case (nil, nil): setPhone("regions", nil)
    case (let deny?, nil): setPhone("regions", .object([JSON.Member("deny", deny)]))
    case (nil, let allow?): setPhone("regions", .object([JSON.Member("allow", allow)]))
    default:
      throw AccountError(.invalidArgument, "smsRegionConfig must have either allowByDefault or allowlistOnly")
    }
  }

  private mutating func setPhone(_ name: String, _ value: JSON?) {
    phone.removeAll { $0.name == name }
    phone.append(JSON.Member(name, value ?? .null))
  }

  private static func unserved(_ name: String) -> AccountError {
    AccountError(
      .operationNotAllowed, "\(name) cannot be enabled: add it to signIn in the file of --auth-config first.")
  }

  private func requireServed(_ method: SignInMethod, as name: String) throws(AccountError) {
    guard serves(method) else { throw Self.unserved(name) }
  }

  /// Converts a mask from its other spelling: `sms_region_config`.
  static func camelCase(_ mask: String) -> String {
    let words = mask.split(separator: "_", omittingEmptySubsequences: false)
    return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
  }

  /// Applies the policy: its state, and with it the strength and the upgrade.
  private mutating func changePolicy() throws(AccountError) {
    policy = []
    let state = try text("\(Self.policyConfig).passwordPolicyEnforcementState")
    switch state {
    case "ENFORCE":
      guard case .array(let versions)? = try value("\(Self.policyConfig).passwordPolicyVersions"), versions.count == 1,
        let options = versions[0]["customStrengthOptions"], options.members != nil
      else {
        throw AccountError(
          .invalidArgument, "passwordPolicyVersions must have one element, with customStrengthOptions: { … }")
      }
      for member in options.members ?? [] {
        guard let name = Self.strength.first(where: { $0.0 == member.name })?.1 else {
          throw AccountError(
            .invalidArgument, "unknown member of customStrengthOptions: \(Self.shown(member.name))")
        }
        policy.append(JSON.Member(name, member.value))
      }
      policy += Self.kinds.filter { options[$0.0] == nil }.map { JSON.Member($0.1, .bool(false)) }
      policy.append(
        JSON.Member("appliesAtSignIn", .bool(try bool("\(Self.policyConfig).forceUpgradeOnSignin") ?? false)))
    case "OFF":
      let none = PasswordPolicy()
      policy = [
        JSON.Member("lengthMin", .int(Int64(none.lengthMin))),
        JSON.Member("sizeBytesMax", .int(Int64(none.sizeBytesMax))),
        JSON.Member("appliesAtSignIn", .bool(false)),
      ]
      policy += Self.kinds.map { JSON.Member($0.1, .bool(false)) }
    default:
      throw AccountError(.invalidArgument, "passwordPolicyEnforcementState must be ENFORCE or OFF")
    }
  }

  /// The names of required kinds of character: Identity Platform's, and the configuration file's.
  private static let kinds = [
    ("containsLowercaseCharacter", "requiresLowercase"), ("containsUppercaseCharacter", "requiresUppercase"),
    ("containsNumericCharacter", "requiresDigit"), ("containsNonAlphanumericCharacter", "requiresOther"),
  ]

  /// The settings for the strength of a password.
  private static let strength =
    [("minPasswordLength", "lengthMin"), ("maxPasswordLength", "sizeBytesMax")] + kinds

  private mutating func set(_ name: String, _ value: JSON?) {
    members.removeAll { $0.name == name }
    members.append(JSON.Member(name, value ?? .null))
  }

  /// Returns the body's value at a path; nil when it is absent or `null`.
  private func value(_ path: String) throws(AccountError) -> JSON? {
    var value = body
    for name in path.split(separator: ".") {
      guard value.members != nil else {
        throw AccountError(.invalidArgument, "The parent of \(name) in \(path) must be an object")
      }
      guard let inner = value[String(name)] ?? value[IdentityCall.snakeCase(String(name))] else { return nil }
      if case .null = inner { return nil }
      value = inner
    }
    return value
  }

  private func bool(_ path: String) throws(AccountError) -> Bool? {
    guard let value = try value(path) else { return nil }
    guard let bool = value.bool else { throw AccountError(.invalidArgument, "\(path) must be true or false") }
    return bool
  }

  private func text(_ path: String) throws(AccountError) -> String? {
    guard let value = try value(path) else { return nil }
    guard let text = value.string else { throw AccountError(.invalidArgument, "\(path) must be a string") }
    return text
  }

  /// Returns a name from the request, when it is valid; other text is not repeated.
  private static func shown(_ name: String) -> String {
    let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") }
    return isName && name.utf8.count <= 64 ? name : "The named setting"
  }

  /// Returns the paths of all settings in a body, for a request without a mask: down to values that are not objects.
  static func leaves(of body: JSON) -> [String] {
    var found: [String] = []
    var open = (body.members ?? []).reversed().map { ($0.name, $0.value) }
    while let (path, value) = open.popLast() {
      if let members = value.members, !members.isEmpty {
        open += members.reversed().map { ("\(path).\($0.name)", $0.value) }
      } else {
        found.append(path)
      }
    }
    return found
  }
}
