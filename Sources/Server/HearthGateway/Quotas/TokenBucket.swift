/// How much was taken of what comes back at a rate: the generic cell rate algorithm (ITU-T I.371), which is a token bucket
/// that holds a second's worth.
///
/// It keeps one number and reads no clock. What is larger than a second's worth is taken when nothing is owed, and paid for
/// afterwards; so that nobody is refused for ever.
struct TokenBucket: Sendable {
  private static let second: Int64 = 1_000_000_000
  private static let debtMax = Int64(QuotaLimits.debtSecondsMax) * second
  /// No message and no body is larger.
  private static let countMax = 1 << 32

  /// When it is full, if nothing more is taken, in nanoseconds on the monotonic clock.
  private var fullNanoseconds: Int64 = 0

  /// Returns true when it is as if nothing had ever been taken.
  func isFull(at now: Int64) -> Bool { fullNanoseconds <= now }

  /// Takes so much although it may not be there; then it is owed.
  mutating func charge(_ count: Int, perSecond rate: Int, at now: Int64) {
    let cost = min(Int64(min(max(0, count), Self.countMax)) * Self.second / Int64(max(1, rate)), Self.debtMax)
    charge(nanoseconds: cost, at: now)
  }

  /// After how many nanoseconds it is full.
  func untilFull(at now: Int64) -> Int64 { max(0, fullNanoseconds - now) }

  /// Takes what comes back in so many nanoseconds, although it may not be there.
  mutating func charge(nanoseconds: Int64, at now: Int64) {
    fullNanoseconds = min(max(fullNanoseconds, now) + min(max(0, nanoseconds), Self.debtMax), now + Self.debtMax)
  }

  /// Becomes as empty as another one, if that is emptier.
  mutating func lower(to other: TokenBucket) { fullNanoseconds = max(fullNanoseconds, other.fullNanoseconds) }

  /// After how many nanoseconds nothing is owed.
  func wait(at now: Int64) -> Int64 { max(0, fullNanoseconds - now - Self.second) }

  /// Takes so much, if it is there.
  ///
  /// - Parameters:
  ///   - rate: how much comes back in a second; more than 0.
  ///   - now: nanoseconds on the monotonic clock.
  /// - Returns: 0 when it was taken; else after how many nanoseconds it is there, and nothing was taken.
  mutating func take(_ count: Int, perSecond rate: Int, at now: Int64) -> Int64 {
    let cost = min(Int64(min(max(0, count), Self.countMax)) * Self.second / Int64(max(1, rate)), Self.debtMax)
    let start = max(fullNanoseconds, now)
    let wait = start - now + min(cost, Self.second) - Self.second
    guard wait <= 0 else { return wait }
    fullNanoseconds = start + cost
    return 0
  }
}
