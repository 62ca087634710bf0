/// A token bucket that holds a second's worth, by the generic cell rate algorithm (ITU-T I.371).
///
/// It keeps one number and reads no clock. An amount that is larger than a second's worth is taken when there is no
/// debt, and paid for afterwards; so that no client is refused for ever.
struct TokenBucket: Sendable {
  private static let second: Int64 = 1_000_000_000
  private static let debtMax = Int64(QuotaLimits.debtSecondsMax) * second
  /// The maximum amount: no message and no body is larger.
  private static let countMax = 1 << 32

  /// The time at which it is full, if no more is taken, in nanoseconds on the monotonic clock.
  private var fullNanoseconds: Int64 = 0

  /// Returns true when its state is the initial one.
  func isFull(at now: Int64) -> Bool { fullNanoseconds <= now }

  /// Takes an amount, if necessary as a debt.
  mutating func charge(_ count: Int, perSecond rate: Int, at now: Int64) {
    let cost = min(Int64(min(max(0, count), Self.countMax)) * Self.second / Int64(max(1, rate)), Self.debtMax)
    charge(nanoseconds: cost, at: now)
  }

  /// Returns the nanoseconds until it is full.
  func untilFull(at now: Int64) -> Int64 { max(0, fullNanoseconds - now) }

  /// Takes the amount that refills in so many nanoseconds, if necessary as a debt.
  mutating func charge(nanoseconds: Int64, at now: Int64) {
    fullNanoseconds = min(max(fullNanoseconds, now) + min(max(0, nanoseconds), Self.debtMax), now + Self.debtMax)
  }

  /// Lowers the fill to that of another bucket, if that is lower.
  mutating func lower(to other: TokenBucket) { fullNanoseconds = max(fullNanoseconds, other.fullNanoseconds) }

  /// Returns the nanoseconds until there is no debt.
  func wait(at now: Int64) -> Int64 { max(0, fullNanoseconds - now - Self.second) }

  /// Takes an amount, if it is available.
  ///
  /// - Parameters:
  ///   - rate: the amount that refills in a second; more than 0.
  ///   - now: nanoseconds on the monotonic clock.
  /// - Returns: 0 when it was taken; otherwise the nanoseconds until it is available, and none was taken.
  mutating func take(_ count: Int, perSecond rate: Int, at now: Int64) -> Int64 {
    let cost = min(Int64(min(max(0, count), Self.countMax)) * Self.second / Int64(max(1, rate)), Self.debtMax)
    let start = max(fullNanoseconds, now)
    let wait = start - now + min(cost, Self.second) - Self.second
    guard wait <= 0 else { return wait }
    fullNanoseconds = start + cost
    return 0
  }
}
