import HearthEngine
import HearthRules
import HearthTrial

extension RulesTrial {
  /// A trial that looks at a database, and does not hold it.
  convenience init(of rules: RuleSet, in database: Database, limits: TrialLimits) {
    let source = ForecastSource(
      connections: { [weak database] in database?.engine.withLock { $0.knownConnections } ?? [] },
      listens: { [weak database] ids in database?.standingListens(of: ids) ?? StandingListens(state: .none) },
      state: { [weak database] in database?.published ?? .none })
    self.init(
      of: rules, limits: limits, of: database.name, source: source, clock: database.environment.clock,
      schedule: database.environment.schedule)
  }

  /// What putting rules in force would do to those who listen now and to what is stored. Nobody is cancelled, and a trial
  /// of the database goes on.
  public static func forecast(
    of rules: RuleSet, in database: Database, limits: TrialLimits = TrialLimits()
  ) async -> TrialForecast {
    let trial = RulesTrial(of: rules, in: database, limits: limits)
    return await withCheckedContinuation { done in
      // Nobody else holds the trial until it has ended.
      trial.startForecast { forecast in withExtendedLifetime(trial) { done.resume(returning: forecast) } }
    }
  }
}

extension Published {
  /// Of a database that is gone.
  fileprivate static let none = Published(root: .empty, rules: .denyAll, position: 0)
}
