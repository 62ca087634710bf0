#if PLUGIN_OAuth
  import HearthOutbound
  import HearthPlugin
  import HearthTree
  import Testing

  @testable import HearthCrypto
  @testable import OAuthPlugin

  /// Tests of redirects to a provider's page, and of the returned codes.
  @Suite struct OAuthCodeTests {
    private static let settings = """
      {"google": {"clientIDs": ["web-app", "ios-app"], "clientSecret": "g-secret"},
       "apple": {"clientIDs": ["com.example.app"]},
       "github": {"clientID": "gh-app", "clientSecret": "gh-secret"},
       "oidc": [{"id": "oidc.corp", "issuer": "https://id.corp.example", "clientIDs": ["corp-app"], "nonce": "hashed",
                 "clientSecret": "corp-secret"},
                {"id": "oidc.bare", "issuer": "https://bare.example", "clientIDs": ["bare-app"]}]}
      """
    private static let request = AuthorizationRequest(
      state: "the state", nonce: "the nonce", codeChallenge: "challenge",
      redirectURI: "https://auth.example.com/__/auth/handler", scopes: ["calendar", "email", "two words", "\"", ""],
      parameters: [
        (name: "prompt", value: "login"), (name: "State", value: "x"),
        (name: "redirect_uri", value: "https://evil.example"),
        (name: "response_mode", value: "fragment"), (name: "client_id", value: "evil"),
      ])
    private static let code = AuthorizationCode(
      code: "a code", codeVerifier: "verifier", redirectURI: "https://auth.example.com/__/auth/handler",
      nowSeconds: Requests.nowSeconds)

    private func fixture() throws -> OAuthFixture {
      let fixture = try OAuthFixture(Self.settings)
      fixture.fakes.on(
        "https://id.corp.example/.well-known/openid-configuration",
        """
        {"issuer": "https://id.corp.example", "jwks_uri": "https://id.corp.example/keys",
         "authorization_endpoint": "https://id.corp.example/page?a=b", "token_endpoint": "https://id.corp.example/token"}
        """)
      return fixture
    }

    private func provider(_ fixture: OAuthFixture, _ id: String) throws -> any AuthorizationCodeProvider {
      try #require(fixture.providers.first { $0.manifest.id == id } as? any AuthorizationCodeProvider)
    }

    @Test("The authorization request has the flow's own parameters despite the app's")
    func page() async throws {
      let fixture = try fixture()
      let google = try await provider(fixture, "google.com").authorizationPage(Self.request).url
      #expect(
        google == "https://accounts.google.com/o/oauth2/v2/auth?response_type=code&client_id=web-app"
          + "&redirect_uri=https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Fhandler&scope=openid%20email%20profile%20calendar"
          + "&state=the%20state&code_challenge=challenge&code_challenge_method=S256&nonce=the%20nonce&prompt=login")
      let corp = try await provider(fixture, "oidc.corp").authorizationPage(Self.request).url
      #expect(corp.hasPrefix("https://id.corp.example/page?a=b&response_type=code&client_id=corp-app&"))
      let digest = Digest.hexadecimal(Digest(sha256: "the nonce".utf8).bytes)
      #expect(corp.contains("&nonce=\(digest)") && !corp.contains("evil") && !corp.contains("secret"))
      let github = try await provider(fixture, "github.com").authorizationPage(Self.request).url
      #expect(!github.contains("nonce") && github.contains("scope=user%3Aemail%20calendar%20email&"))
    }

    @Test(
      "An issuer's document says whether its responses name it; the providers with a profile are compared when they do")
    func issuers() async throws {
      let fixture = try fixture()
      let corp = try await provider(fixture, "oidc.corp").authorizationPage(Self.request)
      #expect(corp.issuers == ["https://id.corp.example"] && !corp.namesIssuer)
      fixture.fakes.on(
        "https://id.corp.example/.well-known/openid-configuration",
        """
        {"issuer": "https://id.corp.example", "authorization_endpoint": "https://id.corp.example/page",
         "token_endpoint": "https://id.corp.example/token", "authorization_response_iss_parameter_supported": true}
        """)
      var later = Self.request
      #expect(try await !provider(fixture, "oidc.corp").authorizationPage(later).namesIssuer, "the document is cached")
      later.nowSeconds = 90_000
      #expect(try await provider(fixture, "oidc.corp").authorizationPage(later).namesIssuer)
      for (id, issuer) in [
        ("google.com", "https://accounts.google.com"), ("github.com", "https://github.com/login/oauth"),
      ] {
        let page = try await provider(fixture, id).authorizationPage(Self.request)
        #expect(page.issuers == [issuer] && !page.namesIssuer)
      }
    }

    @Test("Only a provider with a client secret has the code flow")
    func without() async throws {
      let fixture = try fixture()
      #expect(try provider(fixture, "google.com").servesAuthorizationCodes)
      for id in ["apple.com", "oidc.bare"] {
        #expect(try !provider(fixture, id).servesAuthorizationCodes)
        await #expect(throws: SignInRefusal.self) {
          _ = try await provider(fixture, id).authorizationPage(Self.request)
        }
        await #expect(throws: SignInRefusal.self) { _ = try await provider(fixture, id).credential(Self.code) }
      }
    }

    @Test("A code is redeemed with verifier and secret, in the body of a request to the provider")
    func redeem() async throws {
      let fixture = try fixture()
      fixture.fakes.on(
        "https://id.corp.example/token",
        #"{"id_token": "id", "access_token": "access", "expires_in": 60, "token_type": "Bearer", "other": 1}"#)
      let parts = try await provider(fixture, "oidc.corp").credential(Self.code)
      #expect(parts == ["id_token": "id", "access_token": "access", "expires_in": "60"])
      let sent = try #require(fixture.fakes.requests.last)
      #expect(sent.method == .post && sent.url == "https://id.corp.example/token")
      #expect(
        String(decoding: sent.body, as: UTF8.self)
          == "grant_type=authorization_code&code=a%20code&redirect_uri=https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Fhandler"
          + "&code_verifier=verifier&client_id=corp-app&client_secret=corp-secret")
    }

    @Test(
      "Invalid responses of a provider are refused",
      arguments: [
        (400, #"{"error": "invalid_grant"}"#), (200, #"{"error": "bad_verification_code"}"#), (500, "{}"), (200, "[]"),
        (200, "<html>"), (200, #"{"access_token": "no ID token beside it"}"#), (200, #"{"id_token": 7}"#),
        (401, #"{"error": "invalid_client"}"#),
      ])
    func refused(status: Int, answer: String) async throws {
      let fixture = try fixture()
      fixture.fakes.on("https://id.corp.example/token", status: status, answer)
      await #expect(throws: SignInRefusal.self) { _ = try await provider(fixture, "oidc.corp").credential(Self.code) }
    }

    @Test(
      "An issuer with a foreign or incomplete discovery document redirects no user",
      arguments: [
        #""issuer": "https://other.example", "authorization_endpoint": "https://id.corp.example/page""#,
        #""issuer": "https://id.corp.example""#,
        #""issuer": "https://id.corp.example", "authorization_endpoint": "http://id.corp.example/page""#,
        #""issuer": "https://id.corp.example", "authorization_endpoint": "javascript:alert(1)""#,
        #""issuer": "https://id.corp.example", "authorization_endpoint": "https://id.corp.example/\r\nSet-Cookie: a=b""#,
      ])
    func documents(members: String) async throws {
      let fixture = try fixture()
      fixture.fakes.on(
        "https://id.corp.example/.well-known/openid-configuration",
        "{\(members), \"token_endpoint\": \"https://id.corp.example/token\", \"jwks_uri\": \"https://id.corp.example/keys\"}"
      )
      await #expect(throws: SignInRefusal.self) {
        _ = try await provider(fixture, "oidc.corp").authorizationPage(Self.request).url
      }
    }

    @Test("An unsolicited code is not redeemed")
    func clientsOwn() async throws {
      let fixture = try fixture()
      guard case .refused = try await fixture.answer("oidc.corp", ["code": "x"]) else {
        Issue.record("taken")
        return
      }
      #expect(fixture.fakes.requests.isEmpty)
    }
  }
#endif
