import HearthCrypto
import HearthDatabase
import HearthEngine
import HearthRules
import Logging

/// The store that puts rules in force for all callers, and keeps the history of each database's rules.
///
/// A version is on the disk before its rules are in force, so that rules in force always have an author; one whose
/// rules could not be put in force is removed again. When a crash comes between, or an older data folder is opened, the
/// rules found in force become a version with the cause `found`.
package final class RulesStore: Sendable {
  let files: VersionFiles
  let router: EffectRouter
  let pool: LargeValuePool
  let logger: Logger
  let changeQueue = RulesChangeQueue()
  let watches = RollbackWatches()
  let settings: SettingsStore
  let pushIDs: PushIDSequence
  let clock: @Sendable () -> Instant

  init(
    files: VersionFiles, settings: SettingsStore, pushIDs: PushIDSequence, router: EffectRouter, pool: LargeValuePool,
    logger: Logger,
    clock: @escaping @Sendable () -> Instant = { SystemClock.now }
  ) {
    (self.files, self.router, self.pool) = (files, router, pool)
    (self.settings, self.pushIDs) = (settings, pushIDs)
    (self.logger, self.clock) = (logger, clock)
  }

  /// Ends all watches: the server stops.
  package func close() { watches.endAll() }

  /// Runs `body` while no change of the database's rules is under way.
  func runBetweenChanges<Result: Sendable>(
    of database: String, _ body: @Sendable () async throws(RESTFailure) -> Result
  ) async throws(RESTFailure) -> Result {
    try await changeQueue.run(database, body)
  }

  /// Drops the cached versions, because another node of a cluster has added one.
  package func forgetVersions(of database: String) { files.forget(database) }

  /// Removes the versions of a deleted database.
  func remove(_ database: String) { files.remove(all: database) }

  /// Drops the state of a deleted database.
  func forget(_ database: String) {
    watches.forget(database)
    files.forget(database)
  }

  /// The result of a deploy.
  package struct Deployed: Sendable {
    /// The version that is in force now.
    let version: RulesVersion
    /// False when the same rules were in force before, for which no version is made.
    let isNew: Bool
  }

  /// Puts rules in force, durably.
  ///
  /// - Parameters:
  ///   - principal: an administrator.
  ///   - expected: the version that must be in force; nil replaces any.
  @discardableResult
  package func deploy(
    _ rules: RuleSet, to database: Database, as principal: Principal = .administrator, _ change: RulesChange,
    over expected: Int64? = nil
  ) async throws(RESTFailure) -> Deployed {
    try await changeQueue.run(database.name) { () async throws(RESTFailure) in
      let current = try await self.current(database)
      try Self.check(expected, current)
      return try await self.put(rules, in: database, principal, change, over: current)
    }
  }

  /// Records the rules that a database was created with as its first version; does nothing when it has a version.
  package func recordFirst(of database: Database, _ change: RulesChange) async throws(RESTFailure) {
    try await changeQueue.run(database.name) { () async throws(RESTFailure) in
      let (source, now) = (database.published.rules.source, self.clock())
      try await self.pool.work { () throws(RESTFailure) in
        guard try self.files.versions(of: database.name).isEmpty else { return }
        _ = try self.files.add(source, change, at: now.wallMilliseconds, to: database.name)
      }
    }
  }

  /// Restores a version of the history, as a new version with the same text.
  ///
  /// - Parameter id: nil is the version before the one in force; after a roll-back, the one before the restored
  ///   version.
  package func rollBack(
    _ database: Database, to id: Int64?, as principal: Principal = .administrator, _ change: RulesChange,
    over expected: Int64? = nil
  ) async throws(RESTFailure) -> Deployed {
    try await changeQueue.run(database.name) { () async throws(RESTFailure) in
      let (current, target) = try await self.plan(database, to: id, over: expected)
      let rules = try await self.rules(of: target, in: database.name)
      var change = change
      change.original = target.id
      return try await self.put(rules, in: database, principal, change, over: current)
    }
  }

  /// Returns the versions that ``rollBack(_:to:as:_:over:)`` would use now.
  func rollBackPlan(
    _ database: Database, to id: Int64?, over expected: Int64?
  ) async throws(RESTFailure) -> (current: RulesVersion, target: RulesVersion) {
    try await changeQueue.run(database.name) { () async throws(RESTFailure) in
      try await self.plan(database, to: id, over: expected)
    }
  }

  /// Checks the version in force.
  ///
  /// - Throws: a refusal, when another version than the expected one is in force.
  func check(_ expected: Int64?, of database: Database) async throws(RESTFailure) {
    try await changeQueue.run(database.name) { () async throws(RESTFailure) in
      try Self.check(expected, try await self.current(database))
    }
  }

  /// Returns the history of a database, the oldest version first. The last one is in force.
  func history(of database: Database) async throws(RESTFailure) -> [RulesVersion] {
    try await changeQueue.run(database.name) { () async throws(RESTFailure) in
      _ = try await self.current(database)
      return try await self.pool.work { () throws(RESTFailure) in try self.files.versions(of: database.name) }
    }
  }

  /// Returns a version of a database with its text.
  func version(_ id: Int64, of database: Database) async throws(RESTFailure) -> (version: RulesVersion, source: String)
  {
    _ = try await history(of: database)
    return try await pool.work { () throws(RESTFailure) in
      guard let version = try self.files.versions(of: database.name).first(where: { $0.id == id }) else {
        throw Self.unknown(id)
      }
      return (version, try self.files.source(of: version, in: database.name))
    }
  }

  // MARK: In a turn

  private func plan(
    _ database: Database, to id: Int64?, over expected: Int64?
  ) async throws(RESTFailure) -> (current: RulesVersion, target: RulesVersion) {
    let current = try await current(database)
    try Self.check(expected, current)
    let target = try await pool.work { () throws(RESTFailure) in
      try Self.target(id, current, try self.files.versions(of: database.name))
    }
    return (current, target)
  }

  /// Returns the version that is in force.
  func current(_ database: Database) async throws(RESTFailure) -> RulesVersion {
    // A database that was deleted while this waited for its turn gets no version.
    guard database.status != .closed else { throw .unavailable }
    let (source, now) = (database.published.rules.source, clock())
    return try await pool.work { () throws(RESTFailure) in
      if let newest = try self.files.versions(of: database.name).last, newest.hasSource(source) { return newest }
      return try self.files.add(
        source, RulesChange(author: .unknown, cause: .found), at: now.wallMilliseconds, to: database.name)
    }
  }

  func put(
    _ rules: RuleSet, in database: Database, _ principal: Principal, _ change: RulesChange, over current: RulesVersion
  ) async throws(RESTFailure) -> Deployed {
    let (name, now) = (database.name, clock())
    let isNew = !current.hasSource(rules.source)
    let version =
      isNew
      ? try await pool.work { () throws(RESTFailure) in
        try self.files.add(rules.source, change, at: now.wallMilliseconds, to: name)
      } : current
    // The watch begins before the deploy, because the deploy itself cancels listeners.
    let watch = isNew ? self.watch(version, of: database) : nil
    if case .failure(let failure) = await request(.deployRules(rules), principal, database) {
      // It is unknown whether the rules are in force: the next read of the database shows it.
      if isNew, failure.code != .outcomeUnknown {
        try await pool.work { () throws(RESTFailure) in self.files.remove(version, from: name) }
      }
      if watches.watch(of: name) == nil { database.measureTraffic(false) }
      throw RESTFailure(failure)
    }
    logger.info(
      "rules deployed",
      metadata: [
        "database": "\(name)", "version": "\(version.id)", "cause": "\(change.cause.rawValue)",
        "author": "\(change.author.kind.rawValue)",
      ])
    logger.logWarnings(of: rules, in: name)
    if isNew { begin(watch, of: database) }
    return Deployed(version: version, isNew: isNew)
  }

  private func rules(of version: RulesVersion, in database: String) async throws(RESTFailure) -> RuleSet {
    try await pool.work { () throws(RESTFailure) in
      try RuleSet.uploaded(try self.files.source(of: version, in: database))
    }
  }

  static func check(_ expected: Int64?, _ current: RulesVersion) throws(RESTFailure) {
    guard let expected, expected != current.id else { return }
    throw RESTFailure(412, "Version \(current.id) is in force, not \(expected): other rules were deployed meanwhile.")
  }

  /// Returns the version that a roll-back restores.
  ///
  /// - Parameter versions: the oldest first.
  private static func target(
    _ id: Int64?, _ current: RulesVersion, _ versions: [RulesVersion]
  ) throws(RESTFailure) -> RulesVersion {
    guard let id else {
      let newest = current.change.original ?? current.id
      guard let former = versions.last(where: { $0.id < newest }) else {
        throw RESTFailure(404, "The version in force is the first; no earlier version exists.")
      }
      return former
    }
    guard let version = versions.first(where: { $0.id == id }) else { throw unknown(id) }
    return version
  }

  private static func unknown(_ id: Int64) -> RESTFailure {
    RESTFailure(404, "The rules have no version \(id).")
  }

  private func request(_ action: Command.Action, _ principal: Principal, _ database: Database) async -> Reply {
    await withCheckedContinuation { done in
      router.executeAnywhere { hub in
        hub.request(action, as: principal, of: database) { done.resume(returning: $0) }
      }
    }
  }
}

extension RulesVersion {
  /// Returns true when this is the version's text.
  func hasSource(_ source: String) -> Bool {
    sizeBytes == source.utf8.count && digest == Digest(sha256: source.utf8)
  }
}
