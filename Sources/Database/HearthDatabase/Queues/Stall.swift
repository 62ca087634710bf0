import HearthEngine

/// A wait for room on the disk, or for the journal's engine. The batches that wait are stored later, in order, and until
/// then nobody is told of them. Nothing of them was written, or nobody knows yet whether the first group of them was.
///
/// What others ask meanwhile does not wait behind them, as long as it changes nothing and its answer would be the same
/// without them: see ``Database/isSettled(_:_:_:)``.
struct Stall: Sendable {
  /// When it began, on the monotonic clock.
  var sinceMonotonicMilliseconds: Int64
  /// When the next try comes, after the last one.
  var delayMilliseconds: Int64
  /// The log knows of it.
  var isNoticed: Bool
  /// The number of batches that the append had that is to be tried again. It must be the same one: nobody may know what
  /// became of it. Nil once it is stored.
  var groupCount: Int?
  /// Connections that are told something by the batches that wait: what they are told after that waits too.
  private(set) var held: Set<ConnectionID> = []
  /// How much was asked since that waits too.
  private(set) var deferredCount = 0

  /// When something is told that was decided meanwhile.
  enum Turn {
    /// At once.
    case first
    /// At once, unless somebody whom it is for waits for something else.
    case ifNotHeld
    /// After what waits.
    case last
  }

  init(sinceMonotonicMilliseconds: Int64, delayMilliseconds: Int64, isNoticed: Bool, groupCount: Int) {
    self.groupCount = groupCount
    self.sinceMonotonicMilliseconds = sinceMonotonicMilliseconds
    self.delayMilliseconds = delayMilliseconds
    self.isNoticed = isNoticed
  }

  mutating func hold(_ effects: [Effect]) {
    for effect in effects { effect.forEachConnection { held.insert($0) } }
  }

  /// Holds what was decided meanwhile.
  mutating func deferTelling(_ effects: [Effect]) {
    hold(effects)
    deferredCount += effects.count
  }

  func holds(_ effects: [Effect]) -> Bool {
    var isHeld = false
    for effect in effects { effect.forEachConnection { isHeld = isHeld || held.contains($0) } }
    return isHeld
  }
}

extension Effect {
  /// Calls `body` with everybody who is told.
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
