import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite struct PhoneSignInTests {
  @Test("a code creates an account, and a later one signs in again")
  func signIn() async throws {
    let phone = try PhoneFixture()
    let (sessionInfo, code) = try await phone.code()
    #expect(phone.phones.messages.first?.text.hasSuffix("is your verification code for your app.") == true)
    let made = try await phone.signIn(["sessionInfo": sessionInfo, "code": code])
    #expect(made.json["isNewUser"] == true && made.json["phoneNumber"] == .string(PhoneFixture.number), "\(made.text)")
    let claims = try phone.fixture.claims(made.idToken)
    #expect(claims["firebase"]?["sign_in_provider"] == .string("phone"))
    #expect(claims["phone_number"] == .string(PhoneFixture.number))
    phone.fixture.accountsFixture.advance(seconds: 60)
    let again = try await phone.code()
    let entered = try await phone.signIn(["sessionInfo": again.sessionInfo, "code": again.code])
    #expect(entered.localID == made.localID && entered.json["isNewUser"] == false)
  }

  @Test("the store does not reveal codes, and keeps them over a restart")
  func durable() async throws {
    let phone = try PhoneFixture()
    let (sessionInfo, code) = try await phone.code()
    let text = try #require(code.string)
    let tickets = phone.fixture.accounts.store.view.allTickets(limit: 10)
    let ticket = try #require(tickets.first)
    #expect(tickets.count == 1 && ticket.purpose == .phoneSignIn)
    #expect(ticket.details?.contains(text) == false && ticket.details?.contains(sessionInfo.string ?? "") == false)
    // Trying all codes against the file's content finds none: the hash includes a text that only the client has.
    let kept = try #require(ticket.phoneDetails?["code"]?.string)
    #expect(kept != Digest(sha256: text.utf8).hex)
  }

  @Test("Security 35: one of twenty concurrent uses of a code succeeds, and the code is used up")
  func replay() async throws {
    let phone = try PhoneFixture { $0.limits.codeTriesPerMinute = 100 }
    let (sessionInfo, code) = try await phone.code()
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 {
        group.addTask { try await phone.signIn(["sessionInfo": sessionInfo, "code": code]).status }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(statuses.filter { $0 == 200 }.count == 1)
    let replayed = try await phone.signIn(["sessionInfo": sessionInfo, "code": code])
    #expect(replayed.error == "INVALID_SESSION_INFO")
  }

  @Test("Security 70: five wrong attempts void a code, counted before the comparison; then the right one is refused")
  func guesses() async throws {
    let phone = try PhoneFixture { $0.limits.codeTriesPerMinute = 100 }
    let (sessionInfo, code) = try await phone.code()
    let wrong = PhoneFixture.wrong(code)
    let refusals = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<12 {
        group.addTask { try await phone.signIn(["sessionInfo": sessionInfo, "code": wrong]).error }
      }
      return try await group.reduce(into: [String]()) { $0.append($1 ?? "none") }
    }
    #expect(refusals.filter { $0 == "INVALID_CODE" }.count == 5)
    #expect(refusals.filter { $0 == "SESSION_EXPIRED" || $0 == "INVALID_SESSION_INFO" }.count == 7)
    #expect(try await phone.signIn(["sessionInfo": sessionInfo, "code": code]).error == "INVALID_SESSION_INFO")
    #expect(phone.fixture.auditedKinds.filter { $0 == "code_failed" }.count == 5)
  }

  @Test("Security 70: attempts are limited for a number, for any number of sent codes")
  func numberLimit() async throws {
    let phone = try PhoneFixture { $0.limits.messagesPerNumberPerMinute = 100 }
    var refusals: [String] = []
    for _ in 0..<5 {
      let (sessionInfo, code) = try await phone.code()
      for _ in 0..<4 {
        let answer = try await phone.signIn(["sessionInfo": sessionInfo, "code": PhoneFixture.wrong(code)])
        refusals.append(answer.error ?? "none")
      }
    }
    #expect(refusals.filter { $0 == "INVALID_CODE" }.count == 15)
    #expect(refusals.last?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
  }

  @Test("a code expires after five minutes")
  func expiry() async throws {
    let phone = try PhoneFixture()
    let (sessionInfo, code) = try await phone.code()
    phone.fixture.accountsFixture.advance(seconds: 300)
    #expect(try await phone.signIn(["sessionInfo": sessionInfo, "code": code]).error == "SESSION_EXPIRED")
  }

  @Test("a number is linked to a signed-in account; replacing it needs a recent sign-in")
  func link() async throws {
    let phone = try PhoneFixture()
    let user = try await phone.fixture.signUp("ann@example.com")
    func link(_ number: String) async throws -> IdentityFixture.Answer {
      let (sessionInfo, code) = try await phone.code(number)
      return try await phone.signIn(["sessionInfo": sessionInfo, "code": code, "idToken": .string(user.idToken)])
    }
    let linked = try await link(PhoneFixture.number)
    #expect(linked.localID == user.localID && linked.json["isNewUser"] == false, "\(linked.text)")
    let other = "+436641234567"
    let changed = try await link(other)
    #expect(changed.status == 200 && phone.fixture.user(user.localID)?.phoneNumber == other)
    phone.fixture.accountsFixture.advance(seconds: 400)
    #expect(try await link(PhoneFixture.number).error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    #expect(phone.fixture.user(user.localID)?.phoneNumber == other)
  }

  @Test("another account's number yields a proof that signs in to that account once, within ten minutes")
  func taken() async throws {
    let phone = try PhoneFixture { $0.limits.messagesPerNumberPerMinute = 100 }
    let first = try await phone.code()
    let owner = try await phone.signIn(["sessionInfo": first.sessionInfo, "code": first.code])
    let other = try await phone.fixture.signUp("ann@example.com")
    func prove() async throws -> JSON {
      let (sessionInfo, code) = try await phone.code()
      let taken = try await phone.signIn([
        "sessionInfo": sessionInfo, "code": code, "idToken": .string(other.idToken),
      ])
      #expect(taken.json["temporaryProofExpiresIn"] == "600" && taken.json["idToken"] == nil, "\(taken.text)")
      return try #require(taken.json["temporaryProof"])
    }
    let proof = try await prove()
    let number: JSON = .string(PhoneFixture.number)
    let elsewhere = try await phone.signIn(["phoneNumber": "+436641234567", "temporaryProof": proof])
    #expect(elsewhere.error == "INVALID_TEMPORARY_PROOF")
    #expect(try await phone.signIn(["phoneNumber": number, "temporaryProof": proof]).localID == owner.localID)
    let again = try await phone.signIn(["phoneNumber": number, "temporaryProof": proof])
    #expect(again.error == "INVALID_TEMPORARY_PROOF")
    let late = try await prove()
    phone.fixture.accountsFixture.advance(seconds: 600)
    let ended = try await phone.signIn(["phoneNumber": number, "temporaryProof": late])
    #expect(ended.error == "INVALID_TEMPORARY_PROOF")
  }

  @Test("reauthenticating creates no account")
  func reauthentication() async throws {
    let phone = try PhoneFixture()
    let (sessionInfo, code) = try await phone.code()
    let answer = try await phone.signIn(["sessionInfo": sessionInfo, "code": code, "operation": "REAUTH"])
    #expect(answer.error == "USER_NOT_FOUND" && phone.fixture.accounts.store.view.userCount == 0)
  }

  @Test("a second factor is required after a phone number, too")
  func secondFactor() async throws {
    let phone = try PhoneFixture()
    let first = try await phone.code()
    let made = try await phone.signIn(["sessionInfo": first.sessionInfo, "code": first.code])
    try await phone.fixture.change(made.localID) { user in
      user.factors = [
        SecondFactor(
          id: "f", kind: .totp(sealedSecret: "x", lastAcceptedStep: 0), displayName: nil, enrolledAtMilliseconds: 1)
      ]
    }
    phone.fixture.accountsFixture.advance(seconds: 60)
    let (sessionInfo, code) = try await phone.code()
    let answer = try await phone.signIn(["sessionInfo": sessionInfo, "code": code])
    #expect(answer.json["idToken"] == nil && answer.json["mfaPendingCredential"]?.string != nil, "\(answer.text)")
  }

  @Test("Security 71: the response to a code request does not reveal the number's account")
  func enumeration() async throws {
    let phone = try PhoneFixture()
    let owned = ["+4915112345671", "+4915112345672", "+4915112345673"]
    for (index, number) in owned.enumerated() {
      let user = try await phone.fixture.signUp("user\(index)@example.com")
      try await phone.fixture.change(user.localID) { user in
        user.phoneNumber = number
        user.isDisabled = index == 1
        if index == 2 {
          user.factors = [
            SecondFactor(id: "f", kind: .phone("+436641234567"), displayName: nil, enrolledAtMilliseconds: 1)
          ]
        }
      }
    }
    for number in owned + ["+4915112345674"] {
      let answer = try await phone.ask(number)
      #expect(answer.status == 200 && answer.json.members?.map(\.name) == ["sessionInfo"], "\(answer.text)")
    }
    await phone.fixture.accounts.context.server.texts.idle()
    #expect(phone.phones.messages.count == 4)
    // The owner receives the reason after proving possession of the number.
    phone.fixture.accountsFixture.advance(seconds: 60)
    for (number, error) in [(owned[1], "USER_DISABLED"), (owned[2], "UNSUPPORTED_FIRST_FACTOR")] {
      let (sessionInfo, code) = try await phone.code(number)
      let answer = try await phone.signIn(["sessionInfo": sessionInfo, "code": code])
      #expect(answer.error?.hasPrefix(error) == true, "\(answer.text)")
    }
  }

  @Test("Security 72: tenants have no users by number, as in Firebase, and accept no codes of the project")
  func tenants() async throws {
    let phone = try PhoneFixture()
    let tenants = try #require(phone.fixture.accounts.tenants)
    let tenant = try await tenants.create(
      by: Administrator(name: "test", client: .commandLine, now: phone.fixture.accountsFixture.now)
    ) { $0.displayName = "acme" }
    let id: JSON = .string(tenant.id)
    #expect(try await phone.ask(PhoneFixture.number, ["tenantId": id]).error == "UNSUPPORTED_TENANT_OPERATION")
    let (sessionInfo, code) = try await phone.code()
    let answer = try await phone.signIn(["sessionInfo": sessionInfo, "code": code, "tenantId": id])
    #expect(answer.error == "UNSUPPORTED_TENANT_OPERATION")
    #expect(try await phone.signIn(["sessionInfo": sessionInfo, "code": code]).status == 200)
  }

  @Test("a test number gets no message, and its code is always valid")
  func testNumbers() async throws {
    let phone = try PhoneFixture {
      $0.phone.testNumbers = ["+15555550100": "123456"]
      $0.phone.captcha = CaptchaSettings(service: .hcaptcha, siteKey: "k", secret: "s")
    }
    for _ in 0..<20 {
      let sent = try await phone.ask("+15555550100")
      let sessionInfo = try #require(sent.json["sessionInfo"], "\(sent.text)")
      #expect(try await phone.signIn(["sessionInfo": sessionInfo, "code": "123456"]).status == 200)
      phone.fixture.accountsFixture.advance(seconds: 10)
    }
    #expect(phone.phones.messages.isEmpty && phone.captchas.forms.isEmpty)
  }

  @Test("deleting an account deletes the codes for its number")
  func deletion() async throws {
    let phone = try PhoneFixture { $0.limits.messagesPerNumberPerMinute = 100 }
    let first = try await phone.code()
    let made = try await phone.signIn(["sessionInfo": first.sessionInfo, "code": first.code])
    let (sessionInfo, code) = try await phone.code()
    #expect(try await phone.fixture.post("accounts:delete", ["idToken": .string(made.idToken)]).status == 200)
    #expect(phone.fixture.accounts.store.view.allTickets(limit: 10).isEmpty)
    #expect(try await phone.signIn(["sessionInfo": sessionInfo, "code": code]).error == "INVALID_SESSION_INFO")
  }

  @Test("invalid requests are refused with the protocol's messages, and no message is sent")
  func refusals() async throws {
    let phone = try PhoneFixture()
    for bad in ["", "030 12345", "+0301234567", "+49 151 1234567", "+4915112345678901", "+49", "+99912345678"] {
      let answer = try await phone.ask(bad)
      #expect(answer.error?.hasPrefix("INVALID_PHONE_NUMBER") == true, "\(bad): \(answer.text)")
    }
    #expect(try await phone.signIn([:]).error == "MISSING_SESSION_INFO")
    #expect(try await phone.signIn(["sessionInfo": "x"]).error == "MISSING_CODE")
    #expect(try await phone.signIn(["sessionInfo": "x", "code": "1"]).error == "INVALID_SESSION_INFO")
    #expect(phone.phones.messages.isEmpty)
    let closed = try PhoneFixture { $0.signIn = nil }
    #expect(try await closed.ask(PhoneFixture.number).error?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    let (sessionInfo, code) = try await phone.code()
    let shut = try PhoneFixture { $0.allowsSignUp = false }
    let other = try await shut.code()
    #expect(
      try await shut.signIn(["sessionInfo": other.sessionInfo, "code": other.code]).error == "ADMIN_ONLY_OPERATION")
    #expect(try await shut.signIn(["sessionInfo": sessionInfo, "code": code]).error == "INVALID_SESSION_INFO")
  }

  @Test("a server without a message sender refuses with a reason")
  func noSender() async throws {
    let fixture = try IdentityFixture { configuration in
      configuration.signIn = [PluginChoice("phone")]
      configuration.phone.regions = .allBut([])
    }
    let answer = try await fixture.post("accounts:sendVerificationCode", ["phoneNumber": .string(PhoneFixture.number)])
    #expect(
      answer.error
        == "OPERATION_NOT_ALLOWED : This server cannot send text messages. Configure phone in the file of --auth-config."
    )
  }
}
