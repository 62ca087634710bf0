import HearthAccounts
import HearthCrypto

/// The operations of administrators: those of the admin SDKs, and those of the server's own command line.
enum AdministrationTable {
  /// Providers that are set up while the server runs.
  static let providers: [IdentityOperation] = [
    .call(
      "createIssuer", .permission(.giveAccess), ProviderEndpoints.createIssuer,
      at: .project("POST", "v2", "/oauthIdpConfigs")),
    .call(
      "listIssuers", .permission(.readUsers), ProviderEndpoints.listIssuers,
      at: .project("GET", "v2", "/oauthIdpConfigs")),
    .call(
      "getIssuer", .permission(.readUsers), ProviderEndpoints.get,
      at: .project("GET", "v2", "/oauthIdpConfigs/{config}")),
    .call(
      "changeIssuer", .permission(.giveAccess), ProviderEndpoints.change,
      at: .project("PATCH", "v2", "/oauthIdpConfigs/{config}")),
    .call(
      "deleteIssuer", .permission(.changeUsers), ProviderEndpoints.delete,
      at: .project("DELETE", "v2", "/oauthIdpConfigs/{config}")),
    .call(
      "createSAMLProvider", .permission(.giveAccess), ProviderEndpoints.createSAML,
      at: .project("POST", "v2", "/inboundSamlConfigs")),
    .call(
      "listSAMLProviders", .permission(.readUsers), ProviderEndpoints.listSAML,
      at: .project("GET", "v2", "/inboundSamlConfigs")),
    .call(
      "getSAMLProvider", .permission(.readUsers), ProviderEndpoints.get,
      at: .project("GET", "v2", "/inboundSamlConfigs/{config}")),
    .call(
      "changeSAMLProvider", .permission(.giveAccess), ProviderEndpoints.change,
      at: .project("PATCH", "v2", "/inboundSamlConfigs/{config}")),
    .call(
      "deleteSAMLProvider", .permission(.changeUsers), ProviderEndpoints.delete,
      at: .project("DELETE", "v2", "/inboundSamlConfigs/{config}")),
    .call(
      "listDefaultProviders", .permission(.readUsers), ProviderEndpoints.listDefault,
      at: .project("GET", "v2", "/defaultSupportedIdpConfigs")),
  ]

  /// The configuration of a project, and its tenants. The last row has every other path below a project.
  static let projects: [IdentityOperation] = [
    .call(
      "getProjectConfig", .permission(.readUsers), ProjectConfigEndpoints.get,
      // The second path is that of deployment tools.
      at: .toolkit("GET", "v2/projects/{project}/config") + .toolkit("GET", "admin/v2/projects/{project}/config")),
    .call(
      "changeProjectConfig", .permission(.giveAccess), ProjectConfigEndpoints.change,
      at: .toolkit("PATCH", "v2/projects/{project}/config") + .toolkit("PATCH", "admin/v2/projects/{project}/config")),
    .call(
      "createTenant", .permission(.giveAccess), TenantEndpoints.create,
      at: .toolkit("POST", "v2/projects/{project}/tenants"), scope: .project),
    .call(
      "listTenants", .permission(.readUsers), TenantEndpoints.list,
      at: .toolkit("GET", "v2/projects/{project}/tenants"), scope: .project),
    .call(
      "getTenant", .permission(.readUsers), TenantEndpoints.get,
      at: .toolkit("GET", "v2/projects/{project}/tenants/{tenant}"), scope: .project),
    .call(
      "changeTenant", .permission(.giveAccess), TenantEndpoints.change,
      at: .toolkit("PATCH", "v2/projects/{project}/tenants/{tenant}"), scope: .project),
    .call(
      "deleteTenant", .permission(.deleteUsers), TenantEndpoints.delete,
      at: .toolkit("DELETE", "v2/projects/{project}/tenants/{tenant}"), scope: .project),
    .unserved(
      "projectChange", .permission(.changeUsers), "changing the project's configuration",
      at: .toolkit("*", "v2/projects/{project}") + .toolkit("*", "v2/projects/{project}/{rest}")),
  ]

  /// Accounts, for admin SDKs.
  static let accounts: [IdentityOperation] = [
    .call(
      "adminCreate", .permission(.giveAccess), UserEndpoints.create, at: .project("POST", "v1", "/accounts")),
    .call(
      "adminLookup", .permission(.readUsers), UserEndpoints.lookup, at: .project("POST", "v1", "/accounts:lookup")),
    // Most changes of an account can give access to it; the others require a lesser permission.
    .call(
      "adminUpdate", .permission(.giveAccess), UserEndpoints.update, at: .project("POST", "v1", "/accounts:update")
    ).with(\.lesserPermission, { AccountUpdate.isHarmless($0) ? .changeUsers : nil }),
    .call(
      "adminDelete", .permission(.deleteUsers), UserEndpoints.delete, at: .project("POST", "v1", "/accounts:delete")),
    .call(
      "adminSendCode", .permission(.giveAccess), CodeEndpoints.sendCode,
      at: .project("POST", "v1", "/accounts:sendOobCode")),
    .call(
      "batchGet", .permission(.changeUsers), BatchEndpoints.get,
      at: .project("GET", "v1", "/accounts:batchGet") + [.v3("*", "downloadAccount")]),
    .call(
      "batchDelete", .permission(.deleteUsers), BatchEndpoints.delete,
      at: .project("POST", "v1", "/accounts:batchDelete")),
    .call(
      "batchCreate", .permission(.giveAccess), ImportEndpoints.create,
      at: .project("POST", "v1", "/accounts:batchCreate") + [.v3("POST", "uploadAccount")]
    ).with(\.bodyBytesMax, IdentityBody.importSizeBytesMax),
    .call(
      "queryAccounts", .permission(.readUsers), BatchEndpoints.query,
      at: .toolkit("POST", "v1/accounts:query") + .project("POST", "v1", "/accounts:query")
        + .project("POST", "v1", ":queryAccounts")),
    .call(
      "createSessionCookie", .permission(.giveAccess), UserEndpoints.createSessionCookie,
      at: .project("POST", "v1", ":createSessionCookie")),
  ]

  /// For the operator: operations that the identity protocol does not have. The last row has every other path.
  static let server: [IdentityOperation] = [
    .call("status", .permission(.readServer), ServerEndpoints.status, at: .server("status"), scope: .server),
    .call(
      "exportUsers", .permission(.changeServer), ExportEndpoints.export, at: .server("users:export"),
      scope: .serverOrTenant),
    .call(
      "checkPasswords", .permission(.changeServer), ImportEndpoints.checkPasswords,
      at: .server("users:checkPasswords"), scope: .serverOrTenant),
    .call(
      "revokeUser", .permission(.endSessions), ServerEndpoints.revokeUser, at: .server("users:revoke"),
      scope: .serverOrTenant),
    .call(
      "tokenStanding", .permission(.readServer), ServerEndpoints.tokenStanding, at: .server("tokens:standing"),
      scope: .serverOrTenant),
    .call(
      "listServiceAccounts", .permission(.readServer), ServiceAccountEndpoints.list,
      at: .server("serviceAccounts:list"), scope: .server),
    .call(
      "createServiceAccount", .permission(.changeServer), ServiceAccountEndpoints.create,
      at: .server("serviceAccounts:create"), scope: .server),
    .call(
      "disableServiceAccount", .permission(.changeServer), ServiceAccountEndpoints.disable,
      at: .server("serviceAccounts:disable"), scope: .server),
    .call(
      "removeServiceAccountKey", .permission(.changeServer), ServiceAccountEndpoints.removeKey,
      at: .server("serviceAccounts:removeKey"), scope: .server),
    .call("listTrust", .permission(.readServer), TrustEndpoints.list, at: .server("trust:list"), scope: .server),
    .call("setTrust", .permission(.changeServer), TrustEndpoints.set, at: .server("trust:set"), scope: .server),
    .call("listKeys", .permission(.readServer), KeyEndpoints.list, at: .server("keys:list"), scope: .server),
    .call("rotateKey", .permission(.changeServer), KeyEndpoints.rotate, at: .server("keys:rotate"), scope: .server),
    .call("removeKey", .permission(.changeServer), KeyEndpoints.remove, at: .server("keys:remove"), scope: .server),
    .call(
      "listSecrets", .permission(.readServer), KeyEndpoints.listSecrets, at: .server("secrets:list"), scope: .server),
    .call(
      "rotateSecret", .permission(.changeServer), KeyEndpoints.rotateSecret, at: .server("secrets:rotate"),
      scope: .server),
    .call(
      "removeSecret", .permission(.changeServer), KeyEndpoints.removeSecret, at: .server("secrets:remove"),
      scope: .server),
    .call(
      "tailAudit", .permission(.readServer), ServerEndpoints.tailAudit, at: .server("audit:tail"),
      scope: .serverOrTenant),
    .call(
      "verifyAudit", .permission(.readServer), ServerEndpoints.verifyAudit, at: .server("audit:verify"),
      scope: .serverOrTenant),
    .call(
      "importSAMLMetadata", .permission(.changeServer), ProviderEndpoints.importMetadata,
      at: .server("providers:importSAML"), scope: .serverOrTenant),
    .call(
      "unknownAdministration", .permission(.readServer), ServerEndpoints.unknown, at: .server("{rest}"),
      scope: .server),
  ]
}
