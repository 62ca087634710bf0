import HearthEngine
import HearthPlugin
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Tests of the response of one provider sent in place of another's: OAuth's mix-up attack, RFC 9700 §4.4.
@Suite struct MixUpTests {
  /// Issuers with a page. Those with `named` in their URL are declared to send `iss` in their responses.
  private final class Issuers: IssuerProviders {
    /// The codes received by each issuer.
    let codes = Mutex<[String: [String]]>([:])
    let asked = Mutex<[AuthorizationRequest]>([])

    func provider(of issuer: ConfiguredIssuer) -> any SignInProvider { Provider(issuer: issuer, issuers: self) }

    private struct Provider: AuthorizationCodeProvider {
      let issuer: ConfiguredIssuer
      let issuers: Issuers
      var manifest: ProviderManifest { ProviderManifest(id: issuer.id, displayName: "x", methods: [.credential]) }
      let servesAuthorizationCodes = true

      func authorizationPage(_ request: AuthorizationRequest) async throws -> AuthorizationPage {
        issuers.asked.withLock { $0.append(request) }
        return AuthorizationPage(
          url: "\(issuer.issuer)/page?state=\(request.state)", issuers: [issuer.issuer],
          namesIssuer: issuer.issuer.contains("named"))
      }

      func credential(_ code: AuthorizationCode) async throws -> [String: String] {
        issuers.codes.withLock { $0[issuer.issuer, default: []].append(code.code) }
        return ["id_token": "good"]
      }

      func answer(_ request: SignInRequest) async throws -> SignInAnswer { .identity(ForeignIdentity(rawID: "ann")) }
    }
  }

  private static let origin = "https://auth.example.com"
  private static let back = "https://app.example.com/back"

  private struct MixUpFixture {
    let issuers = Issuers()
    let fixture: IdentityFixture
    let tenant: String

    init() async throws {
      fixture = try IdentityFixture(providers: [FakeAnonymous()], issuers: issuers) {
        $0.authorizedDomains = ["app.example.com"]
      }
      tenant = try await ProviderConfigurationTests.tenant(fixture)
    }

    func add(_ id: String, _ issuer: String, in tenant: String? = nil, shared: Bool = false) async throws -> JSON {
      let made = try await ProviderConfigurationTests.make(
        fixture, id,
        [
          "enabled": true, "clientId": "app", "issuer": .string(issuer), "clientSecret": "hush",
          "responseType": ["code": true], "usesSharedRedirectUri": .bool(shared),
        ], in: tenant)
      #expect(made.status == 200, "\(made.text)")
      return made.json
    }

    func open(
      _ path: String, _ query: [(name: String, value: String)], cookie: String? = nil, form: String? = nil
    ) async throws -> SAMLSignInTests.Page {
      var request = IdentityRequest(
        method: form == nil ? "GET" : "POST", host: "auth.example.com", path: path, query: query,
        contentType: form.map { _ in "application/x-www-form-urlencoded" }, body: Array((form ?? "").utf8),
        client: fixture.accountsFixture.client("192.0.2.1"), now: fixture.accountsFixture.now)
      request.cookie = cookie
      // The server answers paths outside the identity interface with 404.
      let response =
        await IdentityEndpoints(fixture.directory).handle(request) ?? IdentityResponse(status: 404, body: [])
      return SAMLSignInTests.Page(
        status: response.status, text: String(decoding: response.body, as: UTF8.self),
        headers: Dictionary(response.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
    }

    func beginAuthorization(_ id: String, in tenant: String? = nil) async throws -> SAMLSignInTests.Page {
      try await open(
        RedirectURI.sharedPath,
        [
          ("apiKey", "key"), ("appName", "a"), ("authType", "signInViaPopup"), ("eventId", "1"), ("providerId", id),
          ("redirectUrl", MixUpTests.back),
        ] + (tenant.map { [("tid", $0)] } ?? []))
    }

    /// Returns the state of a visit, and the cookie of its browser.
    func visit(_ id: String, in tenant: String? = nil) async throws -> (state: String, cookie: String) {
      let page = try await beginAuthorization(id, in: tenant)
      #expect(page.status == 303, "\(page.text)")
      let state = try #require(page.headers["Location"]?.split(separator: "=").last)
      return (String(state), String(try #require(page.headers["Set-Cookie"]?.split(separator: ";").first)))
    }

    func redeem(_ url: JSON?, _ session: JSON?, in tenant: String? = nil) async throws -> IdentityFixture.Answer {
      try await fixture.post(
        "accounts:signInWithIdp",
        [
          "requestUri": url ?? .null, "sessionId": session ?? .null, "returnSecureToken": true,
          "tenantId": tenant.map { .string($0) } ?? .null,
        ])
    }

    func codes(_ issuer: String) -> [String] { issuers.codes.withLock { $0[issuer] ?? [] } }
  }

  @Test("Security 88: a response is valid only at the address of its provider and tenant")
  func addresses() async throws {
    let site = try await MixUpFixture()
    let made = try await site.add("oidc.corp", "https://corp.example")
    #expect(made["redirectUris"]?.array == [.string("\(Self.origin)/__/auth/redirect/oidc.corp")])
    _ = try await site.add("oidc.evil", "https://evil.example", in: site.tenant)
    _ = try await site.add("oidc.corp", "https://other.example", in: site.tenant)
    let (corp, own) = ("/__/auth/redirect/oidc.corp", "/__/auth/redirect/\(site.tenant)/oidc.evil")
    // The honest provider sends its code, with the attacker's forwarded state, to its registered redirect URI.
    for path in [
      RedirectURI.sharedPath, corp, "/__/auth/redirect/oidc.evil", "/__/auth/redirect/\(site.tenant)/oidc.corp",
      own + "/", "/__/auth/redirect/other/oidc.evil", "/identitytoolkit.googleapis.com" + own,
    ] {
      let (state, cookie) = try await site.visit("oidc.evil", in: site.tenant)
      let page = try await site.open(path, [("state", state), ("code", "honest")], cookie: cookie)
      #expect(page.status >= 400 && !page.text.contains("data-event"), "\(path)")
      let form = try await site.open(path, [], cookie: cookie, form: "state=\(state)&code=honest&hearth=1")
      #expect(form.status >= 400 && !form.text.contains("data-event"), "\(path)")
    }
    #expect(site.codes("https://evil.example").isEmpty)
    let (state, cookie) = try await site.visit("oidc.evil", in: site.tenant)
    #expect(site.issuers.asked.withLock { $0.last?.redirectURI } == Self.origin + own)
    let event = try await site.open(own, [("state", state), ("code", "its own")], cookie: cookie).event()
    #expect(event["urlResponse"]?.string?.hasPrefix("\(Self.origin)\(own)?state=") == true)
    // An app cannot use it with another redirect URI.
    let moved = event["urlResponse"]?.string?.replacing(own, with: corp) ?? ""
    #expect(try await site.redeem(.string(moved), event["sessionId"], in: site.tenant).status == 400)
    #expect(try await site.redeem(event["urlResponse"], event["sessionId"], in: site.tenant).status == 200)
    #expect(site.codes("https://evil.example") == ["its own"])
  }

  @Test(
    "Security 89: a response with another issuer's name, or without the declared one, ends the sign-in")
  func issuers() async throws {
    let site = try await MixUpFixture()
    _ = try await site.add("oidc.plain", "https://plain.example")
    _ = try await site.add("oidc.named", "https://named.example")
    for (provider, issuer, isGood) in [
      ("plain", nil, true), ("plain", "https://plain.example", true), ("plain", "https://plain.example/", false),
      ("plain", "https://named.example", false), ("plain", "", false), ("named", nil, false),
      ("named", "https://named.example", true), ("named", "https://NAMED.example", false), ("named", "", false),
    ] {
      for isForm in [false, true] {
        let (state, cookie) = try await site.visit("oidc.\(provider)")
        let fields = [(name: "state", value: state), (name: "code", value: "c")] + (issuer.map { [("iss", $0)] } ?? [])
        let form = fields.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        let page = try await site.open(
          "/__/auth/redirect/oidc.\(provider)", isForm ? [] : fields, cookie: cookie, form: isForm ? form : nil)
        let event = try page.event()
        #expect((event["error"] == .null) == isGood, "\(provider) \(issuer ?? "-")")
        if !isGood {
          #expect(event["error"]?["message"]?.string == ProviderPages.OtherIssuer.reason && event["sessionId"] == .null)
          #expect(page.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
        }
      }
    }
    let (state, cookie) = try await site.visit("oidc.named")
    let twice = [("state", state), ("code", "c"), ("iss", "https://named.example"), ("iss", "https://evil.example")]
    #expect(
      try await site.open("/__/auth/redirect/oidc.named", twice.map { (name: $0.0, value: $0.1) }, cookie: cookie)
        .status == 400)
    // Another site's form is repeated with the issuer.
    let first = try await site.open(
      "/__/auth/redirect/oidc.named", [], form: "state=\(state)&code=c&iss=https%3A%2F%2Fnamed.example")
    #expect(first.text.contains("name=\"iss\" value=\"https://named.example\""))
    let trail = site.fixture.accounts.store.view.auditTail(limit: 100).map { String(decoding: $0.line, as: UTF8.self) }
    #expect(trail.contains { $0.contains("oidc.named: another issuer's answer") })
    #expect(site.issuers.codes.withLock { $0.isEmpty })
  }

  @Test(
    "Security 89: an app that opens a provider's page itself has the same checks of issuer and address")
  func apps() async throws {
    let site = try await MixUpFixture()
    _ = try await site.add("oidc.plain", "https://plain.example")
    _ = try await site.add("oidc.plain", "https://plain.example", in: site.tenant)
    _ = try await site.add("oidc.named", "https://named.example")
    func begin(_ provider: String, _ address: String, in tenant: String? = nil) async throws -> IdentityFixture.Answer {
      try await site.fixture.post(
        "accounts:createAuthUri",
        [
          "providerId": .string(provider), "continueUri": .string(address),
          "tenantId": tenant.map { .string($0) } ?? .null,
        ])
    }
    for (address, tenant) in [
      (Self.back, nil), (Self.back + "?x=/oidc.plain", nil), (Self.back + "/oidc.plain2", nil),
      (Self.back + "/oidc.plain", site.tenant), (Self.back + "oidc.plain", nil),
    ] as [(String, String?)] {
      let refused = try await begin("oidc.plain", address, in: tenant)
      #expect(refused.error?.hasPrefix("INVALID_CONTINUE_URI : oidc.plain does not declare") == true, "\(address)")
    }
    #expect(try await begin("oidc.plain", "\(Self.back)/\(site.tenant)/oidc.plain", in: site.tenant).status == 200)
    for (provider, address, iss, isGood) in [
      ("oidc.plain", "/oidc.plain", "", true), ("oidc.plain", "/oidc.plain", "&iss=https://evil.example", false),
      ("oidc.plain", "/oidc.other", "", false), ("oidc.named", "", "", false),
      ("oidc.named", "", "&iss=https%3A%2F%2Fnamed.example", true),
      ("oidc.named", "", "&iss=https://named.example&iss=https://evil.example", false),
    ] {
      let began = try await begin(provider, Self.back + (provider == "oidc.plain" ? "/oidc.plain" : ""))
      let state = try #require(began.json["authUri"]?.string?.split(separator: "=").last)
      let count = site.issuers.codes.withLock { $0.values.flatMap(\.self).count }
      let answer = try await site.redeem(
        .string("\(Self.back)\(address)?code=c&state=\(state)\(iss)"), began.json["sessionId"])
      #expect((answer.status == 200) == isGood, "\(provider) \(address) \(iss) \(answer.text)")
      #expect(site.issuers.codes.withLock { $0.values.flatMap(\.self).count } == count + (isGood ? 1 : 0))
    }
  }

  @Test("Security 88: a provider whose configuration changes during a visit gets no earlier code")
  func changed() async throws {
    let site = try await MixUpFixture()
    _ = try await site.add("oidc.corp", "https://corp.example")
    for change: JSON in [["issuer": "https://evil.example"], ["clientId": "other"]] {
      let (state, cookie) = try await site.visit("oidc.corp")
      let event = try await site.open(
        "/__/auth/redirect/oidc.corp", [("state", state), ("code", "c")], cookie: cookie
      ).event()
      _ = try await ProviderConfigurationTests.ask(site.fixture, "PATCH", "oauthIdpConfigs/oidc.corp", change)
      let late = try await site.redeem(event["urlResponse"], event["sessionId"])
      #expect(late.error == "INVALID_IDP_RESPONSE : The provider was changed during the sign-in. Start again.")
    }
    #expect(site.issuers.codes.withLock { $0.isEmpty })
  }

  @Test("A registration of an earlier version keeps the shared redirect URI where the provider sends its issuer")
  func earlier() async throws {
    let site = try await MixUpFixture()
    let made = try await site.add("oidc.named", "https://named.example", shared: true)
    #expect(made["redirectUris"]?.array == [.string(Self.origin + RedirectURI.sharedPath)])
    _ = try await site.add("oidc.plain", "https://plain.example", shared: true)
    let (state, cookie) = try await site.visit("oidc.named")
    for (issuer, isGood) in [(nil, false), ("https://plain.example", false), ("https://named.example", true)] {
      let page = try await site.open(
        RedirectURI.sharedPath, [("state", state), ("code", "c")] + (issuer.map { [("iss", $0)] } ?? []), cookie: cookie
      )
      #expect(try (page.event()["error"] == .null) == isGood)
    }
    let refused = try await site.beginAuthorization("oidc.plain").event()
    let message = try #require(refused["error"]?["message"]?.string)
    #expect(message.contains("Register https://auth.example.com/__/auth/redirect/oidc.plain at the provider"))
    _ = try await ProviderConfigurationTests.ask(
      site.fixture, "PATCH", "oauthIdpConfigs/oidc.plain", ["usesSharedRedirectUri": false])
    _ = try await site.visit("oidc.plain")
    #expect(site.issuers.asked.withLock { $0.last?.redirectURI.hasSuffix("/__/auth/redirect/oidc.plain") } == true)
  }

  @Test("Providers of earlier versions have the shared redirect URI, and no others do")
  func stored() throws {
    func read(_ text: String) throws -> ProviderConfiguration.OIDC {
      try .init(stored: RecordReader(try #require(JSON(parsing: text.utf8))))
    }
    #expect(try read(#"{"issuer": "i", "clientId": "c", "codes": true}"#).usesSharedRedirectURI)
    #expect(try !read(#"{"issuer": "i", "clientId": "c"}"#).usesSharedRedirectURI)
    #expect(try !read(#"{"issuer": "i", "clientId": "c", "codes": true, "ownRedirect": true}"#).usesSharedRedirectURI)
  }

  @Test("URLs are compared in the form that browsers send")
  func comparison() {
    for (shown, sent, isSame) in [
      ("https://a.example?code=1", "https://a.example/", true),
      ("https://A.example:443/x?y", "https://a.example/x#z", true),
      ("http://a.example:80", "http://a.example", true), ("http://a.example/x", "https://a.example/x", false),
      ("https://a.example:444/x", "https://a.example/x", false), ("https://a.example/X", "https://a.example/x", false),
      ("https://a.example/x/", "https://a.example/x", false),
      ("https://a.example@b.example/x", "https://a.example/x", false),
      ("", "", false),
    ] {
      #expect(RedirectURI.isSame(shown, as: sent) == isSame, "\(shown) \(sent)")
    }
  }
}
