import HearthSystem

/// Rates per second: a bucket refills at a rate, and holds what refills in one second. The bucket's unit is nanoseconds of
/// refilling, on the monotonic clock.
///
/// An amount of more than a second's refill is taken when the bucket has no debt, and leaves a debt that is paid by later refills;
/// otherwise it would be refused for ever.
extension TokenBucket {
  private static let second: Int64 = 1_000_000_000
  private static let debtMax = Int64(QuotaLimits.debtSecondsMax) * second
  /// The largest amount that is counted: no message and no body is larger.
  private static let countMax = 1 << 32

  /// Returns the nanoseconds in which an amount refills.
  private static func cost(_ count: Int, perSecond rate: Int) -> Int64 {
    min(Int64(min(max(0, count), countMax)) * second / Int64(max(1, rate)), debtMax)
  }

  /// Takes an amount, if the bucket holds it.
  ///
  /// - Parameter rate: the amount that refills in a second; more than 0.
  /// - Returns: 0 when it was taken; otherwise the nanoseconds until it can be taken, and nothing was taken.
  mutating func take(_ count: Int, perSecond rate: Int, at now: Int64) -> Int64 {
    take(Self.cost(count, perSecond: rate), capacity: Self.second, at: now)
  }

  /// Takes an amount in any case; what the bucket lacks becomes a debt.
  mutating func charge(_ count: Int, perSecond rate: Int, at now: Int64) {
    charge(nanoseconds: Self.cost(count, perSecond: rate), at: now)
  }

  /// Takes what refills in that many nanoseconds, in any case.
  mutating func charge(nanoseconds: Int64, at now: Int64) {
    charge(max(0, nanoseconds), timeMax: Self.debtMax, at: now)
  }

  /// Returns the nanoseconds until no debt is left.
  func wait(at now: Int64) -> Int64 { max(0, timeUntilFull(at: now) - Self.second) }
}
