import Dispatch
import HearthEngine
import HearthRules
import HearthTrial
import Synchronization

/// Staged rules on trial, and the counting of decisions. The deciding queue passes decisions on and never waits.
extension Database {
  /// The listens that a forecast takes from the engine at once, some tenths of a millisecond's work.
  private static let listensPerSlice = 512

  /// Puts rules on trial: every decision of the rules in force is repeated with these, without effect. Ends a trial
  /// under way.
  @discardableResult
  public func beginTrial(of staged: RuleSet, limits: TrialLimits = TrialLimits()) -> RulesTrial {
    let trial = RulesTrial(of: staged, in: self, limits: limits)
    let former = watch.update { watching in
      defer { watching.trial = trial }
      return watching.trial
    }
    former?.end()
    return trial
  }

  /// Ends the trial under way, and its forecast.
  ///
  /// - Returns: The trial's report; nil when there was no trial.
  @discardableResult
  public func endTrial() -> TrialReport? {
    let former = watch.update { watching in
      defer { watching.trial = nil }
      return watching.trial
    }
    former?.end()
    return former?.report()
  }

  /// The trial under way.
  public var trial: RulesTrial? { watch.now.trial }

  /// Starts or stops counting decisions outside of a trial. During a trial they are always counted.
  public func measureTraffic(_ isOn: Bool) { watch.update { $0.isMeasuring = isOn } }

  /// Returns the number of decisions in the last so many milliseconds, 600,000 at most, while counting was on: in whole
  /// seconds, including the current one.
  public func traffic(inLastMilliseconds milliseconds: Int64) -> TrafficCount {
    let now = environment.clock().monotonicMilliseconds
    return watch.meter.withLock { $0.count(inLastMilliseconds: milliseconds, nowMonotonicMilliseconds: now) }
  }

  /// Records a decision that was made on ``published`` outside of the engine.
  ///
  /// - Parameter decided: Evaluated only while a trial or a count is running.
  public func noteDecided(_ decided: @autoclosure () -> DecidedCase) {
    guard watch.isOn else { return }
    hand(DecidedCases(decided()))
  }

  /// Passes decisions to the trial and the traffic meter.
  func hand(_ decided: DecidedCases) {
    guard !decided.isEmpty else { return }
    let now = environment.clock().monotonicMilliseconds
    watch.meter.withLock { $0.add(decided, atMonotonicMilliseconds: now) }
    watch.now.trial?.offer(decided)
  }

  /// Returns the listens of one connection, and the state to decide them on. May wait for a batch that is being
  /// decided: must not run on event loops.
  public func listens(of id: ConnectionID) -> StandingListens {
    engine.withLock { $0.standingListens(of: [id][...], countMin: 1) }
  }

  func standingListens(of ids: ArraySlice<ConnectionID>) -> StandingListens {
    engine.withLock { $0.standingListens(of: ids, countMin: Self.listensPerSlice) }
  }
}
