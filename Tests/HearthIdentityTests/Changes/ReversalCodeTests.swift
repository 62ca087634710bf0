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

  private func kinds(_ world: IdentityWorld) async -> [String] { await world.mails().map(\.kind.rawValue) }

  @Test(
    "Security 74: a provider that an attacker links is notified by mail, and reverted with the session that it began")
  func provider() async throws {
    let world = try IdentityWorld()
    let owner = try await world.verified(email)
    world.accountsFixture.advance(seconds: 600)
    let refreshed = try await world.refresh(owner.refreshToken)
    let linked = try await world.federated("7~x@y.example~yes", ["idToken": .string(refreshed.idToken)])
    #expect(linked.status == 200, "\(linked.text)")
    let mail = try #require(await world.mails().last)
    #expect(mail.kind == .signInMethodAdded && mail.to == email)
    #expect(mail.text.contains("google.com now signs in") && mail.html.contains("mode=revertChange"))
    let code = try await world.mailedCode()
    let stranger = try await world.federated("7~x@y.example~yes")
    #expect(stranger.localID == owner.localID)
    #expect(try await world.post("accounts:update", ["oobCode": .string(code)]).status == 200)
    #expect(world.user(owner.localID)?.identities.isEmpty == true)
    for session in [stranger, linked, owner] {
      #expect(try await world.refresh(session.refreshToken).error == "TOKEN_EXPIRED")
    }
    #expect(try await world.signIn(email).json["idToken"] != nil)
    #expect(try await world.post("accounts:update", ["oobCode": .string(code)]).error == "INVALID_OOB_CODE")
    #expect(world.auditedKinds.contains("change_reverted"))
  }

  @Test(
    "Security 74: the first reversal link restores the state before all later changes, also after a later link was used"
  )
  func first() async throws {
    let world = try IdentityWorld { $0.protectsFromEnumeration = false }
    let owner = try await world.verified(email)
    _ = try await world.federated("7~x@y.example~yes", ["idToken": .string(owner.idToken)])
    let first = try await world.mailedCode()
    world.accountsFixture.advance(seconds: 1)
    let moved = try await world.update(owner.idToken, ["email": "eve@evil.example", "password": "a stranger's"])
    #expect(moved.status == 200, "\(moved.text)")
    #expect(await world.mails().last?.kind == .recoverEmail)
    let second = try await world.mailedCode()
    try await world.change(owner.localID) { $0.isEmailVerified = true }
    _ = try await world.update(moved.idToken, ["deleteProvider": ["google.com"]])
    #expect(await world.mails().last?.to == "eve@evil.example")
    let strangers = try await world.mailedCode()
    #expect(try await world.post("accounts:update", ["oobCode": .string(second)]).status == 200)
    let user = try #require(world.user(owner.localID))
    #expect(user.email == email && user.password == nil && user.identities.map(\.providerID) == ["google.com"])
    // The link in the attacker's mail restores a later state.
    #expect(try await world.post("accounts:update", ["oobCode": .string(strangers)]).error == "INVALID_OOB_CODE")
    #expect(try await world.post("accounts:update", ["oobCode": .string(first)]).status == 200)
    #expect(world.user(owner.localID)?.identities.isEmpty == true)
    #expect(await kinds(world).suffix(3) == ["signInMethodAdded", "recoverEmail", "signInMethodRemoved"])
  }

  @Test("Security 74: a password that was set by mail meanwhile stays")
  func reset() async throws {
    let world = try IdentityWorld()
    let owner = try await world.verified(email)
    _ = try await world.federated("7~x@y.example~yes", ["idToken": .string(owner.idToken)])
    let back = try await world.mailedCode()
    world.accountsFixture.advance(seconds: 61)
    _ = try await world.sendCode("PASSWORD_RESET", ["email": .string(email)])
    let reset = try await world.mailedCode()
    _ = try await world.post("accounts:resetPassword", ["oobCode": .string(reset), "newPassword": "mine alone"])
    #expect(try await world.post("accounts:update", ["oobCode": .string(back)]).status == 200)
    #expect(world.user(owner.localID)?.identities.isEmpty == true)
    #expect(try await world.signIn(email, "mine alone").json["idToken"] != nil)
  }

  @Test("Security 74: removed identifiers are restored, unless another account has them")
  func returns() async throws {
    let world = try IdentityWorld()
    let owner = try await world.verified(email)
    let linked = try await world.federated("7~x@y.example~yes", ["idToken": .string(owner.idToken)])
    _ = try await world.update(linked.idToken, ["deleteProvider": ["google.com"]])
    let code = try await world.mailedCode()
    let other = try await world.federated("7~other@y.example~yes")
    #expect(other.localID != owner.localID)
    #expect(try await world.post("accounts:update", ["oobCode": .string(code)]).status == 200)
    #expect(world.user(owner.localID)?.identities.isEmpty == true)
    #expect(world.user(other.localID)?.identities.count == 1)
    let withdrawn = try await world.signIn(email)
    let again = try await world.federated("8~x@y.example~yes", ["idToken": .string(withdrawn.idToken)])
    _ = try await world.update(again.idToken, ["deleteProvider": ["google.com"]])
    #expect(
      try await world.post("accounts:update", ["oobCode": .string(try await world.mailedCode())]).status == 200)
    #expect(world.user(owner.localID)?.identities.map(\.rawID) == ["8"])
  }

  @Test(
    "Security 74: a reversal requires the former authenticator, not a newly added one; attempts are limited"
  )
  func factor() async throws {
    let world = try IdentityWorld()
    let owner = try await world.verified(email)
    let own = try await world.enrol(owner.idToken, uid: owner.localID, members: [.init("recoveryCodes", true)])
    // An attacker has the whole session.
    let withdrawn = try await world.post(
      "/v2/accounts/mfaEnrollment:withdraw",
      ["idToken": .string(own.answer.idToken), "mfaEnrollmentId": .string(own.id)])
    #expect(await world.mails().last?.kind == .secondFactorRemoved)
    let code = try await world.mailedCode()
    let theirs = try await world.enrol(withdrawn.idToken, uid: owner.localID)
    func revert(_ proof: String?) async throws -> IdentityWorld.Answer {
      let members: [JSON.Member] = [.init("oobCode", .string(code))]
      let shown = proof.map { [JSON.Member("totpVerificationInfo", ["verificationCode": .string($0)])] } ?? []
      return try await world.post("accounts:update", .object(members + shown))
    }
    world.accountsFixture.advance(seconds: 90)
    #expect(try await revert(nil).error == "MISSING_CODE")
    #expect(try await revert(try world.code(theirs.secret)).error == "INVALID_CODE")
    #expect(try await revert("aaaa-aaaa-aaaa-aaaa").error == "INVALID_CODE")
    #expect(try await revert(own.recoveryCodes[0]).status == 200)
    let user = try #require(world.user(owner.localID))
    #expect(user.factors.map(\.id) == [own.id])
    // The codes were removed with the factor and are restored with it, except the used one.
    #expect(user.recoveryCodes.count == 9)
    let pending = try await world.signIn(email).json["mfaPendingCredential"]
    #expect(try await world.finish(pending, own.id, try world.code(own.secret)).status == 200)
  }

  @Test("Security 37: five wrong codes of a factor void a reversal link")
  func guesses() async throws {
    let world = try IdentityWorld()
    let owner = try await world.verified(email)
    let own = try await world.enrol(owner.idToken, uid: owner.localID)
    world.accountsFixture.advance(seconds: 1)
    _ = try await world.update(own.answer.idToken, ["password": "another one"])
    let code = try await world.mailedCode()
    world.accountsFixture.advance(seconds: 90)
    let right = try world.code(own.secret)
    let wrong = right == "000000" ? "000001" : "000000"
    func revert(_ proof: String) async throws -> String? {
      try await world.post(
        "accounts:update", ["oobCode": .string(code), "totpVerificationInfo": ["verificationCode": .string(proof)]]
      ).error
    }
    for _ in 0..<5 { #expect(try await revert(wrong) == "INVALID_CODE") }
    #expect(try await revert(right) == "INVALID_OOB_CODE")
  }

  @Test("Unverified addresses, and addresses of new accounts, get no notice of sign-in methods")
  func unproven() async throws {
    let world = try IdentityWorld()
    let owner = try await world.signUp(email)
    _ = try await world.federated("7~x@y.example~yes", ["idToken": .string(owner.idToken)])
    let guest = try await world.anonymous()
    _ = try await world.federated("9~z@y.example~yes", ["idToken": .string(guest.idToken)])
    #expect(await world.mails().isEmpty)
  }

  @Test("A code of the previous version restores the address, and removes passkeys")
  func earlierVersion() async throws {
    let world = try IdentityWorld()
    let owner = try await world.signUp("new@example.com")
    let uid = owner.localID
    try await world.change(uid) {
      $0.passkeys = [Passkey(id: "k", name: "k", publicKey: "x", userHandle: "h", enrolledAtMilliseconds: 1)]
    }
    let code = try world.accounts.context.secrets.code()
    var ticket = world.accountsFixture.ticket(.recoverEmail, uid: uid, email: "old@example.com")
    ticket.details = #"{"wasVerified":true}"#
    try await world.accounts.store.transact { [ticket] (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putTicket(code.hash, ticket)
    }
    #expect(try await world.post("accounts:update", ["oobCode": .string(code.text)]).status == 200)
    let user = try #require(world.user(uid))
    #expect(user.email == "old@example.com" && user.isEmailVerified && user.passkeys.isEmpty && user.password != nil)
  }
}
