import HearthAccounts
import HearthTree

/// The project's configuration, as deployment tools and admin SDKs read and change it: the settings of the operator's file, in
/// Identity Platform's form. Changes apply from the next request on.
struct ProjectConfigEndpoints: EndpointGroup {
  let accounts: Accounts

  private static let blockingFunctions = "blockingFunctions"

  /// `GET projects/PROJECT/config`: returns the configuration.
  func get(_ call: IdentityCall) async throws(AccountError) -> JSON {
    return config
  }

  /// `PATCH projects/PROJECT/config?updateMask=authorizedDomains,client.permissions.disabledUserSignup`: replaces the
  /// members of the mask by those of the body; absent ones return to the operator's file. Without a mask it applies to
  /// all members of the body.
  func change(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    let paths = self.paths(call)
    guard !paths.isEmpty else { throw AccountError(.invalidArgument, "updateMask is empty") }
    var changesFunctions = false
    let fixed = FixedSettings(accounts.configuration)
    var settings = ProjectSettings(
      call.body, serves: { [accounts] in accounts.signIn.providers.has($0) },
      servesPhones: accounts.configuration.hasPhoneSignIn)
    let named = try call.object(Self.blockingFunctions)
    var parts = BlockingFunctionParts(named)
    for path in paths {
      let camel = ProjectSettings.camelCase(path)
      if camel == Self.blockingFunctions {
        changesFunctions = true
      } else if camel.hasPrefix("\(Self.blockingFunctions).") {
        // Without a mask all functions of the body are changed.
        if call.updateMask == nil { changesFunctions = true }
        parts.add(camel.dropFirst(Self.blockingFunctions.count + 1))
      } else if path != "name", !fixed.matches(path, in: call.body) {
        try settings.change(path)
      }
    }
    let whole = changesFunctions ? named : nil
    let functions = try whole.map { json throws(AccountError) in try BlockingFunctionSettings(json: json) }
    // Validation comes first: a refused request has changed nothing.
    if !changesFunctions, !parts.isEmpty {
      _ = try BlockingFunctionSettings(json: parts.apply(to: accounts.administration.functions.blocking.json))
    }
    if let changes = settings.changes { try await accounts.administration.settings.change(changes, by: administrator) }
    if changesFunctions {
      try await accounts.administration.functions.set(functions, by: administrator)
    } else if !parts.isEmpty {
      try await accounts.administration.functions.change(by: administrator) { [parts] in parts.apply(to: $0) }
    }
    return config
  }

  /// The settings that a request is about: those of the mask, else all that the body has. On an emulator a request
  /// without a mask also resets the official emulator's own settings that the body lacks to their values at the start.
  private func paths(_ call: IdentityCall) -> [String] {
    let emulators = [
      "signIn.allowDuplicateEmails", "emailPrivacyConfig.enableImprovedEmailPrivacy", Self.blockingFunctions,
    ]
    if let mask = call.updateMask { return mask.split(separator: ",").map(String.init) }
    return ProjectSettings.leaves(of: call.body) + (accounts.configuration.isEmulator ? emulators : [])
  }

  private var config: JSON {
    let configuration = accounts.configuration
    var reply = ReplyObject()
    reply.set("name", "projects/\(configuration.projectNumber)/config")
    reply.set("authorizedDomains", .array(configuration.authorizedDomains.map { .string($0) }))
    reply.set(
      "client",
      .object([
        JSON.Member(
          "permissions",
          .object([
            JSON.Member("disabledUserSignup", .bool(!configuration.allowsSignUp)),
            JSON.Member("disabledUserDeletion", .bool(!configuration.allowsDeletion)),
          ]))
      ]))
    // As in Firebase Authentication, settings that are off are omitted.
    let privacy = configuration.protectsFromEnumeration ? [JSON.Member("enableImprovedEmailPrivacy", .bool(true))] : []
    reply.set("emailPrivacyConfig", .object(privacy))
    reply.set("passwordPolicyConfig", PasswordPolicyInfo(configuration.passwordPolicy).config)
    reply.set(
      "signIn",
      .object([
        JSON.Member(
          "email",
          .object([
            JSON.Member("enabled", .bool(accounts.signIn.providers.serves(.password))),
            JSON.Member("passwordRequired", .bool(!accounts.signIn.providers.serves(.emailLink))),
          ])),
        JSON.Member(
          "anonymous", .object([JSON.Member("enabled", .bool(accounts.signIn.providers.serves(.anonymous)))])),
        JSON.Member("phoneNumber", Self.phoneNumber(configuration)),
        JSON.Member("allowDuplicateEmails", .bool(configuration.allowsDuplicateEmails)),
      ]))
    reply.set("smsRegionConfig", configuration.phone.regions.map(Self.regions))
    reply.set("mfa", Self.mfa(configuration))
    reply.set("multiTenant", .object([JSON.Member("allowTenants", .bool(true))]))
    for member in FixedSettings(configuration).shown { reply.set(member.name, member.value) }
    reply.set(Self.blockingFunctions, accounts.administration.functions.blocking.json)
    return reply.json
  }

  private static func phoneNumber(_ configuration: AccountsConfiguration) -> JSON {
    let numbers = configuration.phone.testNumbers.sorted { $0.key < $1.key }
    return .object([
      JSON.Member("enabled", .bool(configuration.servesPhoneSignIn)),
      JSON.Member("testPhoneNumbers", .object(numbers.map { JSON.Member($0.key, .string($0.value)) })),
    ])
  }

  static func regions(_ regions: PhoneRegions) -> JSON {
    let (kind, name, list) =
      switch regions {
      case .only(let list): ("allowlistOnly", "allowedRegions", list)
      case .allBut(let list): ("allowByDefault", "disallowedRegions", list)
      }
    let named = JSON.Member(name, .array(list.map { .string($0) }))
    return .object([JSON.Member(kind, .object([named]))])
  }

  private static func mfa(_ configuration: AccountsConfiguration) -> JSON {
    let settings = configuration.secondFactors
    let providers: [JSON] = configuration.phone.secondFactor ? [.string("PHONE_SMS")] : []
    let totp = AuthenticatorConfigs(
      isOn: settings.totp, adjacentIntervals: settings.totpAdjacentIntervals)
    return .object([
      JSON.Member("state", .string(settings.policy.state)), JSON.Member("enabledProviders", .array(providers)),
      JSON.Member("providerConfigs", totp.json),
    ])
  }
}
