import HearthEngine
import HearthTrial
import Synchronization

/// The observers of a database's decisions.
final class DecisionWatch: Sendable {
  struct Wanted: Sendable {
    var trial: RulesTrial?
    var isMeasuring = false

    /// The detail to record.
    var detail: DecisionTapDetail? { trial != nil ? .cases : isMeasuring ? .counts : nil }
  }

  private let wanted = Mutex(Wanted())
  private let isWanted = Atomic(false)
  let meter = Mutex(TrafficMeter())

  /// True when there is an observer. Costs next to nothing.
  var isOn: Bool { isWanted.load(ordering: .acquiring) }

  /// The detail to record of the batch that the engine decides next.
  var detail: DecisionTapDetail? { isOn ? now.detail : nil }

  var now: Wanted { wanted.withLock { $0 } }

  @discardableResult
  func update<Result>(_ body: (inout Wanted) -> Result) -> Result {
    wanted.withLock { wanted in
      defer { isWanted.store(wanted.detail != nil, ordering: .releasing) }
      return body(&wanted)
    }
  }
}
