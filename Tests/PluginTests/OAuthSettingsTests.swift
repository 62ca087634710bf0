#if PLUGIN_OAUTH
  import HearthPlugin
  import OAuthPlugin
  import Testing

  @Suite struct OAuthSettingsTests {
    @Test(
      "settings that would let somebody in by mistake keep the server from starting",
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
        #"{"oidc": [{"id": "oidc.a", "issuer": "https://a.example", "clientIDs": ["a"]}, {"id": "oidc.a", "issuer": "https://b.example", "clientIDs": ["b"]}]}"#,
      ])
    func refused(text: String) {
      #expect(throws: SettingsError.self) { try OAuthSignIn.providers(Requests.settings(text)) }
    }

    @Test("each provider that is named is there, and no other")
    func providers() throws {
      let text = #"{"apple": {"clientIDs": "com.example"}, "twitter": {"consumerKey": "k", "consumerSecret": "s"}}"#
      let providers = try OAuthSignIn.providers(Requests.settings(text))
      #expect(providers.map(\.manifest.id) == ["apple.com", "twitter.com"])
      #expect(providers.allSatisfy { $0.manifest.methods == [.credential] && $0.manifest.needs.isEmpty })
    }
  }
#endif
