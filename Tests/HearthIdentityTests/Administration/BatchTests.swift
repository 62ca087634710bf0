import HearthCrypto
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct BatchTests {
  private func filled(_ count: Int) async throws -> AdminFixture {
    let fixture = try AdminFixture()
    let users = (0..<count).map { #"{"localId": "u\#(100 + $0)", "email": "m\#(999 - $0)@example.com"}"# }
    _ = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call("{\"users\": [\(users.joined(separator: ","))]}"))
    return fixture
  }

  @Test("pages list every account once, and a partial page has no next token", arguments: [1, 2, 3, 7, 8])
  func pages(_ size: Int) async throws {
    let fixture = try await filled(7)
    var seen: [String] = []
    var token: String?
    repeat {
      let next = token.map { ", \"nextPageToken\": \"\($0)\"" } ?? ""
      let page = try await BatchEndpoints(accounts: fixture.accounts).get(
        fixture.call("{\"maxResults\": \(size)\(next)}"))
      let uids = page["users"]?.array?.compactMap { $0["localId"]?.string } ?? []
      seen += uids
      token = page["nextPageToken"]?.string
      #expect(uids.count <= size && (token != nil) == (uids.count == size))
    } while token != nil
    #expect(seen == (100..<107).map { "u\($0)" })
  }

  @Test("invalid page sizes are refused", arguments: ["0", "-1", "1001", "9223372036854775807"])
  func badPage(_ size: String) async throws {
    let fixture = try AdminFixture()
    #expect(
      try await fixture.refusal {
        try await BatchEndpoints(accounts: fixture.accounts).get(fixture.call("{\"maxResults\": \(size)}"))
      }
        == "INVALID_PAGE_SELECTION")
  }

  @Test("accounts that are not disabled are deleted only with force; missing ones are ignored")
  func batchDelete() async throws {
    let fixture = try await filled(3)
    _ = try await fixture.update(#"{"localId": "u100", "disableUser": true}"#)
    let call = try fixture.call(#"{"localIds": ["u100", "u101", "nobody"]}"#)
    let answer = try await BatchEndpoints(accounts: fixture.accounts).delete(call)
    let errors = try #require(answer["errors"]?.array)
    #expect(errors.map { $0["index"] } == [.int(1)])
    #expect(errors[0]["message"]?.string?.hasPrefix("NOT_DISABLED : ") == true)
    #expect(fixture.accounts.store.view.users(limit: 9).map(\.uid) == ["u101", "u102"])
    let forced = try await BatchEndpoints(accounts: fixture.accounts).delete(
      fixture.call(#"{"localIds": ["u101", "u102"], "force": true}"#))
    #expect(forced["errors"] == nil)
    #expect(fixture.accounts.store.view.userCount == 0)
    #expect(fixture.revocations.contains(.user(uid: "u102")))
    for list in ["[]", "[\((0..<1_001).map { "\"\($0)\"" }.joined(separator: ","))]"] {
      #expect(
        try await fixture.refusal {
          try await BatchEndpoints(accounts: fixture.accounts).delete(fixture.call("{\"localIds\": \(list)}"))
        }
          == "LOCAL_ID_LIST_EXCEEDS_LIMIT")
    }
  }

  @Test("accounts are sorted, paged and counted; or found by expression")
  func query() async throws {
    let fixture = try await filled(5)
    let sorted = try await BatchEndpoints(accounts: fixture.accounts).query(
      fixture.call(#"{"sortBy": "USER_EMAIL", "limit": 2, "offset": 1}"#))
    #expect(sorted["recordsCount"] == .string("5"))
    #expect(sorted["userInfo"]?.array?.map { $0["localId"] } == [.string("u103"), .string("u102")])
    let descending = try await BatchEndpoints(accounts: fixture.accounts).query(
      fixture.call(#"{"order": "DESC", "limit": 1}"#))
    #expect(descending["userInfo"]?.array?.map { $0["localId"] } == [.string("u104")])
    let found = try await BatchEndpoints(accounts: fixture.accounts).query(
      fixture.call(#"{"expression": [{"email": "M999@example.com"}, {"userId": "u101"}, {"phoneNumber": "+1"}]}"#))
    #expect(found["userInfo"]?.array?.map { $0["localId"] } == [.string("u100"), .string("u101")])
    let counted = try await BatchEndpoints(accounts: fixture.accounts).query(
      fixture.call(#"{"returnUserInfo": false}"#))
    #expect(counted["userInfo"] == nil && counted["recordsCount"] == .string("5"))
    for body in [#"{"limit": 501}"#, #"{"limit": 0}"#, #"{"offset": -1}"#] {
      #expect(
        try await fixture.refusal { try await BatchEndpoints(accounts: fixture.accounts).query(fixture.call(body)) }
          == "INVALID_PAGE_SELECTION")
    }
  }

  @Test("clients on the same machine, and no others, may delete all users of a development server")
  func emulator() async throws {
    let closed = try AdminFixture()
    let open = try AdminFixture { $0.isEmulator = true }
    for (fixture, isFromLoopback) in [(closed, true), (closed, false), (open, false)] {
      let call = try fixture.call("{}", isFromLoopback: isFromLoopback)
      #expect(
        try await fixture.refusal { try await EmulatorEndpoints(accounts: fixture.accounts).deleteAllAccounts(call) }
          == "NOT_FOUND")
      #expect(
        try await fixture.refusal { try await EmulatorEndpoints(accounts: fixture.accounts).listCodes(call) }
          == "NOT_FOUND"
      )
    }
    _ = try await open.create(#"{"localId": "bob"}"#)
    _ = try await EmulatorEndpoints(accounts: open.accounts).deleteAllAccounts(
      open.call("{}", administrator: nil, isFromLoopback: true))
    #expect(open.accounts.store.view.userCount == 0)
    #expect(open.revocations == [.user(uid: "bob")])
    _ = try await open.create(#"{"localId": "bob"}"#)
  }

  @Test("the configuration is public without a sign-in")
  func configuration() async throws {
    let fixture = try AdminFixture { configuration in
      configuration.passwordPolicy.lengthMin = 12
      configuration.passwordPolicy.requiresDigit = true
    }
    let call = try fixture.call("{}", administrator: nil)
    let project = try await ProjectEndpoints(accounts: fixture.accounts).project(call)
    #expect(project["projectId"]?.string.flatMap { Int64($0) } != nil)
    #expect(project["authorizedDomains"] == ["localhost", "127.0.0.1", "auth.example.com"])
    let policy = try await ProjectEndpoints(accounts: fixture.accounts).passwordPolicy(call)
    #expect(policy["customStrengthOptions"]?["minPasswordLength"] == .int(12))
    #expect(policy["customStrengthOptions"]?["containsNumericCharacter"] == .bool(true))
    #expect(policy["customStrengthOptions"]?["containsUppercaseCharacter"] == nil)
    #expect(policy["enforcementState"] == .string("ENFORCE"))
    #expect(policy["schemaVersion"] == .int(1))
    #expect(
      try await ProjectEndpoints(accounts: AdminFixture().accounts).passwordPolicy(call)["enforcementState"]
        == .string("OFF"))
    #expect(try await ProjectEndpoints(accounts: fixture.accounts).captcha(call) == .object([]))
  }

  // MARK: Session cookies

  @Test("a session cookie has the token's claims, another issuer, another key and its own lifetime")
  func cookie() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com", "password": "secret1"}"#)
    let token = try await fixture.idToken("bob")
    let answer = try await UserEndpoints(accounts: fixture.accounts).createSessionCookie(
      fixture.call(#"{"idToken": "\#(token)", "validDuration": "300"}"#))
    let cookie = try #require(answer["sessionCookie"]?.string)
    let now = fixture.accountsFixture.nowSeconds
    let keys = fixture.accounts.keys
    let claims = try keys.verifySessionCookie(cookie, nowSeconds: now + 299).claims
    #expect(claims["iss"] == .string("https://session.firebase.google.com/demo-test"))
    #expect(claims["exp"] == .int(now + 300))
    #expect(claims["sub"] == .string("bob") && claims["email"] == .string("bob@example.com"))
    #expect(throws: CredentialError.self) { try keys.verifyIDToken(cookie, nowSeconds: now) }
    #expect(throws: CredentialError.self) { try keys.verifier.verify(cookie, nowSeconds: now) }
    #expect(throws: CredentialError.self) { try keys.verifySessionCookie(token, nowSeconds: now) }
    let again = #"{"idToken": "\#(cookie)", "validDuration": 300}"#
    #expect(
      try await fixture.refusal {
        try await UserEndpoints(accounts: fixture.accounts).createSessionCookie(fixture.call(again))
      } == "INVALID_ID_TOKEN")
  }

  @Test("a session cookie needs a valid token, and a duration within the limits")
  func cookieRefusals() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com", "password": "secret1"}"#)
    let token = try await fixture.idToken("bob")
    func refusal(_ body: String) async throws -> String? {
      try await fixture.refusal {
        try await UserEndpoints(accounts: fixture.accounts).createSessionCookie(fixture.call(body))
      }
    }
    for duration in ["299", "1209601", "-1", "0"] {
      #expect(try await refusal(#"{"idToken": "\#(token)", "validDuration": \#(duration)}"#) == "INVALID_DURATION")
    }
    #expect(try await refusal(#"{"validDuration": 300}"#) == "MISSING_ID_TOKEN")
    #expect(try await refusal(#"{"idToken": "\#(token)x"}"#) == "INVALID_ID_TOKEN")
    fixture.accountsFixture.advance(seconds: 3_600)
    #expect(try await refusal(#"{"idToken": "\#(token)"}"#) == "TOKEN_EXPIRED")
    let fresh = try await fixture.idToken("bob")
    fixture.accountsFixture.advance(seconds: 1)
    _ = try await fixture.administrate("users:revoke", #"{"localId": "bob"}"#)
    #expect(try await refusal(#"{"idToken": "\#(fresh)"}"#) == "TOKEN_EXPIRED")
    _ = try await fixture.update(#"{"localId": "bob", "disableUser": true}"#)
    #expect(try await refusal(#"{"idToken": "\#(fresh)"}"#) == "USER_DISABLED")
  }
}
