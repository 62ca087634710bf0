import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Tests of the tokens that a revocation ends, with any clock, and of the checks of application servers.
@Suite struct TokenCutoffTests {
  /// All operations that end the tokens of `a@b.example`. Each signs in again when it needs a token, because the clock
  /// may have been set back since the last one.
  static let causes = ["revoke", "password change", "reset", "claims", "validSince", "import", "address"]

  private func bringAbout(_ cause: String, _ uid: String, _ fixture: IdentityFixture) async throws {
    let answer: IdentityFixture.Answer
    func administer(_ path: String, _ body: JSON) async throws -> IdentityFixture.Answer {
      try await fixture.post("/v1/projects/demo-test/" + path, body, authority: .administrator("test"))
    }
    switch cause {
    case "revoke":
      answer = try await fixture.post(
        "/hearth/v1/users:revoke", ["localId": .string(uid)], authority: .administrator("cli"))
    case "password change":
      let token = try await fixture.signIn("a@b.example").idToken
      answer = try await fixture.update(token, ["password": "another one"])
    case "reset":
      _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
      answer = try await fixture.post(
        "accounts:resetPassword", ["oobCode": .string(try await fixture.mailedCode()), "newPassword": "another one"])
    case "claims":
      answer = try await administer(
        "accounts:update", ["localId": .string(uid), "customAttributes": .string("{\"at\":\(fixture.nowSeconds)}")])
    case "validSince":
      // Sent from a machine with a correct clock.
      answer = try await administer(
        "accounts:update", ["localId": .string(uid), "validSince": .int(fixture.nowSeconds)])
    case "import":
      answer = try await administer(
        "accounts:batchCreate", ["users": [["localId": .string(uid), "email": "a@b.example"]], "allowOverwrite": true])
    default:
      let token = try await fixture.signIn("a@b.example").idToken
      answer = try await fixture.update(token, ["email": "new@b.example"])
    }
    #expect(answer.status == 200, "\(cause): \(answer.text)")
  }

  private static func fixture() throws -> IdentityFixture {
    try IdentityFixture {
      $0.protectsFromEnumeration = false
      $0.revokesOnClaimChange = true
    }
  }

  /// Returns a token that the operator signs with a database secret.
  private func legacy(_ uid: String, issuedAtSeconds: Int64) -> VerifiedCredential {
    VerifiedCredential(
      kind: .legacyToken, authPayload: .object([.init("uid", .string(uid))]), authority: .user,
      claims: .object([.init("iat", .int(issuedAtSeconds))]))
  }

  @Test("A revocation ends all earlier tokens, for any step of the clock in between", arguments: causes)
  func clockSetBack(cause: String) async throws {
    for back: Int64 in [0, 1, 3_600, 400 * 86_400] {
      let fixture = try Self.fixture()
      let (first, accounts, now) = (try await fixture.signUp("a@b.example"), fixture.accounts, fixture.nowSeconds)
      let refreshed = try await fixture.refresh(first.refreshToken)
      let cookie = try accounts.keys.mintSessionCookie(
        claims: try fixture.claims(first.idToken), issuedAtSeconds: now, lifetimeSeconds: 86_400)
      let credentials = [
        try accounts.keys.verifyIDToken(first.idToken, nowSeconds: now),
        try accounts.keys.verifyIDToken(refreshed.idToken, nowSeconds: now),
        try accounts.keys.verifySessionCookie(cookie, nowSeconds: now),
        legacy(first.localID, issuedAtSeconds: now), legacy(first.localID, issuedAtSeconds: now - 100),
      ]
      #expect(credentials.allSatisfy { accounts.sessions.revocations.standing(of: $0) == .good })
      fixture.accountsFixture.setWallClock(seconds: now - back)
      try await bringAbout(cause, first.localID, fixture)
      for step: Int64 in [0, back + 10] {
        fixture.accountsFixture.setWallClock(seconds: now - back + step)
        #expect(credentials.allSatisfy { accounts.sessions.revocations.standing(of: $0) == .ended }, "\(back) s")
        #expect(try await fixture.refresh(first.refreshToken).error == "TOKEN_EXPIRED")
      }
      #expect(try await fixture.lookup(first.idToken).error == "TOKEN_EXPIRED")
      // Tokens issued after the clock has passed the cutoff again.
      #expect(accounts.sessions.revocations.standing(of: legacy(first.localID, issuedAtSeconds: now + 1)) == .good)
    }
  }

  @Test("A credential that was issued after the last change of the accounts ends, although the clock was set back")
  func takenBetweenChanges() async throws {
    let fixture = try Self.fixture()
    let uid = try await fixture.signUp("a@b.example").localID
    let later = fixture.nowSeconds + 5
    fixture.accountsFixture.setWallClock(seconds: later)
    let credential = legacy(uid, issuedAtSeconds: later)
    #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .good)
    fixture.accountsFixture.setWallClock(seconds: later - 3_600)
    try await bringAbout("revoke", uid, fixture)
    #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .ended)
  }

  @Test("Tokens of 2.x sessions have the generation of the uid in their session name")
  func legacySessions() async throws {
    let fixture = try AdminFixture()
    let uid = try await fixture.legacyUser()
    let token = try #require(
      try await fixture.web("/auth/password?&email=ann@example.com&password=secret1")["token"]?.string)
    let now = fixture.accountsFixture.nowSeconds
    let credential = try fixture.accounts.keys.verifier.verify(token, nowSeconds: now)
    #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .good)
    let session = try #require(fixture.accounts.store.view.sessions(of: uid).first)
    #expect(session.session.userGeneration == fixture.user(uid)?.cutoff.generation)
    fixture.accountsFixture.setWallClock(seconds: now - 3_600)
    _ = try await fixture.administrate("users:revoke", "{\"localId\": \"\(uid)\"}")
    // Also if the record of the session still existed.
    try await fixture.accounts.store.transact { (transaction) throws(AccountError) in
      transaction.putSession(session.hash, session.session)
    }
    #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .ended)
  }

  // MARK: Application servers

  /// Checks a token as the admin SDKs check for revocation: Python, Go and Java compare `iat` with `validSince`, Node
  /// compares `auth_time`; Python refuses a future `iat`.
  private func expectTaken(_ idToken: String, _ fixture: IdentityFixture, _ what: String = "") throws {
    let claims = try fixture.claims(idToken)
    let user = try #require(fixture.user(claims["sub"]?.string ?? ""))
    let (issuedAt, authTime) = (try #require(claims["iat"]?.seconds), try #require(claims["auth_time"]?.seconds))
    #expect(issuedAt >= user.validSinceSeconds && issuedAt <= fixture.nowSeconds, "\(what)")
    #expect(authTime >= user.validSinceSeconds, "\(what)")
    #expect(user.validSinceSeconds <= fixture.nowSeconds, "\(what)")
  }

  @Test(
    "Admin SDKs that check for revocation accept tokens issued after it, also within its second", arguments: causes)
  func adminSDKs(cause: String) async throws {
    let fixture = try Self.fixture()
    let uid = try await fixture.signUp("a@b.example").localID
    for age: Int64 in [0, 0, 7] {
      fixture.accountsFixture.advance(seconds: age)
      try await bringAbout(cause, uid, fixture)
      #expect(fixture.user(uid)?.validSinceSeconds == fixture.nowSeconds)
      let user = try #require(fixture.user(uid))
      let next = try await fixture.accounts.sessions.refreshable.start(
        of: AuthenticatedUser(user, .password), client: fixture.accountsFixture.client(),
        now: fixture.accountsFixture.now
      ).tokens
      try expectTaken(next.idToken, fixture, cause)
      try expectTaken(try await fixture.refresh(next.refreshToken).idToken, fixture, cause)
      // The next round finds the account as the first one did.
      let hash = try PasswordHash.make(
        IdentityFixture.password, cost: .developer, random: fixture.accountsFixture.random)
      try await fixture.change(uid) {
        $0.email = "a@b.example"
        $0.password = StoredPassword(hash: hash, updatedAtMilliseconds: 0)
      }
      fixture.accountsFixture.advance(seconds: 61)
    }
  }

  @Test(
    "Admin SDKs accept tokens returned by a change for the session's life, whatever the age of its sign-in")
  func changedSession() async throws {
    let fixture = try Self.fixture()
    let first = try await fixture.signUp("a@b.example")
    fixture.accountsFixture.advance(seconds: 200)
    var answer = try await fixture.update(first.idToken, ["password": "another one", "returnSecureToken": true])
    try expectTaken(answer.idToken, fixture)
    for number in 0..<3 {
      answer = try await fixture.update(answer.idToken, ["password": .string("password \(number)")])
      try expectTaken(answer.idToken, fixture)
    }
    fixture.accountsFixture.advance(seconds: 86_400)
    try expectTaken(try await fixture.refresh(answer.refreshToken).idToken, fixture)
  }

  @Test("A clock that is set back does not make application servers refuse new tokens")
  func clockBackAtSDKs() async throws {
    let fixture = try Self.fixture()
    let first = try await fixture.signUp("a@b.example")
    let now = fixture.nowSeconds
    for back: Int64 in [1, 3_600] {
      fixture.accountsFixture.setWallClock(seconds: now - back)
      // A sign-in more than a minute ahead of the clock is refused here as well, until the clock has caught up.
      if back < 60 { try expectTaken(try await fixture.refresh(first.refreshToken).idToken, fixture, "\(back) s") }
      let second = try await fixture.signIn("a@b.example")
      try expectTaken(second.idToken, fixture, "\(back) s")
    }
  }

  // MARK: Deleted accounts

  @Test("Security 33: tokens and codes of a deleted account are not valid for the next account with its uid")
  func deletedUID() async throws {
    for back: Int64 in [0, 3_600] {
      let fixture = try IdentityFixture()
      let accounts = fixture.accounts
      let now = fixture.nowSeconds
      func signIn(_ token: String) async throws -> IdentityFixture.Answer {
        try await fixture.post("accounts:signInWithCustomToken", ["token": .string(token), "returnSecureToken": true])
      }
      let first = try await signIn("bob@\(now - 60)")
      let cookie = try accounts.keys.mintSessionCookie(
        claims: try fixture.claims(first.idToken), issuedAtSeconds: now, lifetimeSeconds: 86_400)
      let old = [
        try accounts.keys.verifyIDToken(first.idToken, nowSeconds: now),
        try accounts.keys.verifySessionCookie(cookie, nowSeconds: now), legacy("bob", issuedAtSeconds: now),
      ]
      fixture.accountsFixture.setWallClock(seconds: now - back)
      try await accounts.changes.deletion.delete(uid: "bob", client: fixture.accountsFixture.client())
      #expect(try await fixture.refresh(first.refreshToken).error == "USER_NOT_FOUND")
      func expectDead(_ moment: String) async throws {
        #expect(old.allSatisfy { accounts.sessions.revocations.standing(of: $0) == .ended }, "\(moment)")
        #expect(
          try await signIn("bob@\(now - 1)").error
            == "INVALID_CUSTOM_TOKEN : The account was deleted after the token was created.", "\(moment)")
      }
      try await expectDead("deleted")
      #expect(accounts.store.view.user("bob") == nil, "an old custom token makes no account either")
      let second = try await signIn("bob@\(now)")
      #expect(second.json["isNewUser"] == true, "\(second.text)")
      try await expectDead("there again")
      #expect(try await fixture.refresh(first.refreshToken).error == "TOKEN_EXPIRED")
      #expect(try fixture.standing(second.idToken) == .good)
      #expect(accounts.sessions.revocations.standing(of: legacy("bob", issuedAtSeconds: now + 1)) == .good)
      #expect(try await signIn("bob@\(now)").json["isNewUser"] == false)
    }
  }

  @Test("A custom token signs in again after a revocation, until it expires")
  func customTokenAgain() async throws {
    let fixture = try IdentityFixture()
    let token: JSON = ["token": .string("bob@\(fixture.nowSeconds)"), "returnSecureToken": true]
    let first = try await fixture.post("accounts:signInWithCustomToken", token)
    fixture.accountsFixture.advance(seconds: 5)
    try await fixture.accounts.sessions.revocations.revoke(uid: "bob", client: fixture.accountsFixture.client())
    #expect(try fixture.standing(first.idToken) == .ended)
    let second = try await fixture.post("accounts:signInWithCustomToken", token)
    #expect(try fixture.standing(second.idToken) == .good)
  }

  @Test("Refused custom tokens do not lock out valid ones, and do not fill the trail")
  func refusedCustomTokens() async throws {
    let fixture = try IdentityFixture()
    let recordsMax = fixture.accounts.store.limits.refusalRecordsPerMinute
    for _ in 0..<(recordsMax + 20) {
      #expect(
        try await fixture.post("accounts:signInWithCustomToken", ["token": ":"]).error == "INVALID_CUSTOM_TOKEN : empty"
      )
    }
    #expect(fixture.auditedKinds.filter { $0 == "sign_in_fail" }.count == recordsMax)
    #expect(try await fixture.post("accounts:signInWithCustomToken", ["token": "bob"]).status == 200)
  }
}
