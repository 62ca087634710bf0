import Dispatch
import HearthEngine
import HearthRules
import HearthTrial
import Synchronization

/// Staged rules on trial, and how many decisions are made. The deciding queue hands decisions over and waits for nothing.
extension Database {
  /// Listens that a forecast takes from the engine at once, some tenths of a millisecond's work.
  private static let listensPerSlice = 512

  /// Puts rules on trial from now on: whatever the rules in force are asked, these are asked too, with no effect. A trial
  /// under way is ended.
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

  /// Ends the trial under way, and a forecast of it.
  ///
  /// - Returns: What it found; nil when there was none.
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

  /// Counts decisions from now on, also without a trial, or no longer. During a trial they are always counted.
  public func measureTraffic(_ isOn: Bool) { watch.update { $0.isMeasuring = isOn } }

  /// Returns the number of decisions that were made in the last so many milliseconds, 600,000 at most, while they were
  /// counted: in whole seconds, the one under way among them.
  public func traffic(inLastMilliseconds milliseconds: Int64) -> TrafficCount {
    let now = environment.clock().monotonicMilliseconds
    return watch.meter.withLock { $0.count(inLastMilliseconds: milliseconds, nowMonotonicMilliseconds: now) }
  }

  /// Takes note of a decision that somebody made on ``published``.
  ///
  /// - Parameter decided: not called while nobody wants to know.
  public func noteDecided(_ decided: @autoclosure () -> DecidedCase) {
    guard watch.isOn else { return }
    hand(DecidedCases(decided()))
  }

  /// Hands decisions to whoever wants them.
  func hand(_ decided: DecidedCases) {
    guard !decided.isEmpty else { return }
    let now = environment.clock().monotonicMilliseconds
    watch.meter.withLock { $0.add(decided, atMonotonicMilliseconds: now) }
    watch.now.trial?.offer(decided)
  }

  /// The listens of one connection, and the state that they would be decided on. May wait for a batch that is being
  /// decided: not for event loops.
  public func listens(of id: ConnectionID) -> StandingListens {
    engine.withLock { $0.standingListens(of: [id][...], countMin: 1) }
  }

  func standingListens(of ids: ArraySlice<ConnectionID>) -> StandingListens {
    engine.withLock { $0.standingListens(of: ids, countMin: Self.listensPerSlice) }
  }
}
