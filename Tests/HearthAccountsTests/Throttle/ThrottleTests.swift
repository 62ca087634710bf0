import HearthEngine
import Testing

@testable import HearthAccounts

@Suite("Throttling of passwords")
struct ThrottleTests {
  @Test("Security 17: after ten failures an account waits, twice as long each time, never longer than the limit")
  func lock() {
    let fixture = ThrottleFixture(ThrottleFixture.accountsOnly)
    for _ in 0..<10 { #expect(fixture.fail()) }
    var delays: [Int64] = []
    for _ in 0..<14 {
      guard case .refused(let seconds) = fixture.begin() else {
        Issue.record("not locked")
        return
      }
      delays.append(seconds)
      // The correct password is refused as well, until one second before the end of the lock.
      fixture.advance(seconds: seconds - 1)
      #expect(!fixture.succeed())
      fixture.advance(seconds: 1)
      #expect(fixture.fail())
    }
    #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900])
  }

  @Test("Security 17: other accounts are unaffected, and the lock ends")
  func lockEnds() {
    let fixture = ThrottleFixture(ThrottleFixture.accountsOnly)
    for _ in 0..<10 { #expect(fixture.fail()) }
    #expect(fixture.begin() == .refused(retryAfterSeconds: 1))
    #expect(fixture.succeed("ben@example.com"))
    fixture.advance(seconds: 1)
    #expect(fixture.succeed())
  }

  @Test("A lock ends at a whole second, at whatever fraction of a second it begins")
  func wholeSecond() {
    let throttle = Throttle(limits: ThrottleFixture.accountsOnly, addressKey: [1], restored: [:], persist: { _, _ in })
    func begin(_ milliseconds: Int64) -> Throttle.Admission {
      throttle.beginPasswordAttempt(
        account: "a", address: "", now: Instant(wallMilliseconds: milliseconds, monotonicMilliseconds: milliseconds))
    }
    for _ in 0..<10 { #expect(begin(1_000_999) == .allowed) }
    #expect(begin(1_001_998) != .allowed)
    #expect(begin(1_002_000) == .allowed)
  }

  @Test("The failure that caused a lock is reported for the audit trail")
  func lockIsTold() {
    let fixture = ThrottleFixture(ThrottleFixture.accountsOnly)
    var waits: [Int64?] = []
    for _ in 0..<10 {
      #expect(fixture.begin() == .allowed)
      waits.append(fixture.throttle.passwordFailed(account: "ann@example.com", address: "192.0.2.1", now: fixture.now))
    }
    #expect(waits == [nil, nil, nil, nil, nil, nil, nil, nil, nil, 1])
  }

  @Test("After twelve quiet hours all failures are forgotten")
  func forgotten() {
    let fixture = ThrottleFixture(ThrottleFixture.accountsOnly)
    for _ in 0..<10 { #expect(fixture.fail()) }
    fixture.advance(seconds: 43_201)
    for _ in 0..<10 { #expect(fixture.fail()) }
    #expect(fixture.begin() == .refused(retryAfterSeconds: 1))
  }

  @Test("A correct password does not count as an attempt: signing in is not limited")
  func success() {
    let fixture = ThrottleFixture()
    for _ in 0..<200 { #expect(fixture.succeed()) }
    #expect(fixture.locks.all.isEmpty)
  }

  @Test("Failures are reset by a correct password from a known network, not from a new one")
  func knownNetwork() {
    let fixture = ThrottleFixture(ThrottleFixture.accountsOnly)
    #expect(fixture.succeed(from: "198.51.100.1"))
    for _ in 0..<9 { #expect(fixture.fail(from: "192.0.2.7")) }
    #expect(fixture.succeed(from: "203.0.113.5"))
    #expect(fixture.fail(from: "192.0.2.7"))
    #expect(fixture.begin(from: "192.0.2.7") == .refused(retryAfterSeconds: 1), "nine were still counted")
    fixture.advance(seconds: 1)
    #expect(fixture.succeed(from: "198.51.100.1"))
    for _ in 0..<10 { #expect(fixture.fail(from: "192.0.2.7")) }
    #expect(fixture.locks.all.count == 1)
  }

  @Test("An attempt whose password was not checked does not count")
  func abandoned() {
    let fixture = ThrottleFixture()
    for _ in 0..<100 {
      #expect(fixture.begin() == .allowed)
      fixture.throttle.attemptAbandoned(account: "ann@example.com", address: "192.0.2.1", now: fixture.now)
    }
    for _ in 0..<10 { #expect(fixture.fail()) }
    #expect(fixture.begin() != .allowed)
  }

  @Test("Security 18: of fifty guesses at the same time no more than the limit are evaluated")
  func parallel() async {
    let fixture = ThrottleFixture(ThrottleFixture.accountsOnly)
    let admitted = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<50 { group.addTask { fixture.begin(from: "192.0.2.\(number)") == .allowed } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(admitted == 10)
    // Nor when their outcomes arrive one by one in between.
    fixture.throttle.passwordFailed(account: "ann@example.com", address: "192.0.2.1", now: fixture.now)
    #expect(fixture.begin() != .allowed)
  }

  @Test("Security 18: fifty attempts at once from one address do not exceed the limit, for any accounts")
  func parallelAddress() async {
    var limits = ThrottleLimits()
    limits.addressAccounts = 1_000
    let fixture = ThrottleFixture(limits)
    let admitted = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<50 { group.addTask { fixture.begin("user\(number)@example.com") == .allowed } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(admitted == 30)
  }

  @Test("An address may fail thirty times, then once in ten seconds")
  func address() {
    let fixture = ThrottleFixture()
    for number in 0..<30 { #expect(fixture.fail("user\(number % 15)@example.com")) }
    #expect(fixture.begin() == .refused(retryAfterSeconds: 10))
    #expect(fixture.fail(from: "192.0.2.2"), "another address")
    fixture.advance(seconds: 9)
    #expect(fixture.begin() == .refused(retryAfterSeconds: 1))
    fixture.advance(seconds: 1)
    #expect(fixture.fail())
    #expect(fixture.begin() == .refused(retryAfterSeconds: 10))
    fixture.advance(seconds: 300)
    for number in 0..<30 { #expect(fixture.fail("other\(number % 4)@example.com")) }
    #expect(!fixture.fail("other9@example.com"))
  }

  @Test("An attempt that is refused for its address does not count for the account")
  func refusedAddress() {
    let fixture = ThrottleFixture()
    for number in 0..<30 { #expect(fixture.fail("user\(number % 15)@example.com")) }
    for _ in 0..<100 { #expect(!fixture.fail("ann@example.com")) }
    for _ in 0..<10 { #expect(fixture.fail("ann@example.com", from: "192.0.2.2")) }
  }

  @Test("An address may fail for twenty accounts in ten minutes, and no more")
  func spraying() {
    let fixture = ThrottleFixture()
    for number in 0..<20 { #expect(fixture.fail("user\(number)@example.com")) }
    #expect(fixture.begin("user20@example.com") == .refused(retryAfterSeconds: 600))
    #expect(fixture.fail("user3@example.com"), "one of the twenty")
    #expect(fixture.fail("user20@example.com", from: "192.0.2.2"))
    fixture.advance(seconds: 600)
    #expect(fixture.fail("user20@example.com"))
  }

  @Test("Many users behind one address sign in without being counted")
  func sharedAddress() {
    let fixture = ThrottleFixture()
    for number in 0..<500 { #expect(fixture.succeed("user\(number)@example.com")) }
  }

  @Test("Security 19: an IPv6 customer's network is one client, with all of its addresses")
  func wholeNetwork() {
    let fixture = ThrottleFixture()
    for number in 0..<30 { #expect(fixture.fail("user\(number % 15)@example.com", from: "2001:db8:0:1::\(number)")) }
    #expect(!fixture.fail(from: "2001:db8:0:1:ffff:ffff:ffff:ffff"))
    #expect(fixture.fail(from: "2001:db8:0:2::1"))
  }

  @Test("Security 19: all networks of a /48 together may fail sixteen times as often as one")
  func provider() {
    let fixture = ThrottleFixture()
    let count = (0..<1_000).count { number in
      fixture.fail("user\(number)@example.com", from: "2001:db8:7:\(String(number, radix: 16))::1")
    }
    #expect(count == 16 * 20, "as many accounts as sixteen clients have in ten minutes")
    #expect(fixture.fail("ann@example.com", from: "2001:db8:8::1"), "others are unaffected")
  }

  @Test("Security 22: an account has one counter, however its e-mail address is written")
  func canonical() throws {
    let fixture = ThrottleFixture(ThrottleFixture.accountsOnly)
    let spellings = ["Ann@Example.com", "ann@example.com", "ANN@EXAMPLE.COM", "Ann@EXAMPLE.com"]
    for number in 0..<10 {
      #expect(fixture.fail(try #require(EmailAddress.canonical(spellings[number % 4]))))
    }
    for spelling in spellings { #expect(!fixture.fail(try #require(EmailAddress.canonical(spelling)))) }
  }
}
