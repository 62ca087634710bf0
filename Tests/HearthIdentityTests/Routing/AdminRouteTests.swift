import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

/// Tests of administrators' operations over HTTP, as admin SDKs and the command line send them.
@Suite struct AdminRouteTests {
  private func handle(
    _ fixture: AdminFixture, _ method: String, _ path: String, query: [(name: String, value: String)] = [],
    body: String = "",
    authority: IdentityRequest.Bearer = .administrator("root"), contentType: String = "application/json",
    isFromLoopback: Bool = false
  ) async throws -> (status: Int, json: JSON) {
    let response = try #require(
      await IdentityEndpoints(fixture.directory).handle(
        IdentityRequest(
          method: method, path: path, query: query, contentType: body.isEmpty ? nil : contentType,
          body: Array(body.utf8),
          bearer: authority, client: fixture.accountsFixture.client(), isFromLoopback: isFromLoopback,
          now: fixture.accountsFixture.now)))
    return (response.status, JSON(parsing: response.body) ?? .null)
  }

  private static let project = "/identitytoolkit.googleapis.com/v1/projects/demo-test"

  @Test("admin SDKs create, page, import and delete under the project's path")
  func project() async throws {
    let fixture = try AdminFixture()
    let made = try await handle(fixture, "POST", Self.project + "/accounts", body: #"{"localId": "a"}"#)
    #expect(made.status == 200 && made.json["localId"] == .string("a"))
    let batch = #"{"users": [{"localId": "b"}, {"localId": "c"}]}"#
    let imported = try await handle(fixture, "POST", Self.project + "/accounts:batchCreate", body: batch)
    #expect(imported.status == 200 && imported.json["error"] == nil)
    let first = try await handle(
      fixture, "GET", Self.project + "/accounts:batchGet", query: [("maxResults", "2")])
    #expect(first.json["users"]?.array?.count == 2)
    let second = try await handle(
      fixture, "GET", Self.project + "/accounts:batchGet",
      query: [("maxResults", "2"), ("nextPageToken", first.json["nextPageToken"]?.string ?? "")])
    #expect(second.json["users"]?.array?.map { $0["localId"] } == [.string("c")])
    #expect(second.json["nextPageToken"] == nil)
    let deleted = try await handle(
      fixture, "POST", Self.project + "/accounts:batchDelete", body: #"{"localIds": ["a", "b"], "force": true}"#)
    #expect(deleted.status == 200 && fixture.accounts.store.view.userCount == 1)
  }

  @Test(
    "administration routes refuse clients, with any credential", arguments: [IdentityRequest.Bearer.none, .refused])
  func clients(_ authority: IdentityRequest.Bearer) async throws {
    let fixture = try AdminFixture()
    for (method, path) in [
      ("POST", Self.project + "/accounts"), ("POST", Self.project + "/accounts:batchCreate"),
      ("GET", Self.project + "/accounts:batchGet"), ("POST", "/hearth/v1/status"), ("POST", "/hearth/v1/users:export"),
      ("POST", Self.project + ":createSessionCookie"),
    ] {
      let answer = try await handle(
        fixture, method, path, query: [("key", "any")], body: method == "POST" ? #"{"localId": "x"}"# : "",
        authority: authority)
      #expect(answer.status == 401, "\(path)")
      #expect(answer.json["users"] == nil)
    }
    #expect(fixture.accounts.store.view.userCount == 0)
  }

  @Test("the server's own administration, the token endpoint and the 2.x interface have their routes")
  func others() async throws {
    let fixture = try AdminFixture()
    let status = try await handle(fixture, "POST", "/hearth/v1/status", body: "{}")
    #expect(status.json["projectID"] == .string("demo-test"))
    #expect(try await handle(fixture, "POST", "/hearth/v1/nothing", body: "{}").status == 404)
    let account = try await handle(fixture, "POST", "/hearth/v1/serviceAccounts:create", body: #"{"name": "backend"}"#)
      .json
    let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
    let token = try await handle(
      fixture, "POST", ServiceAccounts.tokenPath, body: form + fixture.assertion(account), authority: .none,
      contentType: "application/x-www-form-urlencoded")
    #expect(token.status == 200 && token.json["access_token"]?.string != nil)
    let refused = try await handle(
      fixture, "POST", ServiceAccounts.tokenPath, body: form + "x", authority: .none,
      contentType: "application/x-www-form-urlencoded")
    #expect(refused.status == 400 && refused.json["error"] == .string("invalid_grant"))
    let legacy = try await handle(
      fixture, "GET", "/v2/shop/auth/anonymous", query: [("suppress_status_codes", "true")], authority: .none)
    #expect(legacy.status == 200 && legacy.json["uid"]?.string?.hasPrefix("anonymous:") == true)
  }

  @Test("a development server shows test suites the codes that it would have mailed; other servers do not keep them")
  func codes() async throws {
    let path = "/emulator/v1/projects/demo-test/oobCodes"
    let send = #"{"requestType": "PASSWORD_RESET", "email": "a@example.com", "returnOobLink": true}"#
    for isEmulator in [true, false] {
      let fixture = try AdminFixture { $0.isEmulator = isEmulator }
      _ = try await fixture.create(#"{"localId": "a", "email": "a@example.com", "password": "secret1"}"#)
      let sent = try await handle(fixture, "POST", Self.project + "/accounts:sendOobCode", body: send)
      #expect(sent.status == 200)
      let listed = try await handle(fixture, "GET", path, authority: .none, isFromLoopback: true)
      guard isEmulator else {
        #expect(listed.status == 404)
        #expect(fixture.accounts.store.view.tickets(of: "a").allSatisfy { $0.ticket.details == nil })
        continue
      }
      let code = try #require(listed.json["oobCodes"]?.array?.first)
      #expect(code["email"] == .string("a@example.com") && code["requestType"] == .string("PASSWORD_RESET"))
      #expect(sent.json["oobLink"] == code["oobLink"])
      #expect(code["oobLink"]?.string?.contains(code["oobCode"]?.string ?? "?") == true)
    }
  }
}
