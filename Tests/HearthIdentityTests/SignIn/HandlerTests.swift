import HearthBytes
import HearthEngine
import HearthPlugin
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Tests of the sign-in handler page, which popups and redirects open, with a browser's requests and without a socket.
@Suite struct HandlerTests {
  /// A provider that gives each browser the code `code-STATE` and records PKCE parameters.
  private final class FakeCorp: AuthorizationCodeProvider {
    let manifest = ProviderManifest(id: "oidc.corp", displayName: "Corp", methods: [.credential])
    let servesAuthorizationCodes = true
    private let visits = Mutex<[String: AuthorizationRequest]>([:])

    func request(_ state: String) -> AuthorizationRequest? { visits.withLock { $0[state] } }

    func authorizationPage(_ request: AuthorizationRequest) async throws -> AuthorizationPage {
      visits.withLock { $0[request.state] = request }
      return AuthorizationPage(
        url: "https://id.corp.example/page?state=\(request.state)", issuers: ["https://id.corp.example"])
    }

    func credential(_ code: AuthorizationCode) async throws -> [String: String] {
      let visit = visits.withLock { $0.removeValue(forKey: String(code.code.dropFirst(5))) }
      guard let visit, visit.redirectURI == code.redirectURI,
        Base64URL.encode(Digest(sha256: code.codeVerifier.utf8).bytes) == visit.codeChallenge
      else { throw SignInRefusal(.invalidProviderResponse, "no such code") }
      return ["id_token": "ann", "nonce": "the provider's own", "access_token": visit.nonce]
    }

    func answer(_ request: SignInRequest) async throws -> SignInAnswer {
      guard request.parameters["id_token"] == "ann", request.parameters["nonce"] == request.parameters["access_token"]
      else { return .refused(SignInRefusal(.invalidNonce)) }
      return .identity(ForeignIdentity(rawID: "ann", email: "ann@corp.example"))
    }
  }

  private static func fixture(
    _ corp: FakeCorp = FakeCorp(), _ configure: (inout AccountsConfiguration) -> Void = { _ in }
  ) throws -> IdentityFixture {
    try IdentityFixture(providers: [corp, FakeAnonymous()]) {
      $0.authorizedDomains = ["app.example.com"]
      configure(&$0)
    }
  }

  private static let start: [(name: String, value: String)] = [
    ("apiKey", "key"), ("appName", "[DEFAULT]"), ("authType", "signInViaPopup"), ("eventId", "17"),
    ("providerId", "oidc.corp"), ("redirectUrl", "https://app.example.com/in?x=1#y"), ("scopes", "calendar,mail"),
    ("customParameters", #"{"prompt":"login"}"#), ("v", "12"),
  ]

  private static func start(_ changes: [String: String?]) -> [(name: String, value: String)] {
    start.compactMap { pair in
      guard let change = changes[pair.name] else { return pair }
      return change.map { (pair.name, $0) }
    }
  }

  private func get(
    _ fixture: IdentityFixture, _ query: [(name: String, value: String)], cookie: String? = nil,
    host: String = "auth.example.com",
    path: String = "/__/auth/handler", method: String = "GET", isFromLoopback: Bool = false
  ) async throws -> (status: Int, text: String, headers: [String: String]) {
    var request = IdentityRequest(
      method: method, host: host, path: path, query: query, client: fixture.accountsFixture.client("192.0.2.1"),
      isFromLoopback: isFromLoopback, now: fixture.accountsFixture.now)
    request.cookie = cookie
    let response = try #require(await IdentityEndpoints(fixture.directory).handle(request))
    return (
      response.status, String(decoding: response.body, as: UTF8.self),
      Dictionary(response.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    )
  }

  /// Starts a sign-in; returns the state and the cookie.
  private func beginAuthorization(
    _ fixture: IdentityFixture, _ changes: [String: String?] = [:]
  ) async throws -> (state: String, cookie: String) {
    let answer = try await get(fixture, Self.start(changes))
    #expect(answer.status == 303)
    let url = try #require(answer.headers["Location"])
    let state = String(url.split(separator: "=")[1])
    let cookie = try #require(answer.headers["Set-Cookie"]?.split(separator: ";").first)
    return (state, String(cookie))
  }

  /// Returns the page's message to the app.
  private func message(_ page: String) throws -> JSON {
    let start = try #require(page.range(of: "data-event=\""))
    let text = page[start.upperBound...].prefix { $0 != "\"" }
    let plain = [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("&amp;", "&")].reduce(String(text)) {
      $0.replacing($1.0, with: $1.1)
    }
    return try #require(JSON(parsing: plain.utf8))
  }

  private func redeem(_ fixture: IdentityFixture, _ event: JSON?, _ more: JSON = [:]) async throws
    -> IdentityFixture.Answer
  {
    try await fixture.post(
      "accounts:signInWithIdp",
      .object(
        [
          .init("requestUri", event?["urlResponse"] ?? .null), .init("sessionId", event?["sessionId"] ?? .null),
          .init("postBody", .null), .init("returnSecureToken", true), .init("returnIdpCredential", true),
        ] + (more.members ?? [])))
  }

  @Test(
    "A provider sign-in uses challenge, state, nonce and a cookie, and an event that the app redeems once"
  )
  func popup() async throws {
    let corp = FakeCorp()
    let fixture = try Self.fixture(corp)
    let (state, cookie) = try await beginAuthorization(fixture)
    let asked = try #require(corp.request(state))
    #expect(asked.redirectURI == "https://auth.example.com/__/auth/handler")
    #expect(asked.scopes == ["calendar", "mail"])
    #expect(asked.parameters.map(\.name) == ["prompt"])
    #expect(cookie.hasPrefix("__Host-hearth-visit-") && !cookie.contains(state) && !cookie.contains(asked.nonce))
    let page = try await get(fixture, [("state", state), ("code", "code-\(state)")], cookie: "a=b; \(cookie); c=d")
    #expect(page.status == 200)
    #expect(page.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
    #expect(page.headers["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
    let message = try message(page.text)
    #expect(message["redirectUrl"] == .null && message["storageKey"]?.string == "hearth:signIn:key:[DEFAULT]")
    let event = try #require(message["event"])
    #expect(event["type"]?.string == "signInViaPopup" && event["eventId"]?.string == "17" && event["error"] == .null)
    let entered = try await redeem(fixture, event)
    #expect(entered.status == 200 && entered.json["providerId"]?.string == "oidc.corp")
    #expect(entered.json["email"]?.string == "ann@corp.example" && !entered.idToken.isEmpty)
    #expect(entered.json["oauthIdToken"]?.string == "ann" && entered.json["nonce"]?.string == asked.nonce)
    let again = try await redeem(fixture, event)
    #expect(again.error == "INVALID_IDP_RESPONSE : This sign-in was used before. Start again.")
  }

  @Test("A redirect returns only to the app's page, and links to the signed-in user")
  func redirect() async throws {
    let fixture = try Self.fixture()
    let guest = try await fixture.anonymous()
    let (state, cookie) = try await beginAuthorization(fixture, ["authType": "linkViaRedirect"])
    let page = try await get(fixture, [("state", state), ("code", "code-\(state)")], cookie: cookie)
    let message = try message(page.text)
    #expect(message["redirectUrl"]?.string == "https://app.example.com/in?x=1#y")
    let linked = try await redeem(fixture, message["event"], ["idToken": .string(guest.idToken)])
    #expect(linked.status == 200 && linked.localID == guest.localID)
  }

  @Test("Security 54: a callback without the visit's cookie, an expired one, and one with a foreign cookie are refused")
  func fixation() async throws {
    let fixture = try Self.fixture()
    let (state, cookie) = try await beginAuthorization(fixture)
    let other = try await beginAuthorization(fixture)
    let back = [(name: "state", value: state), (name: "code", value: "code-\(state)")]
    let name = cookie.prefix { $0 != "=" }
    let moved = name + other.cookie.drop { $0 != "=" }
    for shown in [nil, "", other.cookie, String(moved), "\(name)=x", "\(cookie); \(cookie)", String(cookie.dropLast())]
    {
      let page = try await get(fixture, back, cookie: shown)
      #expect(page.status == 400 && page.text.contains("was not started here") && !page.text.contains("data-event"))
    }
    #expect(try await get(fixture, back + back, cookie: cookie).status == 400)
    #expect(try await get(fixture, back, cookie: cookie, host: "evil.example").status == 400)
    fixture.accountsFixture.advance(seconds: 600)
    #expect(try await get(fixture, back, cookie: cookie).text.contains("took too long"))
  }

  @Test(
    "Security 54: the app's event is valid only with its own session, for ten minutes")
  func interception() async throws {
    let fixture = try Self.fixture()
    let (state, cookie) = try await beginAuthorization(fixture)
    let page = try await get(fixture, [("state", state), ("code", "code-\(state)")], cookie: cookie)
    let event = try #require(try message(page.text)["event"])
    let url = try #require(event["urlResponse"]?.string)
    let visit = String(cookie.drop { $0 != "=" }.dropFirst())
    for session in ["", "x", visit, state] {
      let body: JSON = ["urlResponse": .string(url), "sessionId": .string(session)]
      #expect(try await redeem(fixture, body).status == 400)
    }
    for changed in [
      "https://auth.example.com/", url + "1", url.replacing("code=", with: "code=x"),
      url.replacing("state=", with: "state=x"), url + "&code=other", "https://auth.example.com/?code=code-\(state)",
    ] {
      let body: JSON = ["urlResponse": .string(changed), "sessionId": event["sessionId"] ?? .null]
      #expect(
        try await redeem(fixture, body).error?.hasPrefix("INVALID_IDP_RESPONSE : The requestUri does not belong")
          == true)
    }
    fixture.accountsFixture.advance(seconds: 600)
    #expect(try await redeem(fixture, event).error?.contains("took too long") == true)
  }

  @Test("Refusals and failures of a provider, and callbacks without a code, are reported to the app")
  func errors() async throws {
    let fixture = try Self.fixture()
    for (query, code) in [
      ([(name: "error", value: "access_denied")], "auth/user-cancelled"),
      ([(name: "error", value: "<script>")], "auth/internal-error"), ([], "auth/internal-error"),
    ] {
      let (state, cookie) = try await beginAuthorization(fixture)
      let page = try await get(fixture, query + [("state", state)], cookie: cookie)
      #expect(page.status == 200 && !page.text.contains("<script>)"))
      #expect(try message(page.text)["event"]?["error"]?["code"]?.string == code)
    }
    let absent = try await get(fixture, Self.start(["providerId": "google.com"]))
    #expect(try message(absent.text)["event"]?["error"]?["code"]?.string == "auth/operation-not-allowed")
  }

  @Test("Security 55: the page opens for the server's own apps, API keys and host names")
  func openRedirect() async throws {
    let corp = FakeCorp()
    let fixture = try Self.fixture(corp) {
      $0.apiKeys = ["key"]
      $0.pageDomains = ["sign-in.example.com"]
    }
    for (changes, status) in [
      (["redirectUrl": "https://evil.example/"], 403), (["redirectUrl": "https://app.example.com@evil.example/"], 403),
      (["redirectUrl": "javascript://app.example.com/%0aalert(1)"], 403), (["redirectUrl": "//app.example.com/"], 403),
      (["redirectUrl": nil], 400), (["authType": "verifyApp"], 400), (["apiKey": "other"], 403),
      (["providerId": nil], 400),
      (["customParameters": "[1]"], 400), (["customParameters": #"{"prompt": 1}"#], 400),
      (
        [
          "authType": "signInViaRedirect",
          "redirectUrl": "https://app.example.com/" + String(repeating: "x", count: 1_500),
        ], 400
      ),
    ] as [([String: String?], Int)] {
      let answer = try await get(fixture, Self.start(changes))
      #expect(answer.status == status && answer.headers["Location"] == nil, "\(changes)")
    }
    #expect(try await get(fixture, Self.start + [("tid", "t")]).status == 400)
    #expect(try await get(fixture, Self.start, host: "evil.example").status == 421)
    #expect(try await get(fixture, Self.start, method: "PUT").status == 405)
    #expect(try await get(fixture, Self.start, method: "POST").status == 400)
    let proxied = try await get(fixture, Self.start, host: "sign-in.example.com")
    let state = try #require(proxied.headers["Location"]?.split(separator: "=").last)
    #expect(corp.request(String(state))?.redirectURI == "https://sign-in.example.com/__/auth/handler")
  }

  @Test("Security 55: only pages of authorized domains may embed the frame")
  func frame() async throws {
    let fixture = try Self.fixture { $0.authorizedDomains = ["app.example.com", "localhost", "a; script-src *"] }
    let frame = try await get(fixture, [("apiKey", "key"), ("appName", "x")], path: "/__/auth/iframe")
    let policy = try #require(frame.headers["Content-Security-Policy"])
    #expect(
      policy.hasSuffix(
        "frame-ancestors 'self' https://app.example.com:* https://localhost:* http://localhost:* https://auth.example.com:*"
      ))
    #expect(policy.contains("script-src 'sha256-") && policy.contains("' https://apis.google.com;"))
    #expect(frame.headers["X-Frame-Options"] == nil)
  }

  @Test(
    "An emulator shows programs on its machine a page to choose an identity, and other clients the provider's page")
  func emulator() async throws {
    let fixture = try Self.fixture { $0.applyEmulatorDefaults() }
    let page = try await get(fixture, Self.start, path: "/emulator/auth/handler", isFromLoopback: true)
    #expect(page.status == 200 && page.text.contains("<form id=\"new\">"))
    let other = try await get(fixture, Self.start, path: "/emulator/auth/handler")
    #expect(other.status == 303)
    let claims = PercentEncoding.encode(#"{"sub":"1","email":"<b>@example.com","email_verified":true}"#)
    let entered = try await fixture.post(
      "accounts:signInWithIdp",
      [
        "requestUri": "http://127.0.0.1:9000/emulator/auth/handler", "sessionId": "emulator", "returnSecureToken": true,
        "postBody": .string("providerId=oidc.corp&id_token=\(claims)"),
      ], isFromLoopback: true)
    #expect(entered.status == 200)
    let known = try await get(fixture, Self.start, isFromLoopback: true)
    #expect(known.text.contains("class=\"row\"") && !known.text.contains("<b>"))
  }

  @Test("A client that opens the provider's page itself requests its address, and redeems the response once")
  func createAuthURI() async throws {
    let corp = FakeCorp()
    let fixture = try Self.fixture(corp)
    let asked: JSON = ["providerId": "oidc.corp", "continueUri": "https://app.example.com/back"]
    let answer = try await fixture.post("accounts:createAuthUri", asked)
    let url = try #require(answer.json["authUri"]?.string)
    let state = String(url.split(separator: "=")[1])
    #expect(corp.request(state)?.redirectURI == "https://app.example.com/back")
    let back: JSON = [
      "urlResponse": .string("https://app.example.com/back?state=\(state)&code=code-\(state)"),
      "sessionId": answer.json["sessionId"] ?? .null,
    ]
    #expect(try await redeem(fixture, back).status == 200)
    #expect(try await redeem(fixture, back).status == 400)
    for (provider, target, error) in [
      ("google.com", "https://app.example.com/", "INVALID_PROVIDER_ID"),
      ("oidc.corp", "https://evil.example/", "UNAUTHORIZED_DOMAIN : Domain not allowlisted by project"),
    ] {
      let refused = try await fixture.post(
        "accounts:createAuthUri", ["providerId": .string(provider), "continueUri": .string(target)])
      #expect(refused.error == error)
    }
  }
}
