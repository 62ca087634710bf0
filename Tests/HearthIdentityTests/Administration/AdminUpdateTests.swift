import HearthCrypto
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct AdminUpdateTests {
  @Test("a new password, a new address and disabling each end the account's tokens, sessions and codes")
  func endings() async throws {
    for body in [#""password": "another1""#, #""email": "new@example.com""#, #""disableUser": true"#] {
      let fixture = try AdminFixture()
      _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com", "password": "secret1"}"#)
      let token = try await fixture.idToken("bob")
      let credential = try fixture.accounts.keys.verifyIDToken(token, nowSeconds: fixture.accountsFixture.nowSeconds)
      #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .good)
      fixture.accountsFixture.advance(seconds: 1)
      _ = try await fixture.update(#"{"localId": "bob", \#(body)}"#)
      #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .ended, "\(body)")
      #expect(fixture.accounts.store.view.sessions(of: "bob").isEmpty)
      #expect(fixture.revocations.count == 1)
    }
  }

  @Test("a change of members other than credentials ends no session")
  func harmless() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com", "password": "secret1"}"#)
    let token = try await fixture.idToken("bob")
    let credential = try fixture.accounts.keys.verifyIDToken(token, nowSeconds: fixture.accountsFixture.nowSeconds)
    let answer = try await fixture.update(
      #"{"localId": "bob", "displayName": "Bob", "emailVerified": true, "customAttributes": "{\"role\": \"ed\"}"}"#)
    #expect(answer["displayName"] == .string("Bob"))
    #expect(answer["passwordHash"] == .string("UkVEQUNURUQ="))
    #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .good)
    #expect(fixture.revocations.isEmpty)
    _ = try await fixture.update(#"{"localId": "bob", "deleteAttribute": ["DISPLAY_NAME"], "customAttributes": "{}"}"#)
    #expect(fixture.user("bob")?.displayName == nil)
    #expect(fixture.user("bob")?.customAttributes == "{}")
  }

  @Test("any validSince ends the earlier tokens, and is returned unless it is in the past or the future")
  func validSince() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob"}"#)
    fixture.accountsFixture.advance(seconds: 100)
    let now = fixture.accountsFixture.nowSeconds
    // Admin SDKs send the current second of their own clock, or any other time: each ends a sign-in of this second.
    for (sent, shown) in [(now - 50, now - 50), (now - 90, now - 50), (now, now), (now + 1_000_000, now)] {
      let token = try await fixture.idToken("bob")
      let credential = try fixture.accounts.keys.verifyIDToken(token, nowSeconds: now)
      #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .good)
      _ = try await fixture.update(#"{"localId": "bob", "validSince": \#(sent)}"#)
      #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .ended, "\(sent - now)")
      #expect(fixture.accounts.store.view.sessions(of: "bob").isEmpty)
      #expect(fixture.user("bob")?.validSinceSeconds == shown)
    }
    #expect(try await fixture.refusal { try await fixture.update(#"{"localId": "bob", "validSince": 1e300}"#) } != nil)
  }

  @Test("linking or unlinking a provider ends no session")
  func sessionsStay() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(
      #"{"localId": "bob", "email": "bob@example.com", "password": "secret1", "phoneNumber": "+15550001"}"#)
    let token = try await fixture.idToken("bob")
    let credential = try fixture.accounts.keys.verifyIDToken(token, nowSeconds: fixture.accountsFixture.nowSeconds)
    for change in [
      #""linkProviderUserInfo": {"providerId": "google.com", "rawId": "7"}"#, #""deleteProvider": ["phone"]"#,
      #""deleteProvider": ["google.com"]"#, #""deleteProvider": ["password"]"#,
    ] {
      _ = try await fixture.update("{\"localId\": \"bob\", \(change)}")
      #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .good, "\(change)")
    }
    let user = try #require(fixture.user("bob"))
    #expect(user.password == nil && user.phoneNumber == nil && user.identities.isEmpty)
    #expect(fixture.accounts.store.view.sessions(of: "bob").count == 1)
    #expect(fixture.revocations.isEmpty)
    let events = fixture.accounts.store.view.auditTail(limit: 3).map { $0.fields["event"]?.string }
    #expect(events == ["provider_unlink", "provider_unlink", "provider_unlink"])
  }

  @Test("a changed address is unverified, unless the administrator says otherwise")
  func addressChange() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com", "emailVerified": true}"#)
    _ = try await fixture.update(#"{"localId": "bob", "email": "b2@example.com"}"#)
    #expect(fixture.user("bob")?.isEmailVerified == false)
    _ = try await fixture.update(#"{"localId": "bob", "email": "b3@example.com", "emailVerified": true}"#)
    #expect(fixture.user("bob")?.isEmailVerified == true)
    _ = try await fixture.update(#"{"localId": "bob", "deleteAttribute": ["EMAIL"]}"#)
    #expect(fixture.user("bob")?.email == nil)
    #expect(fixture.user("bob")?.isEmailVerified == false)
    _ = try await fixture.create(#"{"email": "bob@example.com"}"#)
  }

  @Test(
    "claims that only the server may set are refused",
    arguments: IDTokenClaims.reservedNames.sorted())
  func reservedClaims(_ name: String) async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob"}"#)
    let body = #"{"localId": "bob", "customAttributes": "{\"fine\": 1, \"\#(name)\": 1}"}"#
    #expect(try await fixture.refusal { try await fixture.update(body) } == "FORBIDDEN_CLAIM : \(name)")
    #expect(try await fixture.refusal { try await fixture.create(body) } == "FORBIDDEN_CLAIM : \(name)")
    let imported = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call(#"{"users": [{"localId": "eve", "customAttributes": "{\"\#(name)\": 1}"}]}"#))
    #expect(imported["error"]?.array?.count == 1)
    #expect(fixture.user("eve") == nil)
    #expect(fixture.user("bob")?.customAttributes == nil)
  }

  @Test(
    "claims with names of the account's own values are stored, and tokens have the account's own values",
    arguments: ["email", "email_verified", "phone_number", "provider_id", "user_id"])
  func computedClaims(_ name: String) async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob"}"#)
    let attributes = #"{"\#(name)":"x@y.example","big":12345678901234567890}"#
    let text = String(decoding: JSON.string(attributes).text(), as: UTF8.self)
    _ = try await fixture.update(#"{"localId": "bob", "customAttributes": \#(text)}"#)
    #expect(fixture.user("bob")?.customAttributes == attributes)
    let imported = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call(#"{"users": [{"localId": "eve", "email": "eve@example.com", "customAttributes": \#(text)}]}"#))
    #expect(imported["error"] == nil)
    #expect(fixture.user("eve")?.email == "eve@example.com" && fixture.user("eve")?.customAttributes == attributes)
    #expect(fixture.accounts.store.view.user(email: "x@y.example") == nil)
    #expect(fixture.user("eve")?.phoneNumber == nil && fixture.user("eve")?.isEmailVerified == false)
  }

  @Test(
    "claims that no token could contain are refused",
    arguments: [
      ("[1]", "INVALID_CLAIMS"), ("{", "INVALID_CLAIMS"), (#"{\"a\": 1, \"a\": 2}"#, "INVALID_CLAIMS"),
      (#"{\"a\": \""# + String(repeating: "x", count: 1_000) + #"\"}"#, "CLAIMS_TOO_LARGE"),
    ])
  func badClaims(_ text: String, _ expected: String) async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob"}"#)
    let body = #"{"localId": "bob", "customAttributes": "\#(text)"}"#
    #expect(try await fixture.refusal { try await fixture.update(body) } == expected)
  }

  @Test("providers are linked and unlinked, including the last one")
  func providers() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(
      #"{"localId": "bob", "email": "bob@example.com", "password": "secret1", "phoneNumber": "+15550001"}"#)
    _ = try await fixture.create(#"{"localId": "eve"}"#)
    let link = #""linkProviderUserInfo": {"providerId": "google.com", "rawId": "7", "email": "G@example.com"}"#
    _ = try await fixture.update(#"{"localId": "bob", \#(link)}"#)
    #expect(fixture.user("bob")?.identities.first?.email == "g@example.com")
    #expect(
      try await fixture.refusal { try await fixture.update(#"{"localId": "eve", \#(link)}"#) }
        == "FEDERATED_USER_ID_ALREADY_LINKED")
    _ = try await fixture.update(#"{"localId": "bob", "deleteProvider": ["phone", "google.com", "password"]}"#)
    let user = try #require(fixture.user("bob"))
    #expect(user.phoneNumber == nil && user.identities.isEmpty && user.password == nil)
    #expect(try await !fixture.canSignIn("bob@example.com", "secret1"))
    _ = try await fixture.update(#"{"localId": "eve", \#(link)}"#)
  }

  @Test("second factors are replaced as a whole; an authenticator is kept by its id")
  func factors() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(
      #"""
      {"localId": "bob", "mfaInfo": [
        {"mfaEnrollmentId": "t", "totpInfo": {"sharedSecretKey": "JBSWY3DPEHPK3PXPJBSWY3DP"}},
       {"phoneInfo": "+15550009", "displayName": "work", "enrolledAt": "2024-05-31T12:00:00Z"}]}
      """#)
    let factors = try #require(fixture.user("bob")?.factors)
    #expect(factors.map(\.kind.provider) == ["totp", "phone"])
    #expect(factors[1].enrolledAtMilliseconds == 1_717_156_800_000)
    _ = try await fixture.update(
      #"{"localId": "bob", "mfa": {"enrollments": [{"mfaEnrollmentId": "t", "displayName": "x", "totpInfo": {}}]}}"#)
    let kept = try #require(fixture.user("bob")?.factors)
    #expect(kept.map(\.kind) == [factors[0].kind])
    #expect(kept[0].displayName == "x")
    #expect(
      try await fixture.refusal {
        try await fixture.update(
          #"{"localId": "bob", "mfa": {"enrollments": [{"mfaEnrollmentId": "other", "totpInfo": {}}]}}"#)
      } == "MFA_ENROLLMENT_NOT_FOUND")
    _ = try await fixture.update(#"{"localId": "bob", "mfa": {"enrollments": null}}"#)
    #expect(fixture.user("bob")?.factors.isEmpty == true)
  }

  @Test("a factor without a number and without an authenticator is refused as a phone without its number")
  func factorWithoutNumber() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob"}"#)
    for factor in [
      #"{}"#, #"{"displayName": "x"}"#, #"{"phoneInfo": ""}"#, #"{"phoneInfo": "5550100", "totpInfo": {}}"#,
    ] {
      let refusal = try await fixture.refusal {
        try await fixture.update(#"{"localId": "bob", "mfa": {"enrollments": [\#(factor)]}}"#)
      }
      #expect(refusal == "INVALID_MFA_PHONE_NUMBER : Invalid format.")
    }
  }

  @Test("replacing a factor under its old id is audited as a removal and an addition")
  func replacedFactor() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(
      #"{"localId": "bob", "mfaInfo": [{"mfaEnrollmentId": "t", "phoneInfo": "+15550009"}]}"#)
    for (number, events) in [("+15550008", ["mfa_withdraw", "mfa_enroll"]), ("+15550008", ["profile_change"])] {
      _ = try await fixture.update(
        #"{"localId": "bob", "mfa": {"enrollments": [{"mfaEnrollmentId": "t", "phoneInfo": "\#(number)"}]}}"#)
      let tail = fixture.accounts.store.view.auditTail(limit: events.count)
      #expect(tail.compactMap { $0.fields["event"]?.string } == events)
    }
  }

  @Test("administrators get a factor's whole number, and may send it back")
  func shownFactors() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob", "mfaInfo": [{"phoneInfo": "+15550009"}]}"#)
    let pages = try await BatchEndpoints(accounts: fixture.accounts).get(fixture.call("{}"))
    let found = try await BatchEndpoints(accounts: fixture.accounts).query(fixture.call("{}"))
    for users in [try await fixture.lookup(#"{"localId": ["bob"]}"#)["users"], pages["users"], found["userInfo"]] {
      let factors = try #require(users?.array?.first?["mfaInfo"])
      #expect(factors.array?.first?["phoneInfo"] == .string("+15550009"))
      let back = JSON.object([.init("localId", .string("bob")), .init("mfa", .object([.init("enrollments", factors)]))])
      _ = try await fixture.update(String(decoding: back.text(), as: UTF8.self))
    }
    #expect(fixture.user("bob")?.factors.map(\.kind) == [.phone("+15550009")])
  }

  @Test("the audit trail names the administrator and the operation, without passwords")
  func audit() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com", "password": "first-secret"}"#)
    _ = try await fixture.update(#"{"localId": "bob", "password": "second-secret", "disableUser": true}"#)
    let lines = fixture.accounts.store.view.audit(limit: 100).map { String(decoding: $0.line, as: UTF8.self) }
    let events = fixture.accounts.store.view.audit(limit: 100).compactMap { $0.fields["event"]?.string }
    #expect(events == ["sign_up", "password_change", "user_disable"])
    #expect(lines.allSatisfy { $0.contains("by root") && !$0.contains("secret") && !$0.contains("bob@") })
  }
}
