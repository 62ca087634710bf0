import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite struct SessionTests {
  @Test("A refresh returns the same refresh token, a new ID token, and numbers as strings")
  func refresh() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    fixture.accountsFixture.advance(seconds: 3_000)
    let answer = try await fixture.refresh(first.refreshToken)
    #expect(answer.status == 200)
    #expect(answer.json["refresh_token"] == .string(first.refreshToken))
    #expect(answer.json["access_token"] == answer.json["id_token"])
    #expect(answer.json["expires_in"] == "3600")
    #expect(answer.json["token_type"] == "Bearer")
    #expect(answer.json["user_id"] == .string(first.localID))
    #expect(answer.json["project_id"]?.string?.allSatisfy(\.isNumber) == true)
    let json = try await fixture.post(
      "/securetoken.googleapis.com/v1/token",
      ["grantType": "refresh_token", "refreshToken": .string(first.refreshToken)])
    #expect(json.status == 200)
  }

  @Test("Security 34: auth_time is the time of the sign-in, however often the token is refreshed")
  func authTime() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    let signedInAt = fixture.nowSeconds
    for _ in 0..<3 {
      fixture.accountsFixture.advance(seconds: 3_700)
      // Another session of the same user does not change it.
      _ = try await fixture.signIn("a@b.example")
      let claims = try fixture.claims(try await fixture.refresh(first.refreshToken).idToken)
      #expect(claims["auth_time"] == .int(signedInAt))
      #expect(claims["iat"] == .int(fixture.nowSeconds))
    }
  }

  @Test("Security 24: Every sign-in begins a session of its own")
  func newSessions() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    var seen: Set<String> = [first.refreshToken]
    for _ in 0..<3 { seen.insert(try await fixture.signIn("a@b.example").refreshToken) }
    #expect(seen.count == 4)
    #expect(fixture.accounts.store.view.sessions(of: first.localID).count == 4)
    for token in seen { #expect(fixture.accounts.store.view.session(Digest(sha256: token.utf8)) != nil) }
  }

  @Test("An expired refresh token and an unknown one have distinct errors")
  func revokedOrGarbage() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    try await fixture.accounts.sessions.revocations.revoke(uid: first.localID, client: fixture.accountsFixture.client())
    #expect(try await fixture.refresh(first.refreshToken).error == "TOKEN_EXPIRED")
    for garbage in ["x", "hearth_refresh_", "hearth_refresh_" + String(repeating: "A", count: 120), first.idToken] {
      #expect(try await fixture.refresh(garbage).error == "INVALID_REFRESH_TOKEN")
    }
    var tampered = first.refreshToken
    tampered.removeLast(2)
    #expect(try await fixture.refresh(tampered).error == "INVALID_REFRESH_TOKEN")
    #expect(try await fixture.send("/v1/token", Array("refresh_token=x".utf8)).error == "MISSING_GRANT_TYPE")
    #expect(try await fixture.send("/v1/token", Array("grant_type=password".utf8)).error == "INVALID_GRANT_TYPE")
    #expect(
      try await fixture.send("/v1/token", Array("grant_type=refresh_token".utf8)).error == "MISSING_REFRESH_TOKEN")
  }

  /// All operations that end sessions, by name, with the error of a later refresh.
  static let endingsAndErrors: [(name: String, error: String)] = [
    ("password change", "TOKEN_EXPIRED"), ("reset", "TOKEN_EXPIRED"), ("revoke", "TOKEN_EXPIRED"),
    ("e-mail change", "TOKEN_EXPIRED"), ("disable", "USER_DISABLED"), ("delete", "USER_NOT_FOUND"),
  ]

  @Test(
    "Security 25: Password change, reset, revoke, e-mail change, disable and delete end refresh and ID tokens at once",
    arguments: Self.endingsAndErrors)
  func endings(_ ending: (name: String, error: String)) async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    let first = try await fixture.signUp("a@b.example")
    let other = try await fixture.signIn("a@b.example")
    #expect(try fixture.standing(other.idToken) == .good)
    switch ending.name {
    case "password change": _ = try await fixture.update(first.idToken, ["password": "another one"])
    case "reset":
      _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
      _ = try await fixture.post(
        "accounts:resetPassword", ["oobCode": .string(try await fixture.mailedCode()), "newPassword": "another one"])
    case "revoke":
      try await fixture.accounts.sessions.revocations.revoke(
        uid: first.localID, client: fixture.accountsFixture.client())
    case "e-mail change": _ = try await fixture.update(first.idToken, ["email": "new@b.example"])
    case "disable":
      _ = try await fixture.post(
        "accounts:update", ["localId": .string(first.localID), "disableUser": true],
        authority: .administrator("test"))
    default: _ = try await fixture.post("accounts:delete", ["idToken": .string(first.idToken)])
    }
    // Within the second in which the tokens were made.
    #expect(try await fixture.refresh(other.refreshToken).error == ending.error)
    #expect(try fixture.standing(other.idToken) == .ended)
    #expect(try await fixture.lookup(other.idToken).error == ending.error)
    #expect(!fixture.revocations.isEmpty)
  }

  @Test("Changing a password returns new tokens")
  func passwordChangeReturnsTokens() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    let changed = try await fixture.update(first.idToken, ["password": "another one", "returnSecureToken": true])
    #expect(changed.json["kind"] == "identitytoolkit#SetAccountInfoResponse")
    #expect(try await fixture.lookup(changed.idToken).status == 200)
    #expect(try await fixture.refresh(changed.refreshToken).status == 200)
    #expect(try fixture.standing(changed.idToken) == .good)
    #expect(try await fixture.signIn("a@b.example", "another one").status == 200)
    #expect(try await fixture.signIn("a@b.example").error == "INVALID_LOGIN_CREDENTIALS")
  }

  @Test("A token of a new sign-in is valid however many revocations precede it in the same second")
  func manyRevocations() async throws {
    let fixture = try IdentityFixture()
    let uid = try await fixture.signUp("a@b.example").localID
    for _ in 0..<5 {
      let answer = try await fixture.signIn("a@b.example")
      #expect(try fixture.standing(answer.idToken) == .good)
      try await fixture.accounts.sessions.revocations.revoke(uid: uid, client: fixture.accountsFixture.client())
      #expect(try fixture.standing(answer.idToken) == .ended)
    }
  }

  @Test("Security 26: An administrator can end all sessions of a user")
  func adminRevokes() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    fixture.accountsFixture.advance(seconds: 5)
    let answer = try await fixture.post(
      "/v1/projects/demo-test/accounts:update",
      ["localId": .string(first.localID), "validSince": .int(fixture.nowSeconds)], authority: .administrator("test"))
    #expect(answer.status == 200)
    #expect(try await fixture.refresh(first.refreshToken).error == "TOKEN_EXPIRED")
    #expect(try fixture.standing(first.idToken) == .ended)
  }

  @Test("Security 27: Sessions expire by age and idleness when configured")
  func limits() async throws {
    let old = try IdentityFixture { $0.refresh.lifetimeSecondsMax = 10_000 }
    let first = try await old.signUp("a@b.example")
    old.accountsFixture.advance(seconds: 10_000)
    #expect(try await old.refresh(first.refreshToken).status == 200)
    old.accountsFixture.advance(seconds: 1)
    #expect(try await old.refresh(first.refreshToken).error == "TOKEN_EXPIRED")
    let idle = try IdentityFixture { $0.refresh.idleSecondsMax = 1_000 }
    let second = try await idle.signUp("a@b.example")
    for _ in 0..<3 {
      idle.accountsFixture.advance(seconds: 900)
      #expect(try await idle.refresh(second.refreshToken).status == 200)
    }
    idle.accountsFixture.advance(seconds: 1_001)
    #expect(try await idle.refresh(second.refreshToken).error == "TOKEN_EXPIRED")
    let endless = try IdentityFixture()
    let third = try await endless.signUp("a@b.example")
    endless.accountsFixture.advance(seconds: 400 * 86_400)
    #expect(try await endless.refresh(third.refreshToken).status == 200)
  }

  @Test("A signed-in user's token is checked in the documented order")
  func callerChecks() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    #expect(try await fixture.post("accounts:lookup").error == "MISSING_ID_TOKEN")
    #expect(try await fixture.lookup("a.b.c").error == "INVALID_ID_TOKEN")
    #expect(try await fixture.lookup(first.refreshToken).error == "INVALID_ID_TOKEN")
    fixture.accountsFixture.advance(seconds: 3_600)
    #expect(try await fixture.lookup(first.idToken).error == "TOKEN_EXPIRED")
  }

  @Test("A legacy uid without an account is valid, a deleted one is not, and legacy sessions end with their record")
  func standing() async throws {
    let fixture = try IdentityFixture()
    let accounts = fixture.accounts
    var subject = IDTokenSubject(uid: "operator-made", signInProvider: "custom", authTimeSeconds: fixture.nowSeconds)
    subject.name = "x"
    let token = try accounts.keys.mintIDToken(
      subject, issuedAtSeconds: fixture.nowSeconds, lifetimeSeconds: 3_600)
    #expect(try fixture.standing(token) == .good)
    let uid = try await fixture.signUp("a@b.example").localID
    func legacy(_ members: [ClaimValue.Member]) -> VerifiedCredential {
      VerifiedCredential(
        kind: .legacyToken, authPayload: .object([.init("uid", .string(uid))]), authority: .user,
        claims: .object(members + [.init("iat", .int(fixture.nowSeconds + 60))]))
    }
    #expect(accounts.sessions.revocations.standing(of: legacy([])) == .good)
    #expect(accounts.sessions.revocations.standing(of: legacy([.init("jti", .string("gone"))])) == .ended)
    #expect(accounts.sessions.revocations.standing(of: legacy([.init("jti", .int(1))])) == .ended)
    let now = fixture.nowSeconds
    try await accounts.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      var session = SessionRecord(
        family: "f", uid: uid, signInProvider: "password", authTimeSeconds: now, createdAtSeconds: now,
        clientAddress: "", userAgent: "")
      session.isLegacy = true
      session.expiresAtSeconds = now + 1_000
      transaction.putSession(Digest(sha256: "here".utf8), session)
    }
    #expect(accounts.sessions.revocations.standing(of: legacy([.init("jti", .string("here"))])) == .good)
    // Disabling the account ends its legacy tokens, and enabling it again restores them.
    try await fixture.change(uid) { $0.isDisabled = true }
    #expect(accounts.sessions.revocations.standing(of: legacy([])) == .ended)
    try await fixture.change(uid) { $0.isDisabled = false }
    #expect(accounts.sessions.revocations.standing(of: legacy([])) == .good)
    try await accounts.sessions.revocations.revoke(uid: uid, client: fixture.accountsFixture.client())
    #expect(accounts.sessions.revocations.standing(of: legacy([.init("jti", .string("here"))])) == .ended)
  }
}
