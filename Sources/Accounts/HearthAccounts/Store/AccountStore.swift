import HearthDatabase
import HearthEngine
import HearthJournal
import HearthRules
import HearthTree
import Synchronization

/// The accounts of one project on the disk: a database of its own, with one writer and any number of readers.
///
/// Readers take ``view``, the last durable state, and may keep it. Writers pass a body that reads and changes the
/// newest state in one transaction; for example, a body checks that an address is free and takes it, with no other
/// write between.
public final class AccountStore: Sendable {
  /// The result of opening the store.
  public let recovery: RecoveryReport
  /// The limits of the store.
  public let limits: AccountStoreLimits

  let database: Database
  private let commands: CommandClient
  let damage: DamageReport
  private let followedRevocations: LateHandler<FollowedRevocationHandler>
  /// The handler for another node's changes of the configuration.
  private let followedSettings = LateHandler<@Sendable () -> Void>()
  /// The project's id in audit records.
  private let projectID: String?
  /// The handler for audit records that have become durable.
  private let auditHandler = Mutex<(@Sendable ([AuditRecord]) -> Void)?>(nil)
  private let rates = AuditRates()
  private let clock: @Sendable () -> Instant
  /// The latest second since 1970 that ``noteClock()`` has read in this process.
  private let seenSeconds = Atomic<Int64>(0)

  private let lowSpace = Atomic(false)
  /// The path of its records in the database.
  private let base: Path
  /// The project's accounts, whose database contains the tenant's.
  private let project: AccountStore?

  /// Opens the accounts of the journal `accounts`. Blocks until they are loaded.
  ///
  /// - Parameters:
  ///   - journals: the place of the journal, which ``close()`` closes.
  ///   - projectID: the project's id, for the audit trail.
  /// - Throws: `JournalError`, `RecordError`.
  public convenience init(
    journals: any JournalFactory, environment: AccountsEnvironment, projectID: String? = nil,
    limits: AccountStoreLimits = AccountStoreLimits()
  ) throws {
    try self.init(environment: environment, projectID: projectID, limits: limits) { dependencies in
      try Database(name: Self.journalName, journals: journals, initialRules: .denyAll, environment: dependencies)
    }
  }

  /// The name of the accounts' journal.
  package static let journalName = "accounts"

  /// Creates accounts over a database that is opened by the caller. Blocks until they are loaded.
  ///
  /// - Parameter open: opens the database with the given environment.
  /// - Throws: the errors of `open`.
  package init(
    environment: AccountsEnvironment, projectID: String? = nil, limits: AccountStoreLimits = AccountStoreLimits(),
    open: (DatabaseEnvironment) throws -> Database
  ) throws {
    (base, project) = (.root, nil)
    let commands = CommandClient()
    let notice = environment.notice
    clock = environment.clock
    let damage = DamageReport(notice: notice)
    let followedRevocations = LateHandler<FollowedRevocationHandler>()
    self.followedRevocations = followedRevocations
    var dependencies = DatabaseEnvironment(
      clock: environment.clock, schedule: environment.schedule, deliver: { effects, _ in commands.handle(effects) },
      notice: { notice(AccountsNotice($0)) })
    let followedSettings = followedSettings
    dependencies.followed = { places, before, after, isOwn in
      guard !isOwn else { return }
      if places.contains(where: { $0.prefix(1) == AccountPath.configurationChanges }) {
        followedSettings.call?()
      }
      let ended = Revocation.made(
        at: places, before: AccountRecords(root: before.root, damage: damage),
        after: AccountRecords(root: after.root, damage: damage))
      for (revocation, event) in ended { followedRevocations.call?(revocation, event, after.position) }
    }
    // After a restart from a newer state the changes in between are unknown.
    dependencies.servingChanged = { if $0 { followedSettings.call?() } }
    database = try open(dependencies)
    self.commands = commands
    self.projectID = projectID
    self.limits = limits
    self.damage = damage
    recovery = database.recovery
    for damage in recovery.damages {
      notice(AccountsNotice(damage.isUnfinishedCommit ? .info : .error, "the journal was damaged: \(damage)"))
    }
  }

  /// Creates the accounts of a tenant, in the database of the project's: one change, one snapshot and one backup
  /// contain both.
  init(ofTenant id: String, in project: AccountStore) {
    (base, self.project) = (AccountPath.tenant(id), project)
    (database, commands, damage, clock) = (project.database, project.commands, project.damage, project.clock)
    (limits, recovery, projectID) = (project.limits, project.recovery, project.projectID)
    followedRevocations = LateHandler()
  }

  /// The last durable state.
  public var view: AccountView {
    let root = database.published.root
    return AccountView(records: AccountRecords(root: base.isRoot ? root : root[base], damage: damage))
  }

  /// The position of ``view`` in the log of the accounts.
  package var position: Int64 { database.published.position }

  /// The status for writes. Reading is always possible.
  public var status: DatabaseStatus { database.status }

  /// True when the disk is nearly full: no accounts are added. Everything else continues, so that the operator can sign
  /// in.
  public var isSpaceLow: Bool { project?.isSpaceLow ?? lowSpace.load(ordering: .relaxed) }

  /// Sets ``isSpaceLow``.
  public func setSpaceLow(_ isLow: Bool) { lowSpace.store(isLow, ordering: .relaxed) }

  /// Changes the accounts: all changes of the body become durable together, or none does.
  ///
  /// Bodies run one after another, each at most once and on the newest state. A body computes and returns; it does not
  /// hash passwords, and calls no other service. When the call returns, ``view`` shows what the body did.
  ///
  /// - Throws: the body's error: then nothing has changed. ``AccountError/Code/unavailable`` when the change could not
  ///   be made durable, and ``AccountError/Code/outcomeUnknown`` when that is unknown.
  public func transact<Value: Sendable>(
    _ body: @escaping @Sendable (inout AccountTransaction) throws(AccountError) -> Value
  ) async throws(AccountError) -> Value {
    let outcome = TransactionBodyResult<Value>()
    let transaction = Transaction { [self] draft in
      guard exists(in: draft) else {
        outcome.set(.failure(AccountError(.tenantNotFound)))
        return false
      }
      var accounts = beginChange(on: draft)
      do throws(AccountError) {
        outcome.set(.success(try body(&accounts)))
      } catch {
        outcome.set(.failure(error))
        return false
      }
      accounts.sweep()
      accounts.noteTime()
      draft = accounts.draft.whole
      outcome.note(accounts.audited)
      return true
    }
    let reply = await commands.ask(database, .transact(transaction))
    let tracker = RequestRetryTracker.current
    if case .failure(.outcomeUnknown) = reply {
      tracker?.noteChange()
      throw AccountError(.outcomeUnknown)
    }
    guard case .ok = reply, let result = outcome.value else {
      if database.isFollowing, case .failure(.unavailable) = reply { tracker?.noteRefusal() }
      throw AccountError(.unavailable)
    }
    if case .success = result { tracker?.noteChange() }
    if !outcome.audited.isEmpty { auditHandler.withLock { $0 }?(outcome.audited) }
    return try result.get()
  }

  /// Waits until ``view`` shows all changes that any node of a cluster has confirmed before, and revocations are
  /// announced; returns at once on a single server.
  ///
  /// - Returns: False when this is not possible now.
  @discardableResult
  package func catchUp() async -> Bool {
    guard database.isFollowing else { return true }
    if case .ok = await commands.ask(database, .barrier) { return true }
    return false
  }

  /// Sets the handler for audit records, called once each is durable; records of concurrent changes may come in another
  /// order. It must return at once.
  func onAudit(_ handler: @escaping @Sendable ([AuditRecord]) -> Void) { auditHandler.withLock { $0 = handler } }

  /// Sets the handler for credentials that another node of a cluster has ended.
  func onFollowedRevocation(_ handler: @escaping FollowedRevocationHandler) { followedRevocations.set(handler) }

  /// Sets the handler for changes of the configuration by other nodes of a cluster.
  func onFollowedSettings(_ handler: @escaping @Sendable () -> Void) { followedSettings.set(handler) }

  /// Stores an account's lock beyond a restart, or removes it. Does not wait until it is durable.
  func saveLock(_ key: String, _ lock: AccountLock?) {
    let transaction = Transaction { [self] draft in
      guard exists(in: draft) else { return false }
      var accounts = beginChange(on: draft)
      accounts.setLock(key, lock)
      accounts.sweep()
      draft = accounts.draft.whole
      return true
    }
    database.submit([
      Command(connection: CommandClient.connection, principal: .administrator, action: .transact(transaction))
    ])
  }

  /// Remembers the clock's time, for the cutoff of a revocation after the clock was set back. Called when a credential
  /// without a generation is accepted: no change of the accounts need have been made in that second.
  func noteClock() { _ = seenSeconds.max(clock().wallMilliseconds / 1000, ordering: .relaxed) }

  /// False for a deleted tenant: operations in progress must leave nothing behind.
  private func exists(in draft: TransactionDraft) -> Bool {
    project == nil || !draft.root[base.appending(AccountPath.settings)].isEmpty
  }

  private func beginChange(on draft: TransactionDraft) -> AccountTransaction {
    AccountTransaction(
      AccountDraft(draft, at: base), damage: damage, limits: limits, projectID: projectID,
      seenSeconds: seenSeconds.load(ordering: .relaxed),
      isSpaceLow: isSpaceLow, rates: rates)
  }

  /// Makes pending transactions durable, and closes the file. Blocks until done. Later transactions are unavailable. A
  /// tenant's accounts are closed with the project's.
  ///
  /// - Parameter snapshotsEnd: see ``Database/close(snapshotsEnd:)``.
  public func close(snapshotsEnd: Int64 = .min) { if project == nil { database.close(snapshotsEnd: snapshotsEnd) } }
}

extension AccountStore: SnapshotWriter {
  /// The bytes that a snapshot of the accounts still needs, under way or soon due.
  public var snapshotNeedBytes: Int { database.snapshotNeedBytes }

  /// The unused bytes of the accounts' file.
  public var reusableBytes: Int { database.reusableBytes }

  /// Limits the size of the accounts' snapshots from now on.
  public func setSnapshotRoom(_ bytes: Int) { database.setSnapshotRoom(bytes) }
}

extension AccountsNotice {
  /// Creates the accounts' notice from a notice of their database.
  init(_ notice: DatabaseNotice) {
    let line = notice.line
    let level: Level =
      switch line.level {
      case .debug: .info
      case .notice, .warning: .warning
      case .error, .critical: .error
      }
    let details = line.details.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    self.init(level, "accounts: \(line.text)" + (details.isEmpty ? "" : " (\(details))"))
  }
}

/// A handler that is set after the store was opened.
private final class LateHandler<Handler: Sendable>: Sendable {
  private let handler = Mutex<Handler?>(nil)

  /// The handler; nil until it is set.
  var call: Handler? { handler.withLock { $0 } }

  func set(_ handler: Handler) { self.handler.withLock { $0 = handler } }
}
