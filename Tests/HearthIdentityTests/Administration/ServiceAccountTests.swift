import HearthEngine
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Tests of service accounts and their access tokens.
@Suite struct ServiceAccountTests {
  private func token(_ fixture: AdminFixture, _ assertion: String, address: String = "192.0.2.1") async throws -> JSON {
    let form = JSON.object([
      .init("grant_type", .string("urn:ietf:params:oauth:grant-type:jwt-bearer")),
      .init("assertion", .string(assertion)),
    ])
    let response = await AccessTokenEndpoint(accounts: fixture.accounts).answer(
      try fixture.call(String(decoding: form.text(), as: UTF8.self), administrator: nil, address: address))
    let json = try #require(JSON(parsing: response.body))
    #expect(response.status == (json["access_token"] == nil ? 400 : 200))
    return json
  }

  @Test("a service account gets a token for its assertion, once, and for an hour")
  func accessToken() async throws {
    let fixture = try AdminFixture()
    let account = try await fixture.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    #expect(account["email"] == .string("backend@demo-test.iam.gserviceaccount.com"))
    #expect(account["key"]?["type"] == .string("service_account"))
    #expect(account["key"]?["token_uri"] == .string("https://auth.example.com/oauth2.googleapis.com/token"))
    let assertion = try fixture.assertion(account)
    let answer = try await token(fixture, assertion)
    #expect(answer["token_type"] == .string("Bearer") && answer["expires_in"] == .int(3_600))
    let access = try #require(answer["access_token"]?.string)
    let now = fixture.accountsFixture.nowSeconds
    #expect(fixture.accounts.keys.adminTokens.verify(access, nowSeconds: now + 3_599) != .expired)
    #expect(fixture.accounts.keys.adminTokens.verify(access, nowSeconds: now + 3_600) == .expired)
    #expect(try await token(fixture, assertion)["error"] == .string("invalid_grant"))
    let records = fixture.accounts.store.view.audit(limit: 99).map { String(decoding: $0.line, as: UTF8.self) }
    #expect(records.allSatisfy { !$0.contains(access) && !$0.contains(assertion) })
    #expect(records.contains { $0.contains("backend@") && $0.contains("admin_api") })
  }

  @Test("no private key is stored, and none is shown a second time")
  func privateKey() async throws {
    let fixture = try AdminFixture()
    let account = try await fixture.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    #expect(account["key"]?["private_key"]?.string?.hasPrefix("-----BEGIN PRIVATE KEY-----") == true)
    let listed = try await fixture.administrate("serviceAccounts:list")
    #expect(listed["serviceAccounts"]?.array?.count == 1)
    #expect(!String(decoding: listed.text(), as: UTF8.self).contains("PRIVATE"))
    let stored = try #require(fixture.accounts.store.view.serviceAccounts.first)
    #expect(stored.publicKeys.values.allSatisfy { $0.contains("BEGIN PUBLIC KEY") && !$0.contains("PRIVATE") })
    let second = try await fixture.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    #expect(second["keyID"] != account["keyID"])
    #expect(try await token(fixture, fixture.assertion(account))["access_token"] != nil)
    #expect(try await token(fixture, fixture.assertion(second))["access_token"] != nil)
  }

  @Test("a disabled account gets no token, and the tokens that it has end")
  func disabled() async throws {
    let fixture = try AdminFixture()
    let account = try await fixture.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    let other = try await fixture.administrate("serviceAccounts:create", #"{"name": "other"}"#)
    let access = try #require(try await token(fixture, fixture.assertion(account))["access_token"]?.string)
    let kept = try #require(try await token(fixture, fixture.assertion(other))["access_token"]?.string)
    let email = #"{"email": "backend@demo-test.iam.gserviceaccount.com"}"#
    #expect(try await fixture.administrate("serviceAccounts:disable", email)["disabled"] == .bool(true))
    #expect(fixture.revocations == [.serviceAccount(email: "backend@demo-test.iam.gserviceaccount.com")])
    let now = fixture.accountsFixture.nowSeconds
    #expect(fixture.accounts.sessions.revocations.standing(ofToken: access, nowSeconds: now) == .ended)
    #expect(fixture.accounts.sessions.revocations.standing(ofToken: kept, nowSeconds: now) == .good)
    #expect(try await token(fixture, fixture.assertion(account, jti: "2"))["error"] == .string("invalid_grant"))
    #expect(
      try await fixture.refusal { try await fixture.administrate("serviceAccounts:create", #"{"name": "backend"}"#) }
        != nil
    )
  }

  @Test("invalid assertions are refused with OAuth's error codes")
  func assertionRefusals() async throws {
    let fixture = try AdminFixture()
    let account = try await fixture.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    let old = try fixture.assertion(account, at: fixture.accountsFixture.nowSeconds - 7_200)
    #expect(try await token(fixture, old)["error"] == .string("invalid_grant"))
    #expect(try await token(fixture, "a.b.c")["error"] == .string("invalid_grant"))
    #expect(try await token(fixture, fixture.assertion(account) + "x")["error"] == .string("invalid_grant"))
    let scope = try fixture.assertion(account, scope: "https://www.googleapis.com/auth/drive")
    #expect(try await token(fixture, scope)["error"] == .string("invalid_scope"))
    let foreign = try await AdminFixture(seed: 9).administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    #expect(try await token(fixture, fixture.assertion(foreign))["error"] == .string("invalid_grant"))
    for (body, error) in [
      ("{}", "unsupported_grant_type"), (#"{"grant_type": "password"}"#, "unsupported_grant_type"),
      (#"{"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"}"#, "invalid_request"),
      (#"{"grant_type": {}}"#, "invalid_request"),
    ] {
      let response = await AccessTokenEndpoint(accounts: fixture.accounts).answer(
        try fixture.call(body, administrator: nil))
      #expect(response.status == 400)
      #expect(JSON(parsing: response.body)?["error"] == .string(error))
    }
  }

  @Test("refused assertions do not lock out valid ones, and do not fill the audit trail")
  func refusedAssertions() async throws {
    let fixture = try AdminFixture()
    let account = try await fixture.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    let recordsMax = fixture.accounts.store.limits.refusalRecordsPerMinute
    let before = fixture.accounts.store.view.auditHead?.sequence ?? 0
    for _ in 0..<(recordsMax + 20) { _ = try await token(fixture, "a.b.c", address: "198.51.100.7") }
    #expect(fixture.accounts.store.view.auditHead?.sequence == before + Int64(recordsMax))
    let good = try fixture.assertion(account)
    #expect(try await token(fixture, good, address: "198.51.100.7")["access_token"] != nil)
  }

  @Test(
    "names that would make an invalid e-mail address are refused",
    arguments: ["", "A", "1a", "a b", "a@b", "é", String(repeating: "a", count: 31), "hearth"])
  func badName(_ name: String) async throws {
    let fixture = try AdminFixture()
    #expect(
      try await fixture.refusal { try await fixture.administrate("serviceAccounts:create", "{\"name\": \"\(name)\"}") }
        != nil)
    #expect(fixture.accounts.store.view.serviceAccounts.isEmpty)
  }

  @Test(
    "a token grants the scopes of its assertion, and no more",
    arguments: [
      ("https://www.googleapis.com/auth/firebase.database", AdminScopes.database),
      ("https://www.googleapis.com/auth/identitytoolkit openid", .identity),
      ("https://www.googleapis.com/auth/firebase.database https://www.googleapis.com/auth/identitytoolkit", .all),
      ("https://www.googleapis.com/auth/cloud-platform", .all), ("https://www.googleapis.com/auth/firebase", .all),
    ])
  func scopes(_ asked: String, _ opened: AdminScopes) async throws {
    let fixture = try AdminFixture()
    let account = try await fixture.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    let access = try #require(
      try await token(fixture, fixture.assertion(account, scope: asked))["access_token"]?.string)
    let now = fixture.accountsFixture.nowSeconds
    for scope in [AdminScopes.database, .identity] {
      let verdict = fixture.accounts.keys.adminTokens.verify(access, nowSeconds: now, scope: scope)
      #expect(verdict == (opened.contains(scope) ? .valid(expiresAtSeconds: now + 3_600) : .outOfScope))
    }
  }

  @Test("a service account does not administer the server: no further accounts, no hashes, no keys")
  func noServerAdministration() async throws {
    let fixture = try AdminFixture()
    let account = try await fixture.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    let name = try #require(account["email"]?.string)
    for operation in ["users:export", "serviceAccounts:create", "keys:rotate", "secrets:rotate", "status"] {
      let refusal = try await fixture.refusal {
        try await fixture.perform(operation, fixture.call(#"{"name": "other"}"#, administrator: name))
      }
      #expect(refusal?.hasPrefix("PERMISSION_DENIED") == true)
    }
    _ = try await UserEndpoints(accounts: fixture.accounts).create(
      fixture.call(#"{"localId": "bob"}"#, administrator: name))
    let record = try #require(fixture.accounts.store.view.auditTail(limit: 1).first)
    #expect(record.fields["detail"] == .string("by \(name)"))
  }

  @Test("a removed key gets no token, its tokens end, and other keys continue")
  func removeKey() async throws {
    let fixture = try AdminFixture()
    let leaked = try await fixture.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    let kept = try await fixture.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    let (email, keyID) = (leaked["email"]?.string ?? "", leaked["keyID"]?.string ?? "")
    let access = try #require(try await token(fixture, fixture.assertion(leaked))["access_token"]?.string)
    let body = "{\"email\": \"\(email)\", \"keyID\": \"\(keyID)\"}"
    let answer = try await fixture.administrate("serviceAccounts:removeKey", body)
    #expect(answer["keyIDs"] == .array([kept["keyID"] ?? .null]))
    #expect(
      fixture.accounts.sessions.revocations.standing(ofToken: access, nowSeconds: fixture.accountsFixture.nowSeconds)
        == .ended)
    #expect(fixture.revocations == [.serviceAccount(email: email)])
    #expect(try await token(fixture, fixture.assertion(leaked, jti: "2"))["error"] == .string("invalid_grant"))
    #expect(try await token(fixture, fixture.assertion(kept, jti: "3"))["access_token"] != nil)
    for wrong in [body, "{}", "{\"email\": \"\(email)\"}", #"{"email": "x", "keyID": "y"}"#] {
      #expect(
        try await fixture.refusal { try await fixture.administrate("serviceAccounts:removeKey", wrong) } != nil)
    }
  }

  @Test(
    "an account that is disabled, or loses a key, while its token is being made gets no token",
    arguments: [true, false])
  func disabledMeanwhile(isDisabled: Bool) async throws {
    let interleaved = InterleavedWork()
    let fixture = try AdminFixture(interleaved: interleaved)
    let account = try await fixture.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    let (email, keyID) = (account["email"]?.string ?? "", account["keyID"]?.string ?? "")
    let assertion = try fixture.assertion(account)
    interleaved.set {
      _ = try await fixture.administrate(
        isDisabled ? "serviceAccounts:disable" : "serviceAccounts:removeKey",
        "{\"email\": \"\(email)\", \"keyID\": \"\(keyID)\"}")
    }
    #expect(try await token(fixture, assertion)["error"] == .string("invalid_grant"))
    #expect(fixture.revocations == [.serviceAccount(email: email)])
  }
}
