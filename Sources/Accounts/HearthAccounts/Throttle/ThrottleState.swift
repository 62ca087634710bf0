import HearthEngine

/// The counters, and their unsaved changes.
struct ThrottleState: Sendable {
  let limits: ThrottleLimits
  var networks: RecencyMap<CounterKey, NetworkCounters>
  var recipients: RecencyMap<CounterKey, RecipientCounters>
  var codes: RecencyMap<CounterKey, SlidingCounter>
  var mailsOfDay = DailyMailCounters()
  /// Sent messages by number and by client network.
  var messages: RecencyMap<CounterKey, MessageCounters>
  /// Sent messages by country, which bounds the number of entries.
  var messageCountries: [String: MessageCounters] = [:]
  var allMessages = MessageCounters()
  /// The monitors of the spending bounds, by the name of the setting.
  private var spending: [String: SpendingLimitMonitor] = [:]
  /// Accounts with free failures left.
  private var accounts: RecencyMap<CounterKey, AccountLock>
  /// Accounts without free failures. They are stored separately, so that failures of many others cannot evict them.
  private var locks: RecencyMap<CounterKey, AccountLock>
  /// Networks from which an account has signed in.
  private var known: RecencyMap<CounterKey, Bool>
  /// Changes of `locks` that are not yet saved, in order.
  private var unsaved: [(key: String, lock: AccountLock?)] = []
  private var isSaving = false

  /// The number of equal shares of the memory: for networks, recipients, codes, accounts, locks and known networks.
  /// Messages have none: their number is bounded by the limit of a day.
  private static let kinds = 6

  init(limits: ThrottleLimits, restored: [String: AccountLock]) {
    let share = max(16, limits.countersMax / Self.kinds)
    self.limits = limits
    networks = RecencyMap(countMax: share)
    recipients = RecencyMap(countMax: share)
    codes = RecencyMap(countMax: share)
    messages = RecencyMap(countMax: share)
    accounts = RecencyMap(countMax: share)
    locks = RecencyMap(countMax: share)
    known = RecencyMap(countMax: share)
    for (text, lock) in restored.sorted(by: { $0.value.lastFailureSeconds < $1.value.lastFailureSeconds }) {
      if let key = CounterKey(text: text) { setLock(key, lock, isSaved: true) } else { unsaved.append((text, nil)) }
    }
  }

  /// Counts an event in a client's networks: in all of them, or in none when one refuses it.
  ///
  /// - Parameter admit: counts it within `factor` times a client's limit; returns the refusal, or nil.
  mutating func count<Refusal>(
    in networks: [(key: CounterKey, factor: Int)], _ admit: (inout NetworkCounters, _ factor: Int) -> Refusal?
  ) -> Refusal? {
    var counters = networks.map { self.networks.value($0.key) ?? NetworkCounters() }
    for (index, network) in networks.enumerated() {
      if let refusal = admit(&counters[index], network.factor) { return refusal }
    }
    for (index, network) in networks.enumerated() { self.networks.set(network.key, counters[index]) }
    return nil
  }

  /// Notes the use of a spending bound. Returns the notice for the operator.
  mutating func note(_ bound: SpendingLimit, isRefused: Bool = false) -> AccountsNotice? {
    spending[bound.name, default: SpendingLimitMonitor()].note(bound, isRefused: isRefused)
  }

  /// Returns the seconds to wait; nil when the attempt may be evaluated, and then it is counted as failed.
  mutating func begin(account: CounterKey, now: Instant) -> Int64? {
    let found = locks.value(account) ?? accounts.value(account) ?? .none
    var lock = found.settled(now: now, limits)
    let nowSeconds = now.wallMilliseconds / 1000
    guard nowSeconds >= lock.lockedUntilSeconds else {
      // After the clock was set back the shortened wait is stored.
      if lock != found { keep(account, lock) }
      return lock.lockedUntilSeconds - nowSeconds
    }
    lock.addFailure(now: now, limits)
    keep(account, lock)
    return nil
  }

  /// Removes an attempt that was right. From a known network it also clears all failures; from a new one it does not,
  /// or each sign-in of the owner would give an attacker their free failures back.
  mutating func succeed(account: CounterKey, knownNetwork: CounterKey) {
    let isKnown = known.value(knownNetwork) != nil
    known.set(knownNetwork, true)
    guard var lock = locks.value(account) ?? accounts.value(account) else { return }
    if isKnown {
      lock = .none
    } else {
      lock.removeAttempt(limits)
      lock.lockedUntilSeconds = 0
    }
    keep(account, lock)
  }

  /// Removes an attempt that was not evaluated.
  mutating func abandon(account: CounterKey) {
    guard var lock = locks.value(account) ?? accounts.value(account) else { return }
    lock.removeAttempt(limits)
    keep(account, lock)
  }

  mutating func forget(account: CounterKey) { keep(account, .none) }

  /// Seconds that the account's next attempt has to wait; 0 for none.
  mutating func waitSeconds(account: CounterKey, now: Instant) -> Int64 {
    let lock = (locks.value(account) ?? .none).settled(now: now, limits)
    return max(0, lock.lockedUntilSeconds - now.wallMilliseconds / 1000)
  }

  /// Removes some expired locks, so that they do not stay in the file for ever.
  mutating func forgetOldLocks(now: Instant) {
    for _ in 0..<2 {
      guard let last = locks.last, last.value.settled(now: now, limits) == .none else { return }
      locks.remove(last.key)
      unsaved.append((last.key.text, nil))
    }
  }

  private mutating func keep(_ key: CounterKey, _ lock: AccountLock) {
    if lock.hasUsedUpFreeFailures(limits) {
      accounts.remove(key)
      setLock(key, lock, isSaved: false)
    } else {
      if locks.remove(key) != nil { unsaved.append((key.text, nil)) }
      if lock.failures == 0 { accounts.remove(key) } else { accounts.set(key, lock) }
    }
  }

  private mutating func setLock(_ key: CounterKey, _ lock: AccountLock, isSaved: Bool) {
    if let forgotten = locks.set(key, lock) { unsaved.append((forgotten.key.text, nil)) }
    if !isSaved { unsaved.append((key.text, lock)) }
  }

  /// Returns the locks to save now. Nil when there are none, or when another thread is saving: two could save one
  /// account's states in the wrong order.
  mutating func beginSaving() -> [(key: String, lock: AccountLock?)]? {
    guard !isSaving, !unsaved.isEmpty else { return nil }
    isSaving = true
    defer { unsaved = [] }
    return unsaved
  }

  mutating func endSaving() { isSaving = false }

  /// Counters in memory.
  var count: Int {
    networks.count + recipients.count + codes.count + messages.count + accounts.count + locks.count + known.count
  }
}
