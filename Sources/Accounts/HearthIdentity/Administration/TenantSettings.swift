import HearthAccounts
import HearthTree

/// An administrator's settings of a tenant, in the form of Identity Platform's `Tenant`.
struct TenantSettings: Sendable {
  /// The settings of tenants, for the message that refuses another one.
  private static let known =
    "displayName, allowPasswordSignup, enableEmailLinkSignin, enableAnonymousUser, disableAuth, client.permissions, "
    + "emailPrivacyConfig, mfaConfig, passwordPolicyConfig, smsRegionConfig, testPhoneNumbers; all others belong to the project"

  /// The Boolean settings.
  private static let switches: [String: WritableKeyPath<TenantRecord, Bool> & Sendable] = [
    "allowPasswordSignup": \.allowsPasswords, "enableEmailLinkSignin": \.allowsEmailLinks,
    "enableAnonymousUser": \.allowsAnonymous, "disableAuth": \.isDisabled,
  ]

  private var steps: [@Sendable (inout TenantRecord) -> Void] = []
  private var further: ProjectSettings
  private let fixed: FixedSettings

  /// The settings that override the project's, in the form of the operator's file; nil for none.
  var changes: JSON? { further.changes }

  /// - Parameter fixed: the settings that are the same for every tenant.
  /// - Throws: `invalidArgument` for an invalid value, `notImplemented` for a setting that tenants do not have here.
  init(_ call: IdentityCall, fixed: FixedSettings) throws(AccountError) {
    self.fixed = fixed
    further = ProjectSettings(
      Self.furtherBody(call.body), serves: { _ in false }, servesPhones: false, known: Self.known)
    for mask in Self.masks(call) {
      try read(mask, call)
    }
  }

  /// Returns the paths of the settings that a request is about: those of the mask, else all of the body. Settings in
  /// the mask that the body lacks become their defaults.
  private static func masks(_ call: IdentityCall) -> [String] {
    let masks = call.updateMask.map { $0.split(separator: ",").map(String.init) } ?? places(in: call.body)
    // The path names the tenant.
    return masks.map(ProjectSettings.camelCase).filter { $0 != "name" }
  }

  /// Returns the paths of a body's settings; `null` counts as absent without a mask.
  private static func places(in body: JSON) -> [String] {
    (body.members ?? []).filter { $0.value != .null }.flatMap { member -> [String] in
      switch (ProjectSettings.camelCase(member.name), member.value) {
      case ("mfaConfig", .object(let members)): members.map { "mfaConfig.\($0.name)" }
      case ("client", _), ("passwordPolicyConfig", _), ("smsRegionConfig", _):
        ProjectSettings.leaves(of: .object([member]))
      default: [member.name]
      }
    }
  }

  /// Returns the body with only those settings that the project also has.
  private static func furtherBody(_ body: JSON) -> JSON {
    let numbers = body["testPhoneNumbers"] ?? body["test_phone_numbers"] ?? .null
    let own = (body.members ?? []).filter { $0.name != "signIn" && $0.name != "sign_in" }
    return .object(
      own + [.init("signIn", .object([.init("phoneNumber", .object([.init("testPhoneNumbers", numbers)]))]))])
  }

  private mutating func read(_ path: String, _ call: IdentityCall) throws(AccountError) {
    let name = String(path.prefix { $0 != "." })
    let flag = Self.switches[name]
    // A path below a single value names nothing.
    guard path == name || (flag == nil && name != "displayName") else { return }
    if let flag {
      let isOn = try call.bool(name) ?? false
      steps.append { $0[keyPath: flag] = isOn }
      return
    }
    switch name {
    case "displayName":
      let text = try call.text(name)
      guard text.map(TenantRecord.isDisplayName) ?? true else {
        throw AccountError(
          .invalidArgument, "displayName must have 4 to 20 letters, digits and hyphens, and begin with a letter.")
      }
      steps.append { $0.displayName = text }
    case "emailPrivacyConfig":
      let privacy = try call.object(name)
      let protects = try privacy.flatMap { json throws(AccountError) in
        try call.with(json).bool("enableImprovedEmailPrivacy")
      }
      steps.append { $0.protectsFromEnumeration = protects }
    case "mfaConfig": try readFactors(path, try call.object(name).map { call.with($0) })
    case "client", "passwordPolicyConfig", "smsRegionConfig": try further.change(path)
    case "testPhoneNumbers": try further.change("signIn.phoneNumber.testPhoneNumbers")
    default:
      guard fixed.matches(path, in: call.body) else {
        throw ProjectSettings.refusal(of: path, what: "cannot be set for a tenant", known: Self.known)
      }
    }
  }

  /// Reads the second factors: the state is the policy; `enabledProviders` names phones, `providerConfigs`
  /// authenticators.
  private mutating func readFactors(_ path: String, _ mfa: IdentityCall?) throws(AccountError) {
    var isKnown = false
    func names(_ member: String) -> Bool {
      let place = "mfaConfig.\(member)"
      let isNamed = path == "mfaConfig" || path == place
      if isNamed || path.hasPrefix("\(place).") { isKnown = true }
      return isNamed
    }
    if names("state") {
      let state = try mfa?.text("state")
      let policy = state.flatMap { SecondFactorSettings.Policy(state: $0) }
      guard (state == nil) == (policy == nil) else {
        throw AccountError(.invalidArgument, "mfaConfig.state must be DISABLED, ENABLED or MANDATORY")
      }
      steps.append { $0.secondFactorPolicy = policy }
    }
    if names("enabledProviders") {
      let providers = try mfa?.texts("enabledProviders") ?? []
      guard providers.allSatisfy({ ["PHONE_SMS", "PROVIDER_UNSPECIFIED"].contains($0) }), providers.count <= 2 else {
        throw AccountError(.invalidArgument, "mfaConfig.enabledProviders must be [] or [\"PHONE_SMS\"]")
      }
      steps.append { $0.secondFactorProviders = providers }
    }
    if names("providerConfigs") {
      let configs = try mfa?.value("providerConfigs").map { json throws(AccountError) in
        try AuthenticatorConfigs.read(json, at: "mfaConfig")
      }
      let authenticators = configs.map {
        TenantRecord.Authenticators(isOn: $0.isOn, adjacentIntervals: $0.adjacentIntervals)
      }
      steps.append { $0.authenticators = authenticators }
    }
    guard isKnown else {
      throw ProjectSettings.refusal(of: path, what: "cannot be set for a tenant", known: Self.known)
    }
  }

  func apply(to tenant: inout TenantRecord) {
    for step in steps { step(&tenant) }
  }
}
