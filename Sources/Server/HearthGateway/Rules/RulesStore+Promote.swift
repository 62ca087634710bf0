import HearthDatabase
import HearthEngine
import HearthRules
import HearthTree
import HearthTrial
import NIOCore
import Synchronization

/// Promotion of staged rules when their trial is within bounds, and the watch afterwards.
extension RulesStore {
  /// The interval at which promoted rules are checked.
  private static let watchInterval = Duration.milliseconds(250)
  /// The pause after a roll-back that failed.
  private static let retryInterval = Duration.seconds(5)

  /// The result of a promotion.
  enum Promotion: Sendable {
    case done(Deployed, TrialFigures)
    /// The bounds hold; the result of a dry run.
    case possible(TrialFigures)
    case refused(TrialFigures, [TrialFigures.Excess])
  }

  /// Puts the staged rules in force if their trial is within bounds.
  ///
  /// - Parameter isDryRun: true only checks the bounds.
  func promote(
    _ database: Database, within bounds: PromotionBounds, as principal: Principal = .administrator,
    _ change: RulesChange, over expected: Int64? = nil, isDryRun: Bool = false
  ) async throws(RESTFailure) -> Promotion {
    guard let trial = database.trial else { throw .nothingStaged }
    // Outside of the turn: a long evaluation must not delay a roll-back.
    if bounds.needsForecast { await forecast(trial) }
    return try await changeQueue.run(database.name) { () async throws(RESTFailure) in
      let current = try await self.current(database)
      try Self.check(expected, current)
      guard database.trial === trial else {
        throw RESTFailure(412, "Other rules have been staged meanwhile.")
      }
      let figures = TrialFigures(trial.report())
      let excesses = figures.excesses(of: bounds)
      guard excesses.isEmpty else { return .refused(figures, excesses) }
      guard !isDryRun else { return .possible(figures) }
      return .done(
        try await self.put(trial, in: database, principal, change, bounds.watch, over: current), figures)
    }
  }

  private func put(
    _ trial: RulesTrial, in database: Database, _ principal: Principal, _ change: RulesChange,
    _ watch: PromotionBounds.Watch?, over current: RulesVersion
  ) async throws(RESTFailure) -> Deployed {
    var change = change
    let now = clock()
    if let watch {
      let span = min(watch.seconds * 1_000, max(1_000, now.wallMilliseconds - trial.report().startedMilliseconds))
      let before = database.traffic(inLastMilliseconds: span)
      change.watch = watch.bounds(
        from: now.wallMilliseconds, backTo: current.id, denialsBefore: before.deniedCount, in: before.milliseconds)
    }
    let deployed = try await put(trial.rules, in: database, principal, change, over: current)
    database.endTrial()
    do throws(RESTFailure) {
      try await self.change(database) { settings in
        settings.label(stable: settings.canaryRuleset, canary: nil)
      }
    } catch {
      // The rules are in force and stay staged as well, until rules are deployed or staged again.
      logger.error(
        "promoted rules are still staged", metadata: ["database": "\(database.name)", "error": "\(error.text)"])
    }
    return deployed
  }

  /// Evaluates the current listeners and stored data.
  private func forecast(_ trial: RulesTrial) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let waiter = SingleContinuation(done)
      trial.startForecast { _ in waiter.end() }
      router.anyLoop.scheduleTask(in: .seconds(PromotionBounds.forecastSecondsMax)) { waiter.end() }
    }
  }

  // MARK: Watching

  /// Begins to count for a version that is to be watched; returns nil for one that is not, or no longer.
  func watch(_ version: RulesVersion, of database: Database) -> RollbackWatch? {
    let now = clock()
    guard let bounds = version.change.watch, now.wallMilliseconds < bounds.endMilliseconds else { return nil }
    return RollbackWatch(version, bounds, of: database, at: now)
  }

  /// Begins a watch, which rolls back when the bounds are exceeded. It ends that of an earlier version.
  func begin(_ watch: RollbackWatch?, of database: Database) {
    guard let watch else { return watches.end(of: database) }
    watches.begin(watch, of: database) { [weak self] in
      while !Task.isCancelled, let self {
        // A last check at the end as well.
        let isLast = watch.isOver(at: clock())
        if let reason = watch.reason(at: clock()) {
          // The end of this watch must not cancel its own roll-back.
          if await Task(operation: { await self.rollBackPromotion(database, watch, because: reason) }).value {
            return watches.end(watch, of: database)
          }
          try? await Task.sleep(for: Self.retryInterval)
        } else if isLast {
          return watches.end(watch, of: database)
        } else {
          try? await Task.sleep(for: Self.watchInterval)
        }
      }
    }
  }

  /// Rolls back a promotion.
  ///
  /// - Returns: false when it is to be tried again.
  private func rollBackPromotion(_ database: Database, _ watch: RollbackWatch, because reason: String) async -> Bool {
    let change = RulesChange(
      author: .server, cause: .automaticRollback, comment: reason, original: watch.bounds.formerID)
    do throws(RESTFailure) {
      let deployed = try await rollBack(database, to: watch.bounds.formerID, change, over: watch.versionID)
      logger.warning(
        "promoted rules denied too many requests; the previous rules are in force again",
        metadata: [
          "database": "\(database.name)", "promoted": "\(watch.versionID)", "former": "\(watch.bounds.formerID)",
          "version": "\(deployed.version.id)", "reason": "\(reason)",
        ])
      return true
    } catch {
      // Other rules are in force by now.
      guard error.status != 412 else { return true }
      logger.error(
        "promoted rules deny too many requests, and the previous rules cannot be restored",
        metadata: ["database": "\(database.name)", "reason": "\(reason)", "error": "\(error.text)"])
      return error.status == 404
    }
  }
}

/// A continuation that is resumed once.
private final class SingleContinuation: Sendable {
  private let waiting: Mutex<CheckedContinuation<Void, Never>?>

  init(_ waiting: CheckedContinuation<Void, Never>) { self.waiting = Mutex(waiting) }

  func end() {
    let waiting = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    waiting?.resume()
  }
}
