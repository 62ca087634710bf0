import HearthEngine
import HearthTrial
import Synchronization

/// Who wants to know of the decisions of a database.
final class DecisionWatch: Sendable {
  struct Wanted: Sendable {
    var trial: RulesTrial?
    var isMeasuring = false

    /// What the engine is to hand out.
    var detail: DecisionTapDetail? { trial != nil ? .cases : isMeasuring ? .counts : nil }
  }

  private let wanted = Mutex(Wanted())
  private let isWanted = Atomic(false)
  let meter = Mutex(TrafficMeter())

  /// True when anybody does. Costs next to nothing.
  var isOn: Bool { isWanted.load(ordering: .acquiring) }

  /// What the engine is to hand out of the batch that it decides next.
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
