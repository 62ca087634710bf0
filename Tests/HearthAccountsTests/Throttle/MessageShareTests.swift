import HearthEngine
import Testing

@testable import HearthAccounts

/// Tests that no client exhausts a day's mails, or a country's text messages.
@Suite struct MessageShareTests {
  /// Returns an address in a numbered /64 of a /48.
  private static func address(_ number: Int, provider: Int = 1) -> String {
    "2001:db8:\(provider):\(String(number, radix: 16))::7"
  }

  /// Returns the number of mails in a day for a /48 that uses another /64 and another recipient each time.
  private static func takeAllMails(_ fixture: ThrottleFixture, _ part: MailCategory = .other, provider: Int = 1) -> Int
  {
    var taken = 0
    for _ in 0..<23 {
      for number in 0..<1_000 {
        let (email, address) = ("u\(taken)-\(number)@\(provider).example", address(number, provider: provider))
        if fixture.throttle.admitMail(to: email, part, address: address, now: fixture.now) { taken += 1 }
      }
      fixture.advance(seconds: 3_600)
    }
    return taken
  }

  @Test func `one /48 network does not use up the day's mails`() {
    let fixture = ThrottleFixture()
    let taken = Self.takeAllMails(fixture)
    #expect(taken > 1_000 && taken <= 1_750)
    for number in 0..<10 {
      let address = "198.51.\(number).1"
      #expect(fixture.throttle.admitMail(to: "n\(number)@example.com", address: address, now: fixture.now))
    }
  }

  @Test func `a /48 has its own number in an hour, far below that of its parts`() {
    let fixture = ThrottleFixture()
    let taken = (0..<1_000).count {
      fixture.throttle.admitMail(to: "u\($0)@example.com", address: Self.address($0), now: fixture.now)
    }
    #expect(taken == 16 * ThrottleLimits().mailsPerClientPerHour)
    let site = (0..<256).count {
      fixture.throttle.admitMail(to: "s\($0)@example.com", address: Self.address($0, provider: 2), now: fixture.now)
    }
    #expect(site == 4 * ThrottleLimits().mailsPerClientPerHour)
  }

  @Test func `a /24 has its own number of new accounts`() {
    let fixture = ThrottleFixture()
    let taken = (0..<10_000).count {
      fixture.throttle.admitSignUp(address: "192.0.2.\($0 % 256)", isAnonymous: true, now: fixture.now)
    }
    #expect(taken == 16 * ThrottleLimits().anonymousPerHour)
    #expect(fixture.throttle.admitSignUp(address: "192.0.3.1", isAnonymous: true, now: fixture.now))
  }

  @Test(arguments: [MailCategory.reset, .verification, .notice])
  func `resets, verifications and notices have their own part of the day`(part: MailCategory) {
    let fixture = ThrottleFixture()
    // Many networks, each with its share, until the common rest for new networks is exhausted.
    for provider in 1...300 {
      for number in 0..<30 {
        _ = fixture.throttle.admitMail(
          to: "u\(number)@\(provider).example", address: Self.address(number, provider: provider), now: fixture.now)
      }
    }
    #expect(!fixture.throttle.admitMail(to: "a@example.com", address: "2001:db8:1:1::1", now: fixture.now))
    let taken = (0..<30).count {
      fixture.throttle.admitMail(to: "v\($0)@example.com", part, address: "198.51.\($0).1", now: fixture.now)
    }
    #expect(taken == 30)
  }

  @Test func `an owner's notices are not delayed, and do not use up the share of all`() {
    let fixture = ThrottleFixture()
    let taken = (0..<3_000).count { _ in
      fixture.throttle.admitMail(to: "ann@example.com", .notice, isOwners: true, address: "192.0.2.1", now: fixture.now)
    }
    #expect(taken > 100 && taken < 2_000)
    #expect(
      fixture.throttle.admitMail(
        to: "bob@example.com", .notice, isOwners: true, address: "198.51.100.1", now: fixture.now))
  }

  @Test func `one /48 does not use up a country's text messages`() {
    let fixture = ThrottleFixture()
    var taken = 0
    for hour in 0..<23 {
      for number in 0..<1_000 {
        let refusal = fixture.throttle.admitMessage(
          to: "+4915\(hour)\(number)", country: "DE", address: Self.address(number), now: fixture.now)
        if refusal == nil { taken += 1 }
      }
      fixture.advance(seconds: 3_600)
    }
    #expect(taken > 200 && taken <= 480)
    for number in 0..<5 {
      let refusal = fixture.throttle.admitMessage(
        to: "+49160\(number)", country: "DE", address: "198.51.\(number).1", now: fixture.now)
      #expect(refusal == nil)
    }
  }

  @Test func `the operator is warned when mails are near their bound, and when they are used up`() {
    var limits = ThrottleLimits()
    limits.mailsPerDay = 100
    let fixture = ThrottleFixture(limits)
    func send(_ count: Int, _ first: Int) {
      for number in first..<(first + count) {
        _ = fixture.throttle.admitMail(to: "u\(number)@example.com", address: "10.\(number).0.1", now: fixture.now)
      }
    }
    send(79, 0)
    #expect(fixture.notices.take() == [])
    send(1, 79)
    #expect(fixture.notices.take().map { $0.prefix(8) } == ["warning:"])
    send(100, 80)
    let told = fixture.notices.take()
    #expect(told.count == 1 && told[0].hasPrefix("error:") && told[0].contains("limits.mailsPerDay"), "\(told)")
    fixture.advance(seconds: 200_000)
    send(81, 200)
    #expect(fixture.notices.take().map { $0.prefix(8) } == ["warning:"])
    #expect(fixture.throttle.spending(now: fixture.now).first == SpendingLimit(name: "mailsPerDay", used: 81, max: 100))
  }

  @Test func `the operator is warned of text messages too`() {
    let fixture = ThrottleFixture()
    for number in 0..<300 {
      _ = fixture.throttle.admitMessage(
        to: "+49151\(number)", country: "DE", address: "10.\(number % 250).0.1", now: fixture.now)
    }
    let told = fixture.notices.take()
    #expect(told.contains { $0.hasPrefix("warning:") && $0.contains("limits.messagesPerCountryPerHour") }, "\(told)")
    #expect(told.contains { $0.hasPrefix("error:") && $0.contains("limits.messagesPerCountryPerHour") }, "\(told)")
  }
}
