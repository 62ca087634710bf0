import Dispatch
import HearthDatabase
import HearthEngine
import HearthGateway
import HearthJournal
import HearthRules
import HearthSystem
import HearthWire
import Logging
import NIOCore
import Synchronization

/// Opens a database by name. Blocks meanwhile.
typealias DatabaseOpener = @Sendable (String, RuleSet, DatabaseEnvironment, DatabaseLimits) throws -> Database

/// Closes a database that ``DatabaseOpener`` opened. Blocks meanwhile.
///
/// - Returns: false when it stays open, unchanged, because other nodes need it.
typealias DatabaseCloser = @Sendable (_ name: String, Database, DatabaseClosing) -> Bool

/// The reason why a database is closed while the server runs.
enum DatabaseClosing: Sendable {
  /// The database has not been used for a while.
  case idle
  /// The database is about to be removed, or another server has removed it.
  case removal
}

/// The databases of a server, by name. Each is opened at its first use, and closed after an idle time.
final class DatabaseRegistry: DatabaseSource {
  let defaultNamespace: String
  let isDefaultNamed: Bool
  private let fallbacks: [String]
  private let journals: any JournalFactory
  private let removed: RemovedDatabases
  private let createsOnUse: Bool
  private let limits: DatabaseLimits
  private let initialRules: Mutex<RuleSet>
  private let opener: DatabaseOpener
  private let closer: DatabaseCloser
  private let environment: @Sendable (_ name: String) -> DatabaseEnvironment
  private let logger: Logger
  /// The lookup of databases that other servers have made; nil when there are no others.
  private let nameLookup: NameLookup?
  private let state: Mutex<DatabaseTable>
  /// The handlers of openings, ownership changes, interruptions and removals.
  let hooks = DatabaseHooks()
  /// A queue for opening, which reads a whole journal: not for event loops.
  private let queue = DispatchQueue(label: "hearth.open", attributes: .concurrent)
  private let openings = DispatchGroup()

  /// - Parameters:
  ///   - journals: the factory for journals of existing and new databases.
  ///   - isDefaultNamed: true when the operator chose the default database.
  ///   - fallbacks: databases that a request without a name means before the default one, the first that exists.
  ///   - removed: deletes the files of a removed database. Its unfinished removals are completed here.
  ///   - opener: opens one; nil opens its journal as the owner.
  ///   - closer: closes one.
  ///   - isShared: true when other servers make databases as well.
  init(
    journals: any JournalFactory, removed: RemovedDatabases, defaultNamespace: String, isDefaultNamed: Bool = false,
    fallbacks: [String] = [], createsOnUse: Bool, initialRules: RuleSet,
    limits: DatabaseLimits = DatabaseLimits(), opener: DatabaseOpener? = nil,
    closer: @escaping DatabaseCloser = { _, database, _ in
      database.close()
      return true
    },
    isShared: Bool = false,
    environment: @escaping @Sendable (_ name: String) -> DatabaseEnvironment, logger: Logger
  ) throws(ServerError) {
    (self.journals, self.removed) = (journals, removed)
    self.defaultNamespace = defaultNamespace
    self.isDefaultNamed = isDefaultNamed
    self.fallbacks = fallbacks
    self.createsOnUse = createsOnUse
    self.limits = limits
    self.initialRules = Mutex(limits.engine.countsRules ? initialRules.counted : initialRules)
    self.environment = environment
    self.logger = logger
    self.closer = closer
    nameLookup = isShared ? NameLookup { try? journals.names() } : nil
    self.opener =
      opener ?? { name, rules, environment, limits in
        try Database(name: name, journals: journals, initialRules: rules, environment: environment, limits: limits)
      }
    do throws(JournalError) {
      for name in try removed.finishAll() { logger.notice("database deleted", metadata: ["database": "\(name)"]) }
      state = Mutex(DatabaseTable(existing: Set(try journals.names().filter(Namespace.isValid))))
    } catch {
      throw ServerError(.storage, "\(error)")
    }
  }

  var fallbackNamespace: String {
    guard !fallbacks.isEmpty else { return defaultNamespace }
    return state.withLock { state in fallbacks.first(where: state.existing.contains) } ?? defaultNamespace
  }

  /// The existing databases, in order of name.
  var names: [String] { state.withLock { $0.existing.sorted() } }

  var openDatabases: [Database] { state.withLock(\.openDatabases) }

  /// Sets the rules of databases without rules of their own.
  func setInitialRules(_ rules: RuleSet) {
    let rules = limits.engine.countsRules ? rules.counted : rules
    initialRules.withLock { $0 = rules }
  }

  /// The counts of the rules in force: of each open database, in order of name, and of reads of databases that do not
  /// exist yet, as the default one's.
  var rulesCoverages: [(database: String, coverage: RulesCoverage)] {
    let databases = openDatabases.sorted { $0.name < $1.name }.map { ($0.name, $0.published.rules) }
    let rules = databases + [(defaultNamespace, initialRules.withLock { $0 })]
    return rules.compactMap { name, rules in rules.coverage.map { (database: name, coverage: $0) } }
  }

  /// The initial state of a database.
  var firstState: DatabaseState { DatabaseState(root: .empty, rules: initialRules.withLock { $0 }, position: 0) }

  /// Returns the database if it is open already: the path of nearly every request.
  func opened(_ name: String) -> Database? { state.withLock { $0.opened(name) } }

  /// Records whether an open database is served.
  private func setServing(_ isServing: Bool, _ name: String) {
    state.withLock { $0.setServing(isServing, name) }
    if !isServing { hooks.leave(name) }
  }

  /// Sets the names of the existing databases, some of which other servers have made; open ones are kept.
  func note(_ names: some Sequence<String>) { state.withLock { $0.note(names) } }

  /// Drops a database that another server has removed. Requests for it wait meanwhile, and get a new one of its name
  /// when there is one. Blocks.
  ///
  /// - Parameters:
  ///   - existsAgain: true when there is a new one of its name.
  ///   - forget: called when it is closed, and before any request gets the new one.
  func drop(_ name: String, existsAgain: Bool, _ forget: @Sendable () -> Void) {
    guard let old = state.withLock({ $0.beginDropping(name) }) else { return }
    logger.notice("another node has deleted the database", metadata: ["database": "\(name)"])
    _ = closer(name, old, .removal)
    forget()
    let mayBeOpened = existsAgain || createsOnUse
    let (promises, isOver) = state.withLock {
      $0.endDropping(name, existsAgain: existsAgain, mayBeOpened: mayBeOpened)
    }
    if !promises.isEmpty, mayBeOpened, !isOver { return open(name, createsMissing: createsOnUse) }
    let problem: DatabaseProblem = isOver ? .unavailable("the server is stopping") : .unknown
    for promise in promises { promise.fail(problem) }
  }

  // MARK: Idle databases

  /// Closes databases that were not used for a while and have no connections. The default one stays open. Blocks.
  ///
  /// - Parameters:
  ///   - milliseconds: the idle time.
  ///   - isNeeded: returns true when background work uses the database.
  func closeIdle(forMilliseconds milliseconds: Int64, at now: Int64, isNeeded: (Database) -> Bool) {
    let unused = state.withLock { $0.unused(forMilliseconds: milliseconds, at: now, except: defaultNamespace) }
    for (name, database) in unused where database.figures().isIdle && !isNeeded(database) {
      close(name, database)
    }
  }

  /// Closes an idle database, unless it is used at the last moment. Requests wait meanwhile for it to be opened again.
  private func close(_ name: String, _ database: Database) {
    guard state.withLock({ $0.beginClosing(name) }) else { return }
    let isClosed = closer(name, database, .idle)
    let (promises, isOver) = state.withLock { $0.endClosing(name, database, isDone: isClosed) }
    guard isClosed else {
      for promise in promises { promise.succeed(database) }
      return
    }
    logger.info("idle database closed", metadata: ["database": "\(name)"])
    if isOver {
      for promise in promises { promise.fail(DatabaseProblem.unavailable("the server is stopping")) }
    } else if !promises.isEmpty {
      open(name, createsMissing: createsOnUse)
    }
  }

  /// Returns false when ``database(_:_:on:)`` is certain to fail by the server's mode.
  func canOpen(_ name: String) -> Bool {
    guard Namespace.isValid(name) else { return false }
    return createsOnUse || name == defaultNamespace || nameLookup != nil
      || state.withLock { $0.existing.contains(name) }
  }

  /// Returns true when the database exists. It need not be open.
  func exists(_ name: String) -> Bool { state.withLock { $0.exists(name) } }

  /// Returns the database, and opens or makes it when necessary. Fails with ``DatabaseProblem``.
  func database(_ name: String, _ creation: DatabaseCreation, on loop: any EventLoop) -> EventLoopFuture<Database> {
    guard let nameLookup, Namespace.isValid(name), !state.withLock({ $0.isKnown(name) }) else {
      return known(name, creation, on: loop)
    }
    // Another server may have made it just before.
    let promise = loop.makePromise(of: Void.self)
    nameLookup.lookUp { [self] names in
      guard let names else {
        return promise.fail(DatabaseProblem.unavailable("the list of databases cannot be read"))
      }
      note(names)
      promise.succeed(())
    }
    return promise.futureResult.flatMap { self.known(name, creation, on: loop) }
  }

  /// Returns the database, once the existing names are known.
  private func known(
    _ name: String, _ creation: DatabaseCreation, on loop: any EventLoop
  ) -> EventLoopFuture<Database> {
    let promise = loop.makePromise(of: Database.self)
    let step = state.withLock {
      $0.request(name, creation, promise, isMadeOnUse: createsOnUse || name == defaultNamespace)
    }
    switch step {
    case .done(let result): promise.completeWith(result.mapError { $0 })
    case .wait: break
    case .start(let createsMissing): open(name, createsMissing: createsMissing)
    }
    return promise.futureResult
  }

  /// Opens a database for the waiting requests.
  ///
  /// - Parameter createsMissing: true to make it when it does not exist.
  private func open(_ name: String, createsMissing: Bool) {
    let rules = initialRules.withLock { $0 }
    queue.async(group: openings) { self.open(name, rules, createsMissing: createsMissing) }
  }

  /// Returns true when another server has removed a database that this one knew. Blocks.
  private func isGone(_ name: String) -> Bool {
    guard nameLookup != nil, let names = try? journals.names() else { return false }
    return !names.contains(name)
  }

  private func open(_ name: String, _ rules: RuleSet, createsMissing: Bool) {
    var opened: Database?
    var problem = DatabaseProblem.unavailable("the server is stopping")
    do {
      guard createsMissing || !isGone(name) else { throw DatabaseProblem.unknown }
      var environment = environment(name)
      environment.outbox = hooks.outbox(of: name)
      environment.servingChanged = { [weak self] isServing in self?.setServing(isServing, name) }
      environment.ownershipChanged = hooks.ownershipHandler(of: name)
      opened = try opener(name, rules, environment, limits)
    } catch DatabaseProblem.unknown {
      problem = .unknown
      state.withLock { $0.forget(name) }
    } catch {
      problem = .unavailable("\(error)")
      logger.error("cannot open the database", metadata: ["database": "\(name)", "error": "\(error)"])
    }
    let (promises, isLate) = state.withLock { $0.endOpening(name, opened) }
    if let opened, !isLate {
      log(opened.recovery.damages, of: name)
      log(opened.recovery, of: name)
      hooks.open(opened)
      for promise in promises { promise.succeed(opened) }
    } else {
      opened?.close()
      for promise in promises { promise.fail(problem) }
    }
  }

  /// Logs damages: the remains of an unacknowledged commit after a crash as a notice, all others as an error.
  private func log(_ damages: [JournalRecovery.Damage], of name: String) {
    for damage in damages {
      logger.log(
        level: damage.isUnfinishedCommit ? .notice : .critical, "the journal was damaged",
        metadata: ["database": "\(name)", "damage": "\(damage)"])
    }
  }

  private func log(_ report: RecoveryReport, of name: String) {
    logger.info(
      "database open",
      metadata: [
        "database": "\(name)", "position": "\(report.position)", "replayed": "\(report.replayedCommitCount)",
      ])
    if let problem = report.rulesProblem {
      logger.error(
        "the stored rules do not compile; every request is denied until you deploy rules",
        metadata: ["database": "\(name)", "problem": "\(problem)"])
    }
  }

  // MARK: Removing

  /// Closes a database and deletes it with all its files.
  func remove(_ name: String, _ forget: @escaping @Sendable () -> Void) async throws(DatabaseRemovalProblem) {
    let open = try reserve(name)
    let result = await withCheckedContinuation {
      (done: CheckedContinuation<Result<Void, DatabaseRemovalProblem>, Never>) in
      queue.async(group: openings) { done.resume(returning: self.remove(name, open, forget)) }
    }
    try result.get()
    await hooks.remove()
  }

  /// Makes a database unavailable.
  ///
  /// - Returns: the database when it is open.
  private func reserve(_ name: String) throws(DatabaseRemovalProblem) -> Database? {
    try state.withLock { $0.beginRemoval(name, except: defaultNamespace) }.get()
  }

  /// Removes a database. Blocks until all its files are deleted.
  private func remove(
    _ name: String, _ open: Database?, _ forget: @Sendable () -> Void
  ) -> Result<Void, DatabaseRemovalProblem> {
    do throws(JournalError) {
      try removed.begin(name)
    } catch {
      state.withLock { $0.cancelRemoval(name, open) }
      logger.error("cannot delete the database", metadata: ["database": "\(name)", "error": "\(error)"])
      return .failure(.failed("\(error)"))
    }
    if let open { _ = closer(name, open, .removal) }
    do throws(JournalError) {
      try removed.finish(name)
    } catch {
      // The name stays reserved: remaining files of this database must not become part of another.
      logger.error(
        "the database will be deleted at the next start", metadata: ["database": "\(name)", "error": "\(error)"])
      return .failure(.isUnfinished("\(error)"))
    }
    forget()
    state.withLock { $0.endRemoval(name) }
    logger.notice("database deleted", metadata: ["database": "\(name)"])
    return .success(())
  }

  /// Lets every database finish its commands and closes it. Blocks; not for event loops.
  ///
  /// - Parameter snapshotsEnd: the time on the monotonic clock after which they write no more snapshots for the next
  ///   start.
  func close(snapshotsEnd: Int64 = .min) {
    let databases = state.withLock { $0.close() }
    for database in databases { database.close(snapshotsEnd: snapshotsEnd) }
    openings.wait()
  }
}
