import Dispatch
import HearthEngine
import HearthRules
import HearthTree
import HearthTrial
import Synchronization

/// Staged rules that are evaluated for live traffic without effect: every decision of the rules in force is repeated
/// with the staged ones, on a queue other than the engine's, and the differences are counted. No result reaches a
/// client.
///
/// A trial lives in memory. It ends with ``Database/endTrial()``, or when another one begins.
public final class RulesTrial: Sendable {
  /// Recorded decisions that wait to be repeated with the staged rules.
  private struct Inbox {
    var waiting: TrialQueue
    /// True when a slice of work on the trial's queue is running or scheduled.
    var isAwake = false
    var isEnded = false
  }

  /// The requested forecast.
  private struct Forecasting {
    var serial = 0
    var isCancelled = false
    var last: TrialForecast?
    var completions: [@Sendable (TrialForecast) -> Void] = []
  }

  /// The staged rules.
  public let rules: RuleSet
  let limits: TrialLimits
  let queue: DispatchQueue
  private let inbox: Mutex<Inbox>
  private let judge: Mutex<TrialJudge>
  private let tally: Mutex<TrialTally>
  private let forecasting = Mutex(Forecasting())
  /// The source that forecasts read.
  private let source: ForecastSource
  private let clock: @Sendable () -> Instant
  /// Runs work once, after some milliseconds.
  private let schedule: @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void

  init(
    of staged: RuleSet, limits: TrialLimits, of name: String, source: ForecastSource,
    clock: @escaping @Sendable () -> Instant,
    schedule: @escaping @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void
  ) {
    rules = staged
    self.limits = limits
    self.source = source
    self.clock = clock
    self.schedule = schedule
    queue = DispatchQueue(label: "hearth.trial.\(name)", qos: .utility)
    inbox = Mutex(Inbox(waiting: TrialQueue(limits: limits)))
    judge = Mutex(TrialJudge(of: staged, limits: limits))
    tally = Mutex(TrialTally(startedMilliseconds: clock().wallMilliseconds, limits: limits))
  }

  /// Returns the findings so far.
  public func report() -> TrialReport {
    let droppedCount = inbox.withLock { $0.waiting.droppedCount }
    var report = tally.withLock { $0.reported(droppedCount: droppedCount) }
    report.forecast = forecast
    return report
  }

  // MARK: Decisions

  /// Queues decisions to be repeated later, or drops them when too many wait. Never blocks.
  func enqueue(_ decided: RecordedDecisions) {
    let (isWaking, dropped) = inbox.withLock { inbox -> (Bool, [RecordedDecision]) in
      guard !inbox.isEnded else { return (false, []) }
      let dropped = inbox.waiting.append(decided)
      guard inbox.waiting.count > 0, !inbox.isAwake else { return (false, dropped) }
      inbox.isAwake = true
      return (true, dropped)
    }
    if isWaking { queue.async { self.judgeSlice() } }
    Self.release(of: dropped)
  }

  /// Releases cases on a global queue: the last reference to an old tree takes time to destroy.
  private static func release(of cases: [RecordedDecision]) {
    guard !cases.isEmpty else { return }
    DispatchQueue.global(qos: .utility).async { withExtendedLifetime(cases) {} }
  }

  /// Repeats waiting decisions with the staged rules for one slice of time, then pauses for as long.
  private func judgeSlice() {
    let started = clock().monotonicMilliseconds
    while let decided = next() {
      judge(decided)
      let worked = clock().monotonicMilliseconds - started
      if worked >= limits.sliceMilliseconds { return pause(worked) { $0.judgeSlice() } }
    }
  }

  /// Repeats one decision with the staged rules. The lock of ``tally`` is not held meanwhile, so that reports need not
  /// wait.
  private func judge(_ decided: RecordedDecision) {
    let ((verdict, trace), faults) = FaultScope.run(.install) {
      let verdict = judge.withLock { $0.judge(decided) }
      return (verdict, tally.withLock { $0.wantsExample(of: verdict) } ? verdict.trace() : nil)
    }
    guard !faults.isIncomplete else { return }
    tally.withLock { $0.add(verdict, of: decided, trace: trace) }
  }

  private func next() -> RecordedDecision? {
    inbox.withLock { inbox in
      let next = inbox.waiting.popFirst()
      if next == nil { inbox.isAwake = false }
      return next
    }
  }

  private func pause(_ milliseconds: Int64, then work: @escaping @Sendable (RulesTrial) -> Void) {
    schedule(milliseconds) { [weak self] in
      guard let self else { return }
      queue.async { work(self) }
    }
  }

  /// Ends the trial, and drops the waiting decisions.
  func end() {
    let waiting = inbox.withLock { inbox in
      inbox.isEnded = true
      return inbox.waiting.removeAll()
    }
    Self.release(of: waiting)
    cancelForecast()
  }

  // MARK: Forecasts

  /// The last forecast, or the intermediate state of the current one; nil before the first.
  public var forecast: TrialForecast? { forecasting.withLock { $0.last } }

  /// Forecasts the effect of promoting the staged rules on the present listeners and the stored data, in the background
  /// and in slices; no listen is cancelled. At most one forecast runs at a time.
  ///
  /// - Parameter completion: Receives the current forecast when it ends, whether it completes or is cancelled, on a
  ///   queue of the trial.
  public func startForecast(_ completion: @escaping @Sendable (TrialForecast) -> Void = { _ in }) {
    let now = clock()
    let isFirst = forecasting.withLock { forecasting in
      forecasting.completions.append(completion)
      guard forecasting.last?.state != .running else { return false }
      forecasting.isCancelled = false
      forecasting.last = TrialForecast(startedMilliseconds: now.wallMilliseconds)
      return true
    }
    guard isFirst else { return }
    let work = ForecastRun(of: rules, from: source, at: now, limits: limits)
    queue.async { self.forecastSlice(work) }
  }

  /// Cancels the current forecast. Its findings remain.
  public func cancelForecast() { forecasting.withLock { $0.isCancelled = true } }

  private func forecastSlice(_ work: ForecastRun) {
    let started = clock().monotonicMilliseconds
    while true {
      let now = clock()
      let isCancelled = forecasting.withLock { $0.isCancelled }
      let state = work.advance(at: now, isCancelled: isCancelled)
      guard state == .running else { return finish(work.forecast) }
      let worked = clock().monotonicMilliseconds - started
      guard worked >= limits.sliceMilliseconds else { continue }
      let forecast = work.forecast
      forecasting.withLock { $0.last = forecast }
      return pause(worked) { $0.forecastSlice(work) }
    }
  }

  private func finish(_ forecast: TrialForecast) {
    let completions = forecasting.withLock { forecasting in
      forecasting.last = forecast
      defer { forecasting.completions = [] }
      return forecasting.completions
    }
    for completion in completions { completion(forecast) }
  }
}
