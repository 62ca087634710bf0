import HearthEngine

/// A wait for room on the disk, or for the journal's engine. The waiting batches are stored later, in order, and no
/// client learns of them until then. None of them was written, or it is unknown whether their first group was.
///
/// Other requests meanwhile do not wait behind them, as long as they change nothing and their answer would be the same
/// without the waiting batches: see ``StalledDecision``.
struct Stall: Sendable {
  /// The time when it began, on the monotonic clock.
  var sinceMonotonicMilliseconds: Int64
  /// The delay of the next attempt after the last one.
  var delayMilliseconds: Int64
  /// True when the log has an entry about it.
  var isNoticed: Bool
  /// The number of batches in the append to retry. It must be the same append, since the outcome of the first attempt
  /// may be unknown. nil once it is stored.
  var groupCount: Int?
  /// The connections with effects in the waiting batches: later effects for them wait too.
  private(set) var waitingConnections: Set<ConnectionID> = []
  /// The number of later effects that wait too.
  private(set) var deferredCount = 0

  /// The time of delivery for effects that are decided meanwhile.
  enum DeliveryOrder {
    /// Delivery at once.
    case first
    /// Delivery at once, unless a recipient waits for other effects.
    case unlessWaiting
    /// Delivery after the waiting batches.
    case last
  }

  init(sinceMonotonicMilliseconds: Int64, delayMilliseconds: Int64, isNoticed: Bool, groupCount: Int) {
    self.groupCount = groupCount
    self.sinceMonotonicMilliseconds = sinceMonotonicMilliseconds
    self.delayMilliseconds = delayMilliseconds
    self.isNoticed = isNoticed
  }

  mutating func addRecipients(of effects: [Effect]) {
    for effect in effects { effect.forEachConnection { waitingConnections.insert($0) } }
  }

  /// Defers the effects of a decision.
  mutating func deferDelivery(_ effects: [Effect]) {
    addRecipients(of: effects)
    deferredCount += effects.count
  }

  func includesRecipient(of effects: [Effect]) -> Bool {
    var isBlocked = false
    for effect in effects { effect.forEachConnection { isBlocked = isBlocked || waitingConnections.contains($0) } }
    return isBlocked
  }
}

extension Effect {
  /// Calls `body` with every recipient.
  func forEachConnection(_ body: (ConnectionID) -> Void) {
    switch self {
    case .event(_, let recipients):
      for id in recipients { body(id) }
    case .queryEvent(_, let recipients):
      for recipient in recipients { body(recipient.connection) }
    case .reply(let id, _, _), .authenticationEnded(let id): body(id)
    case .redecided(let redecision):
      for cancelled in redecision.cancelled { body(cancelled.connection) }
    case .denied(let denial): body(denial.connection)
    }
  }
}
