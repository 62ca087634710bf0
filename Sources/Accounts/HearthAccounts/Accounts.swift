import HearthCrypto
import HearthPlugin
import HearthTree

/// The accounts of one project or tenant: their context, and the services that use it, grouped by task.
///
/// Safe to use from many threads.
public final class Accounts: Sendable {
  /// The values that the services share.
  package let context: AccountsContext
  /// Begins, continues and ends sessions; makes and checks tokens.
  package let sessions: SessionServices
  /// Changes accounts for their users.
  package let changes: ChangeServices
  /// The services that sign users in.
  package let signIn: SignInServices
  /// Serves administrators.
  package let administration: AdministrationServices
  /// The tenants of the project; `nil` for a tenant.
  package let tenants: Tenants?

  /// The records, on the disk.
  public var store: AccountStore { context.store }
  /// Signs and verifies tokens.
  public var keys: KeyRing { context.keys }
  /// The configuration in effect: the operator's, with the later changes of administrators.
  public var configuration: AccountsConfiguration { settings.value }
  /// The same configuration, read at each use.
  package var settings: LiveConfiguration { context.settings }
  /// The tenant of these accounts; `nil` for the project's own.
  package var tenantID: String? { context.tenantID }

  /// Creates the accounts of a server's own project.
  ///
  /// - Parameters:
  ///   - plugins: the plugins compiled into the server.
  ///   - onFollowedRevocation: called with the revocations of other cluster nodes.
  ///   - onRevocation: gives the revocation a number, by which its receipts are found; nil when the server keeps no receipts.
  package convenience init(
    configuration: AccountsConfiguration, store: AccountStore, keys: KeyRing, plugins: PluginSet,
    environment: AccountsEnvironment, onFollowedRevocation: @escaping FollowedRevocationHandler = { _, _, _ in },
    onRevocation: @escaping @Sendable (Revocation, AuditEvent.Kind) -> UInt64?
  ) {
    let server = ServerContext(
      configuration: configuration, plugins: ActivePlugins(plugins), environment: environment,
      announce: { revocation, event in
        if let number = onRevocation(revocation, event) { RevocationNumbers.current?.note(number) }
      })
    self.init(AccountsContext(server, store: store, keys: keys))
    store.onFollowedRevocation(onFollowedRevocation)
    store.onFollowedSettings { [weak self] in self?.applyTrust() }
    applyTrust()
  }

  /// Creates the accounts of a context.
  init(_ context: AccountsContext) {
    let providers = SignInProviders(context: context, configured: ConfiguredProviders(context: context))
    self.context = context
    sessions = SessionServices(context)
    changes = ChangeServices(context, sessions: sessions.refreshable, providers: providers)
    signIn = SignInServices(context, providers: providers, sessions: sessions, changes: changes)
    administration = AdministrationServices(context, passwords: changes.passwords)
    tenants = context.project == nil ? Tenants(of: context) : nil
  }

  /// Returns true when a name is the address of one of the project's service accounts. Tenants have none of their own.
  package func isServiceAccount(_ name: String) -> Bool {
    context.projectStore.view.serviceAccount(email: name) != nil
  }

  /// The emulator's controls for test suites, which run on the same machine. Nil for remote clients, and on a server
  /// that is not an emulator.
  package func emulator(isFromLoopback: Bool) -> EmulatorControls? {
    isFromLoopback && settings.isEmulator ? EmulatorControls(context: context) : nil
  }

  /// The current bounds and use of mails and text messages; those of tenants are not included.
  package var spending: [SpendingLimit] {
    context.throttle.spending(now: context.server.environment.clock())
  }

  /// Replaces the plugins that were added while the server runs. Tokens that removed plugins verified become invalid.
  package func setFurtherPlugins(_ further: PluginSet) {
    context.plugins.setFurther(further)
    sessions.foreignTokens.applyVerifierChanges()
  }

  /// Changes the trusted issuers while the server runs. Tokens of issuers that are not trusted any more, or have other
  /// settings, become invalid.
  ///
  /// - Parameter settings: the lists to replace, in the form of the member `trust` of the operator's file; `null` returns
  ///   to the list of the file.
  /// - Throws: `invalidArgument`.
  package func changeTrust(_ settings: JSON, by administrator: Administrator) async throws(AccountError) {
    try TrustedIssuers.checkChange(settings)
    try await administration.settings.change(["trust": settings], by: administrator)
    applyTrust()
  }

  /// Verifies tokens of the issuers in the current configuration from now on, and of no others.
  private func applyTrust() {
    context.plugins.setTrusted(configuration.trust)
    sessions.foreignTokens.applyVerifierChanges()
  }

  /// Stops verifying tokens of other issuers, and waits for unsent audit records, with a time limit. For a server that
  /// stops.
  package func finishPlugins() async {
    sessions.foreignTokens.close()
    await context.server.auditFeed.finish()
  }

  /// Records the server's start.
  public func recordStart() async {
    let phone = configuration.servesPhoneSignIn ? [ProviderID.phone] : []
    await context.audit.recordStart(
      providerIDs: (signIn.providers.ids + phone).sorted(), isEmulator: settings.isEmulator)
    let origins = configuration.pageOrigins
    for provider in signIn.providers.authorizationProviders {
      noticePage(of: provider.id, provider.displayName, origins.map { RedirectURI.shared(origin: $0) })
    }
    let configured = administration.providers.page(
      prefix: ProviderConfiguration.oidcPrefix, after: nil, limit: ProviderConfiguration.countMax)
    for configuration in configured where signIn.providers.servesPage(of: configuration) {
      noticePage(
        of: configuration.id, configuration.displayName ?? configuration.id,
        administration.providers.redirectURIs(of: configuration, origins: origins))
    }
  }

  private func noticePage(of providerID: String, _ name: String, _ redirectURIs: [String]) {
    context.notice(
      AccountsNotice(
        .info,
        "\(name) (\(providerID)) has a sign-in page on this server; register \(redirectURIs.joined(separator: " and ")) "
          + "as redirect URI at the provider"))
  }

  /// Waits for unsent mails and text messages, with a time limit. For a server that stops.
  public func finishMails() async {
    await Deadline.run(milliseconds: 3_000) { [context, tenants] in
      await context.codeQueue.idle()
      for tenant in tenants?.used ?? [] { await tenant.context.codeQueue.idle() }
      await context.server.mails.idle()
      await context.server.texts.idle()
    }
  }
}
