import HearthAccounts
import Logging

/// What sockets and requests of every loop share.
struct ServerServices: Sendable {
  let registry: DatabaseRegistry
  let gate: CredentialGate
  let accounts: Accounts
  let proxies: TrustedProxies
  let sessions: SessionDirectory
  let router: EffectRouter
  let denials: DenialLog
  let pushIDs: PushIDs
  let pool: LargeValuePool
  let settings: SettingsStore
  let logger: Logger
  let isEmulator: Bool
  var quota = ConnectionQuota()

  var defaultNamespace: String { registry.defaultNamespace }
}
