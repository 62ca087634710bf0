import HearthEngine
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto

@Suite struct AdministrateTests {
  @Test("Security 66: a new server has no accounts, and its administrator's token is its own")
  func noDefaultAccounts() async throws {
    let (first, second) = (try AdminWorld.newKeys(), try AdminWorld.newKeys())
    let world = try AdminWorld(keys: first)
    let status = try await world.administrate("status")
    #expect(status["users"] == .int(0) && status["serviceAccounts"] == .int(0))
    #expect(status["projectID"] == .string("demo-test"))
    #expect(status["isWritable"] == .bool(true) && status["isEmulator"] == .bool(false))
    #expect(first.adminToken != second.adminToken && first.adminToken.utf8.count >= 43)
    #expect(world.accounts.keys.adminTokens.verify(second.adminToken, nowSeconds: 0) == .unknown)
    for guess in ["", "owner", "admin", "password"] {
      #expect(world.accounts.keys.adminTokens.verify(guess, nowSeconds: 0) == .unknown)
    }
  }

  @Test("an operation that does not exist is not found")
  func unknown() async throws {
    let world = try AdminWorld()
    for name in ["", "users", "users:Export", "../status"] {
      #expect(try await world.refusal { try await world.administrate(name) } == "NOT_FOUND")
    }
  }

  // MARK: Service accounts

  private func token(_ world: AdminWorld, _ assertion: String, address: String = "192.0.2.1") async throws -> JSON {
    let form = JSON.object([
      .init("grant_type", .string("urn:ietf:params:oauth:grant-type:jwt-bearer")),
      .init("assertion", .string(assertion)),
    ])
    let response = await world.accounts.serviceAccountToken(
      try world.call(String(decoding: form.text(), as: UTF8.self), administrator: nil, address: address))
    let json = try #require(JSON(parsing: response.body))
    #expect(response.status == (json["access_token"] == nil ? 400 : 200))
    return json
  }

  @Test("a service account gets a token for its assertion, once, and for an hour")
  func accessToken() async throws {
    let world = try AdminWorld()
    let account = try await world.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    #expect(account["email"] == .string("backend@demo-test.iam.gserviceaccount.com"))
    #expect(account["key"]?["type"] == .string("service_account"))
    #expect(account["key"]?["token_uri"] == .string("https://auth.example.com/oauth2.googleapis.com/token"))
    let assertion = try world.assertion(account)
    let answer = try await token(world, assertion)
    #expect(answer["token_type"] == .string("Bearer") && answer["expires_in"] == .int(3_600))
    let access = try #require(answer["access_token"]?.string)
    let now = world.world.nowSeconds
    #expect(world.accounts.keys.adminTokens.verify(access, nowSeconds: now + 3_599) != .expired)
    #expect(world.accounts.keys.adminTokens.verify(access, nowSeconds: now + 3_600) == .expired)
    #expect(try await token(world, assertion)["error"] == .string("invalid_grant"))
    let records = world.accounts.store.view.audit(limit: 99).map { String(decoding: $0.line, as: UTF8.self) }
    #expect(records.allSatisfy { !$0.contains(access) && !$0.contains(assertion) })
    #expect(records.contains { $0.contains("backend@") && $0.contains("admin_api") })
  }

  @Test("no private key is kept, and none is shown again")
  func privateKey() async throws {
    let world = try AdminWorld()
    let account = try await world.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    #expect(account["key"]?["private_key"]?.string?.hasPrefix("-----BEGIN PRIVATE KEY-----") == true)
    let listed = try await world.administrate("serviceAccounts:list")
    #expect(listed["serviceAccounts"]?.array?.count == 1)
    #expect(!String(decoding: listed.text(), as: UTF8.self).contains("PRIVATE"))
    let stored = try #require(world.accounts.store.view.serviceAccounts.first)
    #expect(stored.publicKeys.values.allSatisfy { $0.contains("BEGIN PUBLIC KEY") && !$0.contains("PRIVATE") })
    let second = try await world.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    #expect(second["keyID"] != account["keyID"])
    #expect(try await token(world, world.assertion(account))["access_token"] != nil)
    #expect(try await token(world, world.assertion(second))["access_token"] != nil)
  }

  @Test("a disabled account gets no token, and the tokens that it has end")
  func disabled() async throws {
    let world = try AdminWorld()
    let account = try await world.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    let other = try await world.administrate("serviceAccounts:create", #"{"name": "other"}"#)
    let access = try #require(try await token(world, world.assertion(account))["access_token"]?.string)
    let kept = try #require(try await token(world, world.assertion(other))["access_token"]?.string)
    let email = #"{"email": "backend@demo-test.iam.gserviceaccount.com"}"#
    #expect(try await world.administrate("serviceAccounts:disable", email)["disabled"] == .bool(true))
    let now = world.world.nowSeconds
    #expect(world.accounts.keys.adminTokens.verify(access, nowSeconds: now) == .unknown)
    #expect(world.accounts.keys.adminTokens.verify(kept, nowSeconds: now) != .unknown)
    #expect(try await token(world, world.assertion(account, jti: "2"))["error"] == .string("invalid_grant"))
    #expect(
      try await world.refusal { try await world.administrate("serviceAccounts:create", #"{"name": "backend"}"#) } != nil
    )
  }

  @Test("assertions that do not fit are refused in OAuth's words")
  func assertionRefusals() async throws {
    let world = try AdminWorld()
    let account = try await world.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    let old = try world.assertion(account, at: world.world.nowSeconds - 7_200)
    #expect(try await token(world, old)["error"] == .string("invalid_grant"))
    #expect(try await token(world, "a.b.c")["error"] == .string("invalid_grant"))
    #expect(try await token(world, world.assertion(account) + "x")["error"] == .string("invalid_grant"))
    let scope = try world.assertion(account, scope: "https://www.googleapis.com/auth/drive")
    #expect(try await token(world, scope)["error"] == .string("invalid_scope"))
    let foreign = try await AdminWorld(seed: 9).administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    #expect(try await token(world, world.assertion(foreign))["error"] == .string("invalid_grant"))
    for (body, error) in [
      ("{}", "unsupported_grant_type"), (#"{"grant_type": "password"}"#, "unsupported_grant_type"),
      (#"{"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"}"#, "invalid_request"),
      (#"{"grant_type": {}}"#, "invalid_request"),
    ] {
      let response = await world.accounts.serviceAccountToken(try world.call(body, administrator: nil))
      #expect(response.status == 400)
      #expect(JSON(parsing: response.body)?["error"] == .string(error))
    }
  }

  @Test("refused assertions from one address come to an end; another address is not concerned")
  func assertionThrottle() async throws {
    let world = try AdminWorld { $0.limits.adminFailuresPerMinute = 5 }
    let account = try await world.administrate("serviceAccounts:create", #"{"name": "backend"}"#)
    for _ in 0..<5 { _ = try await token(world, "a.b.c", address: "198.51.100.7") }
    let good = try world.assertion(account)
    #expect(try await token(world, good, address: "198.51.100.7")["access_token"] == nil)
    #expect(try await token(world, good, address: "192.0.2.1")["access_token"] != nil)
  }

  @Test(
    "names that would not make an address are refused",
    arguments: ["", "A", "1a", "a b", "a@b", "é", String(repeating: "a", count: 31), "hearth"])
  func badName(_ name: String) async throws {
    let world = try AdminWorld()
    #expect(
      try await world.refusal { try await world.administrate("serviceAccounts:create", "{\"name\": \"\(name)\"}") }
        != nil)
    #expect(world.accounts.store.view.serviceAccounts.isEmpty)
  }

  // MARK: Keys, secrets, the trail

  @Test("Security 32: a removed key ends what it signed at once; a rotated one goes on verifying")
  func keys() async throws {
    let world = try AdminWorld(keys: AdminWorld.newKeys())
    _ = try await world.create(#"{"localId": "bob"}"#)
    let token = try await world.idToken("bob")
    let now = world.world.nowSeconds
    let first = try #require(try await world.administrate("status")["signingKey"]?.string)
    let rotated = try await world.administrate("keys:rotate", #"{"kind": "id-token", "urgent": true}"#)
    #expect(rotated["state"] == .string("signing") && rotated["kid"] != .string(first))
    #expect(throws: Never.self) { try world.accounts.keys.verifyIDToken(token, nowSeconds: now) }
    #expect(world.revocations.isEmpty)
    _ = try await world.administrate("keys:remove", #"{"kind": "id-token", "kid": "\#(first)"}"#)
    #expect(throws: CredentialError.self) { try world.accounts.keys.verifyIDToken(token, nowSeconds: now) }
    #expect(world.revocations == [.signingKey(id: first)])
    let listed = try await world.administrate("keys:list")["keys"]?.array ?? []
    #expect(!listed.contains { $0["kid"] == .string(first) })
    #expect(Set(listed.compactMap { $0["kind"]?.string }) == ["id-token", "session-cookie"])
    for body in [#"{"kind": "id-token", "kid": "no"}"#, #"{"kid": "x"}"#, #"{"kind": "rsa", "kid": "x"}"#] {
      #expect(try await world.refusal { try await world.administrate("keys:remove", body) } != nil)
    }
  }

  @Test("database secrets rotate; whoever used the one that falls out is told to go; none is shown")
  func secrets() async throws {
    let keys = try AdminWorld.newKeys()
    let world = try AdminWorld(keys: keys)
    let before = keys.legacySecrets.active[0]
    let ids = try await world.administrate("secrets:list")["secrets"]?.array?.compactMap { $0["id"]?.string } ?? []
    #expect(ids.count == 1 && !before.contains(ids[0]))
    for _ in 0..<2 { _ = try await world.administrate("secrets:rotate") }
    #expect(world.revocations.isEmpty)
    let answer = try await world.administrate("secrets:rotate")
    #expect(answer["secrets"]?.array?.count == 3)
    #expect(world.revocations == [.legacySecret])
    #expect(!world.accounts.keys.legacySecrets.contains(before))
    let newest = try #require(answer["secrets"]?.array?.first?["id"]?.string)
    _ = try await world.administrate("secrets:remove", "{\"id\": \"\(newest)\"}")
    #expect(world.accounts.keys.legacySecrets.ids.count == 2 && world.revocations.count == 2)
    for secret in world.accounts.keys.legacySecrets.active {
      #expect(!String(decoding: answer.text(), as: UTF8.self).contains(secret))
    }
    #expect(try await world.refusal { try await world.administrate("secrets:remove", #"{"id": "no"}"#) } != nil)
  }

  @Test("the trail is shown from its end or from a number, and verified against a head that was noted")
  func trail() async throws {
    let world = try AdminWorld()
    for index in 0..<5 { _ = try await world.create("{\"localId\": \"u\(index)\"}") }
    let tail = try await world.administrate("audit:tail", #"{"limit": 2}"#)["records"]?.array ?? []
    #expect(tail.compactMap { $0["uid"]?.string } == ["u3", "u4"])
    let from = try await world.administrate("audit:tail", #"{"from": 2, "limit": 2}"#)["records"]?.array ?? []
    #expect(from.compactMap { $0["uid"]?.string } == ["u1", "u2"])
    let verdict = try await world.administrate("audit:verify")
    #expect(verdict["isWhole"] == .bool(true) && verdict["records"] == .int(5))
    let hash = try #require(verdict["head"]?["hash"]?.string)
    let good = try await world.administrate("audit:verify", #"{"anchor": {"sequence": 5, "hash": "\#(hash)"}}"#)
    #expect(good["isWhole"] == .bool(true))
    let zeros = String(repeating: "0", count: 64)
    let bad = try await world.administrate("audit:verify", #"{"anchor": {"sequence": 3, "hash": "\#(zeros)"}}"#)
    #expect(bad["isWhole"] == .bool(false) && bad["broken"]?["sequence"] == .int(3))
    for body in [#"{"limit": 0}"#, #"{"limit": 10001}"#, #"{"from": "x"}"#] {
      #expect(try await world.refusal { try await world.administrate("audit:tail", body) } != nil)
    }
  }
}
