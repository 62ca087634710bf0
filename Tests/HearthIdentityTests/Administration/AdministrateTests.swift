import HearthEngine
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite struct AdministrateTests {
  @Test("Security 66: a new server has no accounts, and its administrator's token is its own")
  func noDefaultAccounts() async throws {
    let (first, second) = (try AdminFixture.newKeys(), try AdminFixture.newKeys())
    let fixture = try AdminFixture(keys: first)
    let status = try await fixture.administrate("status")
    #expect(status["users"] == .int(0) && status["serviceAccounts"] == .int(0))
    #expect(status["projectID"] == .string("demo-test"))
    #expect(status["isWritable"] == .bool(true) && status["isEmulator"] == .bool(false))
    #expect(first.adminToken != second.adminToken && first.adminToken.utf8.count >= 43)
    #expect(fixture.accounts.keys.adminTokens.verify(second.adminToken, nowSeconds: 0) == .unknown)
    for guess in ["", "owner", "admin", "password"] {
      #expect(fixture.accounts.keys.adminTokens.verify(guess, nowSeconds: 0) == .unknown)
    }
  }

  @Test("an unknown operation is not found")
  func unknown() async throws {
    let fixture = try AdminFixture()
    for name in ["", "users", "users:Export", "../status"] {
      #expect(try await fixture.refusal { try await fixture.administrate(name) } == "NOT_FOUND")
    }
  }

  @Test("all sessions and tokens of a user end at once, and the audit trail names the administrator")
  func revoke() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob"}"#)
    let token = try await fixture.idToken("bob")
    let credential = try fixture.accounts.keys.verifyIDToken(token, nowSeconds: fixture.accountsFixture.nowSeconds)
    let answer = try await fixture.administrate("users:revoke", #"{"localId": "bob"}"#)
    #expect(answer["validSince"]?.int == fixture.accountsFixture.nowSeconds)
    #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .ended)
    #expect(fixture.accounts.store.view.sessions(of: "bob").isEmpty)
    #expect(fixture.revocations == [.user(uid: "bob")])
    let record = try #require(fixture.accounts.store.view.auditTail(limit: 1).first)
    #expect(record.fields["event"] == .string("revoke") && record.fields["detail"] == .string("by root"))
    #expect(try await fixture.refusal { try await fixture.administrate("users:revoke") } == "MISSING_LOCAL_ID")
  }

  // MARK: Keys, secrets, the audit trail

  @Test("Security 32: a removed key ends its tokens at once; tokens of a rotated key stay valid")
  func keys() async throws {
    let fixture = try AdminFixture(keys: AdminFixture.newKeys())
    _ = try await fixture.create(#"{"localId": "bob"}"#)
    let token = try await fixture.idToken("bob")
    let now = fixture.accountsFixture.nowSeconds
    let first = try #require(try await fixture.administrate("status")["signingKey"]?.string)
    let rotated = try await fixture.administrate("keys:rotate", #"{"kind": "id-token", "urgent": true}"#)
    #expect(rotated["state"] == .string("signing") && rotated["kid"] != .string(first))
    #expect(throws: Never.self) { try fixture.accounts.keys.verifyIDToken(token, nowSeconds: now) }
    #expect(fixture.revocations.isEmpty)
    _ = try await fixture.administrate("keys:remove", #"{"kind": "id-token", "kid": "\#(first)"}"#)
    #expect(throws: CredentialError.self) { try fixture.accounts.keys.verifyIDToken(token, nowSeconds: now) }
    #expect(fixture.revocations == [.signingKey(id: first)])
    let listed = try await fixture.administrate("keys:list")["keys"]?.array ?? []
    #expect(!listed.contains { $0["kid"] == .string(first) })
    #expect(Set(listed.compactMap { $0["kind"]?.string }) == ["id-token", "session-cookie"])
    for body in [#"{"kind": "id-token", "kid": "no"}"#, #"{"kid": "x"}"#, #"{"kind": "rsa", "kid": "x"}"#] {
      #expect(try await fixture.refusal { try await fixture.administrate("keys:remove", body) } != nil)
    }
  }

  @Test("rotating database secrets ends the connections that used the removed one; no secret is returned")
  func secrets() async throws {
    let keys = try AdminFixture.newKeys()
    let fixture = try AdminFixture(keys: keys)
    let before = keys.legacySecrets.active[0]
    let ids = try await fixture.administrate("secrets:list")["secrets"]?.array?.compactMap { $0["id"]?.string } ?? []
    #expect(ids.count == 1 && !before.contains(ids[0]))
    for _ in 0..<2 { _ = try await fixture.administrate("secrets:rotate") }
    #expect(fixture.revocations.isEmpty)
    let answer = try await fixture.administrate("secrets:rotate")
    #expect(answer["secrets"]?.array?.count == 3)
    #expect(fixture.revocations == [.legacySecret])
    #expect(!fixture.accounts.keys.legacySecrets.contains(before))
    let newest = try #require(answer["secrets"]?.array?.first?["id"]?.string)
    _ = try await fixture.administrate("secrets:remove", "{\"id\": \"\(newest)\"}")
    #expect(fixture.accounts.keys.legacySecrets.ids.count == 2 && fixture.revocations.count == 2)
    for secret in fixture.accounts.keys.legacySecrets.active {
      #expect(!String(decoding: answer.text(), as: UTF8.self).contains(secret))
    }
    #expect(try await fixture.refusal { try await fixture.administrate("secrets:remove", #"{"id": "no"}"#) } != nil)
  }

  @Test("the trail is read from its end or from a number, and verified against a head that was noted earlier")
  func trail() async throws {
    let fixture = try AdminFixture()
    for index in 0..<5 { _ = try await fixture.create("{\"localId\": \"u\(index)\"}") }
    let tail = try await fixture.administrate("audit:tail", #"{"limit": 2}"#)["records"]?.array ?? []
    #expect(tail.compactMap { $0["uid"]?.string } == ["u3", "u4"])
    let from = try await fixture.administrate("audit:tail", #"{"from": 2, "limit": 2}"#)["records"]?.array ?? []
    #expect(from.compactMap { $0["uid"]?.string } == ["u1", "u2"])
    let verdict = try await fixture.administrate("audit:verify")
    #expect(verdict["isWhole"] == .bool(true) && verdict["records"] == .int(5))
    let hash = try #require(verdict["head"]?["hash"]?.string)
    let good = try await fixture.administrate("audit:verify", #"{"anchor": {"sequence": 5, "hash": "\#(hash)"}}"#)
    #expect(good["isWhole"] == .bool(true))
    let zeros = String(repeating: "0", count: 64)
    let bad = try await fixture.administrate("audit:verify", #"{"anchor": {"sequence": 3, "hash": "\#(zeros)"}}"#)
    #expect(bad["isWhole"] == .bool(false) && bad["broken"]?["sequence"] == .int(3))
    for body in [#"{"limit": 0}"#, #"{"limit": 10001}"#, #"{"from": "x"}"#] {
      #expect(try await fixture.refusal { try await fixture.administrate("audit:tail", body) } != nil)
    }
  }
}
