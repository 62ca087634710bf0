import HearthCrypto
import HearthPlugin
import HearthTree

/// The cached outcomes, pending questions and revocations of tokens that the server did not issue.
///
/// A state machine without clocks, tasks and verifiers. A revocation ends cached outcomes, pending questions, and
/// answers that a waiter has not yet taken: so an outdated answer never arrives after it.
struct ForeignTokenTable {
  typealias Key = ForeignTokenCache.Key

  /// A question to a verifier.
  private struct Question {
    /// The number of the verifier's last revocation before the question.
    var serial: UInt64
    var waiters: [UInt64]
    /// The network of the client that caused the question.
    var network: ClientNetwork
    /// True when too many revocations arrived meanwhile to check the answer against them.
    var isVoid = false
  }

  /// A request or socket that waits for the outcome of a token.
  private struct Waiter {
    var key: Key
    var network: ClientNetwork
    /// The outcome; nil while the verifier is being asked.
    var outcome: ForeignTokenOutcome?
    var notify: @Sendable () -> Void
  }

  /// The revocations that answers to pending questions must be checked against.
  private struct History {
    var serial: UInt64 = 0
    var recent: [(serial: UInt64, revocation: TokenRevocation)] = []
  }

  private let limits: ForeignTokenLimits
  private(set) var cache: ForeignTokenCache
  private var questions: [Key: Question] = [:]
  private var waiters: [UInt64: Waiter] = [:]
  /// Waiters by network, and by the /24 or /48 around it.
  private var networks: [String: Int] = [:]
  private var sites: [NetworkPrefix: Int] = [:]
  private var histories: [String: History] = [:]
  private var lastWaiter: UInt64 = 0

  init(_ limits: ForeignTokenLimits = ForeignTokenLimits()) {
    self.limits = limits
    cache = ForeignTokenCache(limits)
  }

  /// The numbers of entries held for clients, by kind.
  var load: (questions: Int, waiters: Int, networks: Int) { (questions.count, waiters.count, networks.count) }

  // MARK: Presenting a token

  /// Returns the cached outcome that is still valid without asking the verifier; nil for none.
  mutating func cachedOutcome(_ key: Key, nowMilliseconds: Int64, nowSeconds: Int64) -> ForeignTokenOutcome? {
    let outcome = cache.outcome(key, nowMilliseconds: nowMilliseconds)
    if case .accepted(let credential)? = outcome, let end = credential.expiresAtSeconds, end <= nowSeconds {
      return .refused(.expired)
    }
    return outcome
  }

  /// The result of presenting a token.
  enum Lookup: Equatable {
    case known(ForeignTokenOutcome)
    /// Another request has asked already; the waiter is notified.
    case waits(UInt64)
    /// The verifier must be asked; the waiter is notified.
    case asks(UInt64, serial: UInt64)
    /// The limit of concurrent verifications is reached.
    case full
  }

  /// - Parameters:
  ///   - network: the network of the client that sent the token.
  ///   - nowSeconds: the time in seconds since 1970; a cached token whose end has passed is expired.
  ///   - notify: called once there is an outcome to take with ``take(_:)``.
  mutating func lookUp(
    _ key: Key, from network: ClientNetwork, nowMilliseconds: Int64, nowSeconds: Int64,
    notify: @escaping @Sendable () -> Void
  ) -> Lookup {
    if let outcome = cachedOutcome(key, nowMilliseconds: nowMilliseconds, nowSeconds: nowSeconds) {
      return .known(outcome)
    }
    let site = network.prefix.widest
    guard waiters.count < limits.waitersMax, networks[network.text, default: 0] < limits.waitersPerNetworkMax,
      sites[site, default: 0] < limits.waitersPerSiteMax
    else { return .full }
    guard questions[key] != nil || mayAsk(key.verifier, for: network) else { return .full }
    lastWaiter += 1
    waiters[lastWaiter] = Waiter(key: key, network: network, notify: notify)
    networks[network.text, default: 0] += 1
    sites[site, default: 0] += 1
    if questions[key]?.waiters.append(lastWaiter) != nil { return .waits(lastWaiter) }
    let serial = histories[key.verifier]?.serial ?? 0
    questions[key] = Question(serial: serial, waiters: [lastWaiter], network: network)
    return .asks(lastWaiter, serial: serial)
  }

  private func mayAsk(_ verifier: String, for network: ClientNetwork) -> Bool {
    questions.count < limits.questionsMax
      && questions.count { $0.key.verifier == verifier } < limits.questionsPerVerifierMax
      && questions.count { $0.value.network == network } < limits.questionsPerNetworkMax
      && questions.count { $0.value.network.prefix.widest == network.prefix.widest } < limits.questionsPerSiteMax
  }

  /// Takes the outcome that the waiter was notified of; it no longer waits. Must be called on the event loop, in the same turn in
  /// which the waiter's connection uses the outcome: a later revocation then finds the connection registered.
  mutating func take(_ id: UInt64) -> ForeignTokenOutcome {
    guard let waiter = waiters.removeValue(forKey: id) else { return .undecided("was not called") }
    let (network, site) = (waiter.network.text, waiter.network.prefix.widest)
    if let count = networks[network] { networks[network] = count > 1 ? count - 1 : nil }
    if let count = sites[site] { sites[site] = count > 1 ? count - 1 : nil }
    if waiter.outcome == nil { questions[waiter.key]?.waiters.removeAll { $0 == id } }
    return waiter.outcome ?? .undecided("did not answer")
  }

  // MARK: Answers

  /// Records a verifier's answer or its time-out.
  ///
  /// - Parameter cacheMilliseconds: the time for which the answer may be cached; 0 for an answer that may not be.
  /// - Returns: the notifications of the waiters, to be called.
  mutating func answer(
    _ key: Key, _ outcome: ForeignTokenOutcome, cacheMilliseconds: Int64, nowMilliseconds: Int64
  ) -> [@Sendable () -> Void] {
    guard let question = questions.removeValue(forKey: key) else { return [] }
    var outcome = outcome
    if case .accepted(let credential) = outcome {
      if question.isVoid {
        outcome = .undecided("revoked too many tokens during the request")
      } else if isRevoked(key, credential, since: question.serial) {
        outcome = .refused(.expired)
      } else if cacheMilliseconds > 0 {
        cache.set(key, outcome, untilMilliseconds: nowMilliseconds + cacheMilliseconds)
      }
    } else if cacheMilliseconds > 0 {
      cache.set(key, outcome, untilMilliseconds: nowMilliseconds + cacheMilliseconds)
    }
    prune(key.verifier)
    for id in question.waiters { waiters[id]?.outcome = outcome }
    return question.waiters.compactMap { waiters[$0]?.notify }
  }

  private func isRevoked(_ key: Key, _ credential: VerifiedCredential, since serial: UInt64) -> Bool {
    histories[key.verifier]?.recent.contains {
      $0.serial > serial && $0.revocation.includes(digest: key.digest, uid: credential.uid)
    } ?? false
  }

  // MARK: Revocations

  /// Revokes tokens of a verifier.
  ///
  /// - Returns: the number of the revocation: it applies to answers to questions with a lower one.
  mutating func revoke(_ revocation: TokenRevocation, of verifier: String) -> UInt64 {
    var history = histories[verifier] ?? History()
    history.serial += 1
    let asked = questions.keys.filter { $0.verifier == verifier }
    if !asked.isEmpty { history.recent.append((history.serial, revocation)) }
    let named = history.recent.reduce(0) { $0 + $1.revocation.digests.count + $1.revocation.uids.count }
    if history.recent.count > limits.revocationsMax || named > limits.revokedMax {
      for key in asked { questions[key]?.isVoid = true }
      history.recent = []
    }
    histories[verifier] = history
    cache.removeAccepted { key, credential in
      key.verifier == verifier && revocation.includes(digest: key.digest, uid: credential.uid)
    }
    for (id, waiter) in waiters where waiter.key.verifier == verifier {
      if case .accepted(let credential)? = waiter.outcome,
        revocation.includes(digest: waiter.key.digest, uid: credential.uid)
      {
        waiters[id]?.outcome = .refused(.expired)
      }
    }
    return history.serial
  }

  /// Drops a verifier's cached answers: its settings have changed.
  mutating func forget(_ verifier: String) { cache.removeAll(of: verifier) }

  /// Drops revocations that precede every pending question.
  private mutating func prune(_ verifier: String) {
    let oldest = questions.filter { $0.key.verifier == verifier }.map(\.value.serial).min()
    histories[verifier]?.recent.removeAll { revocation in oldest.map { revocation.serial <= $0 } ?? true }
  }
}
