import HearthEngine
import Testing

@testable import HearthAccounts

@Suite("The memory of the throttle")
struct ThrottleMemoryTests {
  @Test("Security 21: memory is bounded for any number of addresses and accounts")
  func memory() {
    var limits = ThrottleLimits()
    limits.countersMax = 3_000
    let fixture = ThrottleFixture(limits)
    // The account and the network differ each time.
    for number in 0..<100_000 {
      _ = fixture.begin("user\(number)@example.com", from: "10.\(number >> 16).\(number >> 8 & 255).\(number & 255)")
    }
    #expect(fixture.throttle.count <= 3_000)
    #expect(fixture.throttle.count >= 900)
  }

  @Test("Security 21: failures of many accounts do not evict the lock of one")
  func lockStays() {
    var limits = ThrottleFixture.accountsOnly
    limits.countersMax = 600
    let fixture = ThrottleFixture(limits)
    for _ in 0..<10 { #expect(fixture.fail()) }
    for number in 0..<5_000 { _ = fixture.begin("user\(number)@example.com", from: "198.51.100.1") }
    #expect(fixture.begin() == .refused(retryAfterSeconds: 1))
  }

  @Test("Security 21: the number of locks is bounded, in memory and in the file")
  func locksAreBounded() {
    var limits = ThrottleFixture.accountsOnly
    limits.countersMax = 600
    limits.accountFailuresFree = 1
    let fixture = ThrottleFixture(limits)
    for number in 0..<1_000 { _ = fixture.fail("user\(number)@example.com") }
    #expect(fixture.locks.all.count == 100)
    #expect(fixture.begin("user999@example.com") != .allowed)
  }

  @Test("Locks survive a restart and do not identify their accounts")
  func restart() throws {
    let fixture = ThrottleFixture(ThrottleFixture.accountsOnly)
    for _ in 0..<9 { #expect(fixture.fail()) }
    #expect(fixture.locks.all.isEmpty, "failures that are free are not worth a write")
    #expect(fixture.fail())
    fixture.advance(seconds: 1)
    #expect(fixture.fail())
    let saved = fixture.locks.all
    let (key, lock) = try #require(saved.first)
    #expect(saved.count == 1)
    #expect(lock.failures == 11)
    #expect(key.utf8.count == 32 && !key.contains("ann"))

    let next = ThrottleFixture(ThrottleFixture.accountsOnly, restored: saved)
    #expect(next.begin() == .refused(retryAfterSeconds: 3), "its clock is one second behind, its wait is two")
    next.advance(seconds: 3)
    #expect(next.fail())
    #expect(next.begin() == .refused(retryAfterSeconds: 4))
  }

  @Test("An expired lock is removed from the file")
  func cleaned() {
    let fixture = ThrottleFixture(ThrottleFixture.accountsOnly)
    for _ in 0..<10 { #expect(fixture.fail()) }
    for _ in 0..<10 { #expect(fixture.fail("ben@example.com")) }
    #expect(fixture.locks.all.count == 2)
    fixture.advance(seconds: 43_202)
    #expect(fixture.succeed("cat@example.com"))
    #expect(fixture.locks.all.isEmpty)

    for _ in 0..<10 { #expect(fixture.fail()) }
    fixture.advance(seconds: 1)
    #expect(fixture.succeed(from: "198.51.100.1"))
    fixture.advance(seconds: 1)
    #expect(fixture.succeed(from: "198.51.100.1"))
    #expect(fixture.locks.all.isEmpty, "a right password from a network that is known")
  }

  @Test("Invalid saved records are dropped, and a lock from a wrong clock is shortened")
  func badLocks() {
    let fixture = ThrottleFixture(ThrottleFixture.accountsOnly)
    for _ in 0..<10 { #expect(fixture.fail()) }
    var saved = fixture.locks.all.mapValues { lock in
      AccountLock(failures: .max, lockedUntilSeconds: .max, lastFailureSeconds: .max - lock.failures)
    }
    saved["not a key"] = AccountLock(failures: 1, lockedUntilSeconds: 0, lastFailureSeconds: 0)
    saved["ABCDEF0123456789ABCDEF0123456789"] = AccountLock(failures: 1, lockedUntilSeconds: 0, lastFailureSeconds: 0)
    let next = ThrottleFixture(ThrottleFixture.accountsOnly, restored: saved)
    guard case .refused(let seconds) = next.begin() else {
      Issue.record("not locked")
      return
    }
    #expect(seconds <= 901)
    next.advance(seconds: seconds)
    #expect(next.fail())
    #expect(next.locks.all.count == 1)
  }

  @Test("The saved state is the last one under concurrent saves")
  func savingOrder() async {
    let fixture = ThrottleFixture(ThrottleFixture.accountsOnly)
    let accounts = (0..<5).map { "user\($0)@example.com" }
    for account in accounts { for _ in 0..<10 { #expect(fixture.fail(account)) } }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<400 {
        group.addTask {
          let account = accounts[number % 5]
          // Clears failures, and locks again.
          fixture.throttle.passwordSucceeded(account: account, address: "198.51.100.\(number)", now: fixture.now)
          _ = fixture.fail(account)
        }
      }
    }
    let next = ThrottleFixture(ThrottleFixture.accountsOnly, restored: fixture.locks.all)
    for account in accounts where fixture.begin(account) != .allowed {
      #expect(next.begin(account) != .allowed, "\(account) is not locked after a restart")
    }
    #expect(fixture.locks.all.values.allSatisfy { $0.failures >= 10 })
  }
}
