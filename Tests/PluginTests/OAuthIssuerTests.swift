#if PLUGIN_OAuth
  import HearthOutbound
  import HearthPlugin
  import HearthTree
  import Testing

  @testable import HearthCrypto
  @testable import OAuthPlugin

  /// Tests of issuers that administrators configure on a running server.
  @Suite struct OAuthIssuerTests {
    private static func issuer(secret: String? = nil) -> ConfiguredIssuer {
      ConfiguredIssuer(
        id: "oidc.corp", displayName: "Corp", issuer: "https://id.corp.example", clientID: "corp-app",
        clientSecret: secret, emailDomains: ["Corp.example"])
    }

    private static func provider(_ fixture: OAuthFixture, _ issuer: ConfiguredIssuer) -> any SignInProvider {
      OAuthIssuers(policy: .publicHTTPS) { fixture.fakes }.provider(of: issuer)
    }

    @Test(
      "a configured issuer is verified like a built-in one: keys by discovery, issuer, audience, domains of addresses")
    func judged() async throws {
      let fixture = try OAuthFixture()
      let provider = Self.provider(fixture, Self.issuer())
      func answer(_ changes: [String: ClaimValue]) async throws -> SignInAnswer {
        try await provider.answer(
          Requests.make(
            .credential, ["id_token": try OAuthFixture.token("oidc.corp", changes)], operation: .signIn,
            nowSeconds: OAuthFixture.now))
      }
      let good = try await answer(["email": .string("ann@corp.example"), "email_verified": .bool(true)])
      guard case .identity(let person) = good else {
        Issue.record("\(good)")
        return
      }
      #expect(person.rawID == "person-7" && person.isEmailVerified)
      for wrong in [["aud": ClaimValue.string("other")], ["iss": .string("https://evil.example")], ["exp": .int(1)]] {
        guard case .refused = try await answer(wrong) else {
          Issue.record("\(wrong.keys)")
          return
        }
      }
      #expect(fixture.fetches("https://id.corp.example/keys") == 1)
    }

    @Test("an issuer has a page only with a client secret")
    func page() throws {
      let fixture = try OAuthFixture()
      for (secret, has) in [("hush", true), (nil, false)] {
        let provider = Self.provider(fixture, Self.issuer(secret: secret)) as? any AuthorizationCodeProvider
        #expect(provider?.servesAuthorizationCodes == has)
      }
      #expect("\(Self.issuer(secret: "hush"))".contains("hush") == false)
    }

    @Test(
      "the allowed address of the issuer's server is set in the plugin's settings, which then need not name a provider")
    func places() throws {
      let none = try OAuthSignIn.issuerProviders(nil) as? OAuthIssuers
      #expect(none?.policy == .publicHTTPS)
      let settings = PluginSettings(
        values: try #require(JSON(parsing: #"{"trustedHosts": ["id.corp.lan"]}"#.utf8)), projectID: "p",
        dataDirectory: "/nowhere")
      let told = try OAuthSignIn.issuerProviders(settings) as? OAuthIssuers
      #expect(told?.policy.trustedHosts == ["id.corp.lan"])
      #expect(try OAuthSignIn.providers(settings).isEmpty)
      #expect(throws: SettingsError.self) {
        try OAuthSignIn.providers(PluginSettings(projectID: "p", dataDirectory: "/nowhere"))
      }
    }
  }
#endif
