import HearthTree

/// What is known of a connection that has waited for a turn, or had one: where it does now, and how quick it was.
struct TurnContender: Sendable {
  /// Names it among all contenders: connections may come by the same number again.
  let serial: UInt64
  /// How often it waits or has a turn at a place.
  private var countsByPlace: [Path: Int] = [:]
  var waitingCount = 0
  /// Of those, the writes that are still to be decided.
  var undecidedCount = 0

  /// The window that it needs; nil while that is not known.
  private(set) var windowMilliseconds: Int64?
  /// Turns that it let pass, or that ended without a commit, since it last used one.
  private(set) var silenceCount = 0
  /// The last turn that it let pass.
  private var missed: (path: Path, toldMonotonicMilliseconds: Int64)?
  /// It was forgiven for being slow since it last used a turn.
  private var isForgiven = false

  init(serial: UInt64) { self.serial = serial }

  /// Where it waits or has a turn, always in the same order.
  var places: [Path] {
    countsByPlace.count < 2 ? Array(countsByPlace.keys) : countsByPlace.keys.sorted { $0.description < $1.description }
  }

  mutating func count(_ path: Path, _ change: Int) {
    let count = countsByPlace[path, default: 0] + change
    countsByPlace[path] = count > 0 ? count : nil
  }

  /// It has a turn.
  mutating func begins(_ path: Path) {
    count(path, 1)
    missed = nil
  }

  /// It used a turn, so many milliseconds after it was told.
  mutating func used(afterMilliseconds elapsed: Int64?, given: Int64, _ limits: EngineLimits) {
    (silenceCount, missed, isForgiven) = (0, nil, false)
    // One quick answer says less than several.
    if let elapsed { windowMilliseconds = limits.turnWindow(max(4 * elapsed, (windowMilliseconds ?? given) / 2)) }
  }

  /// It let a turn pass.
  mutating func passed(_ path: Path, toldMonotonicMilliseconds: Int64?) {
    silenceCount += 1
    missed = toldMonotonicMilliseconds.map { (path, $0) }
  }

  /// It writes. When that is the answer to a turn that is over, it is slow and not silent, and has a longer one next.
  ///
  /// - Returns: whether it was forgiven for that.
  mutating func asks(_ path: Path, at instant: Instant, _ limits: EngineLimits) -> Bool {
    guard let missed, missed.path == path else { return false }
    self.missed = nil
    let elapsed = instant.monotonicMilliseconds - missed.toldMonotonicMilliseconds
    guard !isForgiven, elapsed <= limits.turnMillisecondsMax else { return false }
    isForgiven = true
    silenceCount -= 1
    windowMilliseconds = limits.turnWindow(2 * elapsed)
    return true
  }
}

extension EngineLimits {
  func turnWindow(_ milliseconds: Int64) -> Int64 { min(max(milliseconds, turnMillisecondsMin), turnMillisecondsMax) }
}
