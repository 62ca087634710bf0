import HearthCrypto
import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct LegacyTests {
  @Test("an account is made without a sign-in, and then signs in with a token that rules understand")
  func passwordSignIn() async throws {
    let fixture = try AdminFixture()
    let made = try await fixture.web("/users?&email=Ann%40Example.com&password=secret1&_method=POST")
    let uid = try #require(made["uid"]?.string)
    #expect(made.members?.count == 1)
    #expect(uid.utf8.count == 36 && uid.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    let answer = try await fixture.web("/auth/password?&email=ann%40example.com&password=secret1")
    #expect(answer["uid"] == .string(uid) && answer["provider"] == .string("password"))
    #expect(answer["password"]?["email"] == .string("ann@example.com"))
    #expect(answer["password"]?["isTemporaryPassword"] == .bool(false))
    #expect(answer["password"]?["profileImageURL"] == .string(""))
    let token = try #require(answer["token"]?.string)
    let now = fixture.accountsFixture.nowSeconds
    let credential = try fixture.accounts.keys.verifier.verify(token, nowSeconds: now)
    #expect(credential.kind == .legacyToken && credential.authority == .user)
    #expect(credential.authPayload?["uid"] == .string(uid))
    #expect(credential.authPayload?["provider"] == .string("password"))
    #expect(credential.expiresAtSeconds == now + 86_400)
    #expect(token.utf8.count <= 1_024)
    #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .good)
  }

  @Test("Security 24: each sign-in has a session of its own, stored as a hash only")
  func sessions() async throws {
    let fixture = try AdminFixture()
    let uid = try await fixture.legacyUser()
    var ids: Set<String> = []
    for _ in 0..<2 {
      let answer = try await fixture.web("/auth/password?&email=ann@example.com&password=secret1")
      let token = try #require(answer["token"]?.string)
      let claims = try fixture.accounts.keys.verifier.verify(token, nowSeconds: fixture.accountsFixture.nowSeconds)
        .claims
      let id = try #require(claims["jti"]?.string)
      #expect(id.utf8.count >= 43)
      #expect(fixture.accounts.store.view.session(Digest(sha256: id.utf8))?.isLegacy == true)
      ids.insert(id)
    }
    let sessions = fixture.accounts.store.view.sessions(of: uid)
    #expect(ids.count == 2 && sessions.count == 2)
    #expect(sessions.allSatisfy { !ids.contains($0.session.family) })
  }

  @Test("Security 25: a new password, a new address and a removal each end all sessions")
  func endings() async throws {
    for path in [
      "/users/ann@example.com/password?&email=ann@example.com&oldPassword=secret1&newPassword=secret2"
        + "&_method=PUT&password=secret2",
      "/users/ann@example.com/email?&oldEmail=ann@example.com&newEmail=new@example.com&password=secret1"
        + "&_method=PUT&email=new@example.com",
      "/users/ann@example.com?&email=ann@example.com&password=secret1&_method=DELETE",
    ] {
      let fixture = try AdminFixture()
      let uid = try await fixture.legacyUser()
      let token = try await fixture.web("/auth/password?&email=ann@example.com&password=secret1")["token"]?.string ?? ""
      let credential = try fixture.accounts.keys.verifier.verify(token, nowSeconds: fixture.accountsFixture.nowSeconds)
      #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .good)
      let answer = try await fixture.web(path)
      #expect(answer["error"] == nil)
      #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .ended)
      #expect(!fixture.revocations.isEmpty)
      if path.hasSuffix("DELETE") { #expect(answer["uid"] == .string(uid)) }
    }
  }

  @Test("Security 7: changing a password needs the old one")
  func changePassword() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.legacyUser()
    let path = "/users/ann@example.com/password?&_method=PUT&newPassword=secret2&oldPassword="
    #expect(try await fixture.web(path + "wrong12").legacyCode == "INVALID_PASSWORD")
    #expect(try await fixture.web(path).legacyCode == "INVALID_ARGUMENTS")
    #expect(try await fixture.web(path + "secret1").legacyCode == nil)
    #expect(try await !fixture.canSignIn("ann@example.com", "secret1"))
    #expect(try await fixture.canSignIn("ann@example.com", "secret2"))
    let weak = "/users/ann@example.com/password?&_method=PUT&newPassword=12345&oldPassword=secret2"
    #expect(try await fixture.web(weak).legacyCode == "INVALID_ARGUMENTS")
  }

  @Test("an address is changed unless another account has it")
  func changeEmail() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.legacyUser()
    _ = try await fixture.legacyUser("bob@example.com")
    let path = "/users/ann@example.com/email?&_method=PUT&password=secret1&email="
    #expect(try await fixture.web(path + "BOB@example.com").legacyCode == "EMAIL_TAKEN")
    #expect(try await fixture.web(path + "nowhere").legacyCode == "INVALID_EMAIL")
    #expect(try await fixture.web(path + "new@example.com").legacyCode == nil)
    #expect(try await fixture.canSignIn("new@example.com", "secret1"))
  }

  @Test("an anonymous client gets an account and a token")
  func anonymous() async throws {
    let fixture = try AdminFixture()
    let answer = try await fixture.web("/auth/anonymous?")
    #expect(answer["uid"]?.string?.hasPrefix("anonymous:") == true)
    #expect(answer["provider"] == .string("anonymous") && answer["anonymous"] == .object([]))
    #expect(answer["token"]?.string != nil)
    #expect(fixture.user(answer["uid"]?.string ?? "")?.isAnonymous == true)
  }

  @Test("a provider's token creates the account with the uid of version 2.x, and finds it again")
  func provider() async throws {
    let fixture = try AdminFixture()
    for _ in 0..<2 {
      let answer = try await fixture.web("/auth/facebook/token?&access_token=good")
      #expect(answer["uid"] == .string("facebook:42") && answer["provider"] == .string("facebook"))
      #expect(answer["facebook"]?["id"] == .string("42"))
      #expect(answer["facebook"]?["displayName"] == .string("Zoë"))
      #expect(answer["facebook"]?["accessToken"] == .string("good"))
    }
    #expect(fixture.accounts.store.view.userCount == 1)
    #expect(try await fixture.web("/auth/facebook/token?&access_token=bad").legacyCode == "INVALID_CREDENTIALS")
    #expect(try await fixture.web("/auth/myspace/token?&access_token=good").legacyCode == "INVALID_PROVIDER")
    #expect(try await fixture.web("/auth/google/token?&access_token=good").legacyCode == "AUTHENTICATION_DISABLED")
  }

  @Test("a user whose account was deleted gets the uid again, without the old session")
  func returningPerson() async throws {
    let fixture = try AdminFixture()
    func signIn() async throws -> VerifiedCredential {
      let answer = try await fixture.web("/auth/facebook/token?&access_token=good")
      #expect(answer["uid"] == .string("facebook:42"))
      return try fixture.accounts.keys.verifier.verify(
        answer["token"]?.string ?? "", nowSeconds: fixture.accountsFixture.nowSeconds)
    }
    let old = try await signIn()
    _ = try await UserEndpoints(accounts: fixture.accounts).delete(fixture.call(#"{"localId": "facebook:42"}"#))
    #expect(fixture.accounts.sessions.revocations.standing(of: old) == .ended)
    let new = try await signIn()
    #expect(
      fixture.accounts.sessions.revocations.standing(of: new) == .good
        && fixture.accounts.sessions.revocations.standing(of: old) == .ended)
  }

  @Test("a sign-in in progress with a replaced password is refused")
  func overtaken() async throws {
    let interleaved = InterleavedWork()
    let fixture = try AdminFixture(providers: [SlowPassword(interleaved: interleaved)])
    let uid = try await fixture.legacyUser()
    interleaved.set { _ = try await fixture.update(#"{"localId": "\#(uid)", "password": "owner-1"}"#) }
    let answer = try await fixture.web(
      "/users/ann@example.com/password?&oldPassword=secret1&newPassword=thief-1&_method=PUT")
    #expect(answer.legacyCode == "INVALID_TOKEN")
    #expect(try await fixture.canSignIn("ann@example.com", "owner-1"))
    #expect(try await !fixture.canSignIn("ann@example.com", "thief-1"))
  }

  // MARK: Undisclosed data

  @Test("Security 68: no reset without password sign-in; its limit is not disclosed, and no more mails are sent")
  func resetLimits() async throws {
    let mailer = FakeMailer()
    let without = try AdminFixture(mailer: mailer, providers: [FakeAnonymous()])
    let path = "/users/ann@example.com/password?&_method=POST"
    #expect(try await without.web(path).legacyCode == "AUTHENTICATION_DISABLED")
    let fixture = try AdminFixture(mailer: mailer)
    _ = try await fixture.legacyUser()
    for _ in 0..<20 { #expect(try await fixture.web(path) == .object([])) }
    await fixture.finishMails()
    #expect((1...5).contains(mailer.messages.count))
    let open = try AdminFixture(mailer: mailer) { $0.protectsFromEnumeration = false }
    var codes: Set<String?> = []
    for _ in 0..<20 { codes.insert(try await open.web(path).legacyCode) }
    #expect(codes == [nil, "LIMITS_EXCEEDED"])
  }

  @Test("Security 14: a reset has one answer for every address, and mails a link only to accounts")
  func reset() async throws {
    let mailer = FakeMailer()
    let fixture = try AdminFixture(mailer: mailer)
    _ = try await fixture.legacyUser()
    let known = try await fixture.web("/users/ann@example.com/password?&_method=POST")
    let unknown = try await fixture.web("/users/nobody@example.com/password?&_method=POST")
    #expect(known == .object([]) && unknown == known)
    await fixture.finishMails()
    #expect(mailer.messages.map(\.to) == ["ann@example.com"])
    #expect(mailer.messages.first?.link?.hasPrefix("https://auth.example.com/") == true)
    #expect(try await fixture.web("/users/nowhere/password?&_method=POST").legacyCode == "INVALID_EMAIL")
    let silent = try await AdminFixture().web("/users/ann@example.com/password?&_method=POST")
    #expect(silent.legacyCode == "AUTHENTICATION_DISABLED")
  }

  @Test("Security 12: an unknown address, a wrong password and an account without one get the same bytes")
  func enumeration() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.legacyUser()
    _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com"}"#)
    var answers: [[UInt8]] = []
    for email in ["ann@example.com", "bob@example.com", "nobody@example.com"] {
      for path in [
        "/auth/password?&password=wrong12&email=\(email)", "/users/\(email)?&password=wrong12&_method=DELETE",
      ] {
        answers.append(try await fixture.web(path).text())
      }
    }
    #expect(Set(answers).count == 1)
    #expect(JSON(parsing: answers[0])?.legacyCode == "INVALID_PASSWORD")
  }

  @Test("an operator may enable the disclosure of unknown addresses, as in Firebase 2.x")
  func reveals() async throws {
    let fixture = try AdminFixture { $0.legacyRevealsUnknownUsers = true }
    _ = try await fixture.legacyUser()
    let path = "/auth/password?&password=wrong12&email="
    #expect(try await fixture.web(path + "nobody@example.com").legacyCode == "INVALID_USER")
    #expect(try await fixture.web(path + "ann@example.com").legacyCode == "INVALID_PASSWORD")
    #expect(try await fixture.web("/users/nobody@example.com/password?&_method=POST").legacyCode == "INVALID_USER")
  }

  @Test("Security 68: accounts with a second factor and disabled ones cannot use the legacy interface")
  func otherDoors() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(
      #"{"localId": "ann", "email": "ann@example.com", "password": "secret1", "mfaInfo": [{"phoneInfo": "+15550001"}]}"#
    )
    _ = try await fixture.create(
      #"{"localId": "bob", "email": "bob@example.com", "password": "secret1", "disabled": true}"#)
    for email in ["ann@example.com", "bob@example.com"] {
      let path = "/auth/password?&email=\(email)&password="
      #expect(try await fixture.web(path + "secret1").legacyCode == "INVALID_CREDENTIALS")
      #expect(try await fixture.web(path + "secret1")["token"] == nil)
      #expect(try await fixture.web(path + "wrong12").legacyCode == "INVALID_PASSWORD")
      let change = "/users/\(email)/password?&_method=PUT&newPassword=secret2&oldPassword=secret1"
      #expect(try await fixture.web(change).legacyCode == "INVALID_CREDENTIALS")
    }
  }

  @Test("a user of an external system signs in, or changes the password at once")
  func fromElsewhere() async throws {
    struct ExternalSystem: PasswordChecker {
      let name = "old-shop"
      func check(_ question: PasswordCheck) async throws -> PasswordCheckAnswer {
        question.password == "old-one"
          ? .user(ForeignAccount(email: question.email, uid: "of \(question.email)")) : .wrong
      }
    }
    let fixture = try AdminFixture()
    var plugins = PluginSet()
    plugins.passwordCheckers = [ExternalSystem()]
    fixture.accounts.setFurtherPlugins(plugins)
    let path = "/auth/password?&email=ann@example.com&password="
    #expect(try await fixture.web(path + "wrong").legacyCode == "INVALID_PASSWORD")
    #expect(try await fixture.web(path + "old-one")["uid"] == .string("of ann@example.com"))
    let change = "/users/bob@example.com/password?&_method=PUT&newPassword=secret2&oldPassword=old-one"
    #expect(try await fixture.web(change).legacyCode == nil)
    #expect(fixture.user("of bob@example.com") != nil)
    #expect(try await fixture.web("/auth/password?&email=bob@example.com&password=secret2")["token"] != nil)
    #expect(try await fixture.web("/auth/password?&email=bob@example.com&password=old-one")["token"] == nil)
  }

  @Test(
    "Security 68: wrong passwords are counted as in the other interfaces, and the correct one is then refused as well")
  func throttled() async throws {
    let fixture = try AdminFixture { $0.limits.accountFailuresFree = 3 }
    _ = try await fixture.legacyUser()
    for _ in 0..<3 { _ = try await fixture.web("/auth/password?&email=ann@example.com&password=wrong12") }
    let refused = try await fixture.web("/auth/password?&email=ANN@example.com&password=secret1")
    #expect(refused.legacyCode == "LIMITS_EXCEEDED")
    await #expect(throws: AccountError.self) {
      try await fixture.accounts.signIn.passwords.signIn(
        email: "ann@example.com", password: "secret1", client: fixture.accountsFixture.client(),
        now: fixture.accountsFixture.now)
    }
  }
}
