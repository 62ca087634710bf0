import HearthCrypto
import HearthPlugin
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts

/// The table of foreign tokens with a simulated clock.
private struct TableHarness {
  var table: ForeignTokenTable
  var now: Int64 = 1_000_000
  let notified = NotifiedWaiters()

  /// The notified waiters in order.
  final class NotifiedWaiters: Sendable {
    private let tokens = Mutex<[String]>([])
    var all: [String] { tokens.withLock { $0 } }
    func add(_ token: String) { tokens.withLock { $0.append(token) } }
  }

  init(_ change: (inout ForeignTokenLimits) -> Void = { _ in }) {
    var limits = ForeignTokenLimits()
    change(&limits)
    table = ForeignTokenTable(limits)
  }

  static func key(_ token: String, _ verifier: String = "v") -> ForeignTokenTable.Key {
    .init(verifier: verifier, digest: Digest(sha256: token.utf8).hex)
  }

  static func credential(_ token: String, uid: String, serial: UInt64, expires: Int64 = 9_000) -> VerifiedCredential {
    VerifiedCredential(
      ForeignTokenSubject(uid: uid, signInProvider: "custom", expiresAtSeconds: expires),
      voucher: TokenVoucher(verifier: "v", digest: key(token).digest, serial: serial))
  }

  /// The numbers of requests, waiters and networks with state.
  var counts: [Int] {
    let load = table.load
    return [load.questions, load.waiters, load.networks]
  }

  mutating func lookUp(_ token: String, from address: String = "192.0.2.1") -> ForeignTokenTable.Lookup {
    table.lookUp(
      Self.key(token), from: ClientNetwork(address), nowMilliseconds: now, nowSeconds: now / 1_000,
      notify: { [notified] in notified.add(token) }
    )
  }

  /// Looks up a token whose verifier is asked now; returns its waiter and the request's number.
  mutating func ask(_ token: String, from address: String = "192.0.2.1") throws -> (waiter: UInt64, serial: UInt64) {
    guard case .asks(let waiter, let serial) = lookUp(token, from: address) else { throw UnexpectedLookup() }
    return (waiter, serial)
  }

  mutating func answer(_ token: String, _ outcome: ForeignTokenOutcome, cacheMilliseconds: Int64 = 0) {
    let notifications = table.answer(
      Self.key(token), outcome, cacheMilliseconds: cacheMilliseconds, nowMilliseconds: now)
    for notify in notifications { notify() }
  }

  /// Looks up a token, answers with this user, and handles the answer.
  mutating func remember(_ token: String, uid: String, cacheMilliseconds: Int64) throws {
    let asked = try ask(token)
    answer(
      token, .accepted(Self.credential(token, uid: uid, serial: asked.serial)), cacheMilliseconds: cacheMilliseconds)
    _ = table.take(asked.waiter)
  }
}

private struct UnexpectedLookup: Error {}

@Suite struct ForeignTokenTableTests {
  @Test("a verification is cached as long as its verifier says, and not longer")
  func remembers() throws {
    var harness = TableHarness()
    try harness.remember("a", uid: "ann", cacheMilliseconds: 5_000)
    harness.now += 4_999
    guard case .known(.accepted(let credential)) = harness.lookUp("a") else { throw UnexpectedLookup() }
    #expect(credential.uid == "ann")
    harness.now += 1
    _ = try harness.ask("a")
  }

  @Test("an uncacheable verification is requested each time; refusals are cached for a time of their own")
  func forgets() throws {
    var harness = TableHarness()
    try harness.remember("a", uid: "ann", cacheMilliseconds: 0)
    let again = try harness.ask("a")
    harness.answer("a", .refused(.invalid), cacheMilliseconds: 1_000)
    #expect(harness.table.take(again.waiter) == .refused(.invalid))
    #expect(harness.lookUp("a") == .known(.refused(.invalid)))
    harness.now += 1_000
    let third = try harness.ask("a")
    harness.answer("a", .undecided("is not running"), cacheMilliseconds: 60_000)
    #expect(harness.table.take(third.waiter) == .undecided("is not running"))
    _ = try harness.ask("a")
    #expect(harness.counts == [1, 1, 1])
  }

  @Test("a remembered verification expires with the token")
  func expires() throws {
    var harness = TableHarness()
    let asked = try harness.ask("a")
    let credential = TableHarness.credential("a", uid: "ann", serial: asked.serial, expires: 1_002)
    harness.answer("a", .accepted(credential), cacheMilliseconds: 60_000)
    #expect(harness.lookUp("a") == .known(.accepted(credential)))
    harness.now = 1_002_000
    #expect(harness.lookUp("a") == .known(.refused(.expired)))
  }

  @Test("equal verifications are requested once, and all callers get the result")
  func joins() throws {
    var harness = TableHarness()
    let first = try harness.ask("a")
    guard case .waits(let second) = harness.lookUp("a", from: "192.0.2.2") else { throw UnexpectedLookup() }
    let credential = TableHarness.credential("a", uid: "ann", serial: 0)
    harness.answer("a", .accepted(credential))
    #expect(harness.notified.all == ["a", "a"])
    #expect(harness.table.take(first.waiter) == .accepted(credential))
    #expect(harness.table.take(second) == .accepted(credential))
    #expect(harness.table.take(second) == .undecided("was not called"))
    #expect(harness.counts == [0, 0, 0])
  }

  @Test("requests and waiters are bounded, in all and for each network")
  func bounded() throws {
    var harness = TableHarness {
      $0.questionsMax = 3
      $0.waitersMax = 4
      $0.waitersPerNetworkMax = 2
    }
    let first = try harness.ask("a")
    _ = try harness.ask("b")
    #expect(harness.lookUp("c") == .full)
    _ = try harness.ask("c", from: "192.0.2.2")
    #expect(harness.lookUp("d", from: "192.0.2.3") == .full)
    guard case .waits = harness.lookUp("a", from: "192.0.2.3") else { throw UnexpectedLookup() }
    #expect(harness.lookUp("a", from: "192.0.2.4") == .full)
    harness.answer("a", .refused(.invalid))
    _ = harness.table.take(first.waiter)
    _ = try harness.ask("d")
  }

  @Test("a slow verifier, or one network, leaves capacity to others")
  func shares() throws {
    var harness = TableHarness {
      $0.questionsPerVerifierMax = 3
      $0.questionsPerNetworkMax = 2
    }
    _ = try harness.ask("a")
    _ = try harness.ask("b")
    #expect(harness.lookUp("c") == .full)
    _ = try harness.ask("c", from: "192.0.2.2")
    #expect(harness.lookUp("d", from: "192.0.2.3") == .full)
    guard
      case .asks = harness.table.lookUp(
        TableHarness.key("d", "w"), from: ClientNetwork("192.0.2.3"), nowMilliseconds: 0, nowSeconds: 0, notify: {})
    else { throw UnexpectedLookup() }
    harness.answer("a", .refused(.invalid))
    _ = try harness.ask("e")
  }

  @Test("the networks of one /48 leave requests to others")
  func sites() throws {
    var harness = TableHarness()
    var asked = 0
    for network in 0..<200 {
      for number in 0..<40 {
        let shown = harness.lookUp("\(network) \(number)", from: "2001:db8:1:\(String(network, radix: 16))::1")
        if case .asks = shown { asked += 1 }
      }
    }
    #expect(asked == ForeignTokenLimits().questionsPerSiteMax)
    _ = try harness.ask("another's", from: "198.51.100.1")
    // Nor do the waiters for one answer exhaust the common limit.
    var waiting = 0
    for number in 0..<5_000 {
      let shown = harness.lookUp("another's", from: "2001:db8:2:\(String(number % 2_000, radix: 16))::1")
      if case .waits = shown { waiting += 1 }
    }
    #expect(waiting == ForeignTokenLimits().waitersPerSiteMax)
    guard case .waits = harness.lookUp("another's", from: "198.51.100.2") else { throw UnexpectedLookup() }
  }

  @Test("the cache of tokens is bounded in number and bytes, and refusals do not evict accepted tokens")
  func memory() throws {
    var harness = TableHarness {
      $0.acceptedMax = 10
      $0.acceptedBytesMax = 2_000
      $0.refusedMax = 5
    }
    for number in 0..<50 { try harness.remember("t\(number)", uid: "u\(number)", cacheMilliseconds: 60_000) }
    #expect(harness.table.cache.acceptedBytes <= 2_000)
    let count = harness.table.cache.count
    #expect((1...10).contains(count))
    for number in 0..<50 {
      let asked = try harness.ask("no\(number)")
      harness.answer("no\(number)", .refused(.invalid), cacheMilliseconds: 60_000)
      _ = harness.table.take(asked.waiter)
    }
    #expect(harness.table.cache.count == count + 5)
    guard case .known(.accepted) = harness.lookUp("t49") else { throw UnexpectedLookup() }
  }

  @Test(
    "a revocation removes cached verifications by token, by user, or all",
    arguments: [
      (TokenRevocation(digests: [TableHarness.key("a").digest]), ["a"]), (TokenRevocation(uids: ["ann"]), ["a", "b"]),
      (TokenRevocation(digests: [TableHarness.key("c").digest], uids: ["ann"]), ["a", "b", "c"]),
      (.everything, ["a", "b", "c"]),
    ])
  func revokes(revocation: TokenRevocation, ended: [String]) throws {
    var harness = TableHarness()
    for (token, uid) in [("a", "ann"), ("b", "ann"), ("c", "cid")] {
      try harness.remember(token, uid: uid, cacheMilliseconds: 60_000)
    }
    #expect(harness.table.revoke(revocation, of: "another") == 1)
    #expect(harness.table.cache.count == 3)
    #expect(harness.table.revoke(revocation, of: "v") == 1)
    for token in ["a", "b", "c"] {
      switch harness.lookUp(token) {
      case .known(.accepted): #expect(!ended.contains(token))
      case .asks: #expect(ended.contains(token))
      default: Issue.record("\(token)")
      }
    }
  }

  @Test("a revocation takes precedence over a result requested before it", arguments: [true, false])
  func winsOverQuestions(byUser: Bool) throws {
    var harness = TableHarness()
    let (a, b) = (try harness.ask("a"), try harness.ask("b"))
    let digest = TableHarness.key("a").digest
    _ = harness.table.revoke(byUser ? TokenRevocation(uids: ["ann"]) : TokenRevocation(digests: [digest]), of: "v")
    harness.answer(
      "a", .accepted(TableHarness.credential("a", uid: "ann", serial: a.serial)), cacheMilliseconds: 60_000)
    harness.answer(
      "b", .accepted(TableHarness.credential("b", uid: "bob", serial: b.serial)), cacheMilliseconds: 60_000)
    #expect(harness.table.take(a.waiter) == .refused(.expired))
    guard case .accepted = harness.table.take(b.waiter) else { throw UnexpectedLookup() }
    // The result is not cached, and a later request is not affected.
    let again = try harness.ask("a")
    #expect(again.serial == 1)
    harness.answer("a", .accepted(TableHarness.credential("a", uid: "ann", serial: again.serial)))
    guard case .accepted = harness.table.take(again.waiter) else { throw UnexpectedLookup() }
  }

  @Test("a revocation takes precedence over an answer that is not yet delivered")
  func winsOverAnswers() throws {
    var harness = TableHarness()
    let asked = try harness.ask("a")
    harness.answer("a", .accepted(TableHarness.credential("a", uid: "ann", serial: asked.serial)))
    _ = harness.table.revoke(TokenRevocation(uids: ["ann"]), of: "v")
    #expect(harness.table.take(asked.waiter) == .refused(.expired))
  }

  @Test("too many revocations void the pending requests and occupy no memory")
  func tooMany() throws {
    var harness = TableHarness { $0.revocationsMax = 10 }
    let asked = try harness.ask("a")
    for number in 0..<20 { _ = harness.table.revoke(TokenRevocation(uids: ["u\(number)"]), of: "v") }
    harness.answer(
      "a", .accepted(TableHarness.credential("a", uid: "ann", serial: asked.serial)), cacheMilliseconds: 60_000)
    guard case .undecided = harness.table.take(asked.waiter) else { throw UnexpectedLookup() }
    #expect(harness.table.cache.count == 0)
  }

  @Test("a cancelled waiter is removed")
  func gone() throws {
    var harness = TableHarness()
    let asked = try harness.ask("a")
    #expect(harness.table.take(asked.waiter) == .undecided("did not answer"))
    harness.answer("a", .refused(.invalid))
    #expect(harness.notified.all.isEmpty)
    #expect(harness.counts == [0, 0, 0])
  }

  @Test("when a verifier's configuration changes, its cached tokens are dropped, and no others")
  func forgetsOne() throws {
    var harness = TableHarness()
    try harness.remember("a", uid: "ann", cacheMilliseconds: 60_000)
    harness.table.forget("another")
    #expect(harness.table.cache.count == 1)
    harness.table.forget("v")
    #expect(harness.table.cache.count == 0)
  }
}
