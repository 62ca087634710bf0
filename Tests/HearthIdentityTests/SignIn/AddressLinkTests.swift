import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Tests of linking an address to an account that has another one, which changes the address.
@Suite struct AddressLinkTests {
  private func linkPassword(_ fixture: IdentityFixture, _ token: String, _ email: String) async throws
    -> IdentityFixture.Answer
  {
    try await fixture.post(
      "accounts:signUp",
      ["idToken": .string(token), "email": .string(email), "password": "another one", "returnSecureToken": true])
  }

  private func linkMailed(_ fixture: IdentityFixture, _ token: String, _ email: String) async throws
    -> IdentityFixture.Answer
  {
    _ = try await fixture.sendCode("EMAIL_SIGNIN", ["email": .string(email), "continueUrl": "http://localhost/"])
    return try await fixture.post(
      "accounts:signInWithEmailLink",
      [
        "email": .string(email), "oobCode": .string(try await fixture.code(mailedTo: email)), "idToken": .string(token),
      ])
  }

  @Test("An account of a provider gets an address and a password of its own: the address changes, the provider is kept")
  func password() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.federated("7~old@example.com~yes")
    fixture.accountsFixture.advance(seconds: 10)
    let linked = try await linkPassword(fixture, first.idToken, "New@example.com")
    #expect(linked.localID == first.localID && linked.json["email"] == "new@example.com")
    let claims = try fixture.claims(linked.idToken)
    #expect(claims["email"] == .string("new@example.com") && claims["email_verified"] == .bool(false))
    #expect(claims["firebase"]?["sign_in_provider"] == .string("password"))
    #expect(try await fixture.lookup(linked.idToken).status == 200)
    #expect(try await fixture.refresh(linked.refreshToken).status == 200)
    #expect(try await fixture.signIn("new@example.com", "another one").localID == first.localID)
    #expect(try await fixture.federated("7~old@example.com~yes").localID == first.localID)
    // As with every change of address: the other sessions end, and the old address can revert the change.
    #expect(try await fixture.refresh(first.refreshToken).error == "TOKEN_EXPIRED")
    let notice = try #require(await fixture.mails().last)
    #expect(notice.kind == .recoverEmail && notice.to == "old@example.com")
    let recovered = try await fixture.post(
      "accounts:update", ["oobCode": .string(try await fixture.code(mailedTo: "old@example.com"))])
    #expect(recovered.json["email"] == "old@example.com")
  }

  @Test("An account with a password gets another address and password instead")
  func replacedPassword() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    let first = try await fixture.signUp("old@example.com")
    let linked = try await linkPassword(fixture, first.idToken, "new@example.com")
    #expect(linked.localID == first.localID && linked.json["email"] == "new@example.com")
    #expect(try await fixture.signIn("old@example.com").error == "EMAIL_NOT_FOUND")
    #expect(try await fixture.signIn("new@example.com").error == "INVALID_PASSWORD")
    #expect(try await fixture.signIn("new@example.com", "another one").localID == first.localID)
    // The account's own address is linked already.
    #expect(try await linkPassword(fixture, linked.idToken, "new@example.com").error == "EMAIL_EXISTS")
  }

  @Test("A mailed link to another address sets that address: verified, and beside the password")
  func mailedLink() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    let first = try await fixture.signUp("old@example.com")
    fixture.accountsFixture.advance(seconds: 10)
    let linked = try await linkMailed(fixture, first.idToken, "new@example.com")
    #expect(linked.localID == first.localID && linked.json["email"] == "new@example.com")
    #expect(linked.json["isNewUser"] == false)
    let claims = try fixture.claims(linked.idToken)
    #expect(claims["email"] == .string("new@example.com") && claims["email_verified"] == .bool(true))
    // The earlier tokens ended in this second: clients that compare times would refuse an earlier sign-in.
    #expect(claims["auth_time"]?.seconds == fixture.nowSeconds)
    #expect(try await fixture.signInMethods("new@example.com") == ["password", "emailLink"])
    #expect(try await fixture.signInMethods("old@example.com") == [])
    #expect(try await fixture.signIn("new@example.com").localID == first.localID)
    let notice = try #require(await fixture.mails().last)
    #expect(notice.kind == .recoverEmail && notice.to == "old@example.com")
    #expect(try await fixture.refresh(first.refreshToken).error == "TOKEN_EXPIRED")
  }

  @Test("Another account's address is not linked, and no account changes")
  func taken() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.signUp("taken@example.com")
    let first = try await fixture.signUp("old@example.com")
    let before = fixture.user(first.localID)
    #expect(try await linkPassword(fixture, first.idToken, "taken@example.com").error == "EMAIL_EXISTS")
    #expect(try await linkMailed(fixture, first.idToken, "taken@example.com").error == "EMAIL_EXISTS")
    #expect(fixture.user(first.localID) == before)
    #expect(try await fixture.lookup(first.idToken).status == 200)
  }

  @Test("Linking an address needs a recent sign-in and an enabled account")
  func refusals() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("old@example.com")
    fixture.accountsFixture.advance(seconds: 301)
    let tooOld = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
    #expect(try await linkPassword(fixture, first.idToken, "new@example.com").error == tooOld)
    #expect(try await linkMailed(fixture, first.idToken, "new@example.com").error == tooOld)
    let fresh = try await fixture.signIn("old@example.com")
    try await fixture.change(first.localID) { $0.isDisabled = true }
    #expect(try await linkPassword(fixture, fresh.idToken, "new@example.com").error == "USER_DISABLED")
    fixture.accountsFixture.advance(seconds: 61)
    #expect(try await linkMailed(fixture, fresh.idToken, "new@example.com").error == "USER_DISABLED")
    #expect(fixture.user(first.localID)?.email == "old@example.com")
  }

  @Test("Session claims are kept")
  func claims() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.post("accounts:signInWithCustomToken", ["token": "bob:{\"role\":\"ed\"}"])
    try await fixture.change("bob") { $0.email = "old@example.com" }
    let linked = try await linkPassword(fixture, first.idToken, "new@example.com")
    #expect(try fixture.claims(linked.idToken)["role"] == .string("ed"))
    let mailed = try await linkMailed(fixture, linked.idToken, "newer@example.com")
    #expect(try fixture.claims(try await fixture.refresh(mailed.refreshToken).idToken)["role"] == .string("ed"))
  }
}

extension IdentityFixture {
  /// Returns the sign-in methods of an address from `createAuthUri`.
  func signInMethods(_ email: String) async throws -> [String]? {
    try await post("accounts:createAuthUri", ["identifier": .string(email), "continueUri": "http://localhost"])
      .json["signinMethods"]?.array?.compactMap(\.string)
  }
}
