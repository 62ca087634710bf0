import HearthAccounts
import HearthRules
import HearthSystem
import HearthTransport
import Logging

/// The services that sockets and requests of every loop share.
package struct GatewayServices: Sendable {
  /// The source that lists databases and opens them.
  package let databases: any DatabaseSource
  /// The verifier of credentials.
  package let authenticator: CallerAuthenticator
  /// The users, of this project and the emulator's others.
  package let accounts: AccountsDirectory
  /// The proxies whose headers about a client's address are trusted.
  package let proxies: TrustedProxies
  /// The networks whose clients an emulator treats as those of its own machine.
  package var emulatorClients = EmulatorClients.none
  let sessions = SessionDirectory()
  /// The router to the hubs of all loops.
  package let router: EffectRouter
  /// The log of denials for the operator.
  package let denials: DenialLog
  let pushIDs = PushIDSequence()
  /// The threads that read and write large values, away from the loops.
  package let pool: LargeValuePool
  /// The reader of databases' history.
  let history = HistoryReader()
  /// The settings of each database, which administrators' tools set.
  package let settings: SettingsStore
  /// The triggers and their event sender.
  package let triggers: TriggerRegistry
  /// The store that puts rules in force and keeps their history.
  package let rules: RulesStore
  /// The metrics of requests.
  package let meters: GatewayMeters
  /// The logger for operators. No secret is logged.
  package let logger: Logger
  /// The phase of the server between its start and its end.
  package let phase = ServerPhase()
  /// The last measure of the disk's free space.
  package let space = SpaceGauge()
  /// The last state of the journals' storage.
  package let storage = StorageGauge()
  /// True when the server is a developer's emulator, on a loopback address.
  package let isEmulator: Bool
  /// Returns the counts of a database's rules as an HTML page; nil when there is no renderer.
  package var coveragePage: (@Sendable (RulesCoverage) -> String)?
  /// Returns the metrics as text; nil when metrics are off.
  package var metrics: (@Sendable () async -> [UInt8])?
  /// Returns true when a bearer is the token that may read ``metrics`` and has no other access.
  package var admitsScraper: @Sendable (String) -> Bool = { _ in false }
  /// The quotas of each database.
  package let quotas: QuotaRegistry

  /// - Parameters:
  ///   - settings: stores databases' settings.
  ///   - versions: stores the versions of databases' rules.
  ///   - triggers: the options of triggers.
  ///   - meters: count requests.
  ///   - memory: counts large values on their way to clients.
  package init(
    databases: any DatabaseSource, authenticator: CallerAuthenticator, accounts: AccountsDirectory,
    proxies: TrustedProxies,
    router: EffectRouter, denials: DenialLog, settings settingsFiles: any SmallFileStore, versions: any SmallFileStore,
    triggers: TriggerOptions,
    memory: ClientMemory, meters: GatewayMeters = .none, logger: Logger,
    isEmulator: Bool
  ) {
    self.databases = databases
    self.authenticator = authenticator
    self.accounts = accounts
    self.proxies = proxies
    self.router = router
    self.denials = denials
    self.meters = meters
    quotas = router.quotas
    pool = LargeValuePool(memory: memory, jobs: router.poolJobs)
    settings = SettingsStore(files: settingsFiles, logger: logger)
    self.triggers = TriggerRegistry(
      triggers, settings: settings, databases: databases, users: UserTriggers(accounts: accounts.own.store),
      logger: logger)
    rules = RulesStore(
      files: VersionFiles(files: versions, logger: logger), settings: settings, pushIDs: pushIDs, router: router,
      pool: pool, logger: logger)
    self.logger = logger
    self.isEmulator = isEmulator
  }

  /// Cancels reads of databases' history, before they are closed. Blocks until that is done.
  package func endHistory() { history.close() }

  /// The database of a request that names none.
  package var defaultNamespace: String { databases.fallbackNamespace }
}
