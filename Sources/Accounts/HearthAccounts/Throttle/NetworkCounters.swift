import HearthSystem

/// The recent activity of one client network.
struct NetworkCounters: Sendable {
  var signUps = SlidingCounter()
  var anonymousSignUps = SlidingCounter()
  var mails = SlidingCounter()
  var mailsOfDay = SlidingCounter()
  var credentialFailures = SlidingCounter()
  var refusalRecords = SlidingCounter()
  private var failures = TokenBucket()
  /// Accounts with password attempts, the newest last.
  private var tried: [(account: CounterKey, atMilliseconds: Int64)] = []

  static let failuresPeriodMilliseconds: Int64 = 300_000
  static let triedPeriodMilliseconds: Int64 = 600_000

  /// The largest limit that is enforced: above it the list would need too much memory.
  static let triedCountMax = 1_000

  /// Counts an attempt as failed until the result is known. Nil when it may be evaluated, else the milliseconds to
  /// wait.
  ///
  /// - Parameter factor: the network's multiple of a client's limits.
  mutating func begin(
    account: CounterKey, _ limits: ThrottleLimits, factor: Int, nowMilliseconds: Int64
  ) -> Int64? {
    let accountsMax = limits.addressAccounts.multiplied(by: factor)
    tried.removeAll { nowMilliseconds - $0.atMilliseconds >= Self.triedPeriodMilliseconds }
    let place = tried.firstIndex { $0.account == account }
    if place == nil, tried.count >= accountsMax, let oldest = tried.first {
      return oldest.atMilliseconds + Self.triedPeriodMilliseconds - nowMilliseconds
    }
    let failuresMax = max(1, limits.addressFailures.multiplied(by: factor))
    let interval = Self.failureInterval(failuresMax)
    let wait = failures.take(interval, capacity: Int64(failuresMax) * interval, at: nowMilliseconds)
    guard wait == 0 else { return wait }
    if let place { tried.remove(at: place) }
    if accountsMax <= Self.triedCountMax { tried.append((account, nowMilliseconds)) }
    return nil
  }

  /// Removes an attempt that was right, or was not evaluated.
  mutating func removeAttempt(account: CounterKey, _ limits: ThrottleLimits, factor: Int) {
    failures.refund(Self.failureInterval(max(1, limits.addressFailures.multiplied(by: factor))))
    tried.removeAll { $0.account == account }
  }

  private static func failureInterval(_ failuresMax: Int) -> Int64 {
    max(1, failuresPeriodMilliseconds / Int64(failuresMax))
  }
}

extension Int {
  /// The product, or the largest number when it overflows.
  func multiplied(by factor: Int) -> Int {
    let (product, overflows) = multipliedReportingOverflow(by: factor)
    return overflows ? .max : product
  }
}

/// The recent mails to one address.
struct RecipientCounters: Sendable {
  var minute = TokenBucket()
  var hour = SlidingCounter()
  var day = SlidingCounter()
}
