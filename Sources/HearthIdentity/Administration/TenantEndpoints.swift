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
    let page = try tenants.page(after: token, limit: Int(size) + 1)
    var reply = ReplyObject()
    reply.set("tenants", list: page.prefix(Int(size)).map { json($0) })
    if page.count > Int(size) { reply.set("nextPageToken", page[Int(size) - 1].id) }
    return reply.json
  }

  /// `GET projects/PROJECT/tenants/TENANT`
  func get(_ call: IdentityCall) async throws(AccountError) -> JSON {
    _ = try call.requireAdministrator()
    return json(try tenants.settings(of: try id(call)))
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
    reply.set("displayName", tenant.displayName)
    reply.set("allowPasswordSignup", tenant.allowsPasswords)
    reply.set("enableEmailLinkSignin", tenant.allowsEmailLinks)
    reply.set("enableAnonymousUser", tenant.allowsAnonymous)
    reply.set("disableAuth", tenant.isDisabled)
    if let protects = tenant.protectsFromEnumeration {
      reply.set("emailPrivacyConfig", .object([.init("enableImprovedEmailPrivacy", .bool(protects))]))
    }
    return reply.json
  }
}

/// What an administrator wants of a tenant.
private struct TenantChange: Sendable {
  private var displayName: String??
  private var allowsPasswords: Bool?
  private var allowsEmailLinks: Bool?
  private var allowsAnonymous: Bool?
  private var isDisabled: Bool?
  private var protectsFromEnumeration: Bool??

  /// - Parameter names: of the members that are set; those that the body lacks become their defaults.
  /// - Throws: `invalidArgument` for a value that cannot be, `notImplemented` for a setting that tenants do not have here.
  init(_ call: IdentityCall, names: [String]) throws(AccountError) {
    for name in names {
      switch String(name.prefix { $0 != "." }) {
      case "displayName", "display_name":
        let text = try call.text("displayName")
        guard text.map(TenantRecord.isDisplayName) ?? true else {
          throw AccountError(
            .invalidArgument, "displayName has 4 to 20 letters, digits and hyphens, and begins with a letter.")
        }
        displayName = .some(text)
      case "allowPasswordSignup", "allow_password_signup":
        allowsPasswords = try call.bool("allowPasswordSignup") ?? false
      case "enableEmailLinkSignin", "enable_email_link_signin":
        allowsEmailLinks = try call.bool("enableEmailLinkSignin") ?? false
      case "enableAnonymousUser", "enable_anonymous_user":
        allowsAnonymous = try call.bool("enableAnonymousUser") ?? false
      case "disableAuth", "disable_auth": isDisabled = try call.bool("disableAuth") ?? false
      case "emailPrivacyConfig", "email_privacy_config":
        let privacy = try call.object("emailPrivacyConfig")
        protectsFromEnumeration = .some(
          try privacy.flatMap { json throws(AccountError) in try call.with(json).bool("enableImprovedEmailPrivacy") })
      default: throw AccountError(.notImplemented, "\(name) cannot be set for a tenant of this server.")
      }
    }
  }

  func apply(to tenant: inout TenantRecord) {
    if let displayName { tenant.displayName = displayName }
    if let allowsPasswords { tenant.allowsPasswords = allowsPasswords }
    if let allowsEmailLinks { tenant.allowsEmailLinks = allowsEmailLinks }
    if let allowsAnonymous { tenant.allowsAnonymous = allowsAnonymous }
    if let isDisabled { tenant.isDisabled = isDisabled }
    if let protectsFromEnumeration { tenant.protectsFromEnumeration = protectsFromEnumeration }
  }
}
