import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct RouterTests {
  static let known: [(method: String, path: String, host: String, operation: String)] = [
    ("POST", "/identitytoolkit.googleapis.com/v1/accounts:signUp", "localhost", "signUp"),
    ("POST", "/www.googleapis.com/identitytoolkit/v3/relyingparty/signupNewUser", "localhost", "signUp"),
    ("POST", "/identitytoolkit/v3/relyingparty/verifyPassword", "www.googleapis.com", "signInWithPassword"),
    ("POST", "/identitytoolkit/v3/relyingparty/verifyPassword", "localhost", "signInWithPassword"),
    ("POST", "/v1/accounts%3AsignInWithPassword", "identitytoolkit.googleapis.com", "signInWithPassword"),
    ("POST", "/securetoken.googleapis.com/v1/token", "localhost", "refresh"),
    ("POST", "/v1/token", "securetoken.googleapis.com", "refresh"),
    ("POST", "/v1/token", "auth.example.com", "refresh"),
    ("POST", "/token", "oauth2.googleapis.com", "accessToken"),
    ("POST", "/v1/projects/p/accounts", "localhost", "adminCreate"),
    ("POST", "/v1/projects/p/tenants/t/accounts:lookup", "localhost", "adminLookup"),
    ("GET", "/v1/projects/p/accounts:batchGet", "localhost", "batchGet"),
    ("POST", "/v1/projects/p:createSessionCookie", "localhost", "createSessionCookie"),
    ("GET", "/v1/projects", "localhost", "projectConfig"),
    ("GET", "/v2/passwordPolicy", "localhost", "passwordPolicy"),
    ("GET", "/v2/recaptchaConfig", "localhost", "recaptchaConfig"),
    ("POST", "/v2/accounts/mfaSignIn:finalize", "localhost", "finishSecondFactor"),
    ("POST", "/v2/accounts:revokeToken", "localhost", "revokeToken"),
    ("GET", "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", "localhost", "idTokenCertificates"),
    (
      "GET", "/robot/v1/metadata/x509/securetoken%40system.gserviceaccount.com", "www.googleapis.com",
      "idTokenCertificates"
    ),
    ("GET", "/v1/sessionCookiePublicKeys", "localhost", "cookieCertificates"),
    ("GET", "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", "localhost", "keySet"),
    ("GET", "/demo-test/.well-known/openid-configuration", "localhost", "discovery"),
    ("POST", "/hearth/v1/users:export", "localhost", "exportUsers"),
    ("GET", "/v2/myapp/auth/password", "localhost", "legacyPasswordSignIn"),
    ("PUT", "/v2/myapp/users/a%40b.example/password", "localhost", "legacyChangePassword"),
    ("GET", "/__/auth/action", "localhost", "actionPage"),
    ("POST", "/emulator/action", "auth.example.com", "actionPage"),
    ("GET", "/__/auth/links", "localhost", "appLinkPage"),
    ("GET", "/__/auth/handler", "identitytoolkit.googleapis.com", "handlerPage"),
    ("GET", "/__/auth/redirect/oidc.corp", "localhost", "redirectPage"),
    ("POST", "/__/auth/redirect/acme-1/oidc.corp", "localhost", "redirectPage"),
    ("GET", "/__/firebase/init.json", "localhost", "webConfiguration"),
    ("GET", "/identitytoolkit.googleapis.com/v1/nonsense", "localhost", "unknown"),
    ("GET", "/anything", "identitytoolkit.googleapis.com", "unknown"),
  ]

  @Test("Every form of URL that clients use finds its operation", arguments: known)
  func routes(_ case: (method: String, path: String, host: String, operation: String)) throws {
    let match = try #require(IdentityRouter.match(method: `case`.method, path: `case`.path, host: `case`.host))
    #expect(match.operation.name == `case`.operation)
    #expect(match.takesMethod)
  }

  @Test("Every operation has its own name and paths, and is found by each of its paths")
  func rows() throws {
    let names = IdentityTable.operations.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(IdentityTable.operations.allSatisfy { !$0.addresses.isEmpty })
    for route in IdentityRoute.all {
      let path = route.pattern.text.split(separator: "/").map { piece in
        guard let open = piece.firstIndex(of: "{"), let close = piece.lastIndex(of: "}") else { return String(piece) }
        return piece[..<open] + "x" + piece[piece.index(after: close)...]
      }.joined(separator: "/")
      for method in route.address.methods.isEmpty ? ["GET"] : route.address.methods {
        let match = try #require(
          ["localhost", "securetoken.googleapis.com"].lazy.compactMap { host in
            IdentityRouter.match(method: method, path: "/" + path, host: host)
          }.first)
        #expect(match.routes.contains { $0.pattern == route.pattern && $0.operation.name == route.operation.name })
        guard !route.address.methods.isEmpty else { continue }
        #expect(match.operation.name == route.operation.name, "\(method) \(route.pattern.text)")
      }
    }
  }

  @Test(
    "Data paths are never routes of the identity interface",
    arguments: [
      "/", "/.json", "/users.json", "/v1/accounts.json", "/v2/myapp/users/alice.json", "/v1", "/v2", "/v2/a/b",
      "/__/auth", "/emulator", "/hearth", "/.ws", "/.lp", "/v1/projects/p", "/%zz", "/%ff",
    ])
  func dataPaths(_ path: String) {
    #expect(IdentityRouter.match(method: "GET", path: path, host: "localhost") == nil)
  }

  @Test("Missing and unknown keys, and invalid and missing bearer tokens, have distinct errors")
  func access() async throws {
    let fixture = try IdentityFixture { $0.apiKeys = ["real"] }
    let missing = try await fixture.post("accounts:lookup", apiKey: nil)
    #expect(missing.status == 403)
    #expect(missing.json["error"]?["status"] == "PERMISSION_DENIED")
    let unknown = try await fixture.post("accounts:lookup", apiKey: "fake")
    #expect(unknown.status == 400)
    #expect(unknown.json["error"]?["errors"]?.array?.first?["reason"] == "keyInvalid")
    #expect(try await fixture.post("accounts:lookup", apiKey: "real").error == "MISSING_ID_TOKEN")
    let bad = try await fixture.post("accounts:lookup", apiKey: "real", authority: .refused)
    #expect(bad.status == 401)
    #expect(bad.json["error"]?["errors"]?.array?.first?["reason"] == "authError")
    let none = try await fixture.post("/v1/projects/demo-test/accounts:lookup")
    #expect(none.status == 401)
    #expect(none.json["error"]?["errors"]?.array?.first?["reason"] == "required")
    #expect(try await fixture.post("accounts:nonsense", host: "identitytoolkit.googleapis.com").status == 404)
    let wrongMethod = try await fixture.post("accounts:lookup", method: "GET")
    #expect(wrongMethod.status == 405)
    #expect(wrongMethod.response.headers.first?.value == "POST")
  }

  @Test("Project and tenant must be the server's; targetProjectId is for administrators")
  func projectAndTenant() async throws {
    let fixture = try IdentityFixture()
    let token = try await fixture.anonymous().idToken
    #expect(
      try await fixture.post("accounts:signUp", ["targetProjectId": "demo-test"]).error?
        .hasPrefix("INSUFFICIENT_PERMISSION : ") == true)
    #expect(
      try await fixture.post("/v1/projects/other/accounts:lookup", authority: .administrator("a")).error?
        .hasPrefix("CONFIGURATION_NOT_FOUND") == true)
    #expect(try await fixture.post("accounts:signUp", ["tenantId": "t"]).error == "TENANT_NOT_FOUND")
    #expect(
      try await fixture.post("accounts:lookup", ["tenantId": "t", "idToken": .string(token)]).error
        == "TENANT_NOT_FOUND")
    #expect(
      try await fixture.post(
        "/v1/projects/demo-test/tenants/a/accounts:lookup", ["tenantId": "b"], authority: .administrator("a")
      ).error == "TENANT_ID_MISMATCH")
  }

  @Test("Published keys may be cached for an hour, and need no API key")
  func publishedKeys() async throws {
    let fixture = try IdentityFixture()
    let certificates = try await fixture.post(
      "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", method: "GET", apiKey: nil)
    #expect(certificates.response.cacheControl == "public, max-age=3600")
    #expect(certificates.text.contains("BEGIN CERTIFICATE"))
    let set = try await fixture.post(
      "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", method: "GET", apiKey: nil)
    #expect(set.json["keys"]?.array?.isEmpty == false)
    let discovery = try await fixture.post("/demo-test/.well-known/openid-configuration", method: "GET", apiKey: nil)
    #expect(discovery.json["issuer"] == "https://securetoken.google.com/demo-test")
    #expect(discovery.json["jwks_uri"]?.string?.hasPrefix("https://auth.example.com/") == true)
  }

  @Test("Unserved operations are answered with 501 and change no state")
  func unserved() async throws {
    let fixture = try IdentityFixture()
    for path in [
      "accounts:signInWithGameCenter"
    ] {
      let answer = try await fixture.post(path)
      #expect(answer.status == 501, "\(path)")
      #expect(answer.error?.hasPrefix("NOT_IMPLEMENTED : ") == true)
    }
    #expect(try await fixture.post("/v2/accounts:revokeToken").json == .object([]))
  }

  @Test("The routes that show codes exist only on emulators, for clients on their machine")
  func emulatorRoutes() async throws {
    let path = "/emulator/v1/projects/demo-test/oobCodes"
    let serving = try IdentityFixture()
    #expect(try await serving.post(path, method: "GET", isFromLoopback: true).status == 404)
    let emulating = try IdentityFixture { $0.isEmulator = true }
    #expect(try await emulating.post(path, method: "GET", isFromLoopback: false).status == 404)
    #expect(try await emulating.post(path, method: "GET", isFromLoopback: true).status == 200)
  }

  @Test("Names in snake case, numbers as strings and null are accepted")
  func tolerantReading() async throws {
    let fixture = try IdentityFixture()
    let token = try await fixture.signUp("a@b.example").idToken
    let answer = try await fixture.post(
      "accounts:update", ["id_token": .string(token), "display_name": "A", "deleteAttribute": .null])
    #expect(answer.json["displayName"] == "A")
    #expect(try await fixture.update(token, ["deleteAttribute": [2]]).json["displayName"] == nil)
    let parse = try await fixture.send("accounts:lookup", Array("{".utf8))
    #expect(parse.status == 400)
    #expect(parse.json["error"]?["errors"]?.array?.first?["reason"] == "parseError")
  }
}
