import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite struct ChangeTests {
  @Test("Security 49: Clients cannot set members of the server")
  func massAssignment() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    let before = try #require(fixture.user(first.localID))
    let answer = try await fixture.update(
      first.idToken,
      [
        "emailVerified": true, "localId": "other", "validSince": 1, "createdAt": 1, "lastLoginAt": 1,
        "phoneNumber": "+15550001", "passwordHash": "x", "salt": "x", "customAuth": true, "initialEmail": "x@y.example",
        "linkProviderUserInfo": ["providerId": "google.com", "rawId": "1"], "mfa": ["enrollments": []],
        "mfaInfo": [["phoneInfo": "+15550002"]], "disabled": true, "isDisabled": true,
        "providerUserInfo": [["providerId": "google.com", "rawId": "1"]], "displayName": "A",
      ])
    #expect(answer.status == 200)
    var expected = before
    expected.displayName = "A"
    #expect(fixture.user(first.localID) == expected)
    #expect(
      try await fixture.update(first.idToken, ["customAttributes": "{\"admin\":true}"]).error?
        .hasPrefix("INSUFFICIENT_PERMISSION") == true)
    #expect(try await fixture.update(first.idToken, ["disableUser": true]).error == "OPERATION_NOT_ALLOWED")
    for (identity, code) in [(["rawId": "1"], "MISSING_PROVIDER_ID"), (["providerId": "a.example"], "MISSING_RAW_ID")]
      as [(JSON, String)]
    {
      #expect(try await fixture.update(first.idToken, ["linkProviderUserInfo": identity]).error == code)
    }
    let made = try await fixture.post(
      "accounts:signUp",
      [
        "email": "c@d.example", "password": "123456", "emailVerified": true, "customAttributes": "{\"a\":1}",
        "disabled": true, "phoneNumber": "+15550003", "mfaInfo": [["phoneInfo": "+15550003"]],
      ])
    let user = try #require(fixture.user(made.localID))
    #expect(!user.isEmailVerified && user.customAttributes == nil && !user.isDisabled)
    #expect(user.phoneNumber == nil && user.factors.isEmpty)
  }

  @Test("Security 50: Another account's uid beside a token changes only the token's account")
  func foreignUID() async throws {
    let fixture = try IdentityFixture()
    let mine = try await fixture.signUp("a@b.example")
    let theirs = try await fixture.signUp("c@d.example")
    let before = fixture.user(theirs.localID)
    _ = try await fixture.update(mine.idToken, ["localId": .string(theirs.localID), "displayName": "A"])
    #expect(fixture.user(mine.localID)?.displayName == "A")
    _ = try await fixture.post(
      "accounts:delete", ["idToken": .string(mine.idToken), "localId": .string(theirs.localID)])
    #expect(fixture.user(mine.localID) == nil)
    #expect(fixture.user(theirs.localID) == before)
    #expect(try await fixture.post("accounts:delete", ["localId": .string(theirs.localID)]).error == "MISSING_ID_TOKEN")
    #expect(
      try await fixture.post("accounts:update", ["localId": .string(theirs.localID), "displayName": "E"]).error
        == "INVALID_REQ_TYPE : Unsupported request parameters.")
  }

  @Test("Security 52: Removing a sign-in method needs a recent sign-in, and keeps the session")
  func unlink() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    let other = try await fixture.signIn("a@b.example")
    _ = try await fixture.federated("7~x@y.example~yes", ["idToken": .string(first.idToken)])
    fixture.accountsFixture.advance(seconds: 10)
    // Clients read only the list of providers from the answer, and keep their tokens.
    for (gone, left) in [("google.com", ["password"]), ("google.com", ["password"])] {
      let answer = try await fixture.update(first.idToken, ["deleteProvider": [.string(gone)]])
      #expect(answer.status == 200 && answer.idToken.isEmpty && answer.refreshToken.isEmpty)
      #expect(answer.json["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } == left)
      for session in [first, other] {
        #expect(try fixture.standing(session.idToken) == .good)
        #expect(try await fixture.lookup(session.idToken).status == 200)
        #expect(try await fixture.refresh(session.refreshToken).status == 200)
      }
    }
    _ = try await fixture.federated("8~x@y.example~yes", ["idToken": .string(first.idToken)])
    let answer = try await fixture.update(first.idToken, ["deleteProvider": ["password"]])
    #expect(answer.json["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } == ["google.com"])
    #expect(try fixture.standing(first.idToken) == .good && fixture.standing(other.idToken) == .good)
    #expect(try await fixture.signIn("a@b.example").error == "INVALID_LOGIN_CREDENTIALS")
    #expect(fixture.revocations.isEmpty)
    #expect(fixture.auditedKinds.filter { $0 == "provider_unlink" }.count == 3)
    fixture.accountsFixture.advance(seconds: 301)
    let old = try await fixture.refresh(first.refreshToken).idToken
    #expect(
      try await fixture.update(old, ["deleteProvider": ["google.com"]]).error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
  }

  @Test("Security 7: Sensitive changes need a recent sign-in")
  func recentSignIn() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    let first = try await fixture.signUp("a@b.example")
    _ = try await fixture.federated("7~x@y.example~yes", ["idToken": .string(first.idToken)])
    fixture.accountsFixture.advance(seconds: 301)
    let token = try await fixture.refresh(first.refreshToken).idToken
    let tooOld = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
    #expect(try await fixture.update(token, ["password": "another one"]).error == tooOld)
    #expect(try await fixture.update(token, ["email": "c@d.example"]).error == tooOld)
    #expect(try await fixture.update(token, ["deleteProvider": ["password"]]).error == tooOld)
    #expect(try await fixture.post("accounts:delete", ["idToken": .string(token)]).error == tooOld)
    #expect(
      try await fixture.post(
        "/v2/accounts/mfaEnrollment:start", ["idToken": .string(token), "totpEnrollmentInfo": [:]]
      )
      .error == tooOld)
    #expect(
      try await fixture.post(
        "/v2/accounts/mfaEnrollment:withdraw", ["idToken": .string(token), "mfaEnrollmentId": "x"]
      ).error == tooOld)
    #expect(
      try await fixture.sendCode("VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(token), "newEmail": "c@d.example"])
        .error
        == tooOld)
    #expect(try await fixture.update(token, ["displayName": "A"]).status == 200)
    let fresh = try await fixture.signIn("a@b.example").idToken
    #expect(try await fixture.update(fresh, ["password": "another one"]).status == 200)
  }

  @Test("Deleting an account leaves only a tombstone")
  func delete() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
    let answer = try await fixture.post("accounts:delete", ["idToken": .string(first.idToken)])
    #expect(answer.json == ["kind": "identitytoolkit#DeleteAccountResponse"])
    let view = fixture.accounts.store.view
    #expect(view.user(first.localID) == nil && view.tombstone(first.localID) != nil)
    #expect(view.user(email: "a@b.example") == nil)
    #expect(view.sessions(of: first.localID).isEmpty && view.tickets(of: first.localID).isEmpty)
    #expect(fixture.revocations == [.user(uid: first.localID)])
    #expect(try await fixture.signUp("a@b.example").localID != first.localID)
    let closed = try IdentityFixture { $0.allowsDeletion = false }
    let kept = try await closed.signUp("a@b.example")
    #expect(
      try await closed.post("accounts:delete", ["idToken": .string(kept.idToken)]).error == "OPERATION_NOT_ALLOWED")
  }
}
