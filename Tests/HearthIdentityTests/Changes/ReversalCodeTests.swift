import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Tests of links that revert a change of credentials.
@Suite struct ReversalCodeTests {
  private let email = "a@b.example"

  private func kinds(_ fixture: IdentityFixture) async -> [String] { await fixture.mails().map(\.kind.rawValue) }

  @Test(
    "Security 74: a provider that an attacker links is notified by mail, and reverted with the session that it began")
  func provider() async throws {
    let fixture = try IdentityFixture()
    let owner = try await fixture.verified(email)
    fixture.accountsFixture.advance(seconds: 600)
    let refreshed = try await fixture.refresh(owner.refreshToken)
    let linked = try await fixture.federated("7~x@y.example~yes", ["idToken": .string(refreshed.idToken)])
    #expect(linked.status == 200, "\(linked.text)")
    let mail = try #require(await fixture.mails().last)
    #expect(mail.kind == .signInMethodAdded && mail.to == email)
    #expect(mail.text.contains("google.com now signs in") && mail.html.contains("mode=revertChange"))
    let code = try await fixture.mailedCode()
    let stranger = try await fixture.federated("7~x@y.example~yes")
    #expect(stranger.localID == owner.localID)
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(code)]).status == 200)
    #expect(fixture.user(owner.localID)?.identities.isEmpty == true)
    for session in [stranger, linked, owner] {
      #expect(try await fixture.refresh(session.refreshToken).error == "TOKEN_EXPIRED")
    }
    #expect(try await fixture.signIn(email).json["idToken"] != nil)
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(code)]).error == "INVALID_OOB_CODE")
    #expect(fixture.auditedKinds.contains("change_reverted"))
  }

  @Test(
    "Security 74: the first reversal link restores the state before all later changes, also after a later link was used"
  )
  func first() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    let owner = try await fixture.verified(email)
    _ = try await fixture.federated("7~x@y.example~yes", ["idToken": .string(owner.idToken)])
    let first = try await fixture.mailedCode()
    fixture.accountsFixture.advance(seconds: 1)
    let moved = try await fixture.update(owner.idToken, ["email": "eve@evil.example", "password": "a stranger's"])
    #expect(moved.status == 200, "\(moved.text)")
    #expect(await fixture.mails().last?.kind == .recoverEmail)
    let second = try await fixture.mailedCode()
    try await fixture.change(owner.localID) { $0.isEmailVerified = true }
    _ = try await fixture.update(moved.idToken, ["deleteProvider": ["google.com"]])
    #expect(await fixture.mails().last?.to == "eve@evil.example")
    let strangers = try await fixture.mailedCode()
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(second)]).status == 200)
    let user = try #require(fixture.user(owner.localID))
    #expect(user.email == email && user.password == nil && user.identities.map(\.providerID) == ["google.com"])
    // The link in the attacker's mail restores a later state.
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(strangers)]).error == "INVALID_OOB_CODE")
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(first)]).status == 200)
    #expect(fixture.user(owner.localID)?.identities.isEmpty == true)
    #expect(await kinds(fixture).suffix(3) == ["signInMethodAdded", "recoverEmail", "signInMethodRemoved"])
  }

  @Test("Security 74: a password that was set by mail meanwhile stays")
  func reset() async throws {
    let fixture = try IdentityFixture()
    let owner = try await fixture.verified(email)
    _ = try await fixture.federated("7~x@y.example~yes", ["idToken": .string(owner.idToken)])
    let back = try await fixture.mailedCode()
    fixture.accountsFixture.advance(seconds: 61)
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": .string(email)])
    let reset = try await fixture.mailedCode()
    _ = try await fixture.post("accounts:resetPassword", ["oobCode": .string(reset), "newPassword": "mine alone"])
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(back)]).status == 200)
    #expect(fixture.user(owner.localID)?.identities.isEmpty == true)
    #expect(try await fixture.signIn(email, "mine alone").json["idToken"] != nil)
  }

  @Test("Security 74: removed identifiers are restored, unless another account has them")
  func returns() async throws {
    let fixture = try IdentityFixture()
    let owner = try await fixture.verified(email)
    let linked = try await fixture.federated("7~x@y.example~yes", ["idToken": .string(owner.idToken)])
    _ = try await fixture.update(linked.idToken, ["deleteProvider": ["google.com"]])
    let code = try await fixture.mailedCode()
    let other = try await fixture.federated("7~other@y.example~yes")
    #expect(other.localID != owner.localID)
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(code)]).status == 200)
    #expect(fixture.user(owner.localID)?.identities.isEmpty == true)
    #expect(fixture.user(other.localID)?.identities.count == 1)
    let withdrawn = try await fixture.signIn(email)
    let again = try await fixture.federated("8~x@y.example~yes", ["idToken": .string(withdrawn.idToken)])
    _ = try await fixture.update(again.idToken, ["deleteProvider": ["google.com"]])
    #expect(
      try await fixture.post("accounts:update", ["oobCode": .string(try await fixture.mailedCode())]).status == 200)
    #expect(fixture.user(owner.localID)?.identities.map(\.rawID) == ["8"])
  }

  @Test(
    "Security 74: a reversal requires the former authenticator, not a newly added one; attempts are limited"
  )
  func factor() async throws {
    let fixture = try IdentityFixture()
    let owner = try await fixture.verified(email)
    let own = try await fixture.enrol(owner.idToken, uid: owner.localID, members: [.init("recoveryCodes", true)])
    // An attacker has the whole session.
    let withdrawn = try await fixture.post(
      "/v2/accounts/mfaEnrollment:withdraw",
      ["idToken": .string(own.answer.idToken), "mfaEnrollmentId": .string(own.id)])
    #expect(await fixture.mails().last?.kind == .secondFactorRemoved)
    let code = try await fixture.mailedCode()
    let theirs = try await fixture.enrol(withdrawn.idToken, uid: owner.localID)
    func revert(_ proof: String?) async throws -> IdentityFixture.Answer {
      let members: [JSON.Member] = [.init("oobCode", .string(code))]
      let shown = proof.map { [JSON.Member("totpVerificationInfo", ["verificationCode": .string($0)])] } ?? []
      return try await fixture.post("accounts:update", .object(members + shown))
    }
    fixture.accountsFixture.advance(seconds: 90)
    #expect(try await revert(nil).error == "MISSING_CODE")
    #expect(try await revert(try fixture.code(theirs.secret)).error == "INVALID_CODE")
    #expect(try await revert("aaaa-aaaa-aaaa-aaaa").error == "INVALID_CODE")
    #expect(try await revert(own.recoveryCodes[0]).status == 200)
    let user = try #require(fixture.user(owner.localID))
    #expect(user.factors.map(\.id) == [own.id])
    // The codes were removed with the factor and are restored with it, except the used one.
    #expect(user.recoveryCodes.count == 9)
    let pending = try await fixture.signIn(email).json["mfaPendingCredential"]
    #expect(try await fixture.finish(pending, own.id, try fixture.code(own.secret)).status == 200)
  }

  @Test("Security 37: five wrong codes of a factor void a reversal link")
  func guesses() async throws {
    let fixture = try IdentityFixture()
    let owner = try await fixture.verified(email)
    let own = try await fixture.enrol(owner.idToken, uid: owner.localID)
    fixture.accountsFixture.advance(seconds: 1)
    _ = try await fixture.update(own.answer.idToken, ["password": "another one"])
    let code = try await fixture.mailedCode()
    fixture.accountsFixture.advance(seconds: 90)
    let right = try fixture.code(own.secret)
    let wrong = right == "000000" ? "000001" : "000000"
    func revert(_ proof: String) async throws -> String? {
      try await fixture.post(
        "accounts:update", ["oobCode": .string(code), "totpVerificationInfo": ["verificationCode": .string(proof)]]
      ).error
    }
    for _ in 0..<5 { #expect(try await revert(wrong) == "INVALID_CODE") }
    #expect(try await revert(right) == "INVALID_OOB_CODE")
  }

  @Test("Unverified addresses, and addresses of new accounts, get no notice of sign-in methods")
  func unproven() async throws {
    let fixture = try IdentityFixture()
    let owner = try await fixture.signUp(email)
    _ = try await fixture.federated("7~x@y.example~yes", ["idToken": .string(owner.idToken)])
    let guest = try await fixture.anonymous()
    _ = try await fixture.federated("9~z@y.example~yes", ["idToken": .string(guest.idToken)])
    #expect(await fixture.mails().isEmpty)
  }

  @Test("A code of the previous version restores the address, and removes passkeys")
  func earlierVersion() async throws {
    let fixture = try IdentityFixture()
    let owner = try await fixture.signUp("new@example.com")
    let uid = owner.localID
    try await fixture.change(uid) {
      $0.passkeys = [Passkey(id: "k", name: "k", publicKey: "x", userHandle: "h", enrolledAtMilliseconds: 1)]
    }
    let code = try fixture.accounts.context.secrets.code()
    var ticket = fixture.accountsFixture.ticket(.recoverEmail, uid: uid, email: "old@example.com")
    ticket.details = #"{"wasVerified":true}"#
    try await fixture.accounts.store.transact { [ticket] (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putTicket(code.hash, ticket)
    }
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(code.text)]).status == 200)
    let user = try #require(fixture.user(uid))
    #expect(user.email == "old@example.com" && user.isEmailVerified && user.passkeys.isEmpty && user.password != nil)
  }
}
