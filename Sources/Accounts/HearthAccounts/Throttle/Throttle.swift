import HearthCrypto
import HearthEngine
import Synchronization

/// How often somebody may try: passwords, codes, new accounts, mails, credentials of other providers. Database secrets and
/// signed tokens cannot be guessed and are not counted, so that nobody's wrong ones shut out right ones.
///
/// Attempts are counted before they are evaluated, so that many at the same time are not all the first; a right password
/// takes its own back. Accounts are counted whether they exist or not. Nothing locks for ever, and nothing here ends a
/// session. The memory is bounded; what was longest not used is forgotten first.
final class Throttle: Sendable {
  enum Admission: Sendable, Equatable {
    /// Counted as failed until ``passwordSucceeded(account:address:now:)`` or ``attemptAbandoned(account:address:now:)``.
    case allowed
    /// Not to be evaluated, even if it is right.
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
  ///   - addressKey: keys the counters; the same after a restart, or restored locks name nobody.
  ///   - restored: what was saved.
  ///   - notice: takes what an operator should know of bounds of money.
  ///   - persist: saves an account's lock, or with nil removes it. In order; from any thread; does not wait.
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

  /// Counts one attempt at a password, then says whether it may be evaluated.
  ///
  /// The network comes first: one that has had its tries cannot push up the counter of an account.
  ///
  /// - Parameters:
  ///   - account: the canonical e-mail address, or the uid; of nobody alike.
  ///   - address: of the client; IPv6 counts by its first 64 bits.
  func beginPasswordAttempt(account: String, address: String, now: Instant) -> Admission {
    let (account, network, _) = keys(account, address)
    let admission = state.withLock { state -> Admission in
      state.forgetOldLocks(now: now)
      var counters = state.networks.value(network) ?? NetworkCounters()
      let wait = counters.begin(account: account, limits, nowMilliseconds: now.monotonicMilliseconds)
      state.networks.set(network, counters)
      if let wait { return .refused(retryAfterSeconds: (wait + 999) / 1000) }
      return state.begin(account: account, now: now).map { .refused(retryAfterSeconds: $0) } ?? .allowed
    }
    save()
    return admission
  }

  /// The admitted attempt was right.
  func passwordSucceeded(account: String, address: String, now: Instant) {
    let (account, network, known) = keys(account, address)
    state.withLock { state in
      takeBack(account, network, &state)
      state.succeed(account: account, knownNetwork: known)
    }
    save()
  }

  /// The admitted attempt was wrong. It is counted already; this says how long the account's next one has to wait: nil for
  /// not at all, otherwise it was just locked.
  @discardableResult
  func passwordFailed(account: String, address: String, now: Instant) -> Int64? {
    let (account, _, _) = keys(account, address)
    let wait = state.withLock { $0.waitSeconds(account: account, now: now) }
    return wait > 0 ? wait : nil
  }

  /// The admitted attempt was never looked at, because the server could not.
  func attemptAbandoned(account: String, address: String, now: Instant) {
    let (account, network, _) = keys(account, address)
    state.withLock { state in
      takeBack(account, network, &state)
      state.abandon(account: account)
    }
    save()
  }

  /// Forgets the failures of an account whose owner has proven themselves in another way.
  func forgetFailures(account: String) {
    let account = CounterKey(.account, account, key: key)
    state.withLock { $0.forget(account: account) }
    save()
  }

  /// Counts one new account of a client, unless it is one too many.
  func admitSignUp(address: String, isAnonymous: Bool, now: Instant) -> Bool {
    let limit = isAnonymous ? limits.anonymousPerHour : limits.signUpsPerHour
    let counter = isAnonymous ? \NetworkCounters.anonymousSignUps : \NetworkCounters.signUps
    let networks = networks(address)
    return state.withLock { state in
      var counters = networks.map { state.networks.value($0.key) ?? NetworkCounters() }
      for (index, network) in networks.enumerated() {
        guard
          counters[index][keyPath: counter].admit(
            limit * network.factor, periodMilliseconds: Self.hour, nowMilliseconds: now.monotonicMilliseconds)
        else { return false }
      }
      for (index, network) in networks.enumerated() { state.networks.set(network.key, counters[index]) }
      return true
    }
  }

  /// The client's network and those around it, the narrowest first, and how many times a client's allowance each has.
  func networks(_ address: String, _ kind: CounterKey.Kind = .network) -> [(key: CounterKey, factor: Int)] {
    ClientNetwork(address).counted.map { (CounterKey(kind, $0.text, key: key), $0.factor) }
  }

  /// Counts one try at a code of an account, unless it is one too many.
  func admitCodeTry(account: String, now: Instant) -> Bool {
    admitTry(account, limits.codeTriesPerMinute, periodMilliseconds: Self.minute, now: now)
  }

  /// The same for a code of a second factor, of which an account has a number of tries a day, too. Those count that are
  /// admitted, right ones among them; it takes the account's first factor to use them up.
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

  /// Returns true when a provider's credential of this client may be looked at, which may cost a request to the
  /// provider. Counts nothing: right ones come often.
  func admitCredential(address: String, now: Instant) -> Bool {
    changeNetwork(address) { counters in
      counters.credentialFailures.count(
        periodMilliseconds: Self.minute, nowMilliseconds: now.monotonicMilliseconds)
    } < limits.credentialFailuresPerMinute
  }

  /// Counts a provider's credential that was refused.
  func credentialRefused(address: String, now: Instant) {
    changeNetwork(address) { counters in
      _ = counters.credentialFailures.count(
        periodMilliseconds: Self.minute, nowMilliseconds: now.monotonicMilliseconds)
      counters.credentialFailures.add()
    }
  }

  /// Counts one record of a refusal, unless it is one too many of its network. The refusal itself stands either way.
  func admitRefusalRecord(address: String, countMax: Int, now: Instant) -> Bool {
    changeNetwork(address) { counters in
      counters.refusalRecords.admit(
        countMax, periodMilliseconds: Self.minute, nowMilliseconds: now.monotonicMilliseconds)
    }
  }

  /// Tells the operator.
  func tell(_ notices: [AccountsNotice]) { for one in notices { notice(one) } }

  /// Counters in memory.
  var count: Int { state.withLock { $0.count } }

  private func keys(
    _ account: String, _ address: String
  ) -> (account: CounterKey, network: CounterKey, known: CounterKey) {
    let network = ClientNetwork(address).text
    return (
      CounterKey(.account, account, key: key), CounterKey(.network, network, key: key),
      CounterKey(.knownNetwork, network + "\u{0}" + account, key: key)
    )
  }

  private func takeBack(_ account: CounterKey, _ network: CounterKey, _ state: inout ThrottleState) {
    guard var counters = state.networks.value(network) else { return }
    counters.takeBack(account: account, limits)
    state.networks.set(network, counters)
  }

  private func changeNetwork<T: Sendable>(_ address: String, _ change: (inout NetworkCounters) -> T) -> T {
    let network = CounterKey(.network, ClientNetwork(address).text, key: key)
    return state.withLock { state in
      var counters = state.networks.value(network) ?? NetworkCounters()
      defer { state.networks.set(network, counters) }
      return change(&counters)
    }
  }

  /// Hands over what is to be saved, outside of the lock and in order.
  private func save() {
    while let changes = state.withLock({ $0.beginSaving() }) {
      for change in changes { persist(change.key, change.lock) }
      state.withLock { $0.endSaving() }
    }
  }
}
