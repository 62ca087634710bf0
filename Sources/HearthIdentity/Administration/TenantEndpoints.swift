import HearthAccounts
import HearthTree

/// The tenants of a project, as admin SDKs and deployment tools keep them: Identity Platform's `projects.tenants`.
struct TenantEndpoints: EndpointArea {
  /// The project's.
  let accounts: Accounts

  private static let pageMax: Int64 = 1_000
  private static let pageDefault: Int64 = 20

  /// `POST projects/PROJECT/tenants`: the body is the tenant; its id is drawn.
  func create(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.requireAdministrator()
    let change = try TenantChange(call, names: Self.names(of: call.body))
    return json(try await tenants.create(by: administrator) { change.apply(to: &$0) })
  }

  /// `GET projects/PROJECT/tenants?pageSize=&pageToken=`, in the order of their ids.
  func list(_ call: IdentityCall) async throws(AccountError) -> JSON {
    _ = try call.requireAdministrator()
    let size = try call.int("pageSize") ?? Self.pageDefault
    guard (1...Self.pageMax).contains(size) else {
      throw AccountError(.invalidPageSelection, "pageSize is 1 to \(Self.pageMax).")
    }
    let token = try call.text("pageToken").flatMap { $0.isEmpty ? nil : $0 }
    let page = try tenants.page(after: token, limit: Int(size))
    var reply = ReplyObject()
    reply.set("tenants", .array(page.map { json($0) }))
    // A full page names a next one, which may be empty, as with users.
    if page.count == Int(size) { reply.set("nextPageToken", page.last?.id) }
    return reply.json
  }

  /// `GET projects/PROJECT/tenants/TENANT`
  func get(_ call: IdentityCall) async throws(AccountError) -> JSON {
    _ = try call.requireAdministrator()
    let id = try id(call)
    // An emulator makes those that are asked for.
    _ = try await tenants.accounts(named: id)
    return json(try tenants.settings(of: id))
  }

  /// `PATCH projects/PROJECT/tenants/TENANT?updateMask=`: what the mask names becomes what the body says, or its default when
  /// the body does not say; without a mask, what the body names.
  func change(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.requireAdministrator()
    let names = call.updateMask.map { $0.split(separator: ",").map(String.init) } ?? Self.names(of: call.body)
    let change = try TenantChange(call, names: names)
    return json(try await tenants.change(try id(call), by: administrator) { change.apply(to: &$0) })
  }

  /// `DELETE projects/PROJECT/tenants/TENANT`: with everybody in it.
  func delete(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.requireAdministrator()
    try await tenants.delete(try id(call), by: administrator)
    return .object([])
  }

  private var tenants: Tenants {
    get throws(AccountError) {
      guard let tenants = accounts.tenants else { throw AccountError(.unsupportedTenant) }
      return tenants
    }
  }

  private func id(_ call: IdentityCall) throws(AccountError) -> String {
    guard let id = call.pathTenant else { throw AccountError(.tenantNotFound) }
    return id
  }

  /// What a body sets. Its name is said by the path.
  private static func names(of body: JSON) -> [String] {
    (body.members ?? []).filter { $0.name != "name" && $0.value != .null }.map(\.name)
  }

  private func json(_ tenant: TenantRecord) -> JSON {
    var reply = ReplyObject()
    reply.set("name", "projects/\(accounts.configuration.projectID)/tenants/\(tenant.id)")
    // As the official emulator answers, beside the name.
    if accounts.configuration.isEmulator { reply.set("tenantId", tenant.id) }
    reply.set("displayName", tenant.displayName)
    reply.set("allowPasswordSignup", tenant.allowsPasswords)
    reply.set("enableEmailLinkSignin", tenant.allowsEmailLinks)
    reply.set("enableAnonymousUser", tenant.allowsAnonymous)
    reply.set("disableAuth", tenant.isDisabled)
    if let protects = tenant.protectsFromEnumeration {
      reply.set("emailPrivacyConfig", .object([.init("enableImprovedEmailPrivacy", .bool(protects))]))
    }
    if let policy = tenant.secondFactorPolicy {
      reply.set(
        "mfaConfig",
        .object([
          .init("state", .string(policy.state)),
          .init("enabledProviders", .array(tenant.secondFactorProviders.map { .string($0) })),
        ]))
    }
    return reply.json
  }
}

/// What an administrator wants of a tenant.
private struct TenantChange: Sendable {
  private enum Setting: String, CaseIterable {
    case displayName, allowPasswordSignup, enableEmailLinkSignin, enableAnonymousUser, disableAuth, emailPrivacyConfig
    case mfaConfig

    /// - Parameter mask: its name in either spelling of masks, alone or before a dot.
    init?(mask: String) {
      let name = mask.prefix { $0 != "." }
      let found = Self.allCases.first { name == $0.rawValue || name == IdentityCall.snakeCase($0.rawValue) }
      guard let found else { return nil }
      self = found
    }
  }

  private var steps: [@Sendable (inout TenantRecord) -> Void] = []

  /// - Parameter names: of the members that are set; those that the body lacks become their defaults.
  /// - Throws: `invalidArgument` for a value that cannot be, `notImplemented` for a setting that tenants do not have here.
  init(_ call: IdentityCall, names: [String]) throws(AccountError) {
    for name in names {
      guard let setting = Setting(mask: name) else {
        throw AccountError(.notImplemented, "\(name) cannot be set for a tenant of this server.")
      }
      steps.append(try Self.step(setting, call))
    }
  }

  private static func step(
    _ setting: Setting, _ call: IdentityCall
  ) throws(AccountError) -> @Sendable (inout TenantRecord) -> Void {
    func flag() throws(AccountError) -> Bool { try call.bool(setting.rawValue) ?? false }
    switch setting {
    case .displayName:
      let text = try call.text(setting.rawValue)
      guard text.map(TenantRecord.isDisplayName) ?? true else {
        throw AccountError(
          .invalidArgument, "displayName has 4 to 20 letters, digits and hyphens, and begins with a letter.")
      }
      return { $0.displayName = text }
    case .allowPasswordSignup:
      let isOn = try flag()
      return { $0.allowsPasswords = isOn }
    case .enableEmailLinkSignin:
      let isOn = try flag()
      return { $0.allowsEmailLinks = isOn }
    case .enableAnonymousUser:
      let isOn = try flag()
      return { $0.allowsAnonymous = isOn }
    case .disableAuth:
      let isOn = try flag()
      return { $0.isDisabled = isOn }
    case .emailPrivacyConfig:
      let privacy = try call.object(setting.rawValue)
      let protects = try privacy.flatMap { json throws(AccountError) in
        try call.with(json).bool("enableImprovedEmailPrivacy")
      }
      return { $0.protectsFromEnumeration = protects }
    case .mfaConfig: return try mfa(try call.object(setting.rawValue).map { call.with($0) })
    }
  }

  /// The state is the policy. Authenticators are switched for the whole project.
  private static func mfa(_ mfa: IdentityCall?) throws(AccountError) -> @Sendable (inout TenantRecord) -> Void {
    guard let mfa else {
      return { ($0.secondFactorPolicy, $0.secondFactorProviders) = (nil, []) }
    }
    guard mfa.value("providerConfigs") == nil else {
      throw AccountError(
        .notImplemented, "mfaConfig.providerConfigs cannot be set for a tenant: authenticators are the project's.")
    }
    guard let policy = SecondFactorSettings.Policy(state: try mfa.text("state") ?? "DISABLED") else {
      throw AccountError(.invalidArgument, "mfaConfig.state must be DISABLED, ENABLED or MANDATORY")
    }
    let providers = try mfa.texts("enabledProviders") ?? []
    guard providers.allSatisfy({ ["PHONE_SMS", "PROVIDER_UNSPECIFIED"].contains($0) }), providers.count <= 2 else {
      throw AccountError(.invalidArgument, "mfaConfig.enabledProviders names PHONE_SMS or nothing")
    }
    return { ($0.secondFactorPolicy, $0.secondFactorProviders) = (policy, providers) }
  }

  func apply(to tenant: inout TenantRecord) {
    for step in steps { step(&tenant) }
  }
}
