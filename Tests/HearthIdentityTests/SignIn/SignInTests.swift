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
    let world = try IdentityWorld()
    let answer = try await world.signUp("Alice@Example.com")
    #expect(answer.status == 200)
    #expect(answer.json["kind"] == "identitytoolkit#SignupNewUserResponse")
    #expect(answer.json["email"] == "alice@example.com")
    #expect(answer.json["expiresIn"] == "3600")
    #expect(answer.localID.utf8.count == 28)
    let claims = try world.claims(answer.idToken)
    #expect(claims["sub"] == .string(answer.localID))
    #expect(claims["email"] == .string("alice@example.com"))
    #expect(claims["email_verified"] == .bool(false))
    #expect(claims["firebase"]?["sign_in_provider"] == .string("password"))
    #expect(claims["firebase"]?["identities"]?["email"] == .array([.string("alice@example.com")]))
  }

  @Test("An empty e-mail address or password does not make an anonymous sign-up")
  func emptyIsNotAnonymous() async throws {
    let world = try IdentityWorld()
    #expect(try await world.post("accounts:signUp", ["email": "", "password": "123456"]).error == "INVALID_EMAIL")
    let empty = try await world.post("accounts:signUp", ["email": "a@b.example", "password": ""])
    #expect(empty.error == "MISSING_PASSWORD")
    #expect(try await world.post("accounts:signUp", ["email": ""]).error == "INVALID_EMAIL")
    #expect(try await world.post("accounts:signUp", ["password": ""]).error == "MISSING_EMAIL")
    #expect(world.accounts.store.view.userCount == 0)
  }

  @Test("Clients cannot choose a uid, and a taken address is reported")
  func signUpRefusals() async throws {
    let world = try IdentityWorld()
    #expect(
      try await world.post("accounts:signUp", ["localId": "me", "email": "a@b.example", "password": "123456"]).error
        == "UNEXPECTED_PARAMETER : User ID")
    _ = try await world.signUp("a@b.example")
    #expect(try await world.signUp("A@B.example").error == "EMAIL_EXISTS")
    #expect(
      try await world.signUp("c@d.example", "12345").error
        == "WEAK_PASSWORD : Password should be at least 6 characters")
  }

  @Test("Disabled methods are refused with the messages that clients know")
  func switchedOff() async throws {
    let world = try IdentityWorld(providers: [])
    #expect(try await world.anonymous().error == "ADMIN_ONLY_OPERATION")
    #expect(try await world.signUp("a@b.example").error == "OPERATION_NOT_ALLOWED")
    #expect(try await world.signIn("a@b.example").error == "PASSWORD_LOGIN_DISABLED")
    #expect(try await world.post("accounts:signInWithCustomToken", ["token": "x"]).error == "OPERATION_NOT_ALLOWED")
    let closed = try IdentityWorld { $0.allowsSignUp = false }
    #expect(try await closed.signUp("a@b.example").error == "ADMIN_ONLY_OPERATION")
    #expect(try await closed.anonymous().error == "ADMIN_ONLY_OPERATION")
    #expect(try await closed.federated("1~a@b.example~yes").error == "ADMIN_ONLY_OPERATION")
  }

  @Test("Security 12: Unknown user, wrong password and no password get the same answer, byte for byte")
  func sameAnswer() async throws {
    let world = try IdentityWorld()
    _ = try await world.signUp("known@example.com")
    _ = try await world.federated("7~google@example.com~yes")
    let wrong = try await world.signIn("known@example.com", "wrong password")
    let unknown = try await world.signIn("unknown@example.com", "wrong password")
    let passwordless = try await world.signIn("google@example.com", "wrong password")
    #expect(wrong.error == "INVALID_LOGIN_CREDENTIALS")
    #expect(unknown.response.body == wrong.response.body)
    #expect(passwordless.response.body == wrong.response.body)
    #expect(Set([wrong.status, unknown.status, passwordless.status]) == [400])
    #expect(wrong.response.headers.isEmpty && unknown.response.headers.isEmpty)
    // Each attempt left one audit record, so that disk access does not show a difference either.
    #expect(world.auditedKinds.filter { $0 == "sign_in_fail" }.count == 3)
  }

  @Test("Without enumeration protection the errors are the specific ones")
  func unprotected() async throws {
    let world = try IdentityWorld { $0.protectsFromEnumeration = false }
    _ = try await world.signUp("known@example.com")
    #expect(try await world.signIn("known@example.com", "wrong password").error == "INVALID_PASSWORD")
    #expect(try await world.signIn("unknown@example.com", "wrong password").error == "EMAIL_NOT_FOUND")
  }

  @Test("Security 16: A disabled user is reported only with the right password")
  func disabled() async throws {
    let world = try IdentityWorld()
    let uid = try await world.signUp("a@b.example").localID
    try await world.change(uid) { $0.isDisabled = true }
    #expect(try await world.signIn("a@b.example", "wrong password").error == "INVALID_LOGIN_CREDENTIALS")
    #expect(try await world.signIn("a@b.example").error == "USER_DISABLED")
  }

  @Test("A locked account does not reveal whether a password is correct, and only its own attempts are counted")
  func locked() async throws {
    let world = try IdentityWorld { $0.limits.accountFailuresFree = 3 }
    _ = try await world.signUp("a@b.example")
    _ = try await world.signUp("c@d.example")
    for _ in 0..<4 { _ = try await world.signIn("a@b.example", "wrong password") }
    #expect(try await world.signIn("a@b.example").error?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER : ") == true)
    #expect(try await world.signIn("c@d.example").status == 200)
    #expect(world.auditedKinds.contains("lockout"))
  }

  @Test("Security 20: Sessions of a locked account continue")
  func lockedSessions() async throws {
    let world = try IdentityWorld { $0.limits.accountFailuresFree = 1 }
    let signedUp = try await world.signUp("a@b.example")
    for _ in 0..<3 { _ = try await world.signIn("a@b.example", "wrong password") }
    #expect(try await world.signIn("a@b.example").error?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER : ") == true)
    #expect(try world.standing(signedUp.idToken) == .good)
    #expect(try await world.lookup(signedUp.idToken).status == 200)
    #expect(try await world.refresh(signedUp.refreshToken).status == 200)
    #expect(world.revocations.isEmpty)
  }

  @Test("Sign-ups of one address are limited")
  func signUpLimit() async throws {
    let world = try IdentityWorld { $0.limits.signUpsPerHour = 2 }
    _ = try await world.signUp("a1@b.example")
    _ = try await world.signUp("a2@b.example")
    #expect(try await world.signUp("a3@b.example").error?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
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
    let world = try IdentityWorld(hooks: [Hook()])
    #expect(try await world.signUp("denied@example.com").error == "BLOCKING_FUNCTION_ERROR_RESPONSE : not you  X: y")
    #expect(try await world.signUp("broken@example.com").error?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE") == true)
    #expect(world.accounts.store.view.userCount == 0)
    let answer = try await world.signUp("good@example.com")
    #expect(try world.claims(answer.idToken)["plan"] == .string("free"))
    let refreshed = try await world.refresh(answer.refreshToken)
    #expect(try world.claims(refreshed.idToken)["plan"] == .string("free"))
  }

  @Test("A hook cannot add reserved claims")
  func reservedHookClaims() async throws {
    struct Hook: DecidingHook {
      let name = "test"
      func decide(_ event: HookEvent) async throws -> HookVerdict {
        .allow(HookChanges(sessionClaims: ["email": "root@example.com"]))
      }
    }
    let world = try IdentityWorld(hooks: [Hook()])
    #expect(try await world.signUp("a@b.example").error == "FORBIDDEN_CLAIM : email")
  }

  @Test("A custom token creates its user once; a deleted uid is not created again")
  func customToken() async throws {
    let world = try IdentityWorld()
    let first = try await world.post("accounts:signInWithCustomToken", ["token": "bob:{\"role\":\"ed\"}"])
    #expect(first.json["isNewUser"] == true)
    #expect(first.json["localId"] == nil)
    let claims = try world.claims(first.idToken)
    #expect(claims["sub"] == .string("bob"))
    #expect(claims["role"] == .string("ed"))
    #expect(claims["firebase"]?["sign_in_provider"] == .string("custom"))
    #expect(try await world.post("accounts:signInWithCustomToken", ["token": "bob"]).json["isNewUser"] == false)
    #expect(
      try await world.post("accounts:signInWithCustomToken", ["token": "eve:{\"firebase\":{}}"]).error
        == "FORBIDDEN_CLAIM : firebase")
    #expect(try await world.post("accounts:signInWithCustomToken", ["token": ""]).error == "MISSING_CUSTOM_TOKEN")
    try await world.change("bob") { $0.isDisabled = true }
    #expect(try await world.post("accounts:signInWithCustomToken", ["token": "bob"]).error == "USER_DISABLED")
    try await world.accounts.changes.deletion.delete(uid: "bob", client: world.accountsFixture.client())
    #expect(try await world.post("accounts:signInWithCustomToken", ["token": "bob"]).json["isNewUser"] == true)
  }

  @Test("Security 15: createAuthUri does not reveal addresses while they are protected")
  func createAuthURI() async throws {
    let world = try IdentityWorld()
    _ = try await world.signUp("a@b.example")
    for email in ["a@b.example", "nobody@b.example"] {
      let answer = try await world.post(
        "accounts:createAuthUri", ["identifier": .string(email), "continueUri": "http://localhost"])
      #expect(answer.json.members?.map(\.name).sorted() == ["kind", "sessionId"])
    }
    let open = try IdentityWorld { $0.protectsFromEnumeration = false }
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
    let world = try IdentityWorld()
    let signedUp = try await world.signUp("a@b.example")
    let users = try #require(try await world.lookup(signedUp.idToken).json["users"]?.array)
    #expect(users.count == 1)
    let user = users[0]
    #expect(user["localId"] == .string(signedUp.localID))
    #expect(user["passwordHash"] == "UkVEQUNURUQ=")
    #expect(user["salt"] == nil)
    #expect(user["createdAt"] == .string(String(world.nowSeconds * 1000)))
    #expect(user["lastLoginAt"] == .string(String(world.nowSeconds * 1000)))
    #expect(user["validSince"]?.string != nil)
    #expect(user["emailVerified"] == false)
    #expect(user["providerUserInfo"]?.array?.first?["providerId"] == "password")
    let anonymous = try await world.anonymous()
    let info = try await world.lookup(anonymous.idToken).json["users"]?.array?.first
    #expect(info?["passwordHash"] == nil && info?["providerUserInfo"] == nil && info?["email"] == nil)
    #expect(try world.claims(anonymous.idToken)["provider_id"] == .string("anonymous"))
  }

  @Test("A password hash of lower cost is replaced at the next sign-in, and only then")
  func rehash() async throws {
    let world = try IdentityWorld()
    let uid = try await world.signUp("a@b.example").localID
    let imported = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
    try await world.change(uid) { $0.password?.hash = imported }
    let validSince = world.user(uid)?.validSinceSeconds
    _ = try await world.signIn("a@b.example", "U*U*")
    #expect(world.user(uid)?.password?.hash == imported)
    let right = try await world.accounts.signIn.passwords.signIn(
      email: "a@b.example", password: "U*U", client: world.accountsFixture.client(), now: world.accountsFixture.now
    ).user
    #expect(right.password?.hash.hasPrefix("$scrypt$") == true)
    #expect(world.user(uid)?.password?.hash == right.password?.hash)
    #expect(world.user(uid)?.validSinceSeconds == validSince)
  }
}
