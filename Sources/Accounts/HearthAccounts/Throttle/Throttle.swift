import HearthCrypto
import HearthEngine
import Synchronization

/// The rate limiter for passwords, codes, new accounts, mails and credentials of other providers. Database secrets and
/// signed tokens cannot be guessed and are not counted, so that invalid ones never block valid ones.
///
/// Attempts are counted before they are evaluated, so that many at the same time are not all the first; a right
/// password removes its own attempt. Accounts are counted whether they exist or not. No lock is permanent, and no limit
/// ends a session. The memory is bounded; the least recently used entries are dropped first.
final class Throttle: Sendable {
  enum Admission: Sendable, Equatable {
    /// The attempt may be evaluated. It counts as failed until ``passwordSucceeded(account:address:now:)`` or
    /// ``attemptAbandoned(account:address:now:)``.
    case allowed
    /// The attempt must not be evaluated, even if it is right.
    case refused(retryAfterSeconds: Int64)
  }

  static let minute: Int64 = 60_000
  static let hour: Int64 = 3_600_000
  static let day: Int64 = 86_400_000

  let limits: ThrottleLimits
  private let notice: @Sendable (AccountsNotice) -> Void
  let key: [UInt8]
  private let persist: @Sendable (_ key: String, _ lock: AccountLock?) -> Void
  let state: Mutex<ThrottleState>

  /// - Parameters:
  ///   - addressKey: the key of the counters; it must survive a restart, or restored locks match no account.
  ///   - restored: the saved locks.
  ///   - notice: takes the warnings about spending bounds for the operator.
  ///   - persist: saves an account's lock, or with nil removes it. Called in order, on any thread; does not wait.
  init(
    limits: ThrottleLimits, addressKey: [UInt8], restored: [String: AccountLock],
    notice: @escaping @Sendable (AccountsNotice) -> Void = { _ in },
    persist: @escaping @Sendable (_ key: String, _ lock: AccountLock?) -> Void
  ) {
    self.limits = limits
    self.notice = notice
    key = addressKey.isEmpty ? [0] : addressKey
    self.persist = persist
    state = Mutex(ThrottleState(limits: limits, restored: restored))
  }

  /// Counts a password attempt, then returns whether it may be evaluated.
  ///
  /// The network comes first: one above its limit cannot increase the counter of an account.
  ///
  /// - Parameters:
  ///   - account: the canonical e-mail address, or the uid; also of unknown accounts.
  ///   - address: the client's address, which counts with the networks around it.
  func beginPasswordAttempt(account: String, address: String, now: Instant) -> Admission {
    let (account, networks) = (CounterKey(.account, account, key: key), networks(address))
    let admission = state.withLock { state -> Admission in
      state.forgetOldLocks(now: now)
      let wait = state.count(in: networks) { counters, factor in
        counters.begin(account: account, limits, factor: factor, nowMilliseconds: now.monotonicMilliseconds)
      }
      if let wait { return .refused(retryAfterSeconds: (wait + 999) / 1000) }
      return state.begin(account: account, now: now).map { .refused(retryAfterSeconds: $0) } ?? .allowed
    }
    save()
    return admission
  }

  /// Removes an admitted attempt that was right.
  func passwordSucceeded(account: String, address: String, now: Instant) {
    let known = CounterKey(.knownNetwork, ClientNetwork(address).text + "\u{0}" + account, key: key)
    let (account, networks) = (CounterKey(.account, account, key: key), networks(address))
    state.withLock { state in
      removeAttempt(account, networks, &state)
      state.succeed(account: account, knownNetwork: known)
    }
    save()
  }

  /// Confirms a failed attempt, which is counted already. Returns the time that the account's next one has to wait,
  /// when it was just locked; nil otherwise.
  @discardableResult
  func passwordFailed(account: String, address: String, now: Instant) -> Int64? {
    let account = CounterKey(.account, account, key: key)
    let wait = state.withLock { $0.waitSeconds(account: account, now: now) }
    return wait > 0 ? wait : nil
  }

  /// Removes an admitted attempt that was never evaluated, because the server could not.
  func attemptAbandoned(account: String, address: String, now: Instant) {
    let (account, networks) = (CounterKey(.account, account, key: key), networks(address))
    state.withLock { state in
      removeAttempt(account, networks, &state)
      state.abandon(account: account)
    }
    save()
  }

  /// Removes the failures of an account whose owner has proven themselves in another way.
  func forgetFailures(account: String) {
    let account = CounterKey(.account, account, key: key)
    state.withLock { $0.forget(account: account) }
    save()
  }

  /// Counts one new account of a client within the limit; returns false above it.
  func admitSignUp(address: String, isAnonymous: Bool, now: Instant) -> Bool {
    let limit = isAnonymous ? limits.anonymousPerHour : limits.signUpsPerHour
    let counter = isAnonymous ? \NetworkCounters.anonymousSignUps : \NetworkCounters.signUps
    let networks = networks(address)
    return state.withLock { state in
      state.count(in: networks) { counters, factor in
        let isAdmitted = counters[keyPath: counter].admit(
          limit * factor, periodMilliseconds: Self.hour, nowMilliseconds: now.monotonicMilliseconds)
        return isAdmitted ? nil : false
      } ?? true
    }
  }

  /// The client's network and those around it, the narrowest first, each with its multiple of a client's limit.
  func networks(_ address: String, _ kind: CounterKey.Kind = .network) -> [(key: CounterKey, factor: Int)] {
    ClientNetwork(address).counted.map { (CounterKey(kind, $0.text, key: key), $0.factor) }
  }

  /// Counts one attempt at a code of an account within the limit; returns false above it.
  func admitCodeTry(account: String, now: Instant) -> Bool {
    admitTry(account, limits.codeTriesPerMinute, periodMilliseconds: Self.minute, now: now)
  }

  /// Counts one attempt at a code of a second factor, which also has a limit for each account and day. Right codes
  /// count, too; only a client with the account's first factor can use the limit up.
  func admitFactorTry(account: String, now: Instant) -> Bool {
    guard admitCodeTry(account: account, now: now) else { return false }
    return admitTry("in a day, " + account, limits.factorTriesPerDay, periodMilliseconds: Self.day, now: now)
  }

  private func admitTry(_ name: String, _ tries: Int, periodMilliseconds: Int64, now: Instant) -> Bool {
    let name = CounterKey(.code, name, key: key)
    return state.withLock { state in
      var counter = state.codes.value(name) ?? SlidingCounter()
      let isAdmitted = counter.admit(
        tries, periodMilliseconds: periodMilliseconds, nowMilliseconds: now.monotonicMilliseconds)
      state.codes.set(name, counter)
      return isAdmitted
    }
  }

  /// Returns true when a provider's credential of this client may be verified, which may cost a request to the
  /// provider. Counts nothing: right ones are frequent.
  func admitCredential(address: String, now: Instant) -> Bool {
    let networks = networks(address)
    return state.withLock { state in
      networks.allSatisfy { network in
        var counters = state.networks.value(network.key) ?? NetworkCounters()
        let count = counters.credentialFailures.count(
          periodMilliseconds: Self.minute, nowMilliseconds: now.monotonicMilliseconds)
        return count < limits.credentialFailuresPerMinute * network.factor
      }
    }
  }

  /// Counts a refused provider's credential.
  func credentialRefused(address: String, now: Instant) {
    _ = countInMinute(\.credentialFailures, .max, address: address, now: now)
  }

  /// Counts one record of a refusal within the limit of its networks; returns false above it. The refusal itself stands
  /// either way.
  func admitRefusalRecord(address: String, countMax: Int, now: Instant) -> Bool {
    countInMinute(\.refusalRecords, countMax, address: address, now: now)
  }

  private func countInMinute(
    _ counter: WritableKeyPath<NetworkCounters, SlidingCounter> & Sendable, _ countMax: Int, address: String,
    now: Instant
  ) -> Bool {
    let networks = networks(address)
    return state.withLock { state in
      state.count(in: networks) { counters, factor in
        let isAdmitted = counters[keyPath: counter].admit(
          countMax.multiplied(by: factor), periodMilliseconds: Self.minute, nowMilliseconds: now.monotonicMilliseconds)
        return isAdmitted ? nil : false
      } ?? true
    }
  }

  /// Notifies the operator.
  func notify(_ notices: [AccountsNotice]) { for one in notices { notice(one) } }

  /// Counters in memory.
  var count: Int { state.withLock { $0.count } }

  private func removeAttempt(
    _ account: CounterKey, _ networks: [(key: CounterKey, factor: Int)], _ state: inout ThrottleState
  ) {
    for network in networks {
      guard var counters = state.networks.value(network.key) else { continue }
      counters.removeAttempt(account: account, limits, factor: network.factor)
      state.networks.set(network.key, counters)
    }
  }

  /// Saves changed locks, outside of the lock and in order.
  private func save() {
    while let changes = state.withLock({ $0.beginSaving() }) {
      for change in changes { persist(change.key, change.lock) }
      state.withLock { $0.endSaving() }
    }
  }
}
