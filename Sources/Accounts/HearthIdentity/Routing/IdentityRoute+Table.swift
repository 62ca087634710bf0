import HearthCrypto

extension IdentityRoute {
  /// Everything that the identity endpoints serve: method, path, operation, and what it needs of its caller. Of rows for the same path
  /// the first that takes the method counts.
  package static let table: [IdentityRoute] =
    providers + toolkit + olderToolkit + administration + tokens + emulator + legacy
    + pages

  /// Versions 1 and 2 of the identity service.
  private static let toolkit: [IdentityRoute] = [
    IdentityRoute([.toolkit], "POST", "v1/accounts:signUp", .signUp, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:signInWithPassword", .signInWithPassword, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:signInWithCustomToken", .signInWithCustomToken, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:signInWithIdp", .signInWithIdentity, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:signInWithEmailLink", .signInWithEmailLink, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:signInWithPhoneNumber", .signInWithPhone, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:sendVerificationCode", .sendPhoneCode, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:createAuthUri", .createAuthURI, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:lookup", .lookup, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:update", .update, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:delete", .delete, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:sendOobCode", .sendCode, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:resetPassword", .resetPassword, .apiKey),
    IdentityRoute([.toolkit], "POST", "v1/accounts:query", .queryAccounts, .permission(.readUsers)),
    IdentityRoute([.toolkit], "POST", "v1/accounts:verifyIosClient", .phoneClient, .apiKey),
    IdentityRoute([.toolkit], "*", "v1/accounts:signInWithGameCenter", .gameCenter, .apiKey),
    IdentityRoute([.toolkit], "*", "v1/accounts:issueSamlResponse", .saml, .apiKey),
    IdentityRoute([.toolkit], "GET", "v1/projects", .projectConfig, .apiKey),
    IdentityRoute([.toolkit], "GET", "v1/recaptchaParams", .captchaParameters, .apiKey),
    IdentityRoute([.toolkit], "GET", "v1/sessionCookiePublicKeys", .cookieCertificates, .nothing),
    IdentityRoute([.toolkit], "GET", "v2/passwordPolicy", .passwordPolicy, .apiKey),
    IdentityRoute([.toolkit], "GET", "v2/recaptchaConfig", .recaptchaConfig, .apiKey),
    IdentityRoute([.toolkit], "POST", "v2/accounts:revokeToken", .revokeToken, .apiKey),
    IdentityRoute([.toolkit], "POST", "v2/accounts/mfaEnrollment:start", .startEnrolment, .apiKey),
    IdentityRoute([.toolkit], "POST", "v2/accounts/mfaEnrollment:finalize", .finishEnrolment, .apiKey),
    IdentityRoute([.toolkit], "POST", "v2/accounts/mfaEnrollment:withdraw", .withdrawFactor, .apiKey),
    IdentityRoute([.toolkit], "POST", "v2/accounts/mfaEnrollment:recoveryCodes", .makeRecoveryCodes, .apiKey),
    IdentityRoute([.toolkit], "POST", "v2/accounts/mfaSignIn:start", .startSecondFactor, .apiKey),
    IdentityRoute([.toolkit], "POST", "v2/accounts/mfaSignIn:finalize", .finishSecondFactor, .apiKey),
    IdentityRoute([.toolkit], "POST", "v2/accounts/passkeyEnrollment:start", .startPasskey, .apiKey),
    IdentityRoute([.toolkit], "POST", "v2/accounts/passkeyEnrollment:finalize", .finishPasskey, .apiKey),
    IdentityRoute([.toolkit], "POST", "v2/accounts/passkeySignIn:start", .startPasskeySignIn, .apiKey),
    IdentityRoute([.toolkit], "POST", "v2/accounts/passkeySignIn:finalize", .finishPasskeySignIn, .apiKey),
    IdentityRoute([.toolkit], "GET", "v2/projects/{project}/config", .getProjectConfig, .permission(.readUsers)),
    IdentityRoute([.toolkit], "PATCH", "v2/projects/{project}/config", .changeProjectConfig, .permission(.giveAccess)),
    IdentityRoute([.toolkit], "POST", "v2/projects/{project}/tenants", .createTenant, .permission(.giveAccess)),
    IdentityRoute([.toolkit], "GET", "v2/projects/{project}/tenants", .listTenants, .permission(.readUsers)),
    IdentityRoute([.toolkit], "GET", "v2/projects/{project}/tenants/{tenant}", .getTenant, .permission(.readUsers)),
    IdentityRoute(
      [.toolkit], "PATCH", "v2/projects/{project}/tenants/{tenant}", .changeTenant, .permission(.giveAccess)),
    IdentityRoute(
      [.toolkit], "DELETE", "v2/projects/{project}/tenants/{tenant}", .deleteTenant, .permission(.deleteUsers)),
    // As deployment tools name it.
    IdentityRoute([.toolkit], "GET", "admin/v2/projects/{project}/config", .getProjectConfig, .permission(.readUsers)),
    IdentityRoute(
      [.toolkit], "PATCH", "admin/v2/projects/{project}/config", .changeProjectConfig, .permission(.giveAccess)),
    IdentityRoute([.toolkit], "*", "v2/projects/{project}", .projectChange, .permission(.changeUsers)),
    IdentityRoute([.toolkit], "*", "v2/projects/{project}/{rest}", .projectChange, .permission(.changeUsers)),
  ]

  /// Providers that are set up while the server runs; before the rows that say what of a project cannot be changed.
  private static let providers: [IdentityRoute] =
    configurations("oauthIdpConfigs", .createIssuer, .listIssuers, .getIssuer, .changeIssuer, .deleteIssuer)
    + configurations(
      "inboundSamlConfigs", .createSAMLProvider, .listSAMLProviders, .getSAMLProvider, .changeSAMLProvider,
      .deleteSAMLProvider)
    + places("defaultSupportedIdpConfigs").map {
      IdentityRoute([.toolkit], "GET", $0, .listDefaultProviders, .permission(.readUsers))
    }

  private static func configurations(
    _ name: String, _ create: IdentityOperation, _ list: IdentityOperation, _ get: IdentityOperation,
    _ change: IdentityOperation, _ delete: IdentityOperation
  ) -> [IdentityRoute] {
    places(name).flatMap { place in
      let one = PathPattern(stringLiteral: place.text + "/{config}")
      return [
        IdentityRoute([.toolkit], "POST", place, create, .permission(.giveAccess)),
        IdentityRoute([.toolkit], "GET", place, list, .permission(.readUsers)),
        IdentityRoute([.toolkit], "GET", one, get, .permission(.readUsers)),
        IdentityRoute([.toolkit], "PATCH", one, change, .permission(.giveAccess)),
        IdentityRoute([.toolkit], "DELETE", one, delete, .permission(.changeUsers)),
      ]
    }
  }

  private static func places(_ name: String) -> [PathPattern] {
    ["v2/projects/{project}/", "v2/projects/{project}/tenants/{tenant}/"].map { PathPattern(stringLiteral: $0 + name) }
  }

  /// Version 3, which older clients speak; also under the name of another host.
  private static let olderToolkit: [IdentityRoute] = [
    older("POST", "identitytoolkit/v3/relyingparty/signupNewUser", .signUp, .apiKey),
    older("POST", "identitytoolkit/v3/relyingparty/verifyPassword", .signInWithPassword, .apiKey),
    older("POST", "identitytoolkit/v3/relyingparty/verifyCustomToken", .signInWithCustomToken, .apiKey),
    older("POST", "identitytoolkit/v3/relyingparty/verifyAssertion", .signInWithIdentity, .apiKey),
    older("POST", "identitytoolkit/v3/relyingparty/emailLinkSignin", .signInWithEmailLink, .apiKey),
    older("POST", "identitytoolkit/v3/relyingparty/verifyPhoneNumber", .signInWithPhone, .apiKey),
    older("POST", "identitytoolkit/v3/relyingparty/sendVerificationCode", .sendPhoneCode, .apiKey),
    older("POST", "identitytoolkit/v3/relyingparty/createAuthUri", .createAuthURI, .apiKey),
    older("POST", "identitytoolkit/v3/relyingparty/getAccountInfo", .lookup, .apiKey),
    older("POST", "identitytoolkit/v3/relyingparty/setAccountInfo", .update, .apiKey),
    older("POST", "identitytoolkit/v3/relyingparty/deleteAccount", .delete, .apiKey),
    older("POST", "identitytoolkit/v3/relyingparty/getOobConfirmationCode", .sendCode, .apiKey),
    older("POST", "identitytoolkit/v3/relyingparty/resetPassword", .resetPassword, .apiKey),
    older("GET", "identitytoolkit/v3/relyingparty/getProjectConfig", .projectConfig, .apiKey),
    older("GET", "identitytoolkit/v3/relyingparty/getRecaptchaParam", .captchaParameters, .apiKey),
    older("GET", "identitytoolkit/v3/relyingparty/publicKeys", .cookieCertificates, .nothing),
    older("POST", "identitytoolkit/v3/relyingparty/uploadAccount", .batchCreate, .permission(.giveAccess)),
    older("*", "identitytoolkit/v3/relyingparty/downloadAccount", .batchGet, .permission(.changeUsers)),
    older("POST", "identitytoolkit/v3/relyingparty/verifyClient", .phoneClient, .apiKey),
  ]

  private static func older(
    _ method: String, _ pattern: PathPattern, _ operation: IdentityOperation, _ requirement: Requirement
  ) -> IdentityRoute {
    IdentityRoute([.toolkit, .files], method, pattern, operation, requirement)
  }

  /// What the admin SDKs ask, and the server's own command line.
  private static let administration: [IdentityRoute] =
    ofProject(
      "POST", "v1/projects/{project}/accounts", "v1/projects/{project}/tenants/{tenant}/accounts", .adminCreate,
      .giveAccess)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:lookup", "v1/projects/{project}/tenants/{tenant}/accounts:lookup",
      .adminLookup, .readUsers)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:update", "v1/projects/{project}/tenants/{tenant}/accounts:update",
      .adminUpdate, .giveAccess)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:delete", "v1/projects/{project}/tenants/{tenant}/accounts:delete",
      .adminDelete, .deleteUsers)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:sendOobCode",
      "v1/projects/{project}/tenants/{tenant}/accounts:sendOobCode", .adminSendCode, .giveAccess)
    + ofProject(
      "GET", "v1/projects/{project}/accounts:batchGet", "v1/projects/{project}/tenants/{tenant}/accounts:batchGet",
      .batchGet, .changeUsers)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:batchDelete",
      "v1/projects/{project}/tenants/{tenant}/accounts:batchDelete", .batchDelete, .deleteUsers)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:batchCreate",
      "v1/projects/{project}/tenants/{tenant}/accounts:batchCreate", .batchCreate, .giveAccess)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:query", "v1/projects/{project}/tenants/{tenant}/accounts:query",
      .queryAccounts, .readUsers)
    + ofProject(
      "POST", "v1/projects/{project}:queryAccounts", "v1/projects/{project}/tenants/{tenant}:queryAccounts",
      .queryAccounts, .readUsers)
    + ofProject(
      "POST", "v1/projects/{project}:createSessionCookie", "v1/projects/{project}/tenants/{tenant}:createSessionCookie",
      .createSessionCookie, .giveAccess)
    + [
      own("POST", "hearth/v1/status", .status, .readServer),
      own("POST", "hearth/v1/users:export", .exportUsers, .changeServer),
      own("POST", "hearth/v1/users:checkPasswords", .checkPasswords, .changeServer),
      own("POST", "hearth/v1/users:revoke", .revokeUser, .endSessions),
      own("POST", "hearth/v1/tokens:standing", .tokenStanding, .readServer),
      own("POST", "hearth/v1/serviceAccounts:list", .listServiceAccounts, .readServer),
      own("POST", "hearth/v1/serviceAccounts:create", .createServiceAccount, .changeServer),
      own("POST", "hearth/v1/serviceAccounts:disable", .disableServiceAccount, .changeServer),
      own("POST", "hearth/v1/serviceAccounts:removeKey", .removeServiceAccountKey, .changeServer),
      own("POST", "hearth/v1/keys:list", .listKeys, .readServer),
      own("POST", "hearth/v1/keys:rotate", .rotateKey, .changeServer),
      own("POST", "hearth/v1/keys:remove", .removeKey, .changeServer),
      own("POST", "hearth/v1/secrets:list", .listSecrets, .readServer),
      own("POST", "hearth/v1/secrets:rotate", .rotateSecret, .changeServer),
      own("POST", "hearth/v1/secrets:remove", .removeSecret, .changeServer),
      own("POST", "hearth/v1/audit:tail", .tailAudit, .readServer),
      own("POST", "hearth/v1/audit:verify", .verifyAudit, .readServer),
      own("POST", "hearth/v1/providers:importSAML", .importSAMLMetadata, .changeServer),
      own("POST", "hearth/v1/{rest}", .unknownAdministration, .readServer),
    ]

  private static func ofProject(
    _ method: String, _ pattern: PathPattern, _ tenantPattern: PathPattern, _ operation: IdentityOperation,
    _ permission: Permission
  ) -> [IdentityRoute] {
    [pattern, tenantPattern].map { IdentityRoute([.toolkit], method, $0, operation, .permission(permission)) }
  }

  private static func own(
    _ method: String, _ pattern: PathPattern, _ operation: IdentityOperation, _ permission: Permission
  ) -> IdentityRoute {
    IdentityRoute([], method, pattern, operation, .permission(permission))
  }

  /// Tokens, and the keys that they are checked with.
  private static let tokens: [IdentityRoute] = [
    IdentityRoute([.tokens], "POST", "v1/token", .refresh, .apiKey),
    IdentityRoute([.tokens], "GET", "{project}/.well-known/openid-configuration", .discovery, .nothing),
    IdentityRoute([.tokens], "GET", "{project}/.well-known/jwks.json", .keySet, .nothing),
    IdentityRoute(
      [.files], "GET", "robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", .idTokenCertificates,
      .nothing),
    IdentityRoute(
      [.files], "GET", "service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", .keySet, .nothing),
    IdentityRoute(
      [.files], "GET", "service_accounts/v1/metadata/jwk/securetoken@system.gserviceaccount.com", .keySet, .nothing),
    IdentityRoute([.authorization], "POST", "token", .accessToken, .nothing),
  ]

  /// What test suites ask an emulator.
  private static let emulator: [IdentityRoute] = [
    IdentityRoute([], "DELETE", "emulator/v1/projects/{project}/accounts", .deleteAllAccounts, .emulator),
    IdentityRoute([], "GET", "emulator/v1/projects/{project}/oobCodes", .listCodes, .emulator),
    IdentityRoute([], "GET", "emulator/v1/projects/{project}/verificationCodes", .listPhoneCodes, .emulator),
    IdentityRoute([], "GET PATCH", "emulator/v1/projects/{project}/config", .emulatorConfig, .emulator),
    IdentityRoute(
      [], "DELETE", "emulator/v1/projects/{project}/tenants/{tenant}/accounts", .deleteAllAccounts, .emulator),
    IdentityRoute([], "GET", "emulator/v1/projects/{project}/tenants/{tenant}/oobCodes", .listCodes, .emulator),
    IdentityRoute(
      [], "GET", "emulator/v1/projects/{project}/tenants/{tenant}/verificationCodes", .listPhoneCodes, .emulator),
  ]

  /// The interface of clients of the 2.x kind.
  private static let legacy: [IdentityRoute] = [
    old("POST", "v2/{namespace}/users", .legacyCreateUser),
    old("DELETE", "v2/{namespace}/users/{email}", .legacyRemoveUser),
    old("PUT", "v2/{namespace}/users/{email}/password", .legacyChangePassword),
    old("POST", "v2/{namespace}/users/{email}/password", .legacyResetPassword),
    old("PUT", "v2/{namespace}/users/{email}/email", .legacyChangeEmail),
    old("GET", "v2/{namespace}/auth/password", .legacyPasswordSignIn),
    old("GET", "v2/{namespace}/auth/anonymous", .legacyAnonymousSignIn),
    old("GET", "v2/{namespace}/auth/session", .legacySession),
    old("GET", "v2/{namespace}/auth/{provider}/token", .legacyProviderSignIn),
    old("*", "v2/{namespace}/users", .legacyUnknown),
    old("*", "v2/{namespace}/users/{rest}", .legacyUnknown),
    old("*", "v2/{namespace}/auth", .legacyUnknown),
    old("*", "v2/{namespace}/auth/{rest}", .legacyUnknown),
  ]

  private static func old(_ method: String, _ pattern: PathPattern, _ operation: IdentityOperation) -> IdentityRoute {
    IdentityRoute([], method, pattern, operation, .nothing, isLegacy: true)
  }

  /// What people's browsers open. It is at the same place under every name of the server.
  private static let pages: [IdentityRoute] = [
    page("__/auth/action", .actionPage),
    page("emulator/action", .actionPage),
    page("__/auth/links", .appLinkPage),
    // Where SDKs sign people in on providers' pages; by the second pair when they were told of an emulator.
    page("__/auth/handler", .handlerPage),
    page("__/auth/iframe", .handlerFrame),
    // Where providers that were set up while the server runs send browsers back to: of the project, and of a tenant.
    page("__/auth/redirect/{provider}", .redirectPage),
    page("__/auth/redirect/{home}/{provider}", .redirectPage),
    page("emulator/auth/handler", .handlerPage),
    page("emulator/auth/iframe", .handlerFrame),
    // What is registered at an identity provider.
    page("__/auth/saml/metadata", .samlMetadata),
    page("__/firebase/init.json", .webConfiguration),
  ]

  private static func page(_ pattern: PathPattern, _ operation: IdentityOperation) -> IdentityRoute {
    IdentityRoute(Service.allCases, "*", pattern, operation, .nothing)
  }
}
