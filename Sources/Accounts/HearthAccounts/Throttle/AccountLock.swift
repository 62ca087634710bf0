import HearthEngine

/// The failed password attempts of an account; beyond the free ones they survive a restart.
public struct AccountLock: Sendable, Equatable {
  /// The number of failed attempts since the last right password.
  public var failures: Int64
  /// The second since 1970 before which no password is checked.
  public var lockedUntilSeconds: Int64
  /// The time of the last failure, since 1970.
  public var lastFailureSeconds: Int64

  /// Creates a stored lock.
  public init(failures: Int64, lockedUntilSeconds: Int64, lastFailureSeconds: Int64) {
    self.failures = failures
    self.lockedUntilSeconds = lockedUntilSeconds
    self.lastFailureSeconds = lastFailureSeconds
  }

  static let none = AccountLock(failures: 0, lockedUntilSeconds: 0, lastFailureSeconds: 0)

  /// Returns true when the account has used up its free failures.
  func hasUsedUpFreeFailures(_ limits: ThrottleLimits) -> Bool { failures >= Int64(limits.accountFailuresFree) }

  /// Returns the waiting time after a number of failures: none, then one second, then twice as long each time.
  static func delaySeconds(failures: Int64, _ limits: ThrottleLimits) -> Int64 {
    let excess = failures - Int64(limits.accountFailuresFree)
    guard excess >= 0 else { return 0 }
    return excess >= 30 ? limits.accountDelaySecondsMax : min(1 << excess, limits.accountDelaySecondsMax)
  }

  /// Returns the state at the given time: reset when it is old; after the clock was set back, a wait is bounded by its
  /// original length.
  func settled(now: Instant, _ limits: ThrottleLimits) -> AccountLock {
    let nowSeconds = now.wallMilliseconds / 1000
    var lock = self
    lock.lastFailureSeconds = min(lastFailureSeconds, nowSeconds)
    lock.lockedUntilSeconds = min(lockedUntilSeconds, nowSeconds + limits.accountDelaySecondsMax + 1)
    if nowSeconds - lock.lastFailureSeconds > limits.accountForgetSeconds { return .none }
    return lock
  }

  /// Counts an attempt as failed until the result is known, and locks further ones.
  mutating func addFailure(now: Instant, _ limits: ThrottleLimits) {
    if failures < .max { failures += 1 }
    lastFailureSeconds = now.wallMilliseconds / 1000
    lock(limits, from: now.wallMilliseconds)
  }

  /// Removes an attempt that was never evaluated.
  mutating func removeAttempt(_ limits: ThrottleLimits) {
    failures = max(0, failures - 1)
    lock(limits, from: lastFailureSeconds * 1000)
  }

  private mutating func lock(_ limits: ThrottleLimits, from milliseconds: Int64) {
    let delay = Self.delaySeconds(failures: failures, limits)
    // Rounded up to whole seconds.
    lockedUntilSeconds = delay == 0 ? 0 : (milliseconds + 999) / 1000 + delay
  }
}
