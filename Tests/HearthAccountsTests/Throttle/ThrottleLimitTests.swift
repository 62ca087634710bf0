import HearthEngine
import Testing

@testable import HearthAccounts

@Suite("Throttling of sign-ups, mails, codes and provider credentials")
struct ThrottleLimitTests {
  @Test("New accounts of one client are limited by the hour, anonymous ones on their own")
  func signUps() {
    let fixture = ThrottleFixture()
    func admit(_ address: String = "192.0.2.1", anonymous: Bool = false) -> Bool {
      fixture.throttle.admitSignUp(address: address, isAnonymous: anonymous, now: fixture.now)
    }
    for _ in 0..<100 { #expect(admit()) }
    #expect(!admit())
    for _ in 0..<60 { #expect(admit(anonymous: true)) }
    #expect(!admit(anonymous: true))
    #expect(admit("192.0.2.2"))
    fixture.advance(seconds: 3_599)
    #expect(!admit())
    fixture.advance(seconds: 600)
    #expect(admit())
  }

  @Test("No period of an hour has more than the limit")
  func slidingHour() {
    var limits = ThrottleLimits()
    limits.signUpsPerHour = 10
    let fixture = ThrottleFixture(limits)
    var admitted: [Int64] = []
    for _ in 0..<2_000 {
      if fixture.throttle.admitSignUp(address: "192.0.2.1", isAnonymous: false, now: fixture.now) {
        admitted.append(fixture.now.wallMilliseconds / 1000)
      }
      fixture.advance(seconds: 17)
    }
    for first in admitted { #expect(admitted.filter { $0 >= first && $0 < first + 3_600 }.count <= 10) }
    #expect(admitted.count >= 75, "and nearly as many are let through: \(admitted.count)")
  }

  @Test("Mails: one a minute and five an hour to one address")
  func mailsToOne() {
    let fixture = ThrottleFixture()
    func admit(_ number: Int = 1) -> Bool {
      fixture.throttle.admitMail(to: "ann@example.com", address: "192.0.2.\(number)", now: fixture.now)
    }
    #expect(admit(1))
    #expect(!admit(2))
    fixture.advance(seconds: 59)
    #expect(!admit(3))
    fixture.advance(seconds: 1)
    for number in 4..<8 {
      #expect(admit(number))
      fixture.advance(seconds: 60)
    }
    #expect(!admit(9), "five")
    fixture.advance(seconds: 4_000)
    #expect(admit(10))
  }

  @Test("Mails: thirty an hour for one client, and a daily number for all")
  func mailsOfOne() {
    var limits = ThrottleLimits()
    limits.mailsPerDay = 60
    let fixture = ThrottleFixture(limits)
    for number in 0..<30 {
      #expect(fixture.throttle.admitMail(to: "user\(number)@example.com", address: "192.0.2.1", now: fixture.now))
    }
    #expect(!fixture.throttle.admitMail(to: "user30@example.com", address: "192.0.2.1", now: fixture.now))
    for number in 30..<45 {
      #expect(fixture.throttle.admitMail(to: "user\(number)@example.com", address: "192.0.2.2", now: fixture.now))
    }
    #expect(!fixture.throttle.admitMail(to: "user45@example.com", address: "192.0.2.2", now: fixture.now))
    fixture.advance(seconds: 100_000)
    #expect(fixture.throttle.admitMail(to: "user40@example.com", address: "192.0.2.3", now: fixture.now))
  }

  @Test("Mails: the number a minute for one address is a setting; resets are counted separately")
  func mailsOfOneMinute() {
    let fixture = ThrottleFixture()
    func admits(_ isReset: Bool) -> Bool {
      fixture.throttle.admitMail(
        to: "ann@example.com", isReset ? .reset : .other, address: "192.0.2.1", now: fixture.now)
    }
    #expect(admits(false) && !admits(false))
    #expect(admits(true), "a verification went out before it")
    #expect(!admits(true) && !admits(false))
    for _ in 0..<4 {
      fixture.advance(seconds: 60)
      #expect(admits(false))
    }
    fixture.advance(seconds: 60)
    #expect(!admits(false), "five in the hour")
    #expect(admits(true))
    var limits = ThrottleLimits()
    limits.mailsPerAddressPerMinute = 3
    let looser = ThrottleFixture(limits)
    for number in 0..<4 {
      let isAdmitted = looser.throttle.admitMail(to: "ann@example.com", address: "192.0.2.1", now: looser.now)
      #expect(isAdmitted == (number < 3))
    }
    looser.advance(seconds: 20)
    #expect(looser.throttle.admitMail(to: "ann@example.com", address: "192.0.2.1", now: looser.now))
  }

  @Test("A refused mail is not counted in any other limit")
  func refusedMail() {
    let fixture = ThrottleFixture()
    #expect(fixture.throttle.admitMail(to: "ann@example.com", address: "192.0.2.1", now: fixture.now))
    for _ in 0..<100 {
      #expect(!fixture.throttle.admitMail(to: "ann@example.com", address: "192.0.2.1", now: fixture.now))
    }
    for number in 0..<29 {
      #expect(fixture.throttle.admitMail(to: "user\(number)@example.com", address: "192.0.2.1", now: fixture.now))
    }
  }

  @Test("Codes: fifteen tries a minute for one account")
  func codes() {
    let fixture = ThrottleFixture()
    for _ in 0..<15 { #expect(fixture.throttle.admitCodeTry(account: "uid", now: fixture.now)) }
    #expect(!fixture.throttle.admitCodeTry(account: "uid", now: fixture.now))
    #expect(fixture.throttle.admitCodeTry(account: "uie", now: fixture.now))
    fixture.advance(seconds: 70)
    #expect(fixture.throttle.admitCodeTry(account: "uid", now: fixture.now))
  }

  @Test("Provider credentials: thirty refused ones a minute, and no limit for correct ones")
  func credentials() {
    let fixture = ThrottleFixture()
    for _ in 0..<1_000 { #expect(fixture.throttle.admitCredential(address: "192.0.2.1", now: fixture.now)) }
    for _ in 0..<30 {
      #expect(fixture.throttle.admitCredential(address: "192.0.2.1", now: fixture.now))
      fixture.throttle.credentialRefused(address: "192.0.2.1", now: fixture.now)
    }
    #expect(!fixture.throttle.admitCredential(address: "192.0.2.1", now: fixture.now))
    #expect(!fixture.throttle.admitCredential(address: "::ffff:192.0.2.1", now: fixture.now))
    #expect(fixture.throttle.admitCredential(address: "192.0.2.2", now: fixture.now))
    fixture.advance(seconds: 70)
    #expect(fixture.throttle.admitCredential(address: "192.0.2.1", now: fixture.now))
  }

  @Test("A limit of zero refuses every attempt")
  func nothing() {
    var limits = ThrottleLimits()
    limits.signUpsPerHour = 0
    limits.mailsPerAddressPerHour = 0
    let fixture = ThrottleFixture(limits)
    #expect(!fixture.throttle.admitSignUp(address: "192.0.2.1", isAnonymous: false, now: fixture.now))
    #expect(!fixture.throttle.admitMail(to: "ann@example.com", address: "192.0.2.1", now: fixture.now))
  }

  @Test(
    "Clients are counted by their network",
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:0:1::5", "2001:db8:0:1::/64"),
      ("2001:0DB8:0:1:ffff::1", "2001:db8:0:1::/64"), ("fe80::1%eth0", "fe80:0:0:0::/64"), ("::1", "0:0:0:0::/64"),
      ("", ""), ("unix", "unix"), ("192.0.2.1.5", "192.0.2.1.5"),
    ])
  func networks(address: String, network: String) {
    #expect(ClientNetwork(address).text == network)
  }

  @Test("An address of any length becomes a short key")
  func longAddress() {
    #expect(ClientNetwork(String(repeating: "é", count: 10_000)).text.utf8.count <= 64)
  }
}
