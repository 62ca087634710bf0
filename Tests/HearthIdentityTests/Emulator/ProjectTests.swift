import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite("An emulator's projects") struct ProjectTests {
  private static func path(_ project: String, _ rest: String) -> String {
    "/identitytoolkit.googleapis.com/v1/projects/\(project)/\(rest)"
  }

  @Test("each project has its own users, and clients with only an API key use the server's project")
  func separate() async throws {
    let fixture = try IdentityFixture.emulator()
    for project in ["demo-test", "demo-b", "Demo_C", "example.com:d"] {
      let made = try await fixture.owner(
        Self.path(project, "accounts"),
        ["localId": "ann", "email": "ann@example.com", "password": "secret1", "displayName": .string(project)])
      #expect(made.status == 200, "\(project) \(made.text)")
    }
    for project in ["demo-test", "demo-b", "Demo_C", "example.com:d"] {
      let found = try await fixture.owner(Self.path(project, "accounts:lookup"), ["localId": ["ann"]])
      #expect(found.json["users"]?.array?.map { $0["displayName"] } == [.string(project)])
    }
    let signedIn = try await fixture.signIn("ann@example.com", "secret1")
    #expect(try fixture.claims(signedIn.idToken)["aud"] == .string("demo-test"))
    let deleted = try await fixture.emulated("DELETE", "demo-b/accounts")
    #expect(deleted.status == 200 && deleted.json == .object([]))
    let gone = try await fixture.owner(Self.path("demo-b", "accounts:lookup"), ["localId": ["ann"]])
    #expect(gone.status == 200 && gone.json["users"] == nil)
    #expect(fixture.user("ann") != nil)
  }

  @Test("a token, a refresh token and a code determine their project")
  func followed() async throws {
    let fixture = try IdentityFixture.emulator()
    let signedUp = try await fixture.owner(
      "accounts:signUp",
      ["targetProjectId": "demo-b", "email": "bo@example.com", "password": "secret1", "returnSecureToken": true])
    let other = try fixture.directory.accounts(of: "demo-b", mayCreate: true)
    #expect(
      try other.keys.verifyIDToken(signedUp.idToken, nowSeconds: fixture.nowSeconds).claims["aud"] == .string("demo-b"))
    #expect(try await fixture.lookup(signedUp.idToken).json["users"]?.array?[0]["email"] == "bo@example.com")
    let refreshed = try await fixture.refresh(signedUp.refreshToken)
    #expect(refreshed.status == 200 && refreshed.json["user_id"] == .string(signedUp.localID))
    let asked = try await fixture.post(
      "accounts:sendOobCode", ["requestType": "VERIFY_EMAIL", "idToken": .string(signedUp.idToken)])
    #expect(asked.status == 200, "\(asked.text)")
    #expect(try await fixture.emulated("GET", "demo-test/oobCodes").json["oobCodes"] == .array([]))
    let code = try #require(
      try await fixture.emulated("GET", "demo-b/oobCodes").json["oobCodes"]?.array?.first?["oobCode"])
    #expect(try await fixture.post("accounts:update", ["oobCode": code]).json["emailVerified"] == true)
    // The server's own project is unaffected.
    #expect(fixture.user(signedUp.localID) == nil)
    #expect(fixture.accounts.store.view.userCount == 0)
    #expect(throws: (any Error).self) { try fixture.claims(signedUp.idToken) }
  }

  @Test("replaced keys are replaced for every project")
  func keys() async throws {
    let fixture = try AdminFixture(keys: AdminFixture.newKeys()) { $0.isEmulator = true }
    let other = try fixture.directory.accounts(of: "demo-b", mayCreate: true)
    let before = other.keys.list(.idToken).map(\.kid)
    #expect(before == fixture.accounts.keys.list(.idToken).map(\.kid))
    try fixture.accounts.keys.rotate(.idToken, nowSeconds: fixture.accountsFixture.nowSeconds, isUrgent: true)
    #expect(try fixture.directory.accounts(of: "demo-b", mayCreate: true) === other)
    #expect(other.keys.list(.idToken).map(\.kid) == fixture.accounts.keys.list(.idToken).map(\.kid))
    #expect(other.keys.list(.idToken).map(\.kid) != before)
  }

  @Test("invalid project ids are refused, and the number of projects is bounded")
  func bounds() async throws {
    let fixture = try IdentityFixture.emulator()
    for id in ["", "a%2Fb", "a%20b", "%C3%A9", String(repeating: "a", count: 65)] {
      let answer = try await fixture.owner("/v1/projects/\(id)/accounts:lookup", ["localId": ["ann"]])
      #expect(answer.status == 400, "\(id)")
      #expect(answer.error?.hasPrefix("CONFIGURATION_NOT_FOUND") == true, "\(answer.text)")
    }
    for number in 0..<AccountsDirectory.countMax {
      #expect(fixture.directory.add("p\(number)", fixture.accounts) != nil)
    }
    #expect(fixture.directory.add("one-more", fixture.accounts) == nil)
    #expect(fixture.directory.add("p0", fixture.accounts) === fixture.accounts)
    #expect(throws: AccountError.self) { try fixture.directory.accounts(of: "one-more", mayCreate: true) }
  }

  @Test("without emulator mode there is one project for every caller")
  func oneElsewhere() async throws {
    let fixture = try IdentityFixture()
    for path in ["accounts", "accounts:lookup", "accounts:delete"] {
      let answer = try await fixture.owner(Self.path("demo-b", path), ["localId": "ann"])
      #expect(answer.status == 400 && answer.error?.hasPrefix("CONFIGURATION_NOT_FOUND") == true, "\(path)")
    }
    let target = try await fixture.owner("accounts:signUp", ["targetProjectId": "demo-b", "localId": "ann"])
    #expect(target.error?.hasPrefix("CONFIGURATION_NOT_FOUND") == true)
    #expect(fixture.directory.others.isEmpty && fixture.accounts.emulator(isFromLoopback: true) == nil)
  }

  @Test("requests do not create a project: not with a key, not without a credential")
  func nothingForClients() async throws {
    let fixture = try IdentityFixture.emulator()
    for path in [Self.path("demo-b", "accounts:lookup"), "/securetoken.google.com/demo-b/.well-known/jwks.json"] {
      _ = try await fixture.app(path, ["localId": ["ann"]])
    }
    for host in ["/securetoken.googleapis.com/demo-b/.well-known/openid-configuration"] {
      #expect(try await fixture.post(host, method: "GET").status == 400)
    }
    _ = try await fixture.post("/emulator/v1/projects/demo-b/config", method: "GET", isFromLoopback: false)
    #expect(fixture.directory.others.isEmpty)
  }

  /// Requests that a page of any site can make a developer's browser send.
  private static let named: [(method: String, path: String, body: JSON)] = [
    ("POST", "accounts:createAuthUri", ["tenantId": "made-up", "identifier": "a@b.example"]),
    ("POST", "accounts:signUp", ["tenantId": "made-up", "returnSecureToken": true]),
    ("POST", path("demo-b", "accounts"), ["email": "a@b.example", "password": "secret1"]),
    ("GET", "/emulator/auth/handler?tenantId=made-up", [:]),
  ]

  @Test("programs on the emulator's machine may create projects and tenants, and pages of other sites may not")
  func foreignPagesMakeNothing() async throws {
    let fixture = try IdentityFixture.emulator()
    for (method, path, body) in Self.named {
      let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
      let query = parts.dropFirst().first.map { text in
        text.split(separator: "&").map { pair in
          let sides = pair.split(separator: "=").map(String.init)
          return (name: sides[0], value: sides[1])
        }
      }
      // A local browser sends the request, but for a page of another site, so it does not count as local.
      _ = try? await fixture.send(
        parts[0], body.text(), method: method, query: query ?? [], address: "127.0.0.1", isFromLoopback: false)
      #expect(fixture.directory.others.isEmpty && fixture.accounts.tenants?.isEmpty == true, "\(path)")
    }
    let made = try await fixture.app(
      "accounts:createAuthUri",
      ["tenantId": "made-up", "identifier": "a@b.example", "continueUri": "http://localhost"])
    #expect(made.status == 200 && fixture.accounts.tenants?.isEmpty == false, "\(made.text)")
    // An existing tenant serves every client.
    let there = try await fixture.post(
      "accounts:createAuthUri",
      ["tenantId": "made-up", "identifier": "a@b.example", "continueUri": "http://localhost"])
    #expect(there.status == 200, "\(there.text)")
  }
}
