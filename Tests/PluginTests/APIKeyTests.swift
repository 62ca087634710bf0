#if PLUGIN_APIKeyExample
  import APIKeyExamplePlugin
  import HearthCrypto
  import HearthPlugin
  import HearthTree
  import Testing

  @Suite struct APIKeyTests {
    static let key = "hk_0123456789abcdef0123456789abcdef"
    static let settings = """
      {"keys": [{"sha256": "\(Digest(sha256: key.utf8).hex)", "uid": "sensor-7", "claims": {"site": "roof"}}]}
      """

    static func answer(_ parameters: [String: String]) async throws -> SignInAnswer {
      let provider = try #require(try APIKeySignIn.providers(Requests.settings(settings)).first)
      return try await provider.answer(Requests.make(.credential, parameters))
    }

    @Test("an API key signs in its user")
    func known() async throws {
      let user = try #require(try await Self.answer(["key": Self.key]).user)
      #expect(user.uid == "sensor-7")
      #expect(user.signInProvider == "apikey")
      #expect(user.claims == .object([.init("site", .string("roof"))]))
    }

    @Test("any other text is refused")
    func unknown() async throws {
      let hash = Digest(sha256: Self.key.utf8).hex
      for key in ["", "short", Self.key + "x", Self.key.uppercased(), hash, String(repeating: "k", count: 10_000)] {
        #expect(try await Self.answer(["key": key]).refusal?.code == .invalidCredential)
      }
      #expect(try await Self.answer([:]).refusal?.code == .invalidCredential)
    }

    @Test(
      "contradictory settings prevent the start",
      arguments: [
        "{}", #"{"keys": []}"#, #"{"keys": [{"sha256": "00", "uid": "a"}]}"#, #"{"keys": [{"uid": "a"}]}"#,
        #"{"keys": [{"sha256": "HASH"}]}"#, #"{"keys": [{"sha256": "HASH", "uid": "a", "claims": 1}]}"#,
        #"{"keys": [{"sha256": "HASH", "uid": "a"}, {"sha256": "HASH", "uid": "b"}]}"#,
        #"{"keys": [{"sha256": "HASH", "uid": "a", "key": "plain"}]}"#,
        #"{"keys": [{"sha256": "HASH", "uid": "a\nb"}]}"#,
        #"{"keys": [{"sha256": "HASH", "uid": "a", "claims": {"firebase": {}}}]}"#,
      ])
    func settings(text: String) {
      let text = text.replacing("HASH", with: Digest(sha256: Self.key.utf8).hex)
      #expect(throws: SettingsError.self) { try APIKeySignIn.providers(Requests.settings(text)) }
    }
  }
#endif
