import HearthCrypto
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct PhoneFactorTests {
  /// Returns a signed-in user with a verified address.
  private func verified(_ phone: PhoneFixture, _ email: String = "a@b.example") async throws -> IdentityFixture.Answer {
    let answer = try await phone.fixture.signUp(email)
    try await phone.fixture.change(answer.localID) { $0.isEmailVerified = true }
    return answer
  }

  private func startEnrolment(
    _ phone: PhoneFixture, _ idToken: String, _ number: String = PhoneFixture.number
  ) async throws -> IdentityFixture.Answer {
    try await phone.fixture.post(
      "/v2/accounts/mfaEnrollment:start",
      ["idToken": .string(idToken), "phoneEnrollmentInfo": ["phoneNumber": .string(number)]])
  }

  private func finishEnrolment(
    _ phone: PhoneFixture, _ idToken: String, _ sessionInfo: JSON, _ code: JSON
  ) async throws -> IdentityFixture.Answer {
    try await phone.fixture.post(
      "/v2/accounts/mfaEnrollment:finalize",
      [
        "idToken": .string(idToken), "displayName": "mine",
        "phoneVerificationInfo": ["sessionInfo": sessionInfo, "code": code],
      ])
  }

  /// Signs up a user with a phone as second factor; returns the ID of its enrolment.
  private func enrolled(
    _ phone: PhoneFixture, _ email: String = "a@b.example", _ number: String = PhoneFixture.number
  ) async throws -> (uid: String, id: String) {
    let user = try await verified(phone, email)
    let start = try await startEnrolment(phone, user.idToken, number)
    let sessionInfo = try #require(start.json["phoneSessionInfo"]?["sessionInfo"], "\(start.text)")
    let done = try await finishEnrolment(phone, user.idToken, sessionInfo, try await phone.read(number))
    let factor = try #require(phone.fixture.user(user.localID)?.factors.first, "\(done.text)")
    #expect(factor.kind == .phone(number) && factor.displayName == "mine")
    let claims = try phone.fixture.claims(done.idToken)
    #expect(claims["firebase"]?["sign_in_second_factor"] == .string("phone"))
    #expect(claims["firebase"]?["second_factor_identifier"] == .string(factor.id))
    phone.fixture.accountsFixture.advance(seconds: 60)
    return (user.localID, factor.id)
  }

  private func start(_ phone: PhoneFixture, _ pending: JSON, _ id: String) async throws -> IdentityFixture.Answer {
    try await phone.fixture.post(
      "/v2/accounts/mfaSignIn:start",
      ["mfaPendingCredential": pending, "mfaEnrollmentId": .string(id), "phoneSignInInfo": [:]])
  }

  private func finish(
    _ phone: PhoneFixture, _ pending: JSON, _ sessionInfo: JSON, _ code: JSON
  ) async throws -> IdentityFixture.Answer {
    try await phone.fixture.post(
      "/v2/accounts/mfaSignIn:finalize",
      ["mfaPendingCredential": pending, "phoneVerificationInfo": ["sessionInfo": sessionInfo, "code": code]])
  }

  /// Starts a sign-in up to the sending of the second factor's code.
  private func begun(
    _ phone: PhoneFixture, _ id: String, _ email: String = "a@b.example", _ number: String = PhoneFixture.number
  ) async throws -> (pending: JSON, sessionInfo: JSON, code: JSON) {
    let pending = try #require(try await phone.fixture.signIn(email).json["mfaPendingCredential"])
    let sent = try await start(phone, pending, id)
    let sessionInfo = try #require(sent.json["phoneResponseInfo"]?["sessionInfo"], "\(sent.text)")
    return (pending, sessionInfo, try await phone.read(number))
  }

  @Test("an enrolled phone is required at sign-in, tokens name it, and its number is masked")
  func signIn() async throws {
    let phone = try PhoneFixture()
    let (_, id) = try await enrolled(phone)
    let first = try await phone.fixture.signIn("a@b.example")
    #expect(first.json["idToken"] == nil)
    #expect(first.json["mfaInfo"]?.array?.first?["phoneInfo"] == "+*********5678")
    let (pending, sessionInfo, code) = try await begun(phone, id)
    let done = try await finish(phone, pending, sessionInfo, code)
    #expect(done.status == 200, "\(done.text)")
    let claims = try phone.fixture.claims(done.idToken)
    #expect(claims["firebase"]?["sign_in_provider"] == .string("password"))
    #expect(claims["firebase"]?["sign_in_second_factor"] == .string("phone"))
    #expect(claims["firebase"]?["second_factor_identifier"] == .string(id))
    // The pending credential and the code are used up.
    #expect(try await finish(phone, pending, sessionInfo, code).error == "INVALID_MFA_PENDING_CREDENTIAL")
    phone.fixture.accountsFixture.advance(seconds: 60)
    let other = try await begun(phone, id)
    #expect(try await finish(phone, other.pending, sessionInfo, code).error == "INVALID_SESSION_INFO")
  }

  @Test("Security 72: a code is valid only for the sign-in that it was sent for")
  func binding() async throws {
    let phone = try PhoneFixture { $0.limits.messagesPerNumberPerMinute = 100 }
    let (_, id) = try await enrolled(phone)
    let (_, otherID) = try await enrolled(phone, "b@b.example", "+4915112345670")
    let mine = try await begun(phone, id)
    let other = try await begun(phone, otherID, "b@b.example", "+4915112345670")
    // The attacker knows the victim's password and has their own phone.
    #expect(try await finish(phone, mine.pending, other.sessionInfo, other.code).error == "INVALID_SESSION_INFO")
    #expect(try await start(phone, mine.pending, otherID).error == "MFA_ENROLLMENT_NOT_FOUND")
    // A first factor's code for the same number is not valid as a second factor; nor the reverse.
    let first = try await phone.code()
    #expect(try await finish(phone, mine.pending, first.sessionInfo, first.code).error == "INVALID_SESSION_INFO")
    #expect(
      try await phone.signIn(["sessionInfo": mine.sessionInfo, "code": mine.code]).error == "INVALID_SESSION_INFO")
    // Nor is the code of another sign-in of the same account.
    let again = try await begun(phone, id)
    #expect(try await finish(phone, again.pending, mine.sessionInfo, mine.code).error == "INVALID_SESSION_INFO")
    #expect(try await finish(phone, mine.pending, mine.sessionInfo, mine.code).status == 200)
  }

  @Test("Security 70: five wrong codes end a sign-in, for any number of sent codes, and an account has its limit")
  func guesses() async throws {
    let phone = try PhoneFixture { $0.limits.messagesPerNumberPerMinute = 100 }
    let (_, id) = try await enrolled(phone)
    let (pending, sessionInfo, code) = try await begun(phone, id)
    let wrong = PhoneFixture.wrong(code)
    var refusals: [String?] = []
    for _ in 0..<3 { refusals.append(try await finish(phone, pending, sessionInfo, wrong).error) }
    // Another code for the same sign-in allows no new attempts.
    let second = try #require(try await start(phone, pending, id).json["phoneResponseInfo"]?["sessionInfo"])
    let right = try await phone.read()
    for _ in 0..<2 {
      refusals.append(try await finish(phone, pending, second, PhoneFixture.wrong(right)).error)
    }
    #expect(refusals == Array(repeating: "INVALID_CODE", count: 5))
    #expect(try await finish(phone, pending, second, right).error == "INVALID_MFA_PENDING_CREDENTIAL")
    #expect(try await finish(phone, pending, sessionInfo, code).error == "INVALID_MFA_PENDING_CREDENTIAL")
    #expect(phone.fixture.auditedKinds.filter { $0 == "mfa_fail" }.count == 5)
    for _ in 0..<2 {
      let next = try await begun(phone, id)
      for _ in 0..<5 {
        refusals.append(try await finish(phone, next.pending, next.sessionInfo, PhoneFixture.wrong(next.code)).error)
      }
    }
    #expect(refusals.last??.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
  }

  @Test("codes expire after five minutes, and with a change of the password that was the first factor")
  func ends() async throws {
    let phone = try PhoneFixture()
    let (uid, id) = try await enrolled(phone)
    let late = try await begun(phone, id)
    phone.fixture.accountsFixture.advance(seconds: 300)
    #expect(try await finish(phone, late.pending, late.sessionInfo, late.code).error == "SESSION_EXPIRED")
    let other = try await begun(phone, id)
    try await phone.fixture.accounts.signIn.passwords.change(
      of: #require(phone.fixture.user(uid)), to: "another one", client: phone.fixture.accountsFixture.client(),
      now: phone.fixture.accountsFixture.now)
    let refused = try await finish(phone, other.pending, other.sessionInfo, other.code)
    #expect(refused.error == "INVALID_MFA_PENDING_CREDENTIAL")
  }

  @Test("enrollment: for whom, with which number, how often, and with which code")
  func enrolment() async throws {
    let phone = try PhoneFixture { $0.limits.messagesPerNumberPerMinute = 100 }
    let guest = try await phone.fixture.anonymous()
    #expect(try await startEnrolment(phone, guest.idToken).error?.hasPrefix("UNSUPPORTED_FIRST_FACTOR") == true)
    let stranger = try await phone.fixture.signUp("x@y.example")
    #expect(try await startEnrolment(phone, stranger.idToken).error?.hasPrefix("UNVERIFIED_EMAIL") == true)
    let user = try await verified(phone)
    #expect(try await startEnrolment(phone, user.idToken, "no").error == "INVALID_PHONE_NUMBER : Invalid format.")
    #expect(try await startEnrolment(phone, user.idToken, "+12025550100").error?.hasPrefix("OPERATION_NOT") == true)
    let start = try await startEnrolment(phone, user.idToken)
    let sessionInfo = try #require(start.json["phoneSessionInfo"]?["sessionInfo"])
    let code = try await phone.read()
    #expect(try await finishEnrolment(phone, user.idToken, sessionInfo, "").error == "MISSING_CODE")
    #expect(
      try await finishEnrolment(phone, user.idToken, sessionInfo, PhoneFixture.wrong(code)).error == "INVALID_CODE")
    let other = try await verified(phone, "b@b.example")
    #expect(try await finishEnrolment(phone, other.idToken, sessionInfo, code).error == "INVALID_SESSION_INFO")
    let done = try await finishEnrolment(phone, user.idToken, sessionInfo, code)
    #expect(done.status == 200, "\(done.text)")
    #expect(try await finishEnrolment(phone, done.idToken, sessionInfo, code).error == "INVALID_SESSION_INFO")
    #expect(try await startEnrolment(phone, done.idToken).error?.hasPrefix("SECOND_FACTOR_EXISTS") == true)
    phone.fixture.accountsFixture.advance(seconds: 400)
    #expect(
      try await startEnrolment(phone, done.idToken, "+436641234567").error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
  }

  @Test("a removed phone is no longer required, and its pending code is void")
  func withdraw() async throws {
    let phone = try PhoneFixture()
    let (_, id) = try await enrolled(phone)
    let (pending, sessionInfo, code) = try await begun(phone, id)
    let done = try await finish(phone, pending, sessionInfo, code)
    phone.fixture.accountsFixture.advance(seconds: 60)
    let other = try await begun(phone, id)
    let withdrawn = try await phone.fixture.post(
      "/v2/accounts/mfaEnrollment:withdraw", ["idToken": .string(done.idToken), "mfaEnrollmentId": .string(id)])
    #expect(withdrawn.status == 200, "\(withdrawn.text)")
    #expect(try await finish(phone, other.pending, other.sessionInfo, other.code).status == 400)
    #expect(try await phone.fixture.signIn("a@b.example").json["idToken"] != nil)
  }

  @Test("Security 72: a pending sign-in and a code of one tenant are invalid in others and in the project")
  func tenants() async throws {
    let phone = try PhoneFixture { $0.limits.messagesPerNumberPerMinute = 100 }
    let tenants = try #require(phone.fixture.accounts.tenants)
    let administrator = Administrator(name: "test", client: .commandLine, now: phone.fixture.accountsFixture.now)
    var ids: [JSON] = []
    for name in ["acme-one", "acme-two"] {
      let made = try await tenants.create(by: administrator) { ($0.displayName, $0.allowsPasswords) = (name, true) }
      ids.append(.string(made.id))
    }
    func post(_ path: String, _ body: JSON, _ tenant: JSON?) async throws -> IdentityFixture.Answer {
      try await phone.fixture.post(
        path, .object((body.members ?? []) + (tenant.map { [.init("tenantId", $0)] } ?? [])))
    }
    func person(_ tenant: JSON) async throws -> (pending: JSON, sessionInfo: JSON, code: JSON) {
      let account: JSON = ["email": "a@b.example", "password": "correct horse", "returnSecureToken": true]
      let user = try await post("accounts:signUp", account, tenant)
      let accounts = try tenants.accounts(of: tenant.string ?? "")
      try await accounts.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
        guard var record = transaction.user(user.localID) else { throw AccountError(.userNotFound) }
        record.isEmailVerified = true
        record.factors = [
          SecondFactor(id: "f", kind: .phone(PhoneFixture.number), displayName: nil, enrolledAtMilliseconds: 1)
        ]
        try transaction.update(record, as: [.administered])
      }
      let first = try await post("accounts:signInWithPassword", account, tenant)
      let pending = try #require(first.json["mfaPendingCredential"], "\(first.text)")
      let sent = try await post(
        "/v2/accounts/mfaSignIn:start", ["mfaPendingCredential": pending, "mfaEnrollmentId": "f"], tenant)
      let sessionInfo = try #require(sent.json["phoneResponseInfo"]?["sessionInfo"], "\(sent.text)")
      return (pending, sessionInfo, try await phone.read())
    }
    func finish(
      _ pending: JSON, _ sessionInfo: JSON, _ code: JSON, _ tenant: JSON?
    ) async throws -> IdentityFixture.Answer {
      try await post(
        "/v2/accounts/mfaSignIn:finalize",
        ["mfaPendingCredential": pending, "phoneVerificationInfo": ["sessionInfo": sessionInfo, "code": code]], tenant)
    }
    let (one, two) = (try await person(ids[0]), try await person(ids[1]))
    #expect(
      try await finish(one.pending, one.sessionInfo, one.code, ids[1]).error == "INVALID_MFA_PENDING_CREDENTIAL")
    #expect(try await finish(one.pending, two.sessionInfo, two.code, ids[0]).error == "INVALID_SESSION_INFO")
    #expect(try await finish(two.pending, one.sessionInfo, one.code, ids[1]).error == "INVALID_SESSION_INFO")
    let entered = try await finish(one.pending, one.sessionInfo, one.code, ids[0])
    #expect(entered.status == 200, "\(entered.text)")
    #expect(try tenants.accounts(of: ids[0].string ?? "").keys.tenant == ids[0].string)
    // The operator pays for all messages: the limit of one number is shared by all tenants.
    #expect(phone.phones.messages.count == 2)
  }

  @Test("a phone can have recovery codes, each of which replaces it once")
  func recoveryCodes() async throws {
    let phone = try PhoneFixture()
    let user = try await verified(phone)
    let start = try await startEnrolment(phone, user.idToken)
    let sent = try #require(start.json["phoneSessionInfo"]?["sessionInfo"], "\(start.text)")
    let enrolled = try await phone.fixture.post(
      "/v2/accounts/mfaEnrollment:finalize",
      [
        "idToken": .string(user.idToken), "recoveryCodes": true,
        "phoneVerificationInfo": ["sessionInfo": sent, "code": try await phone.read()],
      ])
    let codes = try #require(enrolled.json["recoveryCodes"]?.array, "\(enrolled.text)")
    #expect(codes.count == RecoveryCodes.count)
    let id = try #require(phone.fixture.user(user.localID)?.factors.first?.id)
    phone.fixture.accountsFixture.advance(seconds: 60)
    let first = try await begun(phone, id)
    let entered = try await finish(phone, first.pending, first.sessionInfo, codes[0])
    #expect(try phone.fixture.claims(entered.idToken)["firebase"]?["second_factor_identifier"] == .string(id))
    #expect(entered.json["recoveryCodesLeft"] == .int(Int64(RecoveryCodes.count - 1)), "\(entered.text)")
    phone.fixture.accountsFixture.advance(seconds: 60)
    let second = try await begun(phone, id)
    #expect(try await finish(phone, second.pending, second.sessionInfo, codes[0]).error == "INVALID_CODE")
    #expect(try await finish(phone, second.pending, second.sessionInfo, codes[1]).status == 200)
  }

  @Test("a phone is not enrolled where phones are disabled as second factors")
  func switchedOff() async throws {
    let phone = try PhoneFixture { $0.phone.secondFactor = false }
    let user = try await verified(phone)
    #expect(try await startEnrolment(phone, user.idToken).error == "OPERATION_NOT_ALLOWED : SMS based MFA not enabled.")
  }

  @Test("an emulator shows the codes of second factors, and needs no sender for them")
  func emulator() async throws {
    let fixture = try IdentityFixture.emulator()
    let user = try await fixture.signUp("a@b.example")
    try await fixture.change(user.localID) { $0.isEmailVerified = true }
    func shown() async throws -> (sessionInfo: JSON, code: JSON) {
      let codes = try await fixture.emulated("GET", "demo-test/verificationCodes").json["verificationCodes"]?.array
      let last = try #require(codes?.last)
      return (try #require(last["sessionInfo"]), try #require(last["code"]))
    }
    let start = try await fixture.app(
      "/v2/accounts/mfaEnrollment:start",
      ["idToken": .string(user.idToken), "phoneEnrollmentInfo": ["phoneNumber": "+15555550100"]])
    let first = try await shown()
    #expect(start.json["phoneSessionInfo"]?["sessionInfo"] == first.sessionInfo, "\(start.text)")
    let enrolled = try await fixture.app(
      "/v2/accounts/mfaEnrollment:finalize",
      [
        "idToken": .string(user.idToken),
        "phoneVerificationInfo": ["sessionInfo": first.sessionInfo, "code": first.code],
      ])
    #expect(enrolled.status == 200, "\(enrolled.text)")
    let pending = try #require(try await fixture.signIn("a@b.example").json["mfaPendingCredential"])
    let id = try #require(fixture.user(user.localID)?.factors.first?.id)
    let sent = try await fixture.app(
      "/v2/accounts/mfaSignIn:start", ["mfaPendingCredential": pending, "mfaEnrollmentId": .string(id)])
    let second = try await shown()
    #expect(sent.json["phoneResponseInfo"]?["sessionInfo"] == second.sessionInfo, "\(sent.text)")
    let done = try await fixture.app(
      "/v2/accounts/mfaSignIn:finalize",
      [
        "mfaPendingCredential": pending,
        "phoneVerificationInfo": ["sessionInfo": second.sessionInfo, "code": second.code],
      ])
    #expect(try fixture.claims(done.idToken)["firebase"]?["sign_in_second_factor"] == .string("phone"), "\(done.text)")
  }
}
