import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite("Recovery codes, and the reversal of a second factor that an attacker added")
struct RecoveryCodeTests {
  private static let path = "/v2/accounts/mfaEnrollment:recoveryCodes"
  private let fixture: IdentityFixture
  private let email = "a@b.example"

  init() throws { fixture = try IdentityFixture() }

  private func enrolled() async throws -> IdentityFixture.Authenticator {
    let user = try await fixture.verified(email)
    let owner = try await fixture.enrol(
      user.idToken, uid: user.localID, members: [.init("recoveryCodes", .bool(true))])
    fixture.accountsFixture.advance(seconds: 60)
    return owner
  }

  private func pending() async throws -> JSON? { try await fixture.signIn(email).json["mfaPendingCredential"] }

  @Test("Security 73: a recovery code replaces the factor once, and only its hash is stored")
  func once() async throws {
    let owner = try await enrolled()
    let codes = owner.recoveryCodes
    #expect(Set(codes).count == 10 && codes.allSatisfy { $0.utf8.count == 19 })
    let kept = try #require(fixture.user(owner.uid))
    #expect(kept.recoveryCodes.count == 10)
    #expect(!codes.contains { code in kept.recoveryCodes.contains { $0.contains(code.filter { $0 != "-" }) } })
    let first = try #require(codes.first)
    let done = try await fixture.finish(try await pending(), owner.id, first)
    #expect(done.status == 200 && done.json["recoveryCodesLeft"] == 9, "\(done.text)")
    let claims = try fixture.claims(done.idToken)
    #expect(claims["firebase"]?["second_factor_identifier"] == .string(owner.id))
    #expect(await fixture.mails().last?.kind == .recoveryCodeUsed)
    let told = try await fixture.lookup(done.idToken).json["users"]?.array?.first
    #expect(told?["recoveryCodesLeft"] == 9)
    #expect(try await fixture.finish(try await pending(), owner.id, first).error == "INVALID_CODE")
    // The code is accepted in any common spelling.
    let second = codes[1].uppercased().replacing("-", with: " ")
    #expect(try await fixture.finish(try await pending(), owner.id, second).status == 200)
    #expect(try await fixture.finish(try await pending(), "another", codes[2]).error == "MFA_ENROLLMENT_NOT_FOUND")
  }

  @Test("Security 73: one of many concurrent uses of a recovery code succeeds, and wrong ones are counted")
  func race() async throws {
    let owner = try await enrolled()
    let code = owner.recoveryCodes[0]
    var waiting: [JSON?] = []
    for _ in 0..<8 { waiting.append(try await pending()) }
    let statuses = try await withThrowingTaskGroup(of: Int.self) { [waiting] group in
      for pending in waiting { group.addTask { try await fixture.finish(pending, owner.id, code).status } }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(statuses.filter { $0 == 200 }.count == 1, "\(statuses)")
    fixture.accountsFixture.advance(seconds: 120)
    let last = try await pending()
    for _ in 0..<5 {
      #expect(try await fixture.finish(last, owner.id, "aaaa-bbbb-cccc-dddd").error == "INVALID_CODE")
    }
    #expect(
      try await fixture.finish(last, owner.id, owner.recoveryCodes[1]).error == "INVALID_MFA_PENDING_CREDENTIAL")
  }

  @Test("New recovery codes need a recent second factor, and void the former ones")
  func onDemand() async throws {
    let user = try await fixture.verified(email)
    #expect(
      try await fixture.post(Self.path, ["idToken": .string(user.idToken)]).error?.hasPrefix("MFA_ENROLLMENT_NOT_FOUND")
        == true)
    let owner = try await fixture.enrol(user.idToken, uid: user.localID)
    #expect(owner.recoveryCodes.isEmpty && fixture.user(owner.uid)?.recoveryCodes.isEmpty == true)
    // The enrollment has ended every earlier session.
    #expect(try await fixture.post(Self.path, ["idToken": .string(user.idToken)]).error == "TOKEN_EXPIRED")
    let made = try await fixture.post(Self.path, ["idToken": .string(owner.answer.idToken)])
    let codes = made.json["recoveryCodes"]?.array?.compactMap(\.string) ?? []
    #expect(codes.count == 10, "\(made.text)")
    let again = try await fixture.post(Self.path, ["idToken": .string(owner.answer.idToken)])
    let later = again.json["recoveryCodes"]?.array?.compactMap(\.string) ?? []
    fixture.accountsFixture.advance(seconds: 60)
    #expect(try await fixture.finish(try await pending(), owner.id, codes[0]).error == "INVALID_CODE")
    #expect(try await fixture.finish(try await pending(), owner.id, later[0]).status == 200)
    fixture.accountsFixture.advance(seconds: 600)
    #expect(
      try await fixture.post(Self.path, ["idToken": .string(owner.answer.idToken)]).error
        == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
  }

  @Test("Without a second factor there are no recovery codes")
  func withdrawn() async throws {
    let owner = try await enrolled()
    let done = try await fixture.finish(try await pending(), owner.id, try fixture.code(owner.secret))
    _ = try await fixture.post(
      "/v2/accounts/mfaEnrollment:withdraw", ["idToken": .string(done.idToken), "mfaEnrollmentId": .string(owner.id)])
    #expect(fixture.user(owner.uid)?.recoveryCodes.isEmpty == true)
  }

  @Test("Security 74: the owner of the address removes a second factor that an attacker added, also after a reset")
  func revert() async throws {
    let owner = try await enrolled()
    let mail = try #require(await fixture.mails().last { $0.kind == .revertSecondFactor })
    #expect(mail.to == email && mail.link?.contains("mode=revertSecondFactorAddition") == true)
    let code = try await fixture.mailedCode()
    let told = try await fixture.post("accounts:resetPassword", ["oobCode": .string(code)])
    #expect(told.json["requestType"] == "REVERT_SECOND_FACTOR_ADDITION" && told.json["email"] == .string(email))
    #expect(told.json["mfaInfo"]?["mfaEnrollmentId"] == .string(owner.id) && told.json["mfaInfo"]?["totpInfo"] == [:])
    // An attacker changes the password, which does not lock the owner out.
    try await fixture.accounts.signIn.passwords.change(
      of: #require(fixture.user(owner.uid)), to: "another one", client: fixture.accountsFixture.client(),
      now: fixture.accountsFixture.now)
    let reverted = try await fixture.post("accounts:update", ["oobCode": .string(code)])
    #expect(reverted.status == 200, "\(reverted.text)")
    let user = try #require(fixture.user(owner.uid))
    #expect(user.factors.isEmpty && user.recoveryCodes.isEmpty)
    #expect(try await fixture.refresh(owner.answer.refreshToken).error == "TOKEN_EXPIRED")
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(code)]).error == "INVALID_OOB_CODE")
    // The attacker's password is void; one set by mail is valid, without a second step.
    #expect(try await fixture.signIn(email, "another one").error == "INVALID_LOGIN_CREDENTIALS")
    fixture.accountsFixture.advance(seconds: 61)
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": .string(email)])
    let reset = try await fixture.mailedCode()
    _ = try await fixture.post("accounts:resetPassword", ["oobCode": .string(reset), "newPassword": "mine again"])
    #expect(try await fixture.signIn(email, "mine again").json["idToken"] != nil)
  }

  @Test("The page of the mailed link has a button, and opening it has no effect")
  func page() async throws {
    let owner = try await enrolled()
    let code = try await fixture.mailedCode()
    let shown = try await fixture.send(
      "/__/auth/action", [], method: "GET", query: [("mode", "revertSecondFactorAddition"), ("oobCode", code)])
    #expect(shown.status == 200 && shown.text.contains("Remove it"), "\(shown.text)")
    #expect(fixture.user(owner.uid)?.factors.count == 1)
    let pressed = try await fixture.send(
      "/__/auth/action", Array("mode=revertSecondFactorAddition&oobCode=\(code)".utf8),
      contentType: "application/x-www-form-urlencoded")
    #expect(pressed.status == 200 && pressed.text.contains("The second step was removed"), "\(pressed.text)")
    #expect(fixture.user(owner.uid)?.factors.isEmpty == true)
  }
}
