import HearthEngine
import HearthRules
import HearthTrial

extension RulesTrial {
  /// The number of listens that a forecast reads from the engine at a time, which takes some tenths of a millisecond.
  private static let listensPerSlice = 512

  /// Creates a trial that reads a database, without retaining it.
  convenience init(of rules: RuleSet, in database: Database, limits: TrialLimits) {
    let decider = database.decider
    let source = ForecastSource(
      connections: { [weak decider] in decider?.engine.withLock { $0.knownConnections } ?? [] },
      listens: { [weak decider] ids in
        decider?.engine.withLock { StandingListens(of: ids, in: $0, countMin: Self.listensPerSlice) }
          ?? StandingListens(state: .none)
      },
      state: { [weak decider] in decider?.writer.durable.state ?? .none })
    self.init(
      of: rules, limits: limits, of: database.name, source: source, clock: decider.environment.clock,
      schedule: decider.environment.schedule)
  }

  /// Forecasts the effect of putting rules in force on the present listeners and the stored data. No listen is
  /// cancelled, and a running trial of the database continues.
  public static func forecast(
    of rules: RuleSet, in database: Database, limits: TrialLimits = TrialLimits()
  ) async -> TrialForecast {
    let trial = RulesTrial(of: rules, in: database, limits: limits)
    return await withCheckedContinuation { done in
      // Retains the trial until the forecast has ended.
      trial.startForecast { forecast in withExtendedLifetime(trial) { done.resume(returning: forecast) } }
    }
  }
}

extension DatabaseState {
  /// The state of a database that is gone.
  fileprivate static let none = DatabaseState(root: .empty, rules: .denyAll, position: 0)
}
