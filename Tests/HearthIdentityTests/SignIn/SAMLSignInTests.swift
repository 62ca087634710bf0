import HearthBytes
import HearthEngine
import HearthTree
import SAMLTestKit
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity
@testable import HearthSAML

/// Tests of SAML sign-ins through the handler's page, without a socket: the redirect, the posted form, and the app's
/// result.
@Suite struct SAMLSignInTests {
  private static func fixture() throws -> IdentityFixture {
    try IdentityFixture { $0.authorizedDomains = ["app.example.com"] }
  }

  struct Page {
    var status: Int
    var text: String
    var headers: [String: String]

    /// Returns the page's message to the app.
    func event() throws -> JSON {
      let start = try #require(text.range(of: "data-event=\""), "\(text)")
      let quoted = text[start.upperBound...].prefix { $0 != "\"" }
      let plain = [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("&amp;", "&")].reduce(
        String(quoted)
      ) {
        $0.replacing($1.0, with: $1.1)
      }
      return try #require(JSON(parsing: plain.utf8)?["event"])
    }
  }

  private static func open(
    _ fixture: IdentityFixture, method: String = "GET", path: String = "/__/auth/handler",
    query: [(name: String, value: String)] = [], form: [(String, String)] = [], cookie: String? = nil
  ) async throws -> Page {
    let body = form.map { PercentEncoding.encode($0.0) + "=" + PercentEncoding.encode($0.1) }.joined(separator: "&")
    var request = IdentityRequest(
      method: method, host: "auth.example.com", path: path, query: query,
      contentType: "application/x-www-form-urlencoded", body: Array(body.utf8),
      client: fixture.accountsFixture.client("192.0.2.1"),
      now: fixture.accountsFixture.now)
    request.cookie = cookie
    let response = try #require(await IdentityEndpoints(fixture.directory).handle(request))
    return Page(
      status: response.status, text: String(decoding: response.body, as: UTF8.self),
      headers: Dictionary(response.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
  }

  /// A browser's visit to a provider: the state, and the browser's cookie.
  struct AuthorizationRedirect {
    var state: String
    var requestID: String
    var cookie: String
    var question: String
  }

  private static func beginAuthorization(
    _ fixture: IdentityFixture, provider: String = "saml.corp", tenant: String? = nil, kind: String = "signInViaPopup"
  ) async throws -> AuthorizationRedirect {
    var query: [(name: String, value: String)] = [
      ("apiKey", "key"), ("appName", "[DEFAULT]"), ("authType", kind), ("eventId", "17"), ("providerId", provider),
      ("redirectUrl", "https://app.example.com/in"), ("v", "12"),
    ]
    if let tenant { query.append(("tid", tenant)) }
    let page = try await open(fixture, query: query)
    #expect(page.status == 303, "\(page.text)")
    let url = try #require(page.headers["Location"])
    let pairs = try #require(PercentEncoding.pairs(url.drop { $0 != "?" }.dropFirst().utf8))
    let message = try #require(pairs.first { $0.name == "SAMLRequest" }?.value)
    let bytes = try #require(Base64.decodeLenient(Array(message.utf8)))
    let question = String(decoding: bytes.dropFirst(5), as: UTF8.self)
    let id = try #require(question.firstMatch(of: /ID="([^"]*)"/)?.output.1)
    return AuthorizationRedirect(
      state: try #require(pairs.first { $0.name == "RelayState" }?.value), requestID: String(id),
      cookie: String(try #require(page.headers["Set-Cookie"]?.split(separator: ";").first)), question: question)
  }

  private static func answer(
    _ fixture: IdentityFixture, to departure: AuthorizationRedirect, _ change: (inout TestResponse) -> Void = { _ in }
  ) -> TestResponse {
    var response = TestResponse(of: .shared, to: departure.requestID)
    response.notBefore = SAMLTime.text(fixture.nowSeconds - 5)
    response.notOnOrAfter = SAMLTime.text(fixture.nowSeconds + 300)
    change(&response)
    return response
  }

  private static func bring(
    _ fixture: IdentityFixture, _ text: String, _ departure: AuthorizationRedirect, cookie: String? = nil,
    isMarked: Bool = false
  ) async throws -> Page {
    try await open(
      fixture, method: "POST",
      form: [("SAMLResponse", Base64.encode(Array(text.utf8))), ("RelayState", departure.state)]
        + (isMarked ? [("hearth", "1")] : []),
      cookie: cookie ?? departure.cookie)
  }

  private static func redeem(
    _ fixture: IdentityFixture, _ event: JSON, tenant: String? = nil
  ) async throws -> IdentityFixture.Answer {
    try await fixture.post(
      "accounts:signInWithIdp",
      [
        "requestUri": event["urlResponse"] ?? .null, "sessionId": event["sessionId"] ?? .null, "postBody": .null,
        "returnSecureToken": true, "returnIdpCredential": true, "tenantId": tenant.map { .string($0) } ?? .null,
      ])
  }

  @Test("A SAML sign-in puts the attributes into the token, and its event is redeemed once")
  func popup() async throws {
    let fixture = try Self.fixture()
    _ = try await ProviderConfigurationTests.make(fixture, "saml.corp", ProviderConfigurationTests.saml())
    let departure = try await Self.beginAuthorization(fixture)
    #expect(departure.question.contains("AssertionConsumerServiceURL=\"https://auth.example.com/__/auth/handler\""))
    #expect(departure.question.contains("<saml:Issuer>https://sp.example.com</saml:Issuer>"))
    let answer = Self.answer(fixture, to: departure) {
      $0.attributes = [
        ("urn:oid:2.16.840.1.113730.3.1.241", ["Ann Smith"]), ("givenName", ["Ann"]), ("groups", ["a", "b"]),
      ]
    }
    // The first form comes from another site, without the cookie: the server's own page repeats it.
    let first = try await Self.bring(fixture, answer.text, departure, cookie: "none=1")
    #expect(first.text.contains("<form id=\"answer\" method=\"post\">") && first.headers["Set-Cookie"] == nil)
    #expect(first.headers["Content-Security-Policy"]?.contains("form-action 'self'") == true)
    let page = try await Self.bring(fixture, answer.text, departure, isMarked: true)
    #expect(page.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
    let event = try page.event()
    #expect(event["error"] == .null && event["eventId"]?.string == "17" && event["tenantId"] == .null)
    #expect(event["sessionId"]?.string?.contains("ann") == false)
    let entered = try await Self.redeem(fixture, event)
    #expect(entered.status == 200, "\(entered.text)")
    #expect(entered.json["providerId"] == "saml.corp" && entered.json["email"] == "ann@example.com")
    #expect(entered.json["emailVerified"] == false && entered.json["displayName"] == "Ann Smith")
    #expect(entered.json["rawUserInfo"]?.string?.contains("groups") == true)
    let claims = try fixture.claims(entered.idToken)
    #expect(claims["firebase"]?["sign_in_provider"]?.string == "saml.corp")
    #expect(claims["firebase"]?["sign_in_attributes"]?["givenName"]?.string == "Ann")
    #expect(claims["firebase"]?["sign_in_attributes"]?["groups"]?.json == #"["a","b"]"#)
    let renewed = try await fixture.refresh(entered.refreshToken)
    #expect(try fixture.claims(renewed.idToken)["firebase"]?["sign_in_attributes"]?["givenName"]?.string == "Ann")
    #expect(try await Self.redeem(fixture, event).error?.contains("used before") == true)
    let again = try await Self.beginAuthorization(fixture)
    let second = try await Self.bring(fixture, Self.answer(fixture, to: again) { $0.assertionID = "_2" }.text, again)
    #expect(try await Self.redeem(fixture, second.event()).localID == entered.localID)
  }

  @Test("Security 81: an assertion is accepted once, in the browser that requested it, in time")
  func replay() async throws {
    let fixture = try Self.fixture()
    _ = try await ProviderConfigurationTests.make(fixture, "saml.corp", ProviderConfigurationTests.saml())
    let departure = try await Self.beginAuthorization(fixture)
    let text = Self.answer(fixture, to: departure).text
    _ = try await Self.bring(fixture, text, departure).event()
    let again = try await Self.bring(fixture, text, departure).event()
    #expect(again["error"]?["message"]?.string?.contains("used before") == true && again["sessionId"] == .null)
    // Another browser, another visit, no visit.
    let other = try await Self.beginAuthorization(fixture)
    let swapped = try await Self.bring(fixture, text, other).event()
    #expect(swapped["error"]?["message"]?.string?.contains("InResponseTo") == true)
    let foreign = try await Self.bring(fixture, text, departure, cookie: other.cookie, isMarked: true)
    #expect(foreign.status == 400 && foreign.text.contains("was not started here"))
    let none = try await Self.bring(fixture, text, departure, cookie: "", isMarked: true)
    #expect(none.status == 400)
    // A used assertion id in a new response.
    let reused = try await Self.bring(fixture, Self.answer(fixture, to: other).text, other).event()
    #expect(reused["error"]?["message"]?.string?.contains("used before") == true)
    let late = try await Self.beginAuthorization(fixture)
    let lateText = Self.answer(fixture, to: late) { $0.assertionID = "_late" }.text
    fixture.accountsFixture.advance(seconds: ProviderPages.visitSeconds)
    #expect(try await Self.bring(fixture, lateText, late).text.contains("took too long"))
  }

  @Test("an invalid response is reported to the app, audited and counted")
  func refused() async throws {
    let fixture = try Self.fixture()
    _ = try await ProviderConfigurationTests.make(fixture, "saml.corp", ProviderConfigurationTests.saml())
    func message(_ change: @escaping (inout TestResponse) -> Void) async throws -> String {
      let departure = try await Self.beginAuthorization(fixture)
      let event = try await Self.bring(fixture, Self.answer(fixture, to: departure, change).text, departure).event()
      #expect(event["sessionId"] == .null)
      return "\(event["error"]?["code"]?.string ?? "") \(event["error"]?["message"]?.string ?? "")"
    }
    #expect(try await message { $0.audience = "https://other.example.com" }.contains("Audience"))
    #expect(try await message { $0.provider = .untrusted }.contains("does not match the configured certificates"))
    #expect(try await message { $0.signed = .nothing }.contains("signed"))
    #expect(
      try await message { $0.nameIDFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient" }.contains(
        "transient"))
    let denied = try await message { $0.status = "urn:oasis:names:tc:SAML:2.0:status:AuthnFailed" }
    #expect(denied.hasPrefix("auth/user-cancelled"))
    let trail = fixture.accounts.store.view.auditTail(limit: 100).map { String(decoding: $0.line, as: UTF8.self) }
    #expect(trail.contains { $0.contains("saml.corp: ") && $0.contains("Audience") })
  }

  @Test("Security 82: a tenant's SAML provider is the tenant's alone, with its own certificates and visits")
  func tenants() async throws {
    let fixture = try Self.fixture()
    let tenant = try await ProviderConfigurationTests.tenant(fixture)
    let other = try await ProviderConfigurationTests.tenant(fixture)
    _ = try await ProviderConfigurationTests.make(fixture, "saml.corp", ProviderConfigurationTests.saml(), in: tenant)
    _ = try await ProviderConfigurationTests.make(
      fixture, "saml.corp", ProviderConfigurationTests.saml(.untrusted), in: other)
    let departure = try await Self.beginAuthorization(fixture, tenant: tenant)
    let event = try await Self.bring(fixture, Self.answer(fixture, to: departure).text, departure).event()
    #expect(event["tenantId"]?.string == tenant)
    for elsewhere in [nil, other] {
      let answer = try await Self.redeem(fixture, event, tenant: elsewhere)
      #expect(answer.error?.hasPrefix("TENANT_ID_MISMATCH") == true, "\(answer.text)")
    }
    let entered = try await Self.redeem(fixture, event, tenant: tenant)
    #expect(entered.status == 200, "\(entered.text)")
    let home = try await fixture.directory.tenant(tenant, of: fixture.accounts, mayCreate: false)
    let token = try home.keys.verifyIDToken(entered.idToken, nowSeconds: fixture.nowSeconds)
    #expect(token.claims["firebase"]?["tenant"]?.string == tenant)
    // The project has no such provider, and the other tenant has another certificate.
    let unknown = try await Self.open(
      fixture,
      query: [
        ("apiKey", "key"), ("appName", "a"), ("authType", "signInViaPopup"), ("providerId", "saml.corp"),
        ("redirectUrl", "https://app.example.com/"),
      ])
    #expect(try unknown.event()["error"]?["code"]?.string == "auth/operation-not-allowed")
    let crossed = try await Self.beginAuthorization(fixture, tenant: other)
    let wrong = try await Self.bring(fixture, Self.answer(fixture, to: crossed).text, crossed).event()
    #expect(wrong["error"]?["message"]?.string?.contains("does not match the configured certificates") == true)
  }

  @Test("requests are signed when this is configured, and the metadata has the certificate")
  func signedRequests() async throws {
    let fixture = try Self.fixture()
    _ = try await ProviderConfigurationTests.make(fixture, "saml.corp", ProviderConfigurationTests.saml())
    let plain = try await Self.open(fixture, path: "/__/auth/saml/metadata", query: [("providerId", "saml.corp")])
    #expect(
      plain.text.contains("AuthnRequestsSigned=\"false\"") && plain.text.contains("entityID=\"https://sp.example.com\"")
    )
    #expect(plain.text.contains("Location=\"https://auth.example.com/__/auth/handler\""))
    _ = try await ProviderConfigurationTests.ask(
      fixture, "PATCH", "inboundSamlConfigs/saml.corp", ["idpConfig": ["signRequest": true]],
      query: [("updateMask", "idpConfig.signRequest")])
    let signed = try await Self.open(fixture, path: "/__/auth/saml/metadata", query: [("providerId", "saml.corp")])
    #expect(signed.text.contains("X509Certificate") && signed.text.contains("AuthnRequestsSigned=\"true\""))
    let page = try await Self.open(
      fixture,
      query: [
        ("apiKey", "key"), ("appName", "a"), ("authType", "reauthViaPopup"), ("providerId", "saml.corp"),
        ("redirectUrl", "https://app.example.com/"),
      ])
    #expect(
      page.headers["Location"]?.contains(
        "&SigAlg=http%3A%2F%2Fwww.w3.org%2F2001%2F04%2Fxmldsig-more%23rsa-sha256&Signature=") == true)
    let none = try await Self.open(fixture, path: "/__/auth/saml/metadata", query: [("providerId", "saml.other")])
    #expect(none.status == 404)
  }

  @Test("an unsolicited response is refused: sign-ins begin at the server")
  func handedOver() async throws {
    let fixture = try Self.fixture()
    _ = try await ProviderConfigurationTests.make(fixture, "saml.corp", ProviderConfigurationTests.saml())
    let departure = try await Self.beginAuthorization(fixture)
    let text = PercentEncoding.encode(Base64.encode(Self.answer(fixture, to: departure).bytes))
    let answer = try await fixture.post(
      "accounts:signInWithIdp",
      [
        "requestUri": "https://auth.example.com/__/auth/handler", "returnSecureToken": true,
        "postBody": .string("providerId=saml.corp&SAMLResponse=\(text)"),
      ])
    #expect(answer.error?.contains("that this server's page started") == true)
  }
}
