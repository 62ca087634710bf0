extension IdentityRoute {
  /// Everything that the identity endpoints serve: method, path, operation, and who may ask. Of rows for the same path
  /// the first that takes the method counts.
  package static let table: [IdentityRoute] =
    providers + toolkit + olderToolkit + administration + tokens + emulator + legacy
    + pages

  /// Versions 1 and 2 of the identity service.
  private static let toolkit: [IdentityRoute] = [
    IdentityRoute([.toolkit], "POST", "v1/accounts:signUp", .signUp),
    IdentityRoute([.toolkit], "POST", "v1/accounts:signInWithPassword", .signInWithPassword),
    IdentityRoute([.toolkit], "POST", "v1/accounts:signInWithCustomToken", .signInWithCustomToken),
    IdentityRoute([.toolkit], "POST", "v1/accounts:signInWithIdp", .signInWithIdentity),
    IdentityRoute([.toolkit], "POST", "v1/accounts:signInWithEmailLink", .signInWithEmailLink),
    IdentityRoute([.toolkit], "POST", "v1/accounts:signInWithPhoneNumber", .signInWithPhone),
    IdentityRoute([.toolkit], "POST", "v1/accounts:sendVerificationCode", .sendPhoneCode),
    IdentityRoute([.toolkit], "POST", "v1/accounts:createAuthUri", .createAuthURI),
    IdentityRoute([.toolkit], "POST", "v1/accounts:lookup", .lookup),
    IdentityRoute([.toolkit], "POST", "v1/accounts:update", .update),
    IdentityRoute([.toolkit], "POST", "v1/accounts:delete", .delete),
    IdentityRoute([.toolkit], "POST", "v1/accounts:sendOobCode", .sendCode),
    IdentityRoute([.toolkit], "POST", "v1/accounts:resetPassword", .resetPassword),
    IdentityRoute([.toolkit], "POST", "v1/accounts:query", .queryAccounts, .administrator),
    IdentityRoute([.toolkit], "POST", "v1/accounts:verifyIosClient", .phoneClient),
    IdentityRoute([.toolkit], "*", "v1/accounts:signInWithGameCenter", .gameCenter),
    IdentityRoute([.toolkit], "*", "v1/accounts:issueSamlResponse", .saml),
    IdentityRoute([.toolkit], "GET", "v1/projects", .projectConfig),
    IdentityRoute([.toolkit], "GET", "v1/recaptchaParams", .captchaParameters),
    IdentityRoute([.toolkit], "GET", "v1/sessionCookiePublicKeys", .cookieCertificates, .everybody),
    IdentityRoute([.toolkit], "GET", "v2/passwordPolicy", .passwordPolicy),
    IdentityRoute([.toolkit], "GET", "v2/recaptchaConfig", .recaptchaConfig),
    IdentityRoute([.toolkit], "POST", "v2/accounts:revokeToken", .revokeToken),
    IdentityRoute([.toolkit], "POST", "v2/accounts/mfaEnrollment:start", .startEnrolment),
    IdentityRoute([.toolkit], "POST", "v2/accounts/mfaEnrollment:finalize", .finishEnrolment),
    IdentityRoute([.toolkit], "POST", "v2/accounts/mfaEnrollment:withdraw", .withdrawFactor),
    IdentityRoute([.toolkit], "POST", "v2/accounts/mfaEnrollment:recoveryCodes", .makeRecoveryCodes),
    IdentityRoute([.toolkit], "POST", "v2/accounts/mfaSignIn:start", .startSecondFactor),
    IdentityRoute([.toolkit], "POST", "v2/accounts/mfaSignIn:finalize", .finishSecondFactor),
    IdentityRoute([.toolkit], "POST", "v2/accounts/passkeyEnrollment:start", .startPasskey),
    IdentityRoute([.toolkit], "POST", "v2/accounts/passkeyEnrollment:finalize", .finishPasskey),
    IdentityRoute([.toolkit], "POST", "v2/accounts/passkeySignIn:start", .startPasskeySignIn),
    IdentityRoute([.toolkit], "POST", "v2/accounts/passkeySignIn:finalize", .finishPasskeySignIn),
    IdentityRoute([.toolkit], "GET", "v2/projects/{project}/config", .getProjectConfig, .administrator),
    IdentityRoute([.toolkit], "PATCH", "v2/projects/{project}/config", .changeProjectConfig, .administrator),
    IdentityRoute([.toolkit], "POST", "v2/projects/{project}/tenants", .createTenant, .administrator),
    IdentityRoute([.toolkit], "GET", "v2/projects/{project}/tenants", .listTenants, .administrator),
    IdentityRoute([.toolkit], "GET", "v2/projects/{project}/tenants/{tenant}", .getTenant, .administrator),
    IdentityRoute([.toolkit], "PATCH", "v2/projects/{project}/tenants/{tenant}", .changeTenant, .administrator),
    IdentityRoute([.toolkit], "DELETE", "v2/projects/{project}/tenants/{tenant}", .deleteTenant, .administrator),
    // As deployment tools name it.
    IdentityRoute([.toolkit], "GET", "admin/v2/projects/{project}/config", .getProjectConfig, .administrator),
    IdentityRoute([.toolkit], "PATCH", "admin/v2/projects/{project}/config", .changeProjectConfig, .administrator),
    IdentityRoute([.toolkit], "*", "v2/projects/{project}", .projectChange, .administrator),
    IdentityRoute([.toolkit], "*", "v2/projects/{project}/{rest}", .projectChange, .administrator),
  ]

  /// Providers that are set up while the server runs; before the rows that say what of a project cannot be changed.
  private static let providers: [IdentityRoute] =
    configurations("oauthIdpConfigs", .createIssuer, .listIssuers, .getIssuer, .changeIssuer, .deleteIssuer)
    + configurations(
      "inboundSamlConfigs", .createSAMLProvider, .listSAMLProviders, .getSAMLProvider, .changeSAMLProvider,
      .deleteSAMLProvider)
    + places("defaultSupportedIdpConfigs").map {
      IdentityRoute([.toolkit], "GET", $0, .listDefaultProviders, .administrator)
    }

  private static func configurations(
    _ name: String, _ create: IdentityOperation, _ list: IdentityOperation, _ get: IdentityOperation,
    _ change: IdentityOperation, _ delete: IdentityOperation
  ) -> [IdentityRoute] {
    places(name).flatMap { place in
      let one = PathPattern(stringLiteral: place.text + "/{config}")
      return [
        IdentityRoute([.toolkit], "POST", place, create, .administrator),
        IdentityRoute([.toolkit], "GET", place, list, .administrator),
        IdentityRoute([.toolkit], "GET", one, get, .administrator),
        IdentityRoute([.toolkit], "PATCH", one, change, .administrator),
        IdentityRoute([.toolkit], "DELETE", one, delete, .administrator),
      ]
    }
  }

  private static func places(_ name: String) -> [PathPattern] {
    ["v2/projects/{project}/", "v2/projects/{project}/tenants/{tenant}/"].map { PathPattern(stringLiteral: $0 + name) }
  }

  /// Version 3, which older clients speak; also under the name of another host.
  private static let olderToolkit: [IdentityRoute] = [
    older("POST", "identitytoolkit/v3/relyingparty/signupNewUser", .signUp),
    older("POST", "identitytoolkit/v3/relyingparty/verifyPassword", .signInWithPassword),
    older("POST", "identitytoolkit/v3/relyingparty/verifyCustomToken", .signInWithCustomToken),
    older("POST", "identitytoolkit/v3/relyingparty/verifyAssertion", .signInWithIdentity),
    older("POST", "identitytoolkit/v3/relyingparty/emailLinkSignin", .signInWithEmailLink),
    older("POST", "identitytoolkit/v3/relyingparty/verifyPhoneNumber", .signInWithPhone),
    older("POST", "identitytoolkit/v3/relyingparty/sendVerificationCode", .sendPhoneCode),
    older("POST", "identitytoolkit/v3/relyingparty/createAuthUri", .createAuthURI),
    older("POST", "identitytoolkit/v3/relyingparty/getAccountInfo", .lookup),
    older("POST", "identitytoolkit/v3/relyingparty/setAccountInfo", .update),
    older("POST", "identitytoolkit/v3/relyingparty/deleteAccount", .delete),
    older("POST", "identitytoolkit/v3/relyingparty/getOobConfirmationCode", .sendCode),
    older("POST", "identitytoolkit/v3/relyingparty/resetPassword", .resetPassword),
    older("GET", "identitytoolkit/v3/relyingparty/getProjectConfig", .projectConfig),
    older("GET", "identitytoolkit/v3/relyingparty/getRecaptchaParam", .captchaParameters),
    older("GET", "identitytoolkit/v3/relyingparty/publicKeys", .cookieCertificates, .everybody),
    older("POST", "identitytoolkit/v3/relyingparty/uploadAccount", .batchCreate, .administrator),
    older("*", "identitytoolkit/v3/relyingparty/downloadAccount", .batchGet, .administrator),
    older("POST", "identitytoolkit/v3/relyingparty/verifyClient", .phoneClient),
  ]

  private static func older(
    _ method: String, _ pattern: PathPattern, _ operation: IdentityOperation, _ access: Access = .client
  ) -> IdentityRoute {
    IdentityRoute([.toolkit, .files], method, pattern, operation, access)
  }

  /// What the admin SDKs ask, and the server's own command line.
  private static let administration: [IdentityRoute] =
    ofProject("POST", "v1/projects/{project}/accounts", "v1/projects/{project}/tenants/{tenant}/accounts", .adminCreate)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:lookup", "v1/projects/{project}/tenants/{tenant}/accounts:lookup",
      .adminLookup)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:update", "v1/projects/{project}/tenants/{tenant}/accounts:update",
      .adminUpdate)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:delete", "v1/projects/{project}/tenants/{tenant}/accounts:delete",
      .adminDelete)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:sendOobCode",
      "v1/projects/{project}/tenants/{tenant}/accounts:sendOobCode", .adminSendCode)
    + ofProject(
      "GET", "v1/projects/{project}/accounts:batchGet", "v1/projects/{project}/tenants/{tenant}/accounts:batchGet",
      .batchGet)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:batchDelete",
      "v1/projects/{project}/tenants/{tenant}/accounts:batchDelete", .batchDelete)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:batchCreate",
      "v1/projects/{project}/tenants/{tenant}/accounts:batchCreate", .batchCreate)
    + ofProject(
      "POST", "v1/projects/{project}/accounts:query", "v1/projects/{project}/tenants/{tenant}/accounts:query",
      .queryAccounts)
    + ofProject(
      "POST", "v1/projects/{project}:queryAccounts", "v1/projects/{project}/tenants/{tenant}:queryAccounts",
      .queryAccounts)
    + ofProject(
      "POST", "v1/projects/{project}:createSessionCookie", "v1/projects/{project}/tenants/{tenant}:createSessionCookie",
      .createSessionCookie)
    + [
      own("POST", "hearth/v1/status", .status),
      own("POST", "hearth/v1/users:export", .exportUsers),
      own("POST", "hearth/v1/users:checkPasswords", .checkPasswords),
      own("POST", "hearth/v1/users:revoke", .revokeUser),
      own("POST", "hearth/v1/tokens:standing", .tokenStanding),
      own("POST", "hearth/v1/serviceAccounts:list", .listServiceAccounts),
      own("POST", "hearth/v1/serviceAccounts:create", .createServiceAccount),
      own("POST", "hearth/v1/serviceAccounts:disable", .disableServiceAccount),
      own("POST", "hearth/v1/serviceAccounts:removeKey", .removeServiceAccountKey),
      own("POST", "hearth/v1/keys:list", .listKeys),
      own("POST", "hearth/v1/keys:rotate", .rotateKey),
      own("POST", "hearth/v1/keys:remove", .removeKey),
      own("POST", "hearth/v1/secrets:list", .listSecrets),
      own("POST", "hearth/v1/secrets:rotate", .rotateSecret),
      own("POST", "hearth/v1/secrets:remove", .removeSecret),
      own("POST", "hearth/v1/audit:tail", .tailAudit),
      own("POST", "hearth/v1/audit:verify", .verifyAudit),
      own("POST", "hearth/v1/providers:importSAML", .importSAMLMetadata),
      own("POST", "hearth/v1/{rest}", .unknownAdministration),
    ]

  private static func ofProject(
    _ method: String, _ pattern: PathPattern, _ tenantPattern: PathPattern, _ operation: IdentityOperation
  ) -> [IdentityRoute] {
    [pattern, tenantPattern].map { IdentityRoute([.toolkit], method, $0, operation, .administrator) }
  }

  private static func own(_ method: String, _ pattern: PathPattern, _ operation: IdentityOperation) -> IdentityRoute {
    IdentityRoute([], method, pattern, operation, .operator)
  }

  /// Tokens, and the keys that they are checked with.
  private static let tokens: [IdentityRoute] = [
    IdentityRoute([.tokens], "POST", "v1/token", .refresh),
    IdentityRoute([.tokens], "GET", "{project}/.well-known/openid-configuration", .discovery, .everybody),
    IdentityRoute([.tokens], "GET", "{project}/.well-known/jwks.json", .keySet, .everybody),
    IdentityRoute(
      [.files], "GET", "robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", .idTokenCertificates,
      .everybody),
    IdentityRoute(
      [.files], "GET", "service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", .keySet, .everybody),
    IdentityRoute(
      [.files], "GET", "service_accounts/v1/metadata/jwk/securetoken@system.gserviceaccount.com", .keySet, .everybody),
    IdentityRoute([.authorization], "POST", "token", .accessToken, .everybody),
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
    IdentityRoute([], method, pattern, operation, .everybody, isLegacy: true)
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
    IdentityRoute(Service.allCases, "*", pattern, operation, .everybody)
  }
}
