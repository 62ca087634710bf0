import HearthEngine

/// What is remembered of an account's wrong passwords; beyond the free ones also over a restart.
public struct AccountLock: Sendable, Equatable {
  /// Attempts that were not taken back by a right password.
  public var failures: Int64
  /// No password is looked at before that second since 1970.
  public var lockedUntilSeconds: Int64
  /// Since 1970.
  public var lastFailureSeconds: Int64

  /// A lock as it was kept.
  public init(failures: Int64, lockedUntilSeconds: Int64, lastFailureSeconds: Int64) {
    self.failures = failures
    self.lockedUntilSeconds = lockedUntilSeconds
    self.lastFailureSeconds = lastFailureSeconds
  }

  static let none = AccountLock(failures: 0, lockedUntilSeconds: 0, lastFailureSeconds: 0)

  /// The account has used up its free failures.
  func isWorthKeeping(_ limits: ThrottleLimits) -> Bool { failures >= Int64(limits.accountFailuresFree) }

  /// Returns the time that one has to wait after that many failures: nothing, then one second, then twice as long each
  /// time.
  static func delaySeconds(failures: Int64, _ limits: ThrottleLimits) -> Int64 {
    let excess = failures - Int64(limits.accountFailuresFree)
    guard excess >= 0 else { return 0 }
    return excess >= 30 ? limits.accountDelaySecondsMax : min(1 << excess, limits.accountDelaySecondsMax)
  }

  /// The state at that moment: forgotten when it is old; and when the clock was set back, no wait is longer than it could
  /// ever have been.
  func settled(now: Instant, _ limits: ThrottleLimits) -> AccountLock {
    let nowSeconds = now.wallMilliseconds / 1000
    var lock = self
    lock.lastFailureSeconds = min(lastFailureSeconds, nowSeconds)
    lock.lockedUntilSeconds = min(lockedUntilSeconds, nowSeconds + limits.accountDelaySecondsMax + 1)
    if nowSeconds - lock.lastFailureSeconds > limits.accountForgetSeconds { return .none }
    return lock
  }

  /// Counts an attempt as failed until it is known better, and locks what comes next.
  mutating func addFailure(now: Instant, _ limits: ThrottleLimits) {
    if failures < .max { failures += 1 }
    lastFailureSeconds = now.wallMilliseconds / 1000
    lock(limits, from: now.wallMilliseconds)
  }

  /// Takes back an attempt that was never looked at.
  mutating func takeBack(_ limits: ThrottleLimits) {
    failures = max(0, failures - 1)
    lock(limits, from: lastFailureSeconds * 1000)
  }

  private mutating func lock(_ limits: ThrottleLimits, from milliseconds: Int64) {
    let delay = Self.delaySeconds(failures: failures, limits)
    // Rounded up: a second is a whole one.
    lockedUntilSeconds = delay == 0 ? 0 : (milliseconds + 999) / 1000 + delay
  }
}
