import HearthTree

/// The state of a connection that has waited for a turn, or had one: its present locations, and its speed.
struct TurnContender: Sendable {
  /// The serial number of the contender, because connection IDs may be repeated.
  let serial: UInt64
  /// The number of the connection's waits and turns at each location.
  private var countsByLocation: [Path: Int] = [:]
  var waitingCount = 0
  /// The number of its undecided writes.
  var undecidedCount = 0

  /// The time that the connection needs for a turn, in milliseconds; nil while that is unknown.
  private(set) var windowMilliseconds: Int64?
  /// The number of turns that expired, or ended without a commit, since the connection last used one.
  private(set) var expiredTurnCount = 0
  /// The last turn that expired.
  private var missed: (path: Path, deliveredMonotonicMilliseconds: Int64)?
  /// True when an expired turn was discounted, because the client was only slow, since it last used a turn.
  private var isForgiven = false

  init(serial: UInt64) { self.serial = serial }

  /// The locations at which it waits or has a turn, in a deterministic order.
  var places: [Path] {
    countsByLocation.count < 2
      ? Array(countsByLocation.keys) : countsByLocation.keys.sorted { $0.description < $1.description }
  }

  mutating func count(_ path: Path, _ change: Int) {
    let count = countsByLocation[path, default: 0] + change
    countsByLocation[path] = count > 0 ? count : nil
  }

  /// Records the beginning of a turn.
  mutating func beginTurn(_ path: Path) {
    count(path, 1)
    missed = nil
  }

  /// Records the use of a turn, with the milliseconds since its answer was sent.
  mutating func used(afterMilliseconds elapsed: Int64?, given: Int64, _ limits: EngineLimits) {
    (expiredTurnCount, missed, isForgiven) = (0, nil, false)
    // One fast retry is weaker evidence than several, so the time is averaged.
    if let elapsed { windowMilliseconds = limits.turnWindow(max(4 * elapsed, (windowMilliseconds ?? given) / 2)) }
  }

  /// Records an expired turn.
  mutating func recordExpiry(_ path: Path, deliveredMonotonicMilliseconds: Int64?) {
    expiredTurnCount += 1
    missed = deliveredMonotonicMilliseconds.map { (path, $0) }
  }

  /// Records a write. When it uses a turn that has expired, the client is slow rather than inactive, and its next turn
  /// is longer.
  ///
  /// - Returns: True when the expired turn is therefore discounted.
  mutating func recordWrite(_ path: Path, at instant: Instant, _ limits: EngineLimits) -> Bool {
    guard let missed, missed.path == path else { return false }
    self.missed = nil
    let elapsed = instant.monotonicMilliseconds - missed.deliveredMonotonicMilliseconds
    guard !isForgiven, elapsed <= limits.turnMillisecondsMax else { return false }
    isForgiven = true
    expiredTurnCount -= 1
    windowMilliseconds = limits.turnWindow(2 * elapsed)
    return true
  }
}

extension EngineLimits {
  func turnWindow(_ milliseconds: Int64) -> Int64 { min(max(milliseconds, turnMillisecondsMin), turnMillisecondsMax) }
}
