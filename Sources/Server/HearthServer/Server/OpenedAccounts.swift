import Dispatch
import HearthAccounts
import HearthClusterNode
import HearthCrypto
import HearthDatabase
import HearthEngine
import HearthGateway
import HearthRules
import Logging
import NIOCore

/// The accounts of a data folder, opened: the store, the keys, and the accounts over both.
package struct OpenedAccounts: Sendable {
  /// The accounts: users, sign-in, sessions.
  package let accounts: AccountsDirectory
  /// The keys that sign and verify their tokens.
  package let keys: KeyRing
  /// The store of the accounts; the caller that opened it closes it.
  package let store: AccountStore
  /// The ownership of the accounts by this node; nil for a server by itself.
  let ownership: OwnershipState?

  /// Opens the store and makes the accounts. Reads files: not for event loops.
  ///
  /// - Parameters:
  ///   - engine: stores the journal.
  ///   - node: the cluster's node that shares them; nil for a server by itself.
  ///   - environment: clocks, randomness and the operator's log.
  ///   - onFollowedRevocation: called with credentials that another node has revoked.
  ///   - onRevocation: called with revoked credentials; returns the number by which their receipts are found, or nil.
  /// - Throws: ``ServerError`` when the file cannot be opened, as when another process has it open.
  package static func open(
    _ options: HearthServer.Options, _ engine: ServerJournals, _ node: ClusterNode? = nil, keys: KeyStore,
    environment: AccountsEnvironment, onFollowedRevocation: @escaping FollowedRevocationHandler = { _, _, _ in },
    onRevocation: @escaping @Sendable (Revocation, AuditEvent.Kind) -> UInt64?
  ) throws(ServerError) -> OpenedAccounts {
    let configuration = options.accounts
    let ring = KeyRing(
      store: keys, projectID: configuration.projectID,
      developerCredentials: configuration.isEmulator ? DeveloperCredentials() : nil,
      acceptsRawSecrets: options.acceptsRawSecrets)
    let store: AccountStore
    let ownership = node.map { _ in OwnershipState() }
    do {
      let limits = AccountStoreLimits(configuration)
      if let node {
        store = try AccountStore(environment: environment, projectID: configuration.projectID, limits: limits) {
          var databaseEnvironment = $0
          databaseEnvironment.ownershipChanged = { ownership?.changed($0) }
          return try node.open(
            AccountStore.journalName, of: "", initialRules: .denyAll, environment: databaseEnvironment,
            limits: DatabaseLimits(), denied: { _ in })
        }
      } else {
        store = try AccountStore(
          journals: engine.accounts, environment: environment, projectID: configuration.projectID, limits: limits)
      }
    } catch {
      throw ServerError(.storage, "cannot open the accounts of \(options.dataDirectory): \(error)")
    }
    let own = Accounts(
      configuration: configuration, store: store, keys: ring, plugins: options.plugins, environment: environment,
      onFollowedRevocation: onFollowedRevocation, onRevocation: onRevocation)
    return OpenedAccounts(accounts: AccountsDirectory(own), keys: ring, store: store, ownership: ownership)
  }
}

extension OpenedAccounts {
  /// Makes the accounts of a stopped server's folder keep the events of its triggers until it runs.
  ///
  /// - Throws: ``ServerError`` when the triggers cannot be read.
  package func keepEvents(_ options: HearthServer.Options) throws(ServerError) {
    do throws(RESTFailure) {
      let files = ServerFiles(DataDirectory(path: options.dataDirectory))
      try store.keepEvents(.ofServer(options, files, EventReceivers([]), group: nil), logger: options.logger)
    } catch {
      throw ServerError(.storage, error.text)
    }
  }
}

extension AccountsEnvironment {
  /// Returns the environment of a running server's accounts.
  static func ofServer(_ logger: Logger) -> AccountsEnvironment {
    var environment = AccountsEnvironment(
      clock: { SystemClock.now }, random: .system,
      schedule: { DispatchQueue.schedule($0, $1) },
      notice: { notice in
        switch notice.level {
        case .info: logger.info("accounts", metadata: ["notice": "\(notice)"])
        case .warning: logger.warning("accounts", metadata: ["notice": "\(notice)"])
        case .error: logger.error("accounts", metadata: ["notice": "\(notice)"])
        }
      })
    environment.functions = OutboundFunctionCaller()
    environment.captchas = OutboundCaptchaService()
    return environment
  }
}

extension OpenedAccounts {
  /// The duration of a password hash from which the operator is warned: longer ones delay every sign-in.
  static let hashSecondsMax = 1.0

  /// Measures one password hash, in the background, and warns the operator when the machine is too slow for the cost.
  func warnOfSlowHashes(_ options: HearthServer.Options) {
    guard options.plugins.providers.contains(where: { $0.manifest.methods.contains(.password) }) else { return }
    let logger = options.logger
    DispatchQueue.global(qos: .utility).async {
      let seconds = accounts.own.context.pool.measure()
      guard seconds > Self.hashSecondsMax else { return }
      let isStandard = options.accounts.passwordCost == .standard
      logger.warning(
        isStandard
          ? "password hashes are slow on this machine; passwordCost \"small\" takes half the time and less memory"
          : "password hashes are slow on this machine; each sign-in with a password takes as long",
        metadata: ["milliseconds": "\(Int(seconds * 1000))"])
    }
  }
}
