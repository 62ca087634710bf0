import HearthSystem

/// Amounts that come back at a rate, in a bucket that holds a second's worth on the monotonic clock in nanoseconds.
///
/// What is larger than a second's worth is taken when nothing is owed, and paid for afterwards; so it is not refused for
/// ever.
extension TokenBucket {
  private static let second: Int64 = 1_000_000_000
  private static let debtMax = Int64(QuotaLimits.debtSecondsMax) * second
  /// No message and no body is larger.
  private static let countMax = 1 << 32

  /// The nanoseconds in which so much comes back.
  private static func cost(_ count: Int, perSecond rate: Int) -> Int64 {
    min(Int64(min(max(0, count), countMax)) * second / Int64(max(1, rate)), debtMax)
  }

  /// Takes so much, if it is there.
  ///
  /// - Parameter rate: how much comes back in a second; more than 0.
  /// - Returns: 0 when it was taken; otherwise the nanoseconds until it is there, and nothing was taken.
  mutating func take(_ count: Int, perSecond rate: Int, at now: Int64) -> Int64 {
    take(Self.cost(count, perSecond: rate), capacity: Self.second, at: now)
  }

  /// Takes so much although it may not be there; then it is owed.
  mutating func charge(_ count: Int, perSecond rate: Int, at now: Int64) {
    charge(nanoseconds: Self.cost(count, perSecond: rate), at: now)
  }

  /// Takes what comes back in so many nanoseconds, although it may not be there.
  mutating func charge(nanoseconds: Int64, at now: Int64) {
    charge(max(0, nanoseconds), timeMax: Self.debtMax, at: now)
  }

  /// Returns the nanoseconds until nothing is owed.
  func wait(at now: Int64) -> Int64 { max(0, timeUntilFull(at: now) - Self.second) }
}
