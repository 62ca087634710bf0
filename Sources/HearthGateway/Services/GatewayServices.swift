import HearthAccounts
import HearthRules
import HearthTransport
import Logging

/// What sockets and requests of every loop share.
package struct GatewayServices: Sendable {
  package let databases: any DatabaseSource
  package let gate: CredentialGate
  package let accounts: AccountsDirectory
  package let proxies: TrustedProxies
  let sessions = SessionDirectory()
  package let router: EffectRouter
  package let denials: DenialLog
  let pushIDs = PushIDs()
  package let pool: LargeValuePool
  package let settings: SettingsStore
  package let logger: Logger
  package let isEmulator: Bool
  /// Writes what was counted of a database's rules as a page of HTML; nil when nobody can.
  package var coveragePage: (@Sendable (RulesCoverage) -> String)?
  var quota = ConnectionQuota()

  /// - Parameters:
  ///   - settingsFolder: where databases' settings are kept. Made with the first.
  ///   - memory: where large values on their way to clients are counted.
  package init(
    databases: any DatabaseSource, gate: CredentialGate, accounts: AccountsDirectory, proxies: TrustedProxies,
    router: EffectRouter, denials: DenialLog, settingsFolder: String, memory: ClientMemory, logger: Logger,
    isEmulator: Bool
  ) {
    self.databases = databases
    self.gate = gate
    self.accounts = accounts
    self.proxies = proxies
    self.router = router
    self.denials = denials
    pool = LargeValuePool(memory: memory)
    settings = SettingsStore(folder: settingsFolder, logger: logger)
    self.logger = logger
    self.isEmulator = isEmulator
  }

  package var defaultNamespace: String { databases.defaultNamespace }
}
