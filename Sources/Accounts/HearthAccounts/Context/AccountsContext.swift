import HearthCrypto
import HearthPlugin

/// The values that all services of one project's or tenant's accounts share: records, keys, settings, counters,
/// randomness and notices.
package final class AccountsContext: Sendable {
  /// The delay in milliseconds before a mailed code is created, after the response to its request.
  static let codeDelayMilliseconds: Int64 = 20

  /// The values that all projects and tenants of the server share.
  package let server: ServerContext
  /// The context of the tenant's project; `nil` for a project itself.
  let project: AccountsContext?
  /// The tenant of these accounts; `nil` for the project's own.
  let tenantID: String?

  /// The records, on the disk.
  let store: AccountStore
  /// Signs and verifies tokens.
  let keys: KeyRing
  /// The operator's configuration, with later changes by administrators.
  let settings: LiveConfiguration
  /// Generates ids and codes.
  package let secrets: SecretGenerator
  /// Counts attempts, mails and text messages.
  let throttle: Throttle
  /// Writes audit records without a change of an account.
  package let audit: AuditWriter
  /// Mails to users.
  package let mails: AccountMails
  /// Computes and checks the hashes of passwords, a few at a time.
  package let pool: PasswordPool
  /// Codes that are made after their request was answered, so that the answer's time does not show whether an account
  /// exists.
  let codeQueue: WorkQueue
  /// State that only an emulator keeps; `nil` on every other server.
  let emulation: Emulation?

  /// - Parameter tenant: the tenant's id and its project's context; `nil` for a project.
  init(
    _ server: ServerContext, store: AccountStore, keys: KeyRing,
    tenant: (id: String, project: AccountsContext)? = nil
  ) {
    let (configuration, environment) = (server.configuration, server.environment)
    let isEmulator = configuration.isEmulator
    let projectStore = tenant?.project.store ?? store
    self.server = server
    self.store = store
    self.keys = keys
    project = tenant?.project
    tenantID = tenant?.id
    settings = LiveConfiguration(
      configuration, notice: environment.notice, changes: { projectStore.view.configurationChanges },
      tenant: { [id = tenant?.id] in id.flatMap { projectStore.view.tenant($0) } })
    secrets = SecretGenerator(environment)
    throttle = Throttle(
      limits: isEmulator ? configuration.limits.lifted : configuration.limits, addressKey: keys.throttleKey,
      restored: isEmulator ? [:] : store.view.locks, notice: environment.notice,
      persist: { key, lock in store.saveLock(key, lock) })
    audit = AuditWriter(store: store, throttle: throttle, notice: environment.notice)
    store.onAudit { [feed = server.auditFeed] in feed.add($0) }
    mails = AccountMails(server.mails, throttle: throttle, configuration: settings)
    pool =
      tenant?.project.pool
      ?? PasswordPool(
        cost: configuration.passwordCost, slots: configuration.passwordSlots, random: environment.random,
        queue: isEmulator ? .emulator : .standard,
        importKey: { id in store.view.importKeyAnywhere(id).flatMap { keys.unseal($0) } })
    codeQueue = WorkQueue(waitingMax: store.limits.codesWaitingMax) { block in
      environment.schedule(Self.codeDelayMilliseconds, block)
    }
    emulation = isEmulator ? Emulation() : nil
  }

  /// The settings in effect.
  var configuration: AccountsConfiguration { settings.value }
  /// The plugins that are switched on.
  package var plugins: ActivePlugins { server.plugins }
  /// Notifies the operator.
  var notice: @Sendable (AccountsNotice) -> Void { server.environment.notice }
  /// Announces a revocation, with its reason.
  var announce: RevocationHandler { server.announce }
  /// The records of the project; a tenant's own are ``store``.
  var projectStore: AccountStore { project?.store ?? store }
  /// Counts the text messages of a project and its tenants together: one operator pays for all.
  var messageThrottle: Throttle { project?.throttle ?? throttle }
}
