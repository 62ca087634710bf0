import Dispatch
import HearthAccounts
import HearthCrypto
import HearthEngine
import HearthSQLite
import Logging
import NIOCore

/// What a server opens for accounts: the store, the keys, and the accounts over both.
struct AccountsSetup: Sendable {
  let accounts: Accounts
  let keys: KeyRing
  let store: AccountStore

  static func path(in dataDirectory: String) -> String { dataDirectory + "/accounts.sqlite" }

  /// Opens the store and puts the accounts together. Reads files: not for event loops.
  ///
  /// - Parameter router: told of what ends credentials.
  static func open(
    _ options: HearthServer.Options, keys: KeyStore, router: EffectRouter
  ) throws(ServerError) -> AccountsSetup {
    let logger = options.logger
    var configuration = options.accounts.configuration
    configuration.projectID = options.projectID
    configuration.isEmulator = options.isEmulator
    let ring = KeyRing(
      store: keys, projectID: options.projectID,
      developerCredentials: options.isEmulator ? DeveloperCredentials() : nil,
      acceptsRawSecrets: options.accounts.acceptsRawSecrets)
    let store: AccountStore
    do {
      store = try AccountStore(
        journal: try SQLiteJournal(path: path(in: options.dataDirectory)), environment: environment(logger),
        projectID: options.projectID, limits: AccountStoreLimits(configuration))
    } catch {
      throw ServerError(.storage, "cannot open the accounts: \(error)")
    }
    let accounts = Accounts(
      configuration: configuration, store: store, keys: ring, providers: options.accounts.providers,
      mailer: options.accounts.mailer, hooks: options.accounts.hooks, environment: environment(logger),
      onRevocation: { revocation, event in router.revoke(revocation, because: event) })
    return AccountsSetup(accounts: accounts, keys: ring, store: store)
  }

  private static func environment(_ logger: Logger) -> AccountsEnvironment {
    AccountsEnvironment(
      clock: { SystemClock.now }, random: .system,
      schedule: { milliseconds, work in
        let delay = DispatchTimeInterval.milliseconds(Int(clamping: max(0, milliseconds)))
        DispatchQueue.global().asyncAfter(deadline: .now() + delay, execute: work)
      },
      notice: { notice in
        switch notice.level {
        case .info: logger.info("accounts", metadata: ["notice": "\(notice)"])
        case .warning: logger.warning("accounts", metadata: ["notice": "\(notice)"])
        case .error: logger.error("accounts", metadata: ["notice": "\(notice)"])
        }
      })
  }
}

extension AccountsSetup {
  /// A hash of more than a second keeps people waiting at every sign-in.
  static let hashSecondsMax = 1.0

  /// Measures one password hash, in the background, and tells the operator when the machine is too slow for the cost.
  func warnOfSlowHashes(_ options: HearthServer.Options) {
    guard options.accounts.providers.contains(where: { $0.manifest.methods.contains(.password) }) else { return }
    let logger = options.logger
    DispatchQueue.global(qos: .utility).async {
      let seconds = accounts.measurePasswordHash()
      guard seconds > Self.hashSecondsMax else { return }
      logger.warning(
        "a password hash takes long on this machine; passwordCost \"small\" needs half the time and less memory",
        metadata: ["milliseconds": "\(Int(seconds * 1000))"])
    }
  }
}
