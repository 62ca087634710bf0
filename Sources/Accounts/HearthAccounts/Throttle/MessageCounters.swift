import HearthSystem

/// Text messages to one number, of one client network, to one country, or all.
struct MessageCounters: Sendable {
  private var minute = TokenBucket()
  private var hour = SlidingCounter()
  private var day = SlidingCounter()

  /// Counts one message within the limits; returns false above them. The counters of a refusal must not be stored.
  ///
  /// - Parameter perMinute: nil for no such limit.
  mutating func admit(perMinute: Int? = nil, perHour: Int, perDay: Int, nowMilliseconds: Int64) -> Bool {
    if let perMinute = perMinute.map({ max(1, $0) }) {
      let interval = max(1, 60_000 / Int64(perMinute))
      guard minute.take(interval, capacity: Int64(perMinute) * interval, at: nowMilliseconds) == 0 else { return false }
    }
    return hour.admit(perHour, periodMilliseconds: 3_600_000, nowMilliseconds: nowMilliseconds)
      && day.admit(perDay, periodMilliseconds: 86_400_000, nowMilliseconds: nowMilliseconds)
  }

  /// Messages within the last hour, and within the last day.
  mutating func counts(nowMilliseconds: Int64) -> (hour: Int, day: Int) {
    (
      hour.count(periodMilliseconds: 3_600_000, nowMilliseconds: nowMilliseconds),
      day.count(periodMilliseconds: 86_400_000, nowMilliseconds: nowMilliseconds)
    )
  }

  /// Counts one message, at the time of the last check.
  mutating func add() {
    hour.add()
    day.add()
  }
}
