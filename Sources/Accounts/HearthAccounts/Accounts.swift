import HearthCrypto
import HearthPlugin
import HearthTree

/// The accounts of one project: the one place where their parts are put together, and handed out.
///
/// Safe to use from many threads.
public final class Accounts: Sendable {
  /// Counts tries, mails and text messages.
  private let throttle: Throttle
  /// The records, on the disk.
  public let store: AccountStore
  /// What signs and verifies tokens.
  public let keys: KeyRing
  /// What test suites are offered; nil unless this is an emulator.
  let emulator: EmulatorControls?

  // MARK: Signing in

  /// The plugins that are switched on, by what they do.
  package let plugins: ActivePlugins
  /// The sign-in plugins.
  package let providers: SignInProviders
  /// Sign-in with e-mail address and password.
  package let passwords: PasswordSignIn
  /// Anonymous accounts: new ones without any credential.
  package let anonymous: AnonymousSignIn
  /// Sign-in with custom tokens, which an app's own servers sign.
  package let customTokens: CustomTokenSignIn
  /// Sign-in with the credentials of other providers, such as Google's.
  package let federated: FederatedSignIn
  /// Takes people to other providers' pages and back.
  package let providerPages: ProviderPages
  /// Takes people to the pages of identity providers that speak SAML, and back.
  package let samlPages: SAMLPages
  /// What native apps are told of visits to either.
  package let nativeAnswers: NativeAnswers
  /// Sign-in by a mailed link.
  package let emailLinks: EmailLinkSignIn
  /// Sign-in with a phone number.
  package let phones: PhoneSignIn
  /// The second step of signing in.
  package let secondFactors: SecondFactors
  /// Codes that stand once for a second factor that was lost.
  package let recoveryCodes: RecoveryCodes
  /// Adding and removing second factors.
  package let enrolment: FactorEnrolment

  /// Sign-in with passkeys.
  package let passkeys: PasskeySignIn
  /// Adding and removing passkeys.
  package let passkeyEnrolment: PasskeyEnrolment

  // MARK: Sessions

  /// The last step of every sign-in: hooks decide, and what they want is stored together with everything else.
  package let admission: SignInAdmission
  /// Sessions with their refresh tokens: begun, refreshed, ended.
  package let sessions: Sessions
  /// Sessions of 2.x clients: one legacy token each, never refreshed.
  package let legacySessions: LegacySessions
  /// Session cookies of an app's own servers.
  package let cookies: SessionCookies
  /// Finds the user whose ID token a request has.
  package let callers: Callers
  /// Tokens that the server did not make, by the word of plugins.
  package let foreignTokens: ForeignTokens
  /// Ends tokens, and says whether a token was ended.
  public let revocations: Revocations

  // MARK: Changes

  /// Checks new passwords against the policy, and hashes them.
  package let newPasswords: NewPasswords
  /// Makes and mails the codes of action links.
  package let codes: ActionCodes
  /// Does what a mailed code is for when somebody shows it.
  package let redemption: CodeRedemption
  /// Changes of an account's e-mail address.
  package let addresses: AddressChanges
  /// Adds and removes ways to sign in: passwords, provider identities.
  package let credentials: CredentialChanges
  /// Deletes accounts.
  package let deletion: AccountDeletion
  /// Takes people out of all that is kept of them.
  package let erasure: AccountErasure

  /// What users change about themselves.
  package let profiles: Profiles

  // MARK: Administration

  /// Makes, changes and deletes accounts for administrators.
  package let users: UserAdministration
  /// Imports accounts from Firebase and other systems.
  package let imports: UserImport
  /// Tells whether passwords are those of accounts.
  package let passwordChecks: PasswordChecks
  /// Signing keys and database secrets.
  package let keyAdministration: KeyAdministration
  /// The providers that are set up while the server runs.
  package let providerConfigurations: ProviderAdministration
  /// Service accounts: the accounts of back-end programs.
  package let serviceAccounts: ServiceAccounts
  /// Which blocking functions are asked.
  package let functions: FunctionAdministration
  /// Changes the configuration while the server runs.
  package let settingsAdministration: ConfigurationAdministration
  /// Gives service accounts access tokens for signed assertions.
  package let accessTokens: AccessTokens

  // MARK: Everything else

  /// Mails to users.
  package let mails: AccountMails
  /// Writes audit records that belong to no change of an account.
  package let audit: AuditLog
  /// Sends audit records to the plugins that take them.
  let auditFeed: AuditFeed
  /// Draws ids and codes.
  package let secrets: SecretGenerator
  /// The operator's configuration, with what administrators changed since.
  package let settings: LiveConfiguration
  /// The tenant whose accounts these are; nil for the project's own.
  package let tenantID: String?
  /// The tenants of the project; a tenant has none.
  package let tenants: Tenants?

  /// Hashes passwords.
  package let pool: PasswordPool
  let mailQueue: SendQueue<MailMessage>
  /// Text messages that wait to be sent.
  package let smsQueue: SendQueue<SMSMessage>
  /// Codes that are made after their request was answered, so that the answer's time tells nothing.
  let codeQueue: WorkQueue

  /// Puts the accounts of a server together.
  ///
  /// - Parameters:
  ///   - plugins: those that the server is started with.
  ///   - onFollowedRevocation: told of what another node of a cluster has ended.
  ///   - onRevocation: gives the revocation a number, by which its receipts are found; nil when nobody keeps any.
  package convenience init(
    configuration: AccountsConfiguration, store: AccountStore, keys: KeyRing, plugins: PluginSet,
    environment: AccountsEnvironment, onFollowedRevocation: @escaping FollowedRevocationHandler = { _, _, _ in },
    onRevocation: @escaping @Sendable (Revocation, AuditEvent.Kind) -> UInt64?
  ) {
    let plugins = ActivePlugins(plugins)
    self.init(
      Shared(
        configuration: configuration, plugins: plugins,
        mails: SendQueue(plugins, notice: environment.notice), texts: SendQueue(plugins, notice: environment.notice),
        auditFeed: AuditFeed(plugins, environment),
        environment: environment,
        announce: { revocation, event in
          if let number = onRevocation(revocation, event) { RevocationNumbers.current?.note(number) }
        }),
      store: store, keys: keys)
    store.onEnding(onFollowedRevocation)
  }

  /// What the accounts of an emulator's projects have in common.
  struct Shared: Sendable {
    var configuration: AccountsConfiguration
    let plugins: ActivePlugins
    let mails: SendQueue<MailMessage>
    let texts: SendQueue<SMSMessage>
    let auditFeed: AuditFeed
    let environment: AccountsEnvironment
    let announce: RevocationHandler
  }

  let shared: Shared

  /// The records of the project; a tenant's own are ``store``.
  private let projectStore: AccountStore

  /// What a tenant has of its project.
  struct Project: Sendable {
    let store: AccountStore
    let pool: PasswordPool
    /// Counts the messages of all tenants together: one operator pays for them.
    let throttle: Throttle
    let functions: FunctionAdministration
    let tenantID: String
  }

  /// - Parameter project: whose tenant these accounts are of; nil for a project's own.
  init(_ shared: Shared, store: AccountStore, keys: KeyRing, tenantOf project: Project? = nil) {
    let (environment, announce) = (shared.environment, shared.announce)
    let notice = environment.notice
    let isEmulator = shared.configuration.isEmulator
    let limits = shared.configuration.limits
    self.shared = shared
    self.store = store
    projectStore = project?.store ?? store
    self.keys = keys
    let emulation = isEmulator ? Emulation() : nil
    tenantID = project?.tenantID
    settings = LiveConfiguration(
      shared.configuration, notice: notice, changes: { [store] in (project?.store ?? store).view.configurationChanges },
      tenant: { [project] in project.flatMap { $0.store.view.tenant($0.tenantID) } })
    secrets = SecretGenerator(environment)
    mailQueue = shared.mails
    smsQueue = shared.texts
    codeQueue = WorkQueue(waitingMax: store.limits.codesWaitingMax) { block in
      environment.schedule(ActionCodes.delayMilliseconds, block)
    }
    pool =
      project?.pool
      ?? PasswordPool(
        cost: shared.configuration.passwordCost, slots: shared.configuration.passwordSlots, random: environment.random,
        queue: isEmulator ? .emulator : .standard,
        importKey: { [keys, store] id in store.view.importKeyAnywhere(id).flatMap { keys.unseal($0) } })
    throttle = Throttle(
      limits: isEmulator ? limits.lifted : limits, addressKey: keys.throttleKey,
      restored: isEmulator ? [:] : store.view.locks, notice: notice,
      persist: { [store] key, lock in store.saveLock(key, lock) })

    audit = AuditLog(store: store, throttle: throttle, notice: notice)
    auditFeed = shared.auditFeed
    store.onAudit { [auditFeed] in auditFeed.add($0) }
    mails = AccountMails(mailQueue, throttle: throttle, configuration: settings)
    plugins = shared.plugins
    foreignTokens = ForeignTokens(
      .init(
        projectID: shared.configuration.projectID, verifiers: { [plugins] in plugins.verifiers },
        clock: environment.clock, announce: announce, record: { [audit] in await audit.record($0) }))
    let configured = ConfiguredProviders(store: store, keys: keys, issuers: plugins.issuers)
    providers = SignInProviders(
      plugins, configured: configured, store: project?.store ?? store, keys: keys, throttle: throttle, audit: audit,
      configuration: settings,
      notice: notice)
    functions = project?.functions ?? FunctionAdministration(store: store, configuration: settings)
    settingsAdministration = ConfigurationAdministration(store: project?.store ?? store, configuration: settings)
    let blocking = BlockingFunctions(
      keys: keys, isEmulator: isEmulator, environment: environment,
      consoleClaim: { [settings] in settings.value.consoleClaim }, settings: { [functions] in functions.blocking })
    let hooks = SignInHooks(plugins, then: [blocking], tenantID: tenantID, secrets: secrets, notice: notice)

    let passkeyPolicy = PasskeyPolicy(plugins, configuration: settings)
    admission = SignInAdmission(
      store: store, hooks: hooks, configuration: settings, names: NameReservations(schedule: environment.schedule),
      passkeys: passkeyPolicy, announce: announce)
    callers = Callers(store: store, keys: keys, configuration: settings, plugins: plugins)
    revocations = Revocations(store: store, keys: keys, configuration: settings, announce: announce)
    cookies = SessionCookies(store: store, keys: keys, revocations: revocations)
    sessions = Sessions(
      store: store, keys: keys, admission: admission, secrets: secrets,
      tokens: SessionTokens(
        keys: keys, claims: TokenClaims(plugins, tenantID: tenantID, notice: notice), configuration: settings,
        notice: notice),
      configuration: settings)
    legacySessions = LegacySessions(
      store: store, keys: keys, admission: admission, secrets: secrets, configuration: settings, notice: notice)

    let signUpLimit = SignUpLimit(throttle)
    codes = ActionCodes(
      links: ActionLinks(settings), store: store, secrets: secrets, mails: mails, queue: codeQueue, throttle: throttle,
      configuration: settings, emulation: emulation, environment: environment)
    credentials = CredentialChanges(
      store: store, sessions: sessions, callers: callers, passkeys: passkeyPolicy, codes: codes, mails: mails,
      announce: announce)
    addresses = AddressChanges(changes: credentials, signUp: signUpLimit)
    deletion = AccountDeletion(store: store, announce: announce)
    erasure = AccountErasure(store: store, deletion: deletion, announce: announce)
    newPasswords = NewPasswords(pool: pool, providers: providers, configuration: settings, notice: notice)
    let tries = FactorTries(store: store, throttle: throttle)
    recoveryCodes = RecoveryCodes(keys: keys, secrets: secrets, changes: credentials)
    let reversal = ChangeReversal(
      store: store, changes: credentials, keys: keys, tries: tries, recovery: recoveryCodes, audit: audit,
      configuration: settings)
    redemption = CodeRedemption(
      codes: codes, store: store, changes: credentials, passwords: newPasswords, providers: providers,
      throttle: throttle, mails: mails, configuration: settings,
      takeBack: { ticket, hash, factorCode, client, now throws(AccountError) in
        try await reversal.takeBack(ticket, hash, factorCode: factorCode, client: client, now: now)
      })

    let signUp = SignUp(limit: signUpLimit, secrets: secrets, configuration: settings)
    let migration = PasswordMigration(
      plugins: plugins, store: store, pool: pool, signUp: signUp, secrets: secrets, configuration: settings,
      notice: notice)
    passwords = PasswordSignIn(
      providers: providers, store: store, pool: pool, throttle: throttle, audit: audit, passwords: newPasswords,
      signUp: signUp, sessions: sessions, changes: credentials, addresses: addresses,
      migration: migration, configuration: settings)
    anonymous = AnonymousSignIn(providers: providers, signUp: signUp)
    customTokens = CustomTokenSignIn(providers: providers, store: store)
    federated = FederatedSignIn(
      providers: providers, store: store, secrets: secrets, signUp: signUp, sessions: sessions,
      changes: credentials, hooks: hooks, configuration: settings, announce: announce)
    providerPages = ProviderPages(providers: providers, store: store, keys: keys, secrets: secrets)
    nativeAnswers = NativeAnswers(keys: keys)
    samlPages = SAMLPages(
      configured: configured, providers: providers, store: store, keys: keys, secrets: secrets)
    emailLinks = EmailLinkSignIn(
      providers: providers, store: store, codes: codes, signUp: signUp, sessions: sessions,
      changes: credentials, addresses: addresses, announce: announce)
    let phoneCodes = PhoneCodes(
      store: store, secrets: secrets, texts: smsQueue, throttle: project?.throttle ?? throttle,
      captcha: CaptchaCheck(
        service: environment.captchas, throttle: throttle, configuration: settings, notice: notice),
      configuration: settings, emulation: emulation, notice: notice)
    let phoneFactors = PhoneFactors(codes: phoneCodes, configuration: settings)
    secondFactors = SecondFactors(
      store: store, keys: keys, secrets: secrets, sessions: sessions, tries: tries, phones: phoneFactors, audit: audit,
      mails: mails, recovery: recoveryCodes, configuration: settings, notice: notice)
    enrolment = FactorEnrolment(
      store: store, keys: keys, secrets: secrets, sessions: sessions, changes: credentials,
      tries: tries, phones: phoneFactors, audit: audit, recovery: recoveryCodes, configuration: settings)
    phones = PhoneSignIn(
      store: store, secrets: secrets, sessions: sessions, secondFactors: secondFactors, signUp: signUp,
      changes: credentials, codes: phoneCodes, throttle: throttle, configuration: settings)
    let challenges = PasskeyChallenges(keys: keys, secrets: secrets, tenantID: tenantID)
    passkeys = PasskeySignIn(
      policy: passkeyPolicy, challenges: challenges, store: store, providers: providers, sessions: sessions,
      secondFactors: secondFactors)
    passkeyEnrolment = PasskeyEnrolment(
      policy: passkeyPolicy, challenges: challenges, secrets: secrets, sessions: sessions,
      changes: credentials, audit: audit)
    profiles = Profiles(
      store: store, providers: providers, passwords: newPasswords, changes: credentials, signUp: signUpLimit,
      configuration: settings)

    users = UserAdministration(
      store: store, keys: keys, secrets: secrets, passwords: newPasswords, deletion: deletion,
      revocations: revocations, configuration: settings, announce: announce)
    imports = UserImport(
      store: store, keys: keys, secrets: secrets, configuration: settings, announce: announce)
    passwordChecks = PasswordChecks(store: store, pool: pool)
    keyAdministration = KeyAdministration(keys: keys, store: store, notice: notice, announce: announce)
    providerConfigurations = ProviderAdministration(store: store, keys: keys, plugins: plugins)
    serviceAccounts = ServiceAccounts(
      store: store, keys: keys, secrets: secrets, configuration: settings, announce: announce)
    accessTokens = AccessTokens(
      store: store, keys: keys, audit: audit, random: environment.random, configuration: shared.configuration)
    emulator = isEmulator ? EmulatorControls(store: store, announce: announce) : nil
    tenants =
      project == nil
      ? Tenants(in: store, secrets: secrets, project: settings, announce: announce) {
        [shared, store, keys, pool, functions, throttle] id in
        Accounts(
          shared, store: AccountStore(ofTenant: id, in: store), keys: keys.copy(tenant: id),
          tenantOf: Project(store: store, pool: pool, throttle: throttle, functions: functions, tenantID: id))
      } : nil
  }

  /// Returns true when a name is the address of one of the project's service accounts. Tenants have none of their own.
  package func isServiceAccount(_ name: String) -> Bool { projectStore.view.serviceAccount(email: name) != nil }

  /// What an emulator offers to test suites, which are programs of its own machine; nil for all others, and unless this is
  /// an emulator.
  package func emulator(isFromLoopback: Bool) -> EmulatorControls? { isFromLoopback ? emulator : nil }

  /// The bounds on mails and text messages, and what is used of each now; those of tenants are not among them.
  package var spending: [SpendingBound] { throttle.spending(now: shared.environment.clock()) }

  /// The operator's configuration, with what administrators changed since.
  public var configuration: AccountsConfiguration { settings.value }

  /// Puts these plugins beside the server's own, in the place of those of the last call; what those that are gone vouched
  /// for counts no longer.
  package func setFurtherPlugins(_ further: PluginSet) {
    plugins.setFurther(further)
    foreignTokens.reviewVerifiers()
  }

  /// Vouches for no more tokens of others, and waits until the audit records are sent that wait for it, but not for long.
  /// For a server that stops.
  package func finishPlugins() async {
    foreignTokens.close()
    await auditFeed.finish()
  }

  /// Puts the server's start on record.
  public func recordStart() async {
    let phone = configuration.servesPhoneSignIn ? [ProviderID.phone] : []
    await audit.recordStart(providerIDs: (providers.ids + phone).sorted(), isEmulator: settings.isEmulator)
    let origins = configuration.pageOrigins
    for provider in providers.authorizationProviders {
      noticePage(of: provider.id, provider.displayName, origins.map { RedirectURI.shared(origin: $0) })
    }
    let configured = providerConfigurations.page(
      prefix: ProviderConfiguration.oidcPrefix, after: nil, limit: ProviderConfiguration.countMax)
    for configuration in configured where providers.servesPage(of: configuration) {
      noticePage(
        of: configuration.id, configuration.displayName ?? configuration.id,
        providerConfigurations.redirectURIs(of: configuration, origins: origins))
    }
  }

  private func noticePage(of providerID: String, _ name: String, _ redirectURIs: [String]) {
    shared.environment.notice(
      AccountsNotice(
        .info,
        "\(name) (\(providerID)) has a sign-in page here; register \(redirectURIs.joined(separator: " and ")) "
          + "there as redirect URI"))
  }

  /// Waits until the mails and text messages that were promised are sent, but not for long. For a server that stops.
  public func finishMails() async {
    await Deadline.run(milliseconds: 3_000) { [codeQueue, mailQueue, smsQueue, tenants] in
      await codeQueue.idle()
      for tenant in tenants?.used ?? [] { await tenant.codeQueue.idle() }
      await mailQueue.idle()
      await smsQueue.idle()
    }
  }
}
