import HearthEngine

/// A period in which batches cannot be stored, because the disk is full or the journal's storage engine cannot be
/// reached. The waiting batches are stored later, in order, and no client learns of them until then. Either none of
/// them was written, or it is unknown whether the first group was.
///
/// Requests that change nothing, and whose answer would be the same without the waiting batches, are answered
/// meanwhile: see ``StalledDecision``.
struct Stall: Sendable {
  /// The time when the stall began, on the monotonic clock.
  var sinceMonotonicMilliseconds: Int64
  /// The delay between the last attempt to store the batches and the next one.
  var delayMilliseconds: Int64
  /// True when the operator's log has an entry about the stall.
  var isNoticed: Bool
  /// The number of batches in the append to retry. It must be the same append, since the outcome of the first attempt
  /// may be unknown. nil once it is stored.
  var groupCount: Int?
  /// The connections with effects in the waiting batches: later effects for them wait too.
  private(set) var waitingConnections: Set<ConnectionID> = []
  /// The number of effects that were decided during the stall and are deferred.
  private(set) var deferredCount = 0

  /// The time of delivery for effects that are decided during a stall.
  enum DeliveryOrder {
    /// Delivery at once.
    case first
    /// Delivery at once, unless one of the recipients has earlier effects that wait.
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
