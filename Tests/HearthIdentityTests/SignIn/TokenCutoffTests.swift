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

  private func bringAbout(_ cause: String, _ uid: String, _ world: IdentityWorld) async throws {
    let answer: IdentityWorld.Answer
    func administer(_ path: String, _ body: JSON) async throws -> IdentityWorld.Answer {
      try await world.post("/v1/projects/demo-test/" + path, body, authority: .administrator("test"))
    }
    switch cause {
    case "revoke":
      answer = try await world.post(
        "/hearth/v1/users:revoke", ["localId": .string(uid)], authority: .administrator("cli"))
    case "password change":
      let token = try await world.signIn("a@b.example").idToken
      answer = try await world.update(token, ["password": "another one"])
    case "reset":
      _ = try await world.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
      answer = try await world.post(
        "accounts:resetPassword", ["oobCode": .string(try await world.mailedCode()), "newPassword": "another one"])
    case "claims":
      answer = try await administer(
        "accounts:update", ["localId": .string(uid), "customAttributes": .string("{\"at\":\(world.nowSeconds)}")])
    case "validSince":
      // Sent from a machine with a correct clock.
      answer = try await administer("accounts:update", ["localId": .string(uid), "validSince": .int(world.nowSeconds)])
    case "import":
      answer = try await administer(
        "accounts:batchCreate", ["users": [["localId": .string(uid), "email": "a@b.example"]], "allowOverwrite": true])
    default:
      let token = try await world.signIn("a@b.example").idToken
      answer = try await world.update(token, ["email": "new@b.example"])
    }
    #expect(answer.status == 200, "\(cause): \(answer.text)")
  }

  private static func world() throws -> IdentityWorld {
    try IdentityWorld {
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
      let world = try Self.world()
      let (first, accounts, now) = (try await world.signUp("a@b.example"), world.accounts, world.nowSeconds)
      let refreshed = try await world.refresh(first.refreshToken)
      let cookie = try accounts.keys.mintSessionCookie(
        claims: try world.claims(first.idToken), issuedAtSeconds: now, lifetimeSeconds: 86_400)
      let credentials = [
        try accounts.keys.verifyIDToken(first.idToken, nowSeconds: now),
        try accounts.keys.verifyIDToken(refreshed.idToken, nowSeconds: now),
        try accounts.keys.verifySessionCookie(cookie, nowSeconds: now),
        legacy(first.localID, issuedAtSeconds: now), legacy(first.localID, issuedAtSeconds: now - 100),
      ]
      #expect(credentials.allSatisfy { accounts.sessions.revocations.standing(of: $0) == .good })
      world.accountsFixture.setWallClock(seconds: now - back)
      try await bringAbout(cause, first.localID, world)
      for step: Int64 in [0, back + 10] {
        world.accountsFixture.setWallClock(seconds: now - back + step)
        #expect(credentials.allSatisfy { accounts.sessions.revocations.standing(of: $0) == .ended }, "\(back) s")
        #expect(try await world.refresh(first.refreshToken).error == "TOKEN_EXPIRED")
      }
      #expect(try await world.lookup(first.idToken).error == "TOKEN_EXPIRED")
      // Tokens issued after the clock has passed the cutoff again.
      #expect(accounts.sessions.revocations.standing(of: legacy(first.localID, issuedAtSeconds: now + 1)) == .good)
    }
  }

  @Test("A credential that was issued after the last change of the accounts ends, although the clock was set back")
  func takenBetweenChanges() async throws {
    let world = try Self.world()
    let uid = try await world.signUp("a@b.example").localID
    let later = world.nowSeconds + 5
    world.accountsFixture.setWallClock(seconds: later)
    let credential = legacy(uid, issuedAtSeconds: later)
    #expect(world.accounts.sessions.revocations.standing(of: credential) == .good)
    world.accountsFixture.setWallClock(seconds: later - 3_600)
    try await bringAbout("revoke", uid, world)
    #expect(world.accounts.sessions.revocations.standing(of: credential) == .ended)
  }

  @Test("Tokens of 2.x sessions have the generation of the uid in their session name")
  func legacySessions() async throws {
    let world = try AdminWorld()
    let uid = try await world.legacyUser()
    let token = try #require(
      try await world.web("/auth/password?&email=ann@example.com&password=secret1")["token"]?.string)
    let now = world.accountsFixture.nowSeconds
    let credential = try world.accounts.keys.verifier.verify(token, nowSeconds: now)
    #expect(world.accounts.sessions.revocations.standing(of: credential) == .good)
    let session = try #require(world.accounts.store.view.sessions(of: uid).first)
    #expect(session.session.userGeneration == world.user(uid)?.cutoff.generation)
    world.accountsFixture.setWallClock(seconds: now - 3_600)
    _ = try await world.administrate("users:revoke", "{\"localId\": \"\(uid)\"}")
    // Also if the record of the session still existed.
    try await world.accounts.store.transact { (transaction) throws(AccountError) in
      transaction.putSession(session.hash, session.session)
    }
    #expect(world.accounts.sessions.revocations.standing(of: credential) == .ended)
  }

  // MARK: Application servers

  /// Checks a token as the admin SDKs check for revocation: Python, Go and Java compare `iat` with `validSince`, Node
  /// compares `auth_time`; Python refuses a future `iat`.
  private func expectTaken(_ idToken: String, _ world: IdentityWorld, _ what: String = "") throws {
    let claims = try world.claims(idToken)
    let user = try #require(world.user(claims["sub"]?.string ?? ""))
    let (issuedAt, authTime) = (try #require(claims["iat"]?.seconds), try #require(claims["auth_time"]?.seconds))
    #expect(issuedAt >= user.validSinceSeconds && issuedAt <= world.nowSeconds, "\(what)")
    #expect(authTime >= user.validSinceSeconds, "\(what)")
    #expect(user.validSinceSeconds <= world.nowSeconds, "\(what)")
  }

  @Test(
    "Admin SDKs that check for revocation accept tokens issued after it, also within its second", arguments: causes)
  func adminSDKs(cause: String) async throws {
    let world = try Self.world()
    let uid = try await world.signUp("a@b.example").localID
    for age: Int64 in [0, 0, 7] {
      world.accountsFixture.advance(seconds: age)
      try await bringAbout(cause, uid, world)
      #expect(world.user(uid)?.validSinceSeconds == world.nowSeconds)
      let user = try #require(world.user(uid))
      let next = try await world.accounts.sessions.refreshable.start(
        of: AuthenticatedUser(user, .password), client: world.accountsFixture.client(), now: world.accountsFixture.now
      ).tokens
      try expectTaken(next.idToken, world, cause)
      try expectTaken(try await world.refresh(next.refreshToken).idToken, world, cause)
      // The next round finds the account as the first one did.
      let hash = try PasswordHash.make(IdentityWorld.password, cost: .developer, random: world.accountsFixture.random)
      try await world.change(uid) {
        $0.email = "a@b.example"
        $0.password = StoredPassword(hash: hash, updatedAtMilliseconds: 0)
      }
      world.accountsFixture.advance(seconds: 61)
    }
  }

  @Test(
    "Admin SDKs accept tokens returned by a change for the session's life, whatever the age of its sign-in")
  func changedSession() async throws {
    let world = try Self.world()
    let first = try await world.signUp("a@b.example")
    world.accountsFixture.advance(seconds: 200)
    var answer = try await world.update(first.idToken, ["password": "another one", "returnSecureToken": true])
    try expectTaken(answer.idToken, world)
    for number in 0..<3 {
      answer = try await world.update(answer.idToken, ["password": .string("password \(number)")])
      try expectTaken(answer.idToken, world)
    }
    world.accountsFixture.advance(seconds: 86_400)
    try expectTaken(try await world.refresh(answer.refreshToken).idToken, world)
  }

  @Test("A clock that is set back does not make application servers refuse new tokens")
  func clockBackAtSDKs() async throws {
    let world = try Self.world()
    let first = try await world.signUp("a@b.example")
    let now = world.nowSeconds
    for back: Int64 in [1, 3_600] {
      world.accountsFixture.setWallClock(seconds: now - back)
      // A sign-in more than a minute ahead of the clock is refused here as well, until the clock has caught up.
      if back < 60 { try expectTaken(try await world.refresh(first.refreshToken).idToken, world, "\(back) s") }
      let second = try await world.signIn("a@b.example")
      try expectTaken(second.idToken, world, "\(back) s")
    }
  }

  // MARK: Deleted accounts

  @Test("Security 33: tokens and codes of a deleted account are not valid for the next account with its uid")
  func deletedUID() async throws {
    for back: Int64 in [0, 3_600] {
      let world = try IdentityWorld()
      let accounts = world.accounts
      let now = world.nowSeconds
      func signIn(_ token: String) async throws -> IdentityWorld.Answer {
        try await world.post("accounts:signInWithCustomToken", ["token": .string(token), "returnSecureToken": true])
      }
      let first = try await signIn("bob@\(now - 60)")
      let cookie = try accounts.keys.mintSessionCookie(
        claims: try world.claims(first.idToken), issuedAtSeconds: now, lifetimeSeconds: 86_400)
      let old = [
        try accounts.keys.verifyIDToken(first.idToken, nowSeconds: now),
        try accounts.keys.verifySessionCookie(cookie, nowSeconds: now), legacy("bob", issuedAtSeconds: now),
      ]
      world.accountsFixture.setWallClock(seconds: now - back)
      try await accounts.changes.deletion.delete(uid: "bob", client: world.accountsFixture.client())
      #expect(try await world.refresh(first.refreshToken).error == "USER_NOT_FOUND")
      func expectDead(_ moment: String) async throws {
        #expect(old.allSatisfy { accounts.sessions.revocations.standing(of: $0) == .ended }, "\(moment)")
        #expect(
          try await signIn("bob@\(now - 1)").error
            == "INVALID_CUSTOM_TOKEN : The account was deleted after the token was made.", "\(moment)")
      }
      try await expectDead("deleted")
      #expect(accounts.store.view.user("bob") == nil, "an old custom token makes no account either")
      let second = try await signIn("bob@\(now)")
      #expect(second.json["isNewUser"] == true, "\(second.text)")
      try await expectDead("there again")
      #expect(try await world.refresh(first.refreshToken).error == "TOKEN_EXPIRED")
      #expect(try world.standing(second.idToken) == .good)
      #expect(accounts.sessions.revocations.standing(of: legacy("bob", issuedAtSeconds: now + 1)) == .good)
      #expect(try await signIn("bob@\(now)").json["isNewUser"] == false)
    }
  }

  @Test("A custom token signs in again after a revocation, until it expires")
  func customTokenAgain() async throws {
    let world = try IdentityWorld()
    let token: JSON = ["token": .string("bob@\(world.nowSeconds)"), "returnSecureToken": true]
    let first = try await world.post("accounts:signInWithCustomToken", token)
    world.accountsFixture.advance(seconds: 5)
    try await world.accounts.sessions.revocations.revoke(uid: "bob", client: world.accountsFixture.client())
    #expect(try world.standing(first.idToken) == .ended)
    let second = try await world.post("accounts:signInWithCustomToken", token)
    #expect(try world.standing(second.idToken) == .good)
  }

  @Test("Refused custom tokens do not lock out valid ones, and do not fill the trail")
  func refusedCustomTokens() async throws {
    let world = try IdentityWorld()
    let recordsMax = world.accounts.store.limits.refusalRecordsPerMinute
    for _ in 0..<(recordsMax + 20) {
      #expect(
        try await world.post("accounts:signInWithCustomToken", ["token": ":"]).error == "INVALID_CUSTOM_TOKEN : empty")
    }
    #expect(world.auditedKinds.filter { $0 == "sign_in_fail" }.count == recordsMax)
    #expect(try await world.post("accounts:signInWithCustomToken", ["token": "bob"]).status == 200)
  }
}
