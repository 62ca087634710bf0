import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite struct SignInTests {
  @Test("A sign-up's response has the members that clients need, and an ID token of the user")
  func signUp() async throws {
    let fixture = try IdentityFixture()
    let answer = try await fixture.signUp("Alice@Example.com")
    #expect(answer.status == 200)
    #expect(answer.json["kind"] == "identitytoolkit#SignupNewUserResponse")
    #expect(answer.json["email"] == "alice@example.com")
    #expect(answer.json["expiresIn"] == "3600")
    #expect(answer.localID.utf8.count == 28)
    let claims = try fixture.claims(answer.idToken)
    #expect(claims["sub"] == .string(answer.localID))
    #expect(claims["email"] == .string("alice@example.com"))
    #expect(claims["email_verified"] == .bool(false))
    #expect(claims["firebase"]?["sign_in_provider"] == .string("password"))
    #expect(claims["firebase"]?["identities"]?["email"] == .array([.string("alice@example.com")]))
  }

  @Test("An empty e-mail address or password does not make an anonymous sign-up")
  func emptyIsNotAnonymous() async throws {
    let fixture = try IdentityFixture()
    #expect(try await fixture.post("accounts:signUp", ["email": "", "password": "123456"]).error == "INVALID_EMAIL")
    let empty = try await fixture.post("accounts:signUp", ["email": "a@b.example", "password": ""])
    #expect(empty.error == "MISSING_PASSWORD")
    #expect(try await fixture.post("accounts:signUp", ["email": ""]).error == "INVALID_EMAIL")
    #expect(try await fixture.post("accounts:signUp", ["password": ""]).error == "MISSING_EMAIL")
    #expect(fixture.accounts.store.view.userCount == 0)
  }

  @Test("Clients cannot choose a uid, and a taken address is reported")
  func signUpRefusals() async throws {
    let fixture = try IdentityFixture()
    #expect(
      try await fixture.post("accounts:signUp", ["localId": "me", "email": "a@b.example", "password": "123456"]).error
        == "UNEXPECTED_PARAMETER : User ID")
    _ = try await fixture.signUp("a@b.example")
    #expect(try await fixture.signUp("A@B.example").error == "EMAIL_EXISTS")
    #expect(
      try await fixture.signUp("c@d.example", "12345").error
        == "WEAK_PASSWORD : Password should be at least 6 characters")
  }

  @Test("Disabled methods are refused with the messages that clients know")
  func switchedOff() async throws {
    let fixture = try IdentityFixture(providers: [])
    #expect(try await fixture.anonymous().error == "ADMIN_ONLY_OPERATION")
    #expect(try await fixture.signUp("a@b.example").error == "OPERATION_NOT_ALLOWED")
    #expect(try await fixture.signIn("a@b.example").error == "PASSWORD_LOGIN_DISABLED")
    #expect(try await fixture.post("accounts:signInWithCustomToken", ["token": "x"]).error == "OPERATION_NOT_ALLOWED")
    let closed = try IdentityFixture { $0.allowsSignUp = false }
    #expect(try await closed.signUp("a@b.example").error == "ADMIN_ONLY_OPERATION")
    #expect(try await closed.anonymous().error == "ADMIN_ONLY_OPERATION")
    #expect(try await closed.federated("1~a@b.example~yes").error == "ADMIN_ONLY_OPERATION")
  }

  @Test("Security 12: Unknown user, wrong password and no password get the same answer, byte for byte")
  func sameAnswer() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.signUp("known@example.com")
    _ = try await fixture.federated("7~google@example.com~yes")
    let wrong = try await fixture.signIn("known@example.com", "wrong password")
    let unknown = try await fixture.signIn("unknown@example.com", "wrong password")
    let passwordless = try await fixture.signIn("google@example.com", "wrong password")
    #expect(wrong.error == "INVALID_LOGIN_CREDENTIALS")
    #expect(unknown.response.body == wrong.response.body)
    #expect(passwordless.response.body == wrong.response.body)
    #expect(Set([wrong.status, unknown.status, passwordless.status]) == [400])
    #expect(wrong.response.headers.isEmpty && unknown.response.headers.isEmpty)
    // Each attempt left one audit record, so that disk access does not show a difference either.
    #expect(fixture.auditedKinds.filter { $0 == "sign_in_fail" }.count == 3)
  }

  @Test("Without enumeration protection the errors are the specific ones")
  func unprotected() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    _ = try await fixture.signUp("known@example.com")
    #expect(try await fixture.signIn("known@example.com", "wrong password").error == "INVALID_PASSWORD")
    #expect(try await fixture.signIn("unknown@example.com", "wrong password").error == "EMAIL_NOT_FOUND")
  }

  @Test("Security 16: A disabled user is reported only with the right password")
  func disabled() async throws {
    let fixture = try IdentityFixture()
    let uid = try await fixture.signUp("a@b.example").localID
    try await fixture.change(uid) { $0.isDisabled = true }
    #expect(try await fixture.signIn("a@b.example", "wrong password").error == "INVALID_LOGIN_CREDENTIALS")
    #expect(try await fixture.signIn("a@b.example").error == "USER_DISABLED")
  }

  @Test("A locked account does not reveal whether a password is correct, and only its own attempts are counted")
  func locked() async throws {
    let fixture = try IdentityFixture { $0.limits.accountFailuresFree = 3 }
    _ = try await fixture.signUp("a@b.example")
    _ = try await fixture.signUp("c@d.example")
    for _ in 0..<4 { _ = try await fixture.signIn("a@b.example", "wrong password") }
    #expect(try await fixture.signIn("a@b.example").error?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER : ") == true)
    #expect(try await fixture.signIn("c@d.example").status == 200)
    #expect(fixture.auditedKinds.contains("lockout"))
  }

  @Test("Security 20: Sessions of a locked account continue")
  func lockedSessions() async throws {
    let fixture = try IdentityFixture { $0.limits.accountFailuresFree = 1 }
    let signedUp = try await fixture.signUp("a@b.example")
    for _ in 0..<3 { _ = try await fixture.signIn("a@b.example", "wrong password") }
    #expect(try await fixture.signIn("a@b.example").error?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER : ") == true)
    #expect(try fixture.standing(signedUp.idToken) == .good)
    #expect(try await fixture.lookup(signedUp.idToken).status == 200)
    #expect(try await fixture.refresh(signedUp.refreshToken).status == 200)
    #expect(fixture.revocations.isEmpty)
  }

  @Test("Sign-ups of one address are limited")
  func signUpLimit() async throws {
    let fixture = try IdentityFixture { $0.limits.signUpsPerHour = 2 }
    _ = try await fixture.signUp("a1@b.example")
    _ = try await fixture.signUp("a2@b.example")
    #expect(try await fixture.signUp("a3@b.example").error?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
  }

  @Test("A denying or failing hook refuses the sign-in; its session claims are in the tokens")
  func hooks() async throws {
    struct Hook: DecidingHook {
      let name = "test"
      func decide(_ event: HookEvent) async throws -> HookVerdict {
        if event.user.email == "denied@example.com" { return .deny(message: "not you\r\nX: y") }
        if event.user.email == "broken@example.com" { throw AccountError(.internalError) }
        return .allow(HookChanges(sessionClaims: event.moment == .beforeSignIn ? ["plan": "free"] : nil))
      }
    }
    let fixture = try IdentityFixture(hooks: [Hook()])
    #expect(try await fixture.signUp("denied@example.com").error == "BLOCKING_FUNCTION_ERROR_RESPONSE : not you  X: y")
    #expect(try await fixture.signUp("broken@example.com").error?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE") == true)
    #expect(fixture.accounts.store.view.userCount == 0)
    let answer = try await fixture.signUp("good@example.com")
    #expect(try fixture.claims(answer.idToken)["plan"] == .string("free"))
    let refreshed = try await fixture.refresh(answer.refreshToken)
    #expect(try fixture.claims(refreshed.idToken)["plan"] == .string("free"))
  }

  @Test("A hook cannot add reserved claims")
  func reservedHookClaims() async throws {
    struct Hook: DecidingHook {
      let name = "test"
      func decide(_ event: HookEvent) async throws -> HookVerdict {
        .allow(HookChanges(sessionClaims: ["email": "root@example.com"]))
      }
    }
    let fixture = try IdentityFixture(hooks: [Hook()])
    #expect(try await fixture.signUp("a@b.example").error == "FORBIDDEN_CLAIM : email")
  }

  @Test("A custom token creates its user once; a deleted uid is not created again")
  func customToken() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.post("accounts:signInWithCustomToken", ["token": "bob:{\"role\":\"ed\"}"])
    #expect(first.json["isNewUser"] == true)
    #expect(first.json["localId"] == nil)
    let claims = try fixture.claims(first.idToken)
    #expect(claims["sub"] == .string("bob"))
    #expect(claims["role"] == .string("ed"))
    #expect(claims["firebase"]?["sign_in_provider"] == .string("custom"))
    #expect(try await fixture.post("accounts:signInWithCustomToken", ["token": "bob"]).json["isNewUser"] == false)
    #expect(
      try await fixture.post("accounts:signInWithCustomToken", ["token": "eve:{\"firebase\":{}}"]).error
        == "FORBIDDEN_CLAIM : firebase")
    #expect(try await fixture.post("accounts:signInWithCustomToken", ["token": ""]).error == "MISSING_CUSTOM_TOKEN")
    try await fixture.change("bob") { $0.isDisabled = true }
    #expect(try await fixture.post("accounts:signInWithCustomToken", ["token": "bob"]).error == "USER_DISABLED")
    try await fixture.accounts.changes.deletion.delete(uid: "bob", client: fixture.accountsFixture.client())
    #expect(try await fixture.post("accounts:signInWithCustomToken", ["token": "bob"]).json["isNewUser"] == true)
  }

  @Test("Security 15: createAuthUri does not reveal addresses while they are protected")
  func createAuthURI() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.signUp("a@b.example")
    for email in ["a@b.example", "nobody@b.example"] {
      let answer = try await fixture.post(
        "accounts:createAuthUri", ["identifier": .string(email), "continueUri": "http://localhost"])
      #expect(answer.json.members?.map(\.name).sorted() == ["kind", "sessionId"])
    }
    let open = try IdentityFixture { $0.protectsFromEnumeration = false }
    _ = try await open.signUp("a@b.example")
    let answer = try await open.post(
      "accounts:createAuthUri", ["identifier": "a@b.example", "continueUri": "http://localhost"])
    #expect(answer.json["registered"] == true)
    #expect(answer.json["signinMethods"] == ["password"])
    let nowhere = try await open.post("accounts:createAuthUri", ["identifier": "a@b.example"])
    #expect(nowhere.error == "MISSING_CONTINUE_URI")
  }

  @Test("A user's record is shown with the types that clients parse")
  func lookup() async throws {
    let fixture = try IdentityFixture()
    let signedUp = try await fixture.signUp("a@b.example")
    let users = try #require(try await fixture.lookup(signedUp.idToken).json["users"]?.array)
    #expect(users.count == 1)
    let user = users[0]
    #expect(user["localId"] == .string(signedUp.localID))
    #expect(user["passwordHash"] == "UkVEQUNURUQ=")
    #expect(user["salt"] == nil)
    #expect(user["createdAt"] == .string(String(fixture.nowSeconds * 1000)))
    #expect(user["lastLoginAt"] == .string(String(fixture.nowSeconds * 1000)))
    #expect(user["validSince"]?.string != nil)
    #expect(user["emailVerified"] == false)
    #expect(user["providerUserInfo"]?.array?.first?["providerId"] == "password")
    let anonymous = try await fixture.anonymous()
    let info = try await fixture.lookup(anonymous.idToken).json["users"]?.array?.first
    #expect(info?["passwordHash"] == nil && info?["providerUserInfo"] == nil && info?["email"] == nil)
    #expect(try fixture.claims(anonymous.idToken)["provider_id"] == .string("anonymous"))
  }

  @Test("A password hash of lower cost is replaced at the next sign-in, and only then")
  func rehash() async throws {
    let fixture = try IdentityFixture()
    let uid = try await fixture.signUp("a@b.example").localID
    let imported = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
    try await fixture.change(uid) { $0.password?.hash = imported }
    let validSince = fixture.user(uid)?.validSinceSeconds
    _ = try await fixture.signIn("a@b.example", "U*U*")
    #expect(fixture.user(uid)?.password?.hash == imported)
    let right = try await fixture.accounts.signIn.passwords.signIn(
      email: "a@b.example", password: "U*U", client: fixture.accountsFixture.client(), now: fixture.accountsFixture.now
    ).user
    #expect(right.password?.hash.hasPrefix("$scrypt$") == true)
    #expect(fixture.user(uid)?.password?.hash == right.password?.hash)
    #expect(fixture.user(uid)?.validSinceSeconds == validSince)
  }
}
