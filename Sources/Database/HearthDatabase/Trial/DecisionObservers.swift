import HearthEngine
import HearthTrial
import Synchronization

/// The optional observers of a database's decisions: a trial of rules, and the counter of decisions.
final class DecisionObservers: Sendable {
  private struct Wanted: Sendable {
    var trial: RulesTrial?
    var isMeasuring = false

    /// The detail to record.
    var detail: RecordingDetail? { trial != nil ? .cases : isMeasuring ? .counts : nil }
  }

  private let wanted = Mutex(Wanted())
  private let isWanted = Atomic(false)
  private let meter = Mutex(TrafficMeter())
  private let clock: @Sendable () -> Instant

  init(clock: @escaping @Sendable () -> Instant) { self.clock = clock }

  /// True when there is an observer. Reads one atomic flag.
  var isOn: Bool { isWanted.load(ordering: .acquiring) }

  /// The detail to record of the batch that the engine decides next.
  var detail: RecordingDetail? { isOn ? now.detail : nil }

  /// The trial under way.
  var trial: RulesTrial? { now.trial }

  private var now: Wanted { wanted.withLock { $0 } }

  /// Ends the trial under way, and begins another unless `trial` is nil.
  ///
  /// - Returns: The ended trial.
  @discardableResult
  func begin(_ trial: RulesTrial?) -> RulesTrial? {
    let former = update { wanted in
      defer { wanted.trial = trial }
      return wanted.trial
    }
    former?.end()
    return former
  }

  /// Starts or stops counting decisions outside of a trial.
  func measure(_ isOn: Bool) { update { $0.isMeasuring = isOn } }

  /// Returns the number of decisions: see ``Database/traffic(inLastMilliseconds:)``.
  func traffic(inLastMilliseconds milliseconds: Int64) -> TrafficCount {
    let now = clock().monotonicMilliseconds
    return meter.withLock { $0.count(inLastMilliseconds: milliseconds, nowMonotonicMilliseconds: now) }
  }

  /// Passes decisions to the trial and the traffic meter. Never waits.
  func recordDecisions(_ decided: RecordedDecisions) {
    guard !decided.isEmpty else { return }
    let now = clock().monotonicMilliseconds
    meter.withLock { $0.add(decided, atMonotonicMilliseconds: now) }
    self.now.trial?.enqueue(decided)
  }

  private func update<Result>(_ body: (inout Wanted) -> Result) -> Result {
    wanted.withLock { wanted in
      defer { isWanted.store(wanted.detail != nil, ordering: .releasing) }
      return body(&wanted)
    }
  }
}
