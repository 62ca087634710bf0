import HearthAccounts
import HearthTree

/// The tenants of a project, for admin SDKs and deployment tools: Identity Platform's `projects.tenants`.
struct TenantEndpoints: EndpointGroup {
  /// The accounts of the project.
  let accounts: Accounts

  private static let pageMax: Int64 = 1_000
  private static let pageDefault: Int64 = 20

  /// `POST projects/PROJECT/tenants`: creates a tenant from the body, with a generated id.
  func create(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    let settings = try TenantSettings(call, fixed: FixedSettings(accounts.configuration, ofTenant: true))
    return json(
      try await tenants.create(by: administrator, settings: settings.changes) { settings.apply(to: &$0) })
  }

  /// `GET projects/PROJECT/tenants?pageSize=&pageToken=`: lists tenants in the order of their ids.
  func list(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let size = try call.int("pageSize") ?? Self.pageDefault
    guard (1...Self.pageMax).contains(size) else {
      throw AccountError(.invalidPageSelection, "pageSize must be 1 to \(Self.pageMax).")
    }
    let token = try call.text("pageToken").flatMap { $0.isEmpty ? nil : $0 }
    let page = try tenants.page(after: token, limit: Int(size))
    var reply = ReplyObject()
    reply.set("tenants", .array(page.map { json($0) }))
    // A full page has the token of a next page, which may be empty, as in the list of users.
    if page.count == Int(size) { reply.set("nextPageToken", page.last?.id) }
    return reply.json
  }

  /// `GET projects/PROJECT/tenants/TENANT`: returns a tenant.
  func get(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let id = try id(call)
    // An emulator creates tenants at their first use.
    _ = try await tenants.accounts(named: id)
    return json(try tenants.settings(of: id))
  }

  /// `PATCH projects/PROJECT/tenants/TENANT?updateMask=`: replaces the members of the mask by those of the body, absent
  /// ones by their defaults; without a mask, replaces the members of the body.
  func change(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    let settings = try TenantSettings(call, fixed: FixedSettings(accounts.configuration, ofTenant: true))
    let tenant = try await tenants.change(try id(call), by: administrator, settings: settings.changes) {
      settings.apply(to: &$0)
    }
    return json(tenant)
  }

  /// `DELETE projects/PROJECT/tenants/TENANT`: deletes the tenant with all its users.
  func delete(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
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

  private func json(_ tenant: TenantRecord) -> JSON {
    var reply = ReplyObject()
    reply.set("name", "projects/\(accounts.configuration.projectID)/tenants/\(tenant.id)")
    // The official emulator returns the id in addition to the resource name.
    if accounts.configuration.isEmulator { reply.set("tenantId", tenant.id) }
    reply.set("displayName", tenant.displayName)
    reply.set("allowPasswordSignup", tenant.allowsPasswords)
    reply.set("enableEmailLinkSignin", tenant.allowsEmailLinks)
    reply.set("enableAnonymousUser", tenant.allowsAnonymous)
    reply.set("disableAuth", tenant.isDisabled)
    if let protects = tenant.protectsFromEnumeration {
      // Members that are false are omitted, as in Firebase Authentication.
      reply.set(
        "emailPrivacyConfig", .object(protects ? [JSON.Member("enableImprovedEmailPrivacy", .bool(true))] : []))
    }
    if let configuration = accounts.tenants?.configuration(of: tenant) {
      reply.set("mfaConfig", Self.mfa(tenant, configuration))
      if let changes = tenant.changes.flatMap({ JSON(parsing: $0.utf8) }) {
        Self.setFurther(changes, configuration, in: &reply)
      }
    }
    return reply.json
  }

  /// The tenant's settings for second factors; nil when it has none.
  private static func mfa(_ tenant: TenantRecord, _ configuration: AccountsConfiguration) -> JSON? {
    guard tenant.secondFactorPolicy != nil || tenant.authenticators != nil || !tenant.secondFactorProviders.isEmpty
    else { return nil }
    let policy = tenant.secondFactorPolicy ?? configuration.secondFactors.policy
    var members = [
      JSON.Member("state", .string(policy.state)),
      JSON.Member("enabledProviders", .array(tenant.secondFactorProviders.map { .string($0) })),
    ]
    if let authenticators = tenant.authenticators {
      let configs = AuthenticatorConfigs(
        isOn: authenticators.isOn, adjacentIntervals: authenticators.adjacentIntervals)
      members.append(JSON.Member("providerConfigs", configs.json))
    }
    return .object(members)
  }

  /// Sets the tenant's settings that override the project's, in Identity Platform's form.
  private static func setFurther(_ changes: JSON, _ configuration: AccountsConfiguration, in reply: inout ReplyObject) {
    let permissions = [
      changes["allowsSignUp"]?.bool.map { JSON.Member("disabledUserSignup", .bool(!$0)) },
      changes["allowsDeletion"]?.bool.map { JSON.Member("disabledUserDeletion", .bool(!$0)) },
    ].compactMap { $0 }
    if !permissions.isEmpty {
      reply.set("client", .object([JSON.Member("permissions", .object(permissions))]))
    }
    if changes["passwordPolicy"] != nil {
      reply.set("passwordPolicyConfig", PasswordPolicyInfo(configuration.passwordPolicy).config)
    }
    if changes["phone"]?["regions"] != nil {
      reply.set("smsRegionConfig", configuration.phone.regions.map(ProjectConfigEndpoints.regions))
    }
    if let numbers = changes["phone"]?["testNumbers"], numbers.members?.isEmpty == false {
      reply.set("testPhoneNumbers", numbers)
    }
  }
}
