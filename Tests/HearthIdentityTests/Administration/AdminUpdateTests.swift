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
      let world = try AdminWorld()
      _ = try await world.create(#"{"localId": "bob", "email": "bob@example.com", "password": "secret1"}"#)
      let token = try await world.idToken("bob")
      let credential = try world.accounts.keys.verifyIDToken(token, nowSeconds: world.accountsFixture.nowSeconds)
      #expect(world.accounts.sessions.revocations.standing(of: credential) == .good)
      world.accountsFixture.advance(seconds: 1)
      _ = try await world.update(#"{"localId": "bob", \#(body)}"#)
      #expect(world.accounts.sessions.revocations.standing(of: credential) == .ended, "\(body)")
      #expect(world.accounts.store.view.sessions(of: "bob").isEmpty)
      #expect(world.revocations.count == 1)
    }
  }

  @Test("a change of members other than credentials ends no session")
  func harmless() async throws {
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob", "email": "bob@example.com", "password": "secret1"}"#)
    let token = try await world.idToken("bob")
    let credential = try world.accounts.keys.verifyIDToken(token, nowSeconds: world.accountsFixture.nowSeconds)
    let answer = try await world.update(
      #"{"localId": "bob", "displayName": "Bob", "emailVerified": true, "customAttributes": "{\"role\": \"ed\"}"}"#)
    #expect(answer["displayName"] == .string("Bob"))
    #expect(answer["passwordHash"] == .string("UkVEQUNURUQ="))
    #expect(world.accounts.sessions.revocations.standing(of: credential) == .good)
    #expect(world.revocations.isEmpty)
    _ = try await world.update(#"{"localId": "bob", "deleteAttribute": ["DISPLAY_NAME"], "customAttributes": "{}"}"#)
    #expect(world.user("bob")?.displayName == nil)
    #expect(world.user("bob")?.customAttributes == "{}")
  }

  @Test("any validSince ends the earlier tokens, and is returned unless it is in the past or the future")
  func validSince() async throws {
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob"}"#)
    world.accountsFixture.advance(seconds: 100)
    let now = world.accountsFixture.nowSeconds
    // Admin SDKs send the current second of their own clock, or any other time: each ends a sign-in of this second.
    for (sent, shown) in [(now - 50, now - 50), (now - 90, now - 50), (now, now), (now + 1_000_000, now)] {
      let token = try await world.idToken("bob")
      let credential = try world.accounts.keys.verifyIDToken(token, nowSeconds: now)
      #expect(world.accounts.sessions.revocations.standing(of: credential) == .good)
      _ = try await world.update(#"{"localId": "bob", "validSince": \#(sent)}"#)
      #expect(world.accounts.sessions.revocations.standing(of: credential) == .ended, "\(sent - now)")
      #expect(world.accounts.store.view.sessions(of: "bob").isEmpty)
      #expect(world.user("bob")?.validSinceSeconds == shown)
    }
    #expect(try await world.refusal { try await world.update(#"{"localId": "bob", "validSince": 1e300}"#) } != nil)
  }

  @Test("linking or unlinking a provider ends no session")
  func sessionsStay() async throws {
    let world = try AdminWorld()
    _ = try await world.create(
      #"{"localId": "bob", "email": "bob@example.com", "password": "secret1", "phoneNumber": "+15550001"}"#)
    let token = try await world.idToken("bob")
    let credential = try world.accounts.keys.verifyIDToken(token, nowSeconds: world.accountsFixture.nowSeconds)
    for change in [
      #""linkProviderUserInfo": {"providerId": "google.com", "rawId": "7"}"#, #""deleteProvider": ["phone"]"#,
      #""deleteProvider": ["google.com"]"#, #""deleteProvider": ["password"]"#,
    ] {
      _ = try await world.update("{\"localId\": \"bob\", \(change)}")
      #expect(world.accounts.sessions.revocations.standing(of: credential) == .good, "\(change)")
    }
    let user = try #require(world.user("bob"))
    #expect(user.password == nil && user.phoneNumber == nil && user.identities.isEmpty)
    #expect(world.accounts.store.view.sessions(of: "bob").count == 1)
    #expect(world.revocations.isEmpty)
    let events = world.accounts.store.view.auditTail(limit: 3).map { $0.fields["event"]?.string }
    #expect(events == ["provider_unlink", "provider_unlink", "provider_unlink"])
  }

  @Test("a changed address is unverified, unless the administrator says otherwise")
  func addressChange() async throws {
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob", "email": "bob@example.com", "emailVerified": true}"#)
    _ = try await world.update(#"{"localId": "bob", "email": "b2@example.com"}"#)
    #expect(world.user("bob")?.isEmailVerified == false)
    _ = try await world.update(#"{"localId": "bob", "email": "b3@example.com", "emailVerified": true}"#)
    #expect(world.user("bob")?.isEmailVerified == true)
    _ = try await world.update(#"{"localId": "bob", "deleteAttribute": ["EMAIL"]}"#)
    #expect(world.user("bob")?.email == nil)
    #expect(world.user("bob")?.isEmailVerified == false)
    _ = try await world.create(#"{"email": "bob@example.com"}"#)
  }

  @Test(
    "claims that only the server may set are refused",
    arguments: IDTokenClaims.reservedNames.sorted())
  func reservedClaims(_ name: String) async throws {
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob"}"#)
    let body = #"{"localId": "bob", "customAttributes": "{\"fine\": 1, \"\#(name)\": 1}"}"#
    #expect(try await world.refusal { try await world.update(body) } == "FORBIDDEN_CLAIM : \(name)")
    #expect(try await world.refusal { try await world.create(body) } == "FORBIDDEN_CLAIM : \(name)")
    let imported = try await ImportEndpoints(accounts: world.accounts).create(
      world.call(#"{"users": [{"localId": "eve", "customAttributes": "{\"\#(name)\": 1}"}]}"#))
    #expect(imported["error"]?.array?.count == 1)
    #expect(world.user("eve") == nil)
    #expect(world.user("bob")?.customAttributes == nil)
  }

  @Test(
    "claims with names of the account's own values are stored, and tokens have the account's own values",
    arguments: ["email", "email_verified", "phone_number", "provider_id", "user_id"])
  func computedClaims(_ name: String) async throws {
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob"}"#)
    let attributes = #"{"\#(name)":"x@y.example","big":12345678901234567890}"#
    let text = String(decoding: JSON.string(attributes).text(), as: UTF8.self)
    _ = try await world.update(#"{"localId": "bob", "customAttributes": \#(text)}"#)
    #expect(world.user("bob")?.customAttributes == attributes)
    let imported = try await ImportEndpoints(accounts: world.accounts).create(
      world.call(#"{"users": [{"localId": "eve", "email": "eve@example.com", "customAttributes": \#(text)}]}"#))
    #expect(imported["error"] == nil)
    #expect(world.user("eve")?.email == "eve@example.com" && world.user("eve")?.customAttributes == attributes)
    #expect(world.accounts.store.view.user(email: "x@y.example") == nil)
    #expect(world.user("eve")?.phoneNumber == nil && world.user("eve")?.isEmailVerified == false)
  }

  @Test(
    "claims that no token could contain are refused",
    arguments: [
      ("[1]", "INVALID_CLAIMS"), ("{", "INVALID_CLAIMS"), (#"{\"a\": 1, \"a\": 2}"#, "INVALID_CLAIMS"),
      (#"{\"a\": \""# + String(repeating: "x", count: 1_000) + #"\"}"#, "CLAIMS_TOO_LARGE"),
    ])
  func badClaims(_ text: String, _ expected: String) async throws {
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob"}"#)
    let body = #"{"localId": "bob", "customAttributes": "\#(text)"}"#
    #expect(try await world.refusal { try await world.update(body) } == expected)
  }

  @Test("providers are linked and unlinked, including the last one")
  func providers() async throws {
    let world = try AdminWorld()
    _ = try await world.create(
      #"{"localId": "bob", "email": "bob@example.com", "password": "secret1", "phoneNumber": "+15550001"}"#)
    _ = try await world.create(#"{"localId": "eve"}"#)
    let link = #""linkProviderUserInfo": {"providerId": "google.com", "rawId": "7", "email": "G@example.com"}"#
    _ = try await world.update(#"{"localId": "bob", \#(link)}"#)
    #expect(world.user("bob")?.identities.first?.email == "g@example.com")
    #expect(
      try await world.refusal { try await world.update(#"{"localId": "eve", \#(link)}"#) }
        == "FEDERATED_USER_ID_ALREADY_LINKED")
    _ = try await world.update(#"{"localId": "bob", "deleteProvider": ["phone", "google.com", "password"]}"#)
    let user = try #require(world.user("bob"))
    #expect(user.phoneNumber == nil && user.identities.isEmpty && user.password == nil)
    #expect(try await !world.canSignIn("bob@example.com", "secret1"))
    _ = try await world.update(#"{"localId": "eve", \#(link)}"#)
  }

  @Test("second factors are replaced as a whole; an authenticator is kept by its id")
  func factors() async throws {
    let world = try AdminWorld()
    _ = try await world.create(
      #"""
      {"localId": "bob", "mfaInfo": [
        {"mfaEnrollmentId": "t", "totpInfo": {"sharedSecretKey": "JBSWY3DPEHPK3PXPJBSWY3DP"}},
       {"phoneInfo": "+15550009", "displayName": "work", "enrolledAt": "2024-05-31T12:00:00Z"}]}
      """#)
    let factors = try #require(world.user("bob")?.factors)
    #expect(factors.map(\.kind.provider) == ["totp", "phone"])
    #expect(factors[1].enrolledAtMilliseconds == 1_717_156_800_000)
    _ = try await world.update(
      #"{"localId": "bob", "mfa": {"enrollments": [{"mfaEnrollmentId": "t", "displayName": "x", "totpInfo": {}}]}}"#)
    let kept = try #require(world.user("bob")?.factors)
    #expect(kept.map(\.kind) == [factors[0].kind])
    #expect(kept[0].displayName == "x")
    #expect(
      try await world.refusal {
        try await world.update(
          #"{"localId": "bob", "mfa": {"enrollments": [{"mfaEnrollmentId": "other", "totpInfo": {}}]}}"#)
      } == "MFA_ENROLLMENT_NOT_FOUND")
    _ = try await world.update(#"{"localId": "bob", "mfa": {"enrollments": null}}"#)
    #expect(world.user("bob")?.factors.isEmpty == true)
  }

  @Test("a factor without a number and without an authenticator is refused as a phone without its number")
  func factorWithoutNumber() async throws {
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob"}"#)
    for factor in [
      #"{}"#, #"{"displayName": "x"}"#, #"{"phoneInfo": ""}"#, #"{"phoneInfo": "5550100", "totpInfo": {}}"#,
    ] {
      let refusal = try await world.refusal {
        try await world.update(#"{"localId": "bob", "mfa": {"enrollments": [\#(factor)]}}"#)
      }
      #expect(refusal == "INVALID_MFA_PHONE_NUMBER : Invalid format.")
    }
  }

  @Test("replacing a factor under its old id is audited as a removal and an addition")
  func replacedFactor() async throws {
    let world = try AdminWorld()
    _ = try await world.create(
      #"{"localId": "bob", "mfaInfo": [{"mfaEnrollmentId": "t", "phoneInfo": "+15550009"}]}"#)
    for (number, events) in [("+15550008", ["mfa_withdraw", "mfa_enroll"]), ("+15550008", ["profile_change"])] {
      _ = try await world.update(
        #"{"localId": "bob", "mfa": {"enrollments": [{"mfaEnrollmentId": "t", "phoneInfo": "\#(number)"}]}}"#)
      let tail = world.accounts.store.view.auditTail(limit: events.count)
      #expect(tail.compactMap { $0.fields["event"]?.string } == events)
    }
  }

  @Test("administrators get a factor's whole number, and may send it back")
  func shownFactors() async throws {
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob", "mfaInfo": [{"phoneInfo": "+15550009"}]}"#)
    let pages = try await BatchEndpoints(accounts: world.accounts).get(world.call("{}"))
    let found = try await BatchEndpoints(accounts: world.accounts).query(world.call("{}"))
    for users in [try await world.lookup(#"{"localId": ["bob"]}"#)["users"], pages["users"], found["userInfo"]] {
      let factors = try #require(users?.array?.first?["mfaInfo"])
      #expect(factors.array?.first?["phoneInfo"] == .string("+15550009"))
      let back = JSON.object([.init("localId", .string("bob")), .init("mfa", .object([.init("enrollments", factors)]))])
      _ = try await world.update(String(decoding: back.text(), as: UTF8.self))
    }
    #expect(world.user("bob")?.factors.map(\.kind) == [.phone("+15550009")])
  }

  @Test("the audit trail names the administrator and the operation, without passwords")
  func audit() async throws {
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob", "email": "bob@example.com", "password": "first-secret"}"#)
    _ = try await world.update(#"{"localId": "bob", "password": "second-secret", "disableUser": true}"#)
    let lines = world.accounts.store.view.audit(limit: 100).map { String(decoding: $0.line, as: UTF8.self) }
    let events = world.accounts.store.view.audit(limit: 100).compactMap { $0.fields["event"]?.string }
    #expect(events == ["sign_up", "password_change", "user_disable"])
    #expect(lines.allSatisfy { $0.contains("by root") && !$0.contains("secret") && !$0.contains("bob@") })
  }
}
