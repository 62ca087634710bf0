import HearthCrypto

/// The operations of the identity endpoints.
enum IdentityTable {
  /// Everything that the identity endpoints serve. Of several rows for one path, the first that takes the method is used, so that
  /// rows for every path below a project come after all others of its path.
  static let operations: [IdentityOperation] =
    AdministrationTable.providers + clients + factors + AdministrationTable.projects + AdministrationTable.accounts
    + AdministrationTable.server + keys + emulator + legacy + pages

  /// Accounts, for client SDKs.
  private static let clients: [IdentityOperation] = [
    .call(
      "signUp", .apiKey, SignInEndpoints.signUp, at: .toolkit("POST", "v1/accounts:signUp", v3: "signupNewUser")),
    .call(
      "signInWithPassword", .apiKey, SignInEndpoints.signInWithPassword,
      at: .toolkit("POST", "v1/accounts:signInWithPassword", v3: "verifyPassword")),
    .call(
      "signInWithCustomToken", .apiKey, SignInEndpoints.signInWithCustomToken,
      at: .toolkit("POST", "v1/accounts:signInWithCustomToken", v3: "verifyCustomToken")),
    .call(
      "signInWithIdentity", .apiKey, FederatedEndpoints.signInWithIdentity,
      at: .toolkit("POST", "v1/accounts:signInWithIdp", v3: "verifyAssertion")),
    .call(
      "signInWithEmailLink", .apiKey, SignInEndpoints.signInWithEmailLink,
      at: .toolkit("POST", "v1/accounts:signInWithEmailLink", v3: "emailLinkSignin")),
    .call(
      "signInWithPhone", .apiKey, PhoneEndpoints.signIn,
      at: .toolkit("POST", "v1/accounts:signInWithPhoneNumber", v3: "verifyPhoneNumber")),
    .call(
      "sendPhoneCode", .apiKey, PhoneEndpoints.sendCode,
      at: .toolkit("POST", "v1/accounts:sendVerificationCode", v3: "sendVerificationCode")),
    .call(
      "createAuthURI", .apiKey, SignInEndpoints.createAuthURI,
      at: .toolkit("POST", "v1/accounts:createAuthUri", v3: "createAuthUri")),
    .call(
      "lookup", .apiKey, ProfileEndpoints.lookup, at: .toolkit("POST", "v1/accounts:lookup", v3: "getAccountInfo")),
    .call(
      "update", .apiKey, ProfileEndpoints.update, at: .toolkit("POST", "v1/accounts:update", v3: "setAccountInfo")),
    .call(
      "delete", .apiKey, ProfileEndpoints.delete, at: .toolkit("POST", "v1/accounts:delete", v3: "deleteAccount")),
    .call(
      "sendCode", .apiKey, CodeEndpoints.sendCode,
      at: .toolkit("POST", "v1/accounts:sendOobCode", v3: "getOobConfirmationCode")),
    .call(
      "resetPassword", .apiKey, CodeEndpoints.resetPassword,
      at: .toolkit("POST", "v1/accounts:resetPassword", v3: "resetPassword")),
    .call(
      "phoneClient", .apiKey, PhoneEndpoints.verifyIOSClient,
      at: .toolkit("POST", "v1/accounts:verifyIosClient", v3: "verifyClient")),
    .unserved("gameCenter", .apiKey, "Game Center", at: .toolkit("*", "v1/accounts:signInWithGameCenter")),
    .unserved(
      "saml", .apiKey, "answers of SAML to other servers", at: .toolkit("*", "v1/accounts:issueSamlResponse")),
    .call(
      "projectConfig", .apiKey, ProjectEndpoints.project,
      at: .toolkit("GET", "v1/projects", v3: "getProjectConfig")),
    .call(
      "captchaParameters", .apiKey, PhoneEndpoints.captchaParameters,
      at: .toolkit("GET", "v1/recaptchaParams", v3: "getRecaptchaParam")),
    .call("passwordPolicy", .apiKey, ProjectEndpoints.passwordPolicy, at: .toolkit("GET", "v2/passwordPolicy")),
    .call("recaptchaConfig", .apiKey, ProjectEndpoints.captcha, at: .toolkit("GET", "v2/recaptchaConfig")),
    .call("revokeToken", .apiKey, SignInEndpoints.revokeToken, at: .toolkit("POST", "v2/accounts:revokeToken")),
    .call(
      "refresh", .apiKey, SignInEndpoints.refresh, at: [EndpointAddress("POST", "v1/token", of: [.tokens])]
    ).with(\.takesForm, true),
  ]

  /// Second factors and passkeys, for client SDKs.
  private static let factors: [IdentityOperation] = [
    .call(
      "startEnrolment", .apiKey, FactorEndpoints.startEnrolment,
      at: .toolkit("POST", "v2/accounts/mfaEnrollment:start")),
    .call(
      "finishEnrolment", .apiKey, FactorEndpoints.finishEnrolment,
      at: .toolkit("POST", "v2/accounts/mfaEnrollment:finalize")),
    .call(
      "withdrawFactor", .apiKey, FactorEndpoints.withdrawFactor,
      at: .toolkit("POST", "v2/accounts/mfaEnrollment:withdraw")),
    .call(
      "makeRecoveryCodes", .apiKey, FactorEndpoints.makeRecoveryCodes,
      at: .toolkit("POST", "v2/accounts/mfaEnrollment:recoveryCodes")),
    .call(
      "startSecondFactor", .apiKey, FactorEndpoints.startSecondFactor,
      at: .toolkit("POST", "v2/accounts/mfaSignIn:start")),
    .call(
      "finishSecondFactor", .apiKey, FactorEndpoints.finishSecondFactor,
      at: .toolkit("POST", "v2/accounts/mfaSignIn:finalize")),
    .call(
      "startPasskey", .apiKey, PasskeyEndpoints.startEnrolment,
      at: .toolkit("POST", "v2/accounts/passkeyEnrollment:start")),
    .call(
      "finishPasskey", .apiKey, PasskeyEndpoints.finishEnrolment,
      at: .toolkit("POST", "v2/accounts/passkeyEnrollment:finalize")),
    .call(
      "startPasskeySignIn", .apiKey, PasskeyEndpoints.startSignIn,
      at: .toolkit("POST", "v2/accounts/passkeySignIn:start")),
    .call(
      "finishPasskeySignIn", .apiKey, PasskeyEndpoints.finishSignIn,
      at: .toolkit("POST", "v2/accounts/passkeySignIn:finalize")),
  ]

  /// The public keys for verifying tokens, and the access tokens of service accounts.
  private static let keys: [IdentityOperation] = [
    .published(
      "idTokenCertificates", .nothing, { $0.keys.certificatesJSON(.idToken) },
      at: [
        EndpointAddress("GET", "robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", of: [.files])
      ]),
    .published(
      "cookieCertificates", .nothing, { $0.keys.certificatesJSON(.sessionCookie) },
      at: .toolkit("GET", "v1/sessionCookiePublicKeys") + [.v3("GET", "publicKeys")]),
    .published(
      "keySet", .nothing, { $0.keys.jwks(.idToken) },
      at: [
        EndpointAddress("GET", "{project}/.well-known/jwks.json", of: [.tokens]),
        EndpointAddress("GET", "service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", of: [.files]),
        EndpointAddress("GET", "service_accounts/v1/metadata/jwk/securetoken@system.gserviceaccount.com", of: [.files]),
      ]),
    .published(
      "discovery", .nothing, { $0.keys.discovery(issuer: $0.configuration.publicOrigin) },
      at: [EndpointAddress("GET", "{project}/.well-known/openid-configuration", of: [.tokens])]
    ).with(\.scope, .project),
    IdentityOperation(
      name: "accessToken", requirement: .nothing,
      handler: .answer { await AccessTokenEndpoint(accounts: $0).answer($1) },
      addresses: [EndpointAddress("POST", "token", of: [.authorization])], takesForm: true),
  ]

  /// The operations of test suites, in an emulator.
  private static let emulator: [IdentityOperation] = [
    .call(
      "deleteAllAccounts", .emulator, EmulatorEndpoints.deleteAllAccounts,
      at: .emulator(
        "DELETE", "emulator/v1/projects/{project}/accounts",
        "emulator/v1/projects/{project}/tenants/{tenant}/accounts")),
    .call(
      "listCodes", .emulator, EmulatorEndpoints.listCodes,
      at: .emulator(
        "GET", "emulator/v1/projects/{project}/oobCodes",
        "emulator/v1/projects/{project}/tenants/{tenant}/oobCodes")),
    .call(
      "listPhoneCodes", .emulator, PhoneEndpoints.listCodes,
      at: .emulator(
        "GET", "emulator/v1/projects/{project}/verificationCodes",
        "emulator/v1/projects/{project}/tenants/{tenant}/verificationCodes")),
    .call(
      "emulatorConfig", .emulator, EmulatorEndpoints.config,
      at: .emulator("GET PATCH", "emulator/v1/projects/{project}/config")),
  ]

  /// The interface of 2.x clients.
  private static let legacy: [IdentityOperation] = [
    .legacy("legacyCreateUser", .nothing, LegacyUserEndpoints.create, at: .legacy("POST", "v2/{namespace}/users")),
    .legacy(
      "legacyRemoveUser", .nothing, LegacyUserEndpoints.remove,
      at: .legacy("DELETE", "v2/{namespace}/users/{email}")),
    .legacy(
      "legacyChangePassword", .nothing, LegacyUserEndpoints.changePassword,
      at: .legacy("PUT", "v2/{namespace}/users/{email}/password")),
    .legacy(
      "legacyResetPassword", .nothing, LegacyUserEndpoints.resetPassword,
      at: .legacy("POST", "v2/{namespace}/users/{email}/password")),
    .legacy(
      "legacyChangeEmail", .nothing, LegacyUserEndpoints.changeEmail,
      at: .legacy("PUT", "v2/{namespace}/users/{email}/email")),
    .legacy(
      "legacyPasswordSignIn", .nothing, LegacySessionEndpoints.password,
      at: .legacy("GET", "v2/{namespace}/auth/password")),
    .legacy(
      "legacyAnonymousSignIn", .nothing, LegacySessionEndpoints.anonymous,
      at: .legacy("GET", "v2/{namespace}/auth/anonymous")),
    .legacy(
      "legacySession", .nothing, LegacySessionEndpoints.session, at: .legacy("GET", "v2/{namespace}/auth/session")),
    .legacy(
      "legacyProviderSignIn", .nothing, LegacySessionEndpoints.provider,
      at: .legacy("GET", "v2/{namespace}/auth/{provider}/token")),
    .legacy(
      "legacyUnknown", .nothing, LegacySessionEndpoints.unknown,
      at: .legacy(
        "*", "v2/{namespace}/users", "v2/{namespace}/users/{rest}", "v2/{namespace}/auth",
        "v2/{namespace}/auth/{rest}")),
  ]

  /// Pages for browsers. Each has the same path under every host name of the server.
  private static let pages: [IdentityOperation] = [
    .page(
      "actionPage", .nothing, { await ActionPages(endpoints: $0).action($1) },
      at: .page("__/auth/action", "emulator/action")),
    .page(
      "appLinkPage", .nothing, { AppLinkPage(links: $0.accounts.changes.codes.links).answer($1) },
      at: .page("__/auth/links")),
    // The page that SDKs open for a sign-in on a provider's page; below `emulator` for SDKs that use an emulator.
    .page(
      "handlerPage", .nothing, { await HandlerPage(endpoints: $0).answer($1) },
      at: .page("__/auth/handler", "emulator/auth/handler")),
    .page(
      "handlerFrame", .nothing, { HandlerFrame(accounts: $0.accounts).answer($1) },
      at: .page("__/auth/iframe", "emulator/auth/iframe")),
    // The redirect URIs of providers that administrators configured while the server runs: of the project, and of a tenant.
    .page(
      "redirectPage", .nothing, { await HandlerPage(endpoints: $0).handleProviderResponse($1) },
      at: .page("__/auth/redirect/{provider}", "__/auth/redirect/{home}/{provider}")),
    // The metadata to register at a SAML identity provider.
    .page(
      "samlMetadata", .nothing, { await SAMLMetadataPage(endpoints: $0).answer($1) },
      at: .page("__/auth/saml/metadata")),
    .page(
      "webConfiguration", .nothing, for: .webApps, { WebConfiguration(endpoints: $0).answer($1) },
      at: .page("__/firebase/init.json")),
  ]
}
