import HearthAccounts
import HearthCrypto
import HearthTree

/// Endpoints of one area, over the accounts of one project.
protocol EndpointArea: Sendable {
  init(accounts: Accounts)
}

/// What answers an operation.
enum Handler: Sendable {
  /// Reads one JSON object and answers one.
  case call(@Sendable (Accounts, IdentityCall) async throws(AccountError) -> JSON)
  /// Reads one JSON object or form, and has errors of its own form.
  case answer(@Sendable (Accounts, IdentityCall) async -> IdentityResponse)
  /// Reads and answers as the 2.x service did.
  case legacy(@Sendable (Accounts, LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError>)
  /// Shows a page, or what a page reads.
  case page(@Sendable (IdentityEndpoints, IdentityRequest) async -> IdentityResponse)
  /// Gives what anybody may know and keep.
  case published(@Sendable (Accounts) -> [UInt8])
  /// Is part of the protocol, and not served here.
  case unserved(String)
  case unknown
}

extension IdentityOperation {
  /// The table of what answers what. There is no default on purpose.
  var handler: Handler {
    switch self {
    case .signUp: Self.call(SignInEndpoints.signUp)
    case .signInWithPassword: Self.call(SignInEndpoints.signInWithPassword)
    case .signInWithCustomToken: Self.call(SignInEndpoints.signInWithCustomToken)
    case .signInWithEmailLink: Self.call(SignInEndpoints.signInWithEmailLink)
    case .createAuthURI: Self.call(SignInEndpoints.createAuthURI)
    case .refresh: Self.call(SignInEndpoints.refresh)
    case .revokeToken: Self.call(SignInEndpoints.revokeToken)
    case .signInWithIdentity: Self.call(FederatedEndpoints.signInWithIdentity)
    case .lookup: Self.call(ProfileEndpoints.lookup)
    case .update: Self.call(ProfileEndpoints.update)
    case .delete: Self.call(ProfileEndpoints.delete)
    case .sendCode, .adminSendCode: Self.call(CodeEndpoints.sendCode)
    case .resetPassword: Self.call(CodeEndpoints.resetPassword)
    case .sendPhoneCode: Self.call(PhoneEndpoints.sendCode)
    case .signInWithPhone: Self.call(PhoneEndpoints.signIn)
    case .phoneClient: Self.call(PhoneEndpoints.verifyIOSClient)
    case .captchaParameters: Self.call(PhoneEndpoints.captchaParameters)
    case .startEnrolment: Self.call(FactorEndpoints.startEnrolment)
    case .finishEnrolment: Self.call(FactorEndpoints.finishEnrolment)
    case .withdrawFactor: Self.call(FactorEndpoints.withdrawFactor)
    case .makeRecoveryCodes: Self.call(FactorEndpoints.makeRecoveryCodes)
    case .startSecondFactor: Self.call(FactorEndpoints.startSecondFactor)
    case .finishSecondFactor: Self.call(FactorEndpoints.finishSecondFactor)
    case .startPasskey: Self.call(PasskeyEndpoints.startEnrolment)
    case .finishPasskey: Self.call(PasskeyEndpoints.finishEnrolment)
    case .startPasskeySignIn: Self.call(PasskeyEndpoints.startSignIn)
    case .finishPasskeySignIn: Self.call(PasskeyEndpoints.finishSignIn)
    case .projectConfig: Self.call(ProjectEndpoints.project)
    case .passwordPolicy: Self.call(ProjectEndpoints.passwordPolicy)
    case .recaptchaConfig: Self.call(ProjectEndpoints.captcha)

    case .adminCreate: Self.call(UserEndpoints.create)
    case .adminLookup: Self.call(UserEndpoints.lookup)
    case .adminUpdate: Self.call(UserEndpoints.update)
    case .adminDelete: Self.call(UserEndpoints.delete)
    case .createSessionCookie: Self.call(UserEndpoints.createSessionCookie)
    case .batchGet: Self.call(BatchEndpoints.get)
    case .batchDelete: Self.call(BatchEndpoints.delete)
    case .queryAccounts: Self.call(BatchEndpoints.query)
    case .getProjectConfig: Self.call(ProjectConfigEndpoints.get)
    case .changeProjectConfig: Self.call(ProjectConfigEndpoints.change)
    case .createIssuer: Self.call(ProviderEndpoints.createIssuer)
    case .listIssuers: Self.call(ProviderEndpoints.listIssuers)
    case .getIssuer, .getSAMLProvider: Self.call(ProviderEndpoints.get)
    case .changeIssuer, .changeSAMLProvider: Self.call(ProviderEndpoints.change)
    case .deleteIssuer, .deleteSAMLProvider: Self.call(ProviderEndpoints.delete)
    case .createSAMLProvider: Self.call(ProviderEndpoints.createSAML)
    case .listSAMLProviders: Self.call(ProviderEndpoints.listSAML)
    case .listDefaultProviders: Self.call(ProviderEndpoints.listDefault)
    case .importSAMLMetadata: Self.call(ProviderEndpoints.importMetadata)
    case .createTenant: Self.call(TenantEndpoints.create)
    case .listTenants: Self.call(TenantEndpoints.list)
    case .getTenant: Self.call(TenantEndpoints.get)
    case .changeTenant: Self.call(TenantEndpoints.change)
    case .deleteTenant: Self.call(TenantEndpoints.delete)
    case .batchCreate: Self.call(ImportEndpoints.create)

    case .status: Self.call(ServerEndpoints.status)
    case .revokeUser: Self.call(ServerEndpoints.revokeUser)
    case .tokenStanding: Self.call(ServerEndpoints.tokenStanding)
    case .tailAudit: Self.call(ServerEndpoints.tailAudit)
    case .verifyAudit: Self.call(ServerEndpoints.verifyAudit)
    case .unknownAdministration: Self.call(ServerEndpoints.unknown)
    case .exportUsers: Self.call(ExportEndpoints.export)
    case .checkPasswords: Self.call(ImportEndpoints.checkPasswords)
    case .listServiceAccounts: Self.call(ServiceAccountEndpoints.list)
    case .createServiceAccount: Self.call(ServiceAccountEndpoints.create)
    case .disableServiceAccount: Self.call(ServiceAccountEndpoints.disable)
    case .removeServiceAccountKey: Self.call(ServiceAccountEndpoints.removeKey)
    case .listKeys: Self.call(KeyEndpoints.list)
    case .rotateKey: Self.call(KeyEndpoints.rotate)
    case .removeKey: Self.call(KeyEndpoints.remove)
    case .listSecrets: Self.call(KeyEndpoints.listSecrets)
    case .rotateSecret: Self.call(KeyEndpoints.rotateSecret)
    case .removeSecret: Self.call(KeyEndpoints.removeSecret)

    case .idTokenCertificates: .published { $0.keys.certificatesJSON(.idToken) }
    case .cookieCertificates: .published { $0.keys.certificatesJSON(.sessionCookie) }
    case .keySet: .published { $0.keys.jwks(.idToken) }
    case .discovery: .published { $0.keys.discovery(issuer: $0.configuration.publicOrigin) }
    case .accessToken: .answer { await AccessTokenEndpoint(accounts: $0).answer($1) }

    case .deleteAllAccounts: Self.call(EmulatorEndpoints.deleteAllAccounts)
    case .listCodes: Self.call(EmulatorEndpoints.listCodes)
    case .emulatorConfig: Self.call(EmulatorEndpoints.config)
    case .listPhoneCodes: Self.call(PhoneEndpoints.listCodes)

    case .legacyCreateUser: Self.legacy(LegacyUserEndpoints.create)
    case .legacyRemoveUser: Self.legacy(LegacyUserEndpoints.remove)
    case .legacyChangePassword: Self.legacy(LegacyUserEndpoints.changePassword)
    case .legacyChangeEmail: Self.legacy(LegacyUserEndpoints.changeEmail)
    case .legacyResetPassword: Self.legacy(LegacyUserEndpoints.resetPassword)
    case .legacyPasswordSignIn: Self.legacy(LegacySessionEndpoints.password)
    case .legacyAnonymousSignIn: Self.legacy(LegacySessionEndpoints.anonymous)
    case .legacyProviderSignIn: Self.legacy(LegacySessionEndpoints.provider)
    case .legacySession: Self.legacy(LegacySessionEndpoints.session)
    case .legacyUnknown: Self.legacy(LegacySessionEndpoints.unknown)

    case .actionPage: .page { await ActionPages(endpoints: $0).action($1) }
    case .appLinkPage: .page { AppLinkPage(links: $0.accounts.changes.codes.links).answer($1) }
    case .handlerPage: .page { await HandlerPage(endpoints: $0).answer($1) }
    case .redirectPage: .page { await HandlerPage(endpoints: $0).providersAnswer($1) }
    case .handlerFrame: .page { HandlerFrame(accounts: $0.accounts).answer($1) }
    case .samlMetadata: .page { await SAMLMetadataPage(endpoints: $0).answer($1) }
    case .webConfiguration: .page { WebConfiguration(endpoints: $0).answer($1) }

    case .gameCenter: .unserved("Game Center")
    case .saml: .unserved("answers of SAML to other servers")
    case .projectChange: .unserved("changing the project's configuration")
    case .unknown: .unknown
    }
  }

  private static func call<Area: EndpointArea>(
    _ method: @escaping @Sendable (Area) -> @Sendable (IdentityCall) async throws(AccountError) -> JSON
  ) -> Handler {
    .call { (accounts, call) async throws(AccountError) in try await method(Area(accounts: accounts))(call) }
  }

  private static func legacy<Area: EndpointArea>(
    _ method:
      @escaping @Sendable (Area) -> @Sendable (LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError>
  ) -> Handler {
    .legacy { (accounts, asked) async throws(AccountError) in try await method(Area(accounts: accounts))(asked) }
  }
}
