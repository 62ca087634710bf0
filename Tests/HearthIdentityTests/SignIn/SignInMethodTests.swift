import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

/// Tests of the lists of sign-in methods in the protocol's responses.
@Suite struct SignInMethodTests {
  private func signInByLink(_ fixture: IdentityFixture, _ email: String) async throws -> IdentityFixture.Answer {
    fixture.accountsFixture.advance(seconds: 61)
    _ = try await fixture.sendCode("EMAIL_SIGNIN", ["email": .string(email), "continueUrl": "http://localhost/"])
    return try await fixture.post(
      "accounts:signInWithEmailLink",
      ["email": .string(email), "oobCode": .string(try await fixture.code(mailedTo: email))])
  }

  private func shown(_ fixture: IdentityFixture, _ idToken: String) async throws -> JSON? {
    try await fixture.lookup(idToken).json["users"]?.array?.first
  }

  @Test("Sign-in by mailed link stays available after a password is set")
  func emailLinkStays() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    let first = try await signInByLink(fixture, "a@b.example")
    #expect(try await fixture.signInMethods("a@b.example") == ["emailLink"])
    let set = try await fixture.update(first.idToken, ["password": "correct horse"])
    #expect(try await fixture.signInMethods("a@b.example") == ["password", "emailLink"])
    #expect(try await shown(fixture, set.idToken)?["emailLinkSignin"] == true)
    // The reverse order: a password first, then a mailed link.
    let second = try await fixture.signUp("c@d.example")
    try await fixture.change(second.localID) { $0.isEmailVerified = true }
    #expect(try await fixture.signInMethods("c@d.example") == ["password"])
    #expect(try await shown(fixture, second.idToken)?["emailLinkSignin"] == nil)
    #expect(try await signInByLink(fixture, "c@d.example").localID == second.localID)
    #expect(try await fixture.signInMethods("c@d.example") == ["password", "emailLink"])
    let linked = try await fixture.federated("7~c@d.example~yes")
    #expect(linked.localID == second.localID)
    #expect(try await fixture.signInMethods("c@d.example") == ["password", "emailLink", "google.com"])
  }

  @Test("An account without a sign-in by link does not list the method")
  func addressOnly() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    _ = try await fixture.administer("accounts", ["localId": "bob", "email": "bob@example.com"])
    #expect(try await fixture.signInMethods("bob@example.com") == [])
    let user = try await fixture.administer("accounts:lookup", ["localId": ["bob"]]).json["users"]?.array?.first
    #expect(user?["email"] == "bob@example.com" && user?["providerUserInfo"] == nil)
    let entered = try await signInByLink(fixture, "bob@example.com")
    #expect(entered.localID == "bob")
    let ids = try await shown(fixture, entered.idToken)?["providerUserInfo"]?.array?.map { $0["providerId"] }
    #expect(ids == ["password"])
  }

  @Test("createAuthUri returns its lists, also empty, and keeps the session id")
  func createAuthURI() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    let ask: JSON = ["identifier": "no@example.com", "continueUri": "http://localhost", "sessionId": "my-session-1"]
    let answer = try await fixture.post("accounts:createAuthUri", ask).json
    #expect(answer["registered"] == false)
    #expect(answer["signinMethods"] == [] && answer["allProviders"] == [])
    #expect(answer["sessionId"] == "my-session-1")
    let other = try await fixture.post(
      "accounts:createAuthUri", ["identifier": "no@example.com", "continueUri": "http://localhost"]
    ).json
    #expect(other["sessionId"]?.string?.isEmpty == false)
    let hidden = try IdentityFixture()
    let kept = try await hidden.post("accounts:createAuthUri", ask).json
    #expect(kept == ["kind": "identitytoolkit#CreateAuthUriResponse", "sessionId": "my-session-1"])
  }

  @Test("The last provider can be unlinked; the owner of the mailbox can sign in again")
  func lastOne() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    let first = try await fixture.signUp("a@b.example")
    let answer = try await fixture.update(first.idToken, ["deleteProvider": ["password"]])
    #expect(answer.status == 200 && answer.json["providerUserInfo"] == nil && answer.json["passwordHash"] == nil)
    // The address stays on the account, as in Firebase.
    #expect(answer.json["email"] == "a@b.example")
    #expect(try await fixture.signInMethods("a@b.example") == [])
    #expect(try await fixture.signIn("a@b.example").error == "INVALID_PASSWORD")
    #expect(try await fixture.signUp("a@b.example").error == "EMAIL_EXISTS")
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
    let code = try await fixture.code(mailedTo: "a@b.example")
    _ = try await fixture.post("accounts:resetPassword", ["oobCode": .string(code), "newPassword": "correct horse"])
    #expect(try await fixture.signIn("a@b.example").localID == first.localID)

    let linked = try await signInByLink(fixture, "c@d.example")
    _ = try await fixture.update(linked.idToken, ["deleteProvider": ["password"]])
    #expect(try await fixture.signInMethods("c@d.example") == [])

    let google = try await fixture.federated("7~e@f.example~yes")
    let left = try await fixture.update(google.idToken, ["deleteProvider": ["google.com"]])
    #expect(left.status == 200 && left.json["providerUserInfo"] == nil)
    #expect(fixture.user(google.localID)?.identities.isEmpty == true)
  }

  @Test("Signing in sets the time of the last refresh; an unused account has none")
  func lastRefresh() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.administer(
      "accounts", ["localId": "bob", "email": "bob@example.com", "password": "correct horse"])
    func shown() async throws -> String? {
      let user = try await fixture.administer("accounts:lookup", ["localId": ["bob"]]).json["users"]?.array?.first
      return user?["lastRefreshAt"]?.string
    }
    #expect(try await shown() == nil)
    fixture.accountsFixture.advance(seconds: 5)
    let token = try await fixture.signIn("bob@example.com").refreshToken
    #expect(try await shown() == Timestamp.text(milliseconds: fixture.nowSeconds * 1_000))
    fixture.accountsFixture.advance(seconds: 5)
    _ = try await fixture.refresh(token)
    #expect(try await shown() == Timestamp.text(milliseconds: fixture.nowSeconds * 1_000))
  }

  @Test("A user's own second factors are returned in full; before the factor was proved, only the end of the number")
  func ownFactors() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    try await fixture.change(first.localID) {
      $0.factors = [
        SecondFactor(id: "f", kind: .phone("+15555550100"), displayName: nil, enrolledAtMilliseconds: 1)
      ]
    }
    let own = try await shown(fixture, first.idToken)?["mfaInfo"]?.array?.first
    #expect(own?["phoneInfo"] == "+15555550100" && own?["unobfuscatedPhoneInfo"] == "+15555550100")
    let pending = try await fixture.signIn("a@b.example")
    let hidden = pending.json["mfaInfo"]?.array?.first
    #expect(hidden?["phoneInfo"] == "+*******0100" && hidden?["unobfuscatedPhoneInfo"] == nil)
  }
}

extension IdentityFixture {
  /// Sends a request under the project's path with an administrator's credential.
  func administer(_ operation: String, _ body: JSON, query: [(name: String, value: String)] = []) async throws -> Answer
  {
    try await send(
      "/identitytoolkit.googleapis.com/v1/projects/demo-test/" + operation, body.text(),
      method: query.isEmpty ? "POST" : "GET", query: query, authority: .administrator("root"))
  }
}
