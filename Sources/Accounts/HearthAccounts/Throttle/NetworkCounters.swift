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
  mutating func begin(account: CounterKey, _ limits: ThrottleLimits, nowMilliseconds: Int64) -> Int64? {
    tried.removeAll { nowMilliseconds - $0.atMilliseconds >= Self.triedPeriodMilliseconds }
    let place = tried.firstIndex { $0.account == account }
    if place == nil, tried.count >= limits.addressAccounts, let oldest = tried.first {
      return oldest.atMilliseconds + Self.triedPeriodMilliseconds - nowMilliseconds
    }
    let interval = Self.failureInterval(limits)
    let wait = failures.take(interval, capacity: Int64(max(1, limits.addressFailures)) * interval, at: nowMilliseconds)
    guard wait == 0 else { return wait }
    if let place { tried.remove(at: place) }
    if limits.addressAccounts <= Self.triedCountMax { tried.append((account, nowMilliseconds)) }
    return nil
  }

  /// Removes an attempt that was right, or was not evaluated.
  mutating func takeBack(account: CounterKey, _ limits: ThrottleLimits) {
    failures.putBack(Self.failureInterval(limits))
    tried.removeAll { $0.account == account }
  }

  private static func failureInterval(_ limits: ThrottleLimits) -> Int64 {
    max(1, failuresPeriodMilliseconds / Int64(max(1, limits.addressFailures)))
  }
}

/// The recent mails to one address.
struct RecipientCounters: Sendable {
  var minute = TokenBucket()
  var hour = SlidingCounter()
  var day = SlidingCounter()
}
