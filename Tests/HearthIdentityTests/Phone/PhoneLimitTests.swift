import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct PhoneLimitTests {
  private func sent(_ phone: PhoneFixture) async -> Int {
    await phone.fixture.accounts.context.server.texts.idle()
    return phone.phones.messages.count
  }

  @Test(
    "Security 69: one number is sent one message in a minute, five in an hour, ten in a day, for all callers together")
  func numbers() async throws {
    let phone = try PhoneFixture()
    func ask(_ network: Int) async throws -> String? {
      try await phone.ask(PhoneFixture.number, address: "198.51.100.\(network)").error
    }
    #expect(try await ask(1) == nil)
    #expect(try await ask(2)?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER : Too many messages to this number") == true)
    for network in 3...6 {
      phone.fixture.accountsFixture.advance(seconds: 60)
      #expect(try await ask(network) == nil)
    }
    phone.fixture.accountsFixture.advance(seconds: 60)
    #expect(try await ask(7)?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
    #expect(await sent(phone) == 5)
    phone.fixture.accountsFixture.advance(seconds: 5_000)
    for network in 10...14 {
      phone.fixture.accountsFixture.advance(seconds: 60)
      #expect(try await ask(network) == nil)
    }
    phone.fixture.accountsFixture.advance(seconds: 5_000)
    #expect(try await ask(20)?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
    #expect(await sent(phone) == 10)
  }

  @Test("Security 69: one network is sent ten messages in an hour; an IPv6 client counts by its /64")
  func networks() async throws {
    let phone = try PhoneFixture()
    for number in 0..<10 {
      let answer = try await phone.ask("+491511234560\(number)", address: "2001:db8::\(number + 1)")
      #expect(answer.status == 200, "\(answer.text)")
    }
    let refused = try await phone.ask("+4915112345611", address: "2001:db8::ffff")
    #expect(refused.error?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER : Too many messages from your network") == true)
    #expect(try await phone.ask("+4915112345611", address: "2001:db8:1::1").status == 200)
    #expect(await sent(phone) == 11)
  }

  @Test("Security 69: a country, and all countries together, have limits for an hour and a day")
  func countries() async throws {
    let phone = try PhoneFixture {
      ($0.limits.messagesPerCountryPerHour, $0.limits.messagesPerHour, $0.limits.messagesPerDay) = (3, 5, 6)
    }
    func ask(_ number: String, _ network: Int) async throws -> String {
      try await phone.ask(number, address: "198.51.100.\(network)").error ?? "sent"
    }
    for number in 0..<3 { #expect(try await ask("+491511234560\(number)", number) == "sent") }
    #expect(try await ask("+4915112345609", 9) == "QUOTA_EXCEEDED : Too many messages. Try again later.")
    for number in 0..<2 { #expect(try await ask("+43664123456\(number)", 10 + number) == "sent") }
    #expect(try await ask("+436641234569", 12).hasPrefix("QUOTA_EXCEEDED"))
    phone.fixture.accountsFixture.advance(seconds: 5_000)
    #expect(try await ask("+436641234569", 13) == "sent")
    #expect(try await ask("+436641234568", 14).hasPrefix("QUOTA_EXCEEDED"))
    #expect(await sent(phone) == 6)
    // A request refused for one reason does not count towards the other limits.
    phone.fixture.accountsFixture.advance(seconds: 100_000)
    #expect(try await ask("+4915112345609", 9) == "sent")
  }

  @Test(
    "Security 69: messages are sent only to the countries of the settings, and to a country's islands only if listed")
  func regions() async throws {
    let phone = try PhoneFixture { $0.phone.regions = .only(["US", "GB", "+4366"]) }
    func ask(_ number: String) async throws -> String { try await phone.ask(number).error ?? "sent" }
    #expect(try await ask("+12025550100") == "sent")
    #expect(try await ask("+447700900123") == "sent")
    #expect(try await ask("+436641234567") == "sent")
    let refusal = "OPERATION_NOT_ALLOWED : SMS unable to be sent until this region enabled by the app developer."
    for number in ["+18765550100", "+447781123456", "+4315551234", PhoneFixture.number, "+881612345678"] {
      #expect(try await ask(number) == refusal, "\(number)")
    }
    let others = PhoneRegions.allBut(["CU", "+1900"])
    #expect(others.admits("+4915112345678") && !others.admits("+5351234567") && !others.admits("+19005550100"))
    #expect(!others.admits("+881612345678") && PhoneRegions.only(["001"]).admits("+881612345678"))
    let nowhere = try PhoneFixture { $0.phone.regions = nil }
    #expect(try await nowhere.ask(PhoneFixture.number).error == refusal)
  }

  @Test("Security 69: premium-rate, shared-cost and satellite numbers are refused unless the operator allows them")
  func premiumNumbers() async throws {
    let refused = [
      "+44909879000", "+448712345678", "+447012345678", "+4990012345678", "+4918012345", "+33891234567", "+19005550100",
      "+39899123456", "+881612345678", "+882161234567", "+883510012345", "+97912345678",
    ]
    let phone = try PhoneFixture {
      $0.phone.regions = .only(["GB", "DE", "FR", "US", "IT", "001"])
    }
    let refusal = "OPERATION_NOT_ALLOWED : SMS unable to be sent until this region enabled by the app developer."
    for number in refused { #expect(try await phone.ask(number).error == refusal, "\(number)") }
    #expect(await sent(phone) == 0)
    // The operator's notice has the reason, once for each range, without the number.
    for _ in 0..<3 { _ = try await phone.ask("+881612345678") }
    let notices = phone.fixture.accountsFixture.notices.map(\.text)
    #expect(
      notices.filter { $0.contains("+881") } == [
        "a code for a satellite number, +881…, was refused; phone.premiumPrefixes allows such numbers"
      ])
    #expect(notices.contains { $0.contains("premium-rate number, +449…") })
    for number in ["+447400123456", "+4915112345678", "+33612345678", "+12025550100", "+393331234567"] {
      #expect(try await phone.ask(number, address: "198.51.100.9").status == 200, "\(number)")
    }
    let allowed = try PhoneFixture {
      ($0.phone.regions, $0.phone.premiumPrefixes) = (.only(["GB", "001"]), ["+881", "+4487"])
    }
    #expect(try await allowed.ask("+881612345678").status == 200)
    #expect(try await allowed.ask("+448712345678").status == 200)
    #expect(try await allowed.ask("+44909879000").error == refusal)
  }

  @Test("the ranges of premium numbers include no ordinary mobile number")
  func premiumRanges() {
    // A valid mobile number of each of several numbering plans, from the regulators' published examples.
    for number in [
      "+12015550123", "+442071838750", "+447400123456", "+4915123456789", "+33612345678", "+393123456789",
      "+34612345678",
      "+31612345678", "+32470123456", "+41781234567", "+43664123456", "+46701234567", "+4740612345",
      "+48512345678", "+351912345678", "+353850123456", "+61412345678", "+64211234567", "+819012345678",
      "+8613123456789", "+918123456789", "+79123456789", "+905012345678", "+5511961234567",
      "+27711234567", "+2348021234567", "+254712123456", "+971501234567", "+972502345678", "+96892123456",
      "+85251234567", "+6581234567", "+639051234567", "+36201234567", "+420601123456", "+421912123456",
    ] {
      #expect(PremiumNumbers.range(of: number) == nil, "\(number)")
    }
    // The number as dialed within the country: a gateway may skip the first digit.
    for number in ["+440909879000", "+4400909879000", "+490900123456", "+330899123456", "+119005550100"] {
      #expect(PremiumNumbers.range(of: number)?.kind == .premium, "\(number)")
    }
    for number in ["+390891234567", "+440207183875", "+4408", "+44", "+0", "+1", "+11"] {
      #expect(PremiumNumbers.range(of: number) == nil, "\(number)")
    }
    #expect(PremiumNumbers.range(of: "") == nil && PremiumNumbers.range(of: "+") == nil)
    #expect(PremiumNumbers.range(of: "+979123456789") == PremiumNumbers.Range(kind: .global, prefix: "+979"))
    #expect(PremiumNumbers.range(of: "+4918012345")?.kind == .sharedCost)
  }

  @Test(
    "the longest prefix of a number determines its country",
    arguments: [
      ("+12025550100", "US"), ("+14165550100", "CA"), ("+18765550100", "JM"), ("+79161234567", "RU"),
      ("+77011234567", "KZ"), ("+390669812345", "VA"), ("+390612345678", "IT"), ("+35850123456", "FI"),
      ("+358181234567", "AX"), ("+4915112345678", "DE"), ("+870773123456", "001"),
    ])
  func callingCodes(_ number: String, _ country: String) { #expect(CallingCodes.country(of: number) == country) }

  @Test("numbers of no numbering plan have no country")
  func unknownCodes() {
    for number in ["+999123", "+2101234567", "", "+"] { #expect(CallingCodes.country(of: number) == nil) }
    #expect(CallingCodes.isCountry("DE") && !CallingCodes.isCountry("de") && !CallingCodes.isCountry("XX"))
  }

  @Test("a message that does not fit into the queue is refused at once")
  func fullQueue() async throws {
    let stuck = BlockedSMSSender()
    let fixture = try IdentityFixture(texts: stuck) { configuration in
      configuration.signIn = [PluginChoice("phone")]
      configuration.phone.regions = .only(["DE"])
      configuration.limits = configuration.limits.lifted
    }
    var refusal: String?
    for number in 0..<(SendQueue<SMSMessage>.waitingMax + 3) where refusal == nil {
      let digits = String(100_000 + number)
      refusal = try await fixture.post(
        "accounts:sendVerificationCode", ["phoneNumber": .string("+49151\(digits)")]
      ).error
    }
    #expect(refusal?.hasPrefix("QUOTA_EXCEEDED : Too many messages are waiting") == true)
    stuck.release()
    await fixture.accounts.context.server.texts.idle()
  }
}

/// A sender that sends nothing until it is released.
private final class BlockedSMSSender: SMSSender {
  private let (stream, gate) = AsyncStream<Void>.makeStream()

  func release() { gate.finish() }
  func send(_ message: SMSMessage) async throws { for await _ in stream {} }
}
