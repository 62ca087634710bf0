#if PLUGIN_OAuth
  import HearthPlugin
  import HearthTree
  import Testing

  @testable import OAuthPlugin

  @Suite struct OAuthSettingsTests {
    @Test(
      "settings that would weaken the sign-in by mistake prevent the start",
      arguments: [
        "{}", #"{"google": {}}"#, #"{"google": {"clientIDs": []}}"#, #"{"google": {"clientIDs": [""]}}"#,
        #"{"googel": {"clientIDs": ["a"]}}"#, #"{"google": {"clientIDs": ["a"], "nonce": "never"}}"#,
        #"{"github": {"clientID": "a"}}"#, #"{"github": {"clientSecret": "a"}}"#,
        #"{"facebook": {"appID": "1", "appSecret": "s", "appSecretFile": "/etc/hostname"}}"#,
        #"{"oidc": [{"id": "corp", "issuer": "https://a.example", "clientIDs": ["a"]}]}"#,
        #"{"oidc": [{"id": "oidc.", "issuer": "https://a.example", "clientIDs": ["a"]}]}"#,
        #"{"oidc": [{"id": "oidc.A", "issuer": "https://a.example", "clientIDs": ["a"]}]}"#,
        #"{"oidc": [{"id": "oidc.a", "issuer": "a.example", "clientIDs": ["a"]}]}"#,
        #"{"oidc": [{"id": "oidc.a", "issuer": "https://a.example?x=1", "clientIDs": ["a"]}]}"#,
        #"{"oidc": [{"id": "oidc.a", "issuer": "https://a.example"}]}"#,
        #"{"oidc": [{"id": "oidc.a", "issuer": "https://a.example", "clientIDs": ["a"], "attributes": ["email"]}]}"#,
        #"{"oidc": [{"id": "oidc.a", "issuer": "https://a.example", "clientIDs": ["a"], "attributes": ["x", "sub"]}]}"#,
        #"{"oidc": [{"id": "oidc.a", "issuer": "https://a.example", "clientIDs": ["a"], "keysURL": "a.example"}]}"#,
        #"{"oidc": [{"id": "oidc.a", "issuer": "https://a.example", "clientIDs": ["a"]}, {"id": "oidc.a", "issuer": "https://b.example", "clientIDs": ["b"]}]}"#,
      ])
    func refused(text: String) {
      #expect(throws: SettingsError.self) { try OAuthSignIn.providers(Requests.settings(text)) }
    }

    @Test("each provider has its own connections, so that a stalled one delays no other")
    func bulkheads() throws {
      let settings = try OAuthSettings(try #require(JSON(parsing: OAuthFixture.settings.utf8)))
      var made = 0
      let providers = try OAuthSignIn.providers(settings) {
        made += 1
        return FakeProviders()
      }
      #expect(providers.count == 6 && made == 6)
    }

    @Test("no provider prints its app's secret")
    func printing() throws {
      for provider in try OAuthFixture().providers {
        var dumped = ""
        dump(provider, to: &dumped)
        for text in ["\(provider)", String(reflecting: provider), dumped] {
          #expect(!["gh-secret", "fb-secret", "tw-secret"].contains(where: text.contains))
        }
      }
    }

    @Test("exactly the configured providers exist")
    func providers() throws {
      let text = #"{"apple": {"clientIDs": "com.example"}, "twitter": {"consumerKey": "k", "consumerSecret": "s"}}"#
      let providers = try OAuthSignIn.providers(Requests.settings(text))
      #expect(providers.map(\.manifest.id) == ["apple.com", "twitter.com"])
      #expect(providers.allSatisfy { $0.manifest.methods == [.credential] && $0.manifest.needs.isEmpty })
    }
  }
#endif
