#if PLUGIN_Anonymous
  import AnonymousPlugin
  import HearthPlugin
  import Testing

  @Suite struct AnonymousTests {
    @Test("any client signs in anonymously, and by no other operation")
    func answers() async throws {
      let provider = try #require(try AnonymousSignIn.providers(Requests.settings("{}")).first)
      #expect(provider.manifest.methods == [.anonymous])
      #expect(try await provider.answer(Requests.make(.anonymous, [:], operation: .signUp)) == .anonymous)
      #expect(try await provider.answer(Requests.make(.password, [:])).refusal?.code == .notAllowed)
      #expect(try await provider.answer(Requests.make(.anonymous, [:], operation: .link)).refusal?.code == .notAllowed)
    }

    @Test("the plugin has no settings")
    func settings() {
      #expect(throws: SettingsError.self) { try AnonymousSignIn.providers(Requests.settings(#"{"x": 1}"#)) }
    }
  }
#endif
