import HearthBytes
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite struct SecondFactorTests {
  private func verified(_ fixture: IdentityFixture) async throws -> IdentityFixture.Answer {
    try await fixture.verified("a@b.example")
  }

  private func code(_ secret: [UInt8], _ fixture: IdentityFixture) throws -> String { try fixture.code(secret) }

  /// Signs up a user with an authenticator; returns its secret, and the ID of its enrolment.
  private func enrolled(_ fixture: IdentityFixture) async throws -> (secret: [UInt8], id: String, uid: String) {
    let user = try await verified(fixture)
    let owner = try await fixture.enrol(
      user.idToken, uid: user.localID, members: [.init("displayName", "phone")])
    let claims = try fixture.claims(owner.answer.idToken)
    #expect(claims["firebase"]?["sign_in_second_factor"] == .string("totp"))
    #expect(claims["firebase"]?["second_factor_identifier"] == .string(owner.id))
    return (owner.secret, owner.id, user.localID)
  }

  private func finish(
    _ fixture: IdentityFixture, _ pending: JSON?, _ id: String, _ code: String
  ) async throws -> IdentityFixture.Answer {
    try await fixture.finish(pending, id, code)
  }

  @Test("An enrolled authenticator is required at every sign-in, and tokens name it")
  func signIn() async throws {
    let fixture = try IdentityFixture()
    let (secret, id, uid) = try await enrolled(fixture)
    let kept = try #require(fixture.user(uid)?.factors.first)
    guard case .totp(let sealedSecret, _) = kept.kind else { throw AccountError(.secondFactorNotFound) }
    #expect(Base64URL.decode(sealedSecret.utf8)?.starts(with: secret) != true)
    fixture.accountsFixture.advance(seconds: 60)
    let first = try await fixture.signIn("a@b.example")
    #expect(first.json["idToken"] == nil && first.json["refreshToken"] == nil)
    #expect(first.json["mfaInfo"]?.array?.first?["totpInfo"] == [:])
    #expect(first.json["mfaInfo"]?.array?.first?["enrolledAt"]?.string?.hasSuffix(".000Z") == true)
    let done = try await finish(fixture, first.json["mfaPendingCredential"], id, try code(secret, fixture))
    #expect(done.status == 200)
    #expect(try fixture.claims(done.idToken)["firebase"]?["second_factor_identifier"] == .string(id))
    let refreshed = try await fixture.refresh(done.refreshToken)
    #expect(try fixture.claims(refreshed.idToken)["firebase"]?["sign_in_second_factor"] == .string("totp"))
    // The pending credential of the first factor is used up.
    #expect(
      try await finish(fixture, first.json["mfaPendingCredential"], id, "000000").error
        == "INVALID_MFA_PENDING_CREDENTIAL")
  }

  @Test("A code is accepted once, also for two concurrent sign-ins")
  func replay() async throws {
    let fixture = try IdentityFixture()
    let (secret, id, _) = try await enrolled(fixture)
    fixture.accountsFixture.advance(seconds: 60)
    let first = try await fixture.signIn("a@b.example")
    let second = try await fixture.signIn("a@b.example")
    let code = try code(secret, fixture)
    async let one = finish(fixture, first.json["mfaPendingCredential"], id, code)
    async let two = finish(fixture, second.json["mfaPendingCredential"], id, code)
    let statuses = try await [one.status, two.status].sorted()
    #expect(statuses == [200, 400])
  }

  @Test("Security 37: Five wrong codes void a pending sign-in, counted before they are compared")
  func guesses() async throws {
    let fixture = try IdentityFixture()
    let (secret, id, _) = try await enrolled(fixture)
    fixture.accountsFixture.advance(seconds: 60)
    let pending = try await fixture.signIn("a@b.example").json["mfaPendingCredential"]
    let right = try code(secret, fixture)
    let wrong = right == "000000" ? "000001" : "000000"
    let refusals = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<12 { group.addTask { try await finish(fixture, pending, id, wrong).error } }
      return try await group.reduce(into: [String]()) { $0.append($1 ?? "none") }
    }
    #expect(refusals.filter { $0 == "INVALID_CODE" }.count == 5)
    #expect(refusals.filter { $0 == "INVALID_MFA_PENDING_CREDENTIAL" }.count == 7)
    #expect(try await finish(fixture, pending, id, right).error == "INVALID_MFA_PENDING_CREDENTIAL")
  }

  @Test("Attempts are limited for an account, however many sign-ins are begun")
  func accountLimit() async throws {
    let fixture = try IdentityFixture()
    let (_, id, _) = try await enrolled(fixture)
    fixture.accountsFixture.advance(seconds: 120)
    var refusals: [String] = []
    for _ in 0..<5 {
      let pending = try await fixture.signIn("a@b.example").json["mfaPendingCredential"]
      for _ in 0..<4 { refusals.append(try await finish(fixture, pending, id, "abcdef").error ?? "none") }
    }
    #expect(refusals.filter { $0 == "INVALID_CODE" }.count == 15)
    #expect(refusals.last?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
  }

  @Test("A pending sign-in expires after ten minutes, and with a change of its password")
  func pendingEnds() async throws {
    let fixture = try IdentityFixture()
    let (secret, id, uid) = try await enrolled(fixture)
    fixture.accountsFixture.advance(seconds: 60)
    let first = try await fixture.signIn("a@b.example").json["mfaPendingCredential"]
    fixture.accountsFixture.advance(seconds: 600)
    #expect(try await finish(fixture, first, id, try code(secret, fixture)).error == "INVALID_MFA_PENDING_CREDENTIAL")
    let second = try await fixture.signIn("a@b.example").json["mfaPendingCredential"]
    try await fixture.accounts.signIn.passwords.change(
      of: #require(fixture.user(uid)), to: "another one", client: fixture.accountsFixture.client(),
      now: fixture.accountsFixture.now)
    #expect(try await finish(fixture, second, id, try code(secret, fixture)).error == "INVALID_MFA_PENDING_CREDENTIAL")
  }

  @Test("The attempts at a second factor are limited per day, over all sign-ins")
  func triesOfADay() async throws {
    let fixture = try IdentityFixture { $0.limits.factorTriesPerDay = 12 }
    let user = try await fixture.verified("a@b.example")
    let owner = try await fixture.enrol(user.idToken, uid: user.localID)
    var answers: [String?] = []
    for _ in 0..<14 {
      fixture.accountsFixture.advance(seconds: 61)
      let pending = try await fixture.signIn("a@b.example").json["mfaPendingCredential"]
      let right = try fixture.code(owner.secret)
      answers.append(try await fixture.finish(pending, owner.id, right == "000000" ? "000001" : "000000").error)
    }
    // The enrollment counted as an attempt as well.
    #expect(answers.prefix(11).allSatisfy { $0 == "INVALID_CODE" }, "\(answers)")
    #expect(answers.suffix(3).allSatisfy { $0?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true }, "\(answers)")
    fixture.accountsFixture.advance(seconds: 2 * 86_400)
    let pending = try await fixture.signIn("a@b.example").json["mfaPendingCredential"]
    #expect(try await fixture.finish(pending, owner.id, try fixture.code(owner.secret)).status == 200)
  }

  @Test("Enrollment needs a verified address and another first factor, and allows one authenticator")
  func enrolment() async throws {
    let fixture = try IdentityFixture()
    func start(_ token: String) async throws -> String? {
      try await fixture.post(
        "/v2/accounts/mfaEnrollment:start", ["idToken": .string(token), "totpEnrollmentInfo": [:]]
      )
      .error
    }
    #expect(
      try await start(try await fixture.anonymous().idToken)
        == "UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor.")
    #expect(
      try await start(try await fixture.signUp("x@y.example").idToken)?.hasPrefix("UNVERIFIED_EMAIL : Need to") == true)
    _ = try await enrolled(fixture)
    fixture.accountsFixture.advance(seconds: 1)
    let user = try #require(fixture.accounts.store.view.user(email: "a@b.example"))
    let token = try await fixture.accounts.sessions.refreshable.start(
      of: AuthenticatedUser(user, .password), secondFactor: user.factors.first?.id,
      client: fixture.accountsFixture.client(),
      now: fixture.accountsFixture.now
    ).tokens.idToken
    #expect(try await start(token) == "SECOND_FACTOR_EXISTS")
    let phone = try await fixture.post(
      "/v2/accounts/mfaEnrollment:start", ["idToken": .string(token), "phoneEnrollmentInfo": [:]])
    #expect(phone.error?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
  }

  @Test("Security 37: Five wrong codes void an enrollment")
  func enrolmentGuesses() async throws {
    let fixture = try IdentityFixture()
    let user = try await verified(fixture)
    let start = try await fixture.post(
      "/v2/accounts/mfaEnrollment:start", ["idToken": .string(user.idToken), "totpEnrollmentInfo": [:]])
    let info = try #require(start.json["totpSessionInfo"]?["sessionInfo"])
    func finish(_ code: JSON) async throws -> String? {
      try await fixture.post(
        "/v2/accounts/mfaEnrollment:finalize",
        ["idToken": .string(user.idToken), "totpVerificationInfo": ["sessionInfo": info, "verificationCode": code]]
      ).error
    }
    #expect(try await finish("") == "MISSING_CODE")
    for _ in 0..<5 { #expect(try await finish("abcdef") == "INVALID_CODE") }
    #expect(try await finish("abcdef") == "SESSION_EXPIRED")
    #expect(try await finish("abcdef") == "INVALID_SESSION_INFO")
    #expect(fixture.user(user.localID)?.factors.isEmpty == true)
  }

  @Test("Removing the factor ends other sessions, and the factor is no longer required")
  func withdraw() async throws {
    let fixture = try IdentityFixture()
    let (secret, id, _) = try await enrolled(fixture)
    fixture.accountsFixture.advance(seconds: 60)
    let first = try await fixture.signIn("a@b.example")
    let done = try await finish(fixture, first.json["mfaPendingCredential"], id, try code(secret, fixture))
    #expect(
      try await fixture.post(
        "/v2/accounts/mfaEnrollment:withdraw", ["idToken": .string(done.idToken), "mfaEnrollmentId": "other"]
      ).error == "MFA_ENROLLMENT_NOT_FOUND")
    let withdrawn = try await fixture.post(
      "/v2/accounts/mfaEnrollment:withdraw", ["idToken": .string(done.idToken), "mfaEnrollmentId": .string(id)])
    #expect(try fixture.claims(withdrawn.idToken)["firebase"]?["sign_in_second_factor"] == nil)
    #expect(try await fixture.refresh(done.refreshToken).error == "TOKEN_EXPIRED")
    #expect(try await fixture.signIn("a@b.example").json["idToken"] != nil)
  }
}
