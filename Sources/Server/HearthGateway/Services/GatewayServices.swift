import HearthAccounts
import HearthRules
import HearthSystem
import HearthTransport
import Logging

/// What sockets and requests of every loop share.
package struct GatewayServices: Sendable {
  /// Opens databases, and names those that there are.
  package let databases: any DatabaseSource
  /// Says whose a credential is.
  package let gate: CredentialGate
  /// The users, of this project and the emulator's others.
  package let accounts: AccountsDirectory
  /// Whose word about a client's address counts.
  package let proxies: TrustedProxies
  /// The networks whose programs an emulator treats as those of its own machine.
  package var emulatorClients = EmulatorClients.none
  let sessions = SessionDirectory()
  /// The way to the hubs of all loops.
  package let router: EffectRouter
  /// Tells the operator why something was refused.
  package let denials: DenialLog
  let pushIDs = PushIDs()
  /// Where large values are read and written, away from the loops.
  package let pool: LargeValuePool
  /// The place where the past of databases is read.
  let history = HistoryReader()
  /// What administrators' tools set for each database.
  package let settings: SettingsStore
  /// What is sent because of what is written.
  package let triggers: TriggerRegistry
  /// Puts rules in force and keeps their history.
  package let rules: RulesStore
  /// Count what requests come to.
  package let meters: GatewayMeters
  /// For what an operator should know. No secret is logged.
  package let logger: Logger
  /// True when requests should come at all.
  package let phase = ServerPhase()
  /// How much room the disk has.
  package let space = SpaceGauge()
  /// True when what keeps the journals answers.
  package let storage = StorageGauge()
  /// The server is a developer's emulator, on a loopback address.
  package let isEmulator: Bool
  /// Writes what was counted of a database's rules as a page of HTML; nil when nobody can.
  package var coveragePage: (@Sendable (RulesCoverage) -> String)?
  /// Writes what is measured as text; nil when nobody measures.
  package var metrics: (@Sendable () async -> [UInt8])?
  /// True when a bearer's text is the token of those who may look at ``metrics`` and at nothing else.
  package var admitsScraper: @Sendable (String) -> Bool = { _ in false }
  /// What clients may take of each database.
  package let quotas: QuotaRegistry

  /// - Parameters:
  ///   - settings: where databases' settings are kept.
  ///   - versions: where the versions of databases' rules are kept.
  ///   - triggers: what triggers are told.
  ///   - meters: count what requests come to.
  ///   - memory: where large values on their way to clients are counted.
  package init(
    databases: any DatabaseSource, gate: CredentialGate, accounts: AccountsDirectory, proxies: TrustedProxies,
    router: EffectRouter, denials: DenialLog, settings settingsFiles: any SmallFiles, versions: any SmallFiles,
    triggers: TriggerOptions,
    memory: ClientMemory, meters: GatewayMeters = .none, logger: Logger,
    isEmulator: Bool
  ) {
    self.databases = databases
    self.gate = gate
    self.accounts = accounts
    self.proxies = proxies
    self.router = router
    self.denials = denials
    self.meters = meters
    quotas = router.quotas
    pool = LargeValuePool(memory: memory)
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

  /// Gives up what reads the past of databases, before they are closed. Blocks until it is.
  package func endHistory() { history.close() }

  /// The database of a request that names none.
  package var defaultNamespace: String { databases.unnamedNamespace }
}
