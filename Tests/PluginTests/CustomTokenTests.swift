#if PLUGIN_CustomToken
  import CustomTokenPlugin
  import HearthCrypto
  import HearthPlugin
  import HearthTree
  import Testing

  @Suite struct CustomTokenTests {
    static let email = "ci@demo.iam.gserviceaccount.com"
    static let key = Result { try ServiceAccountKey.generate(random: .system) }

    static func request(_ token: String, isKnown: Bool = true) throws -> SignInRequest {
      let key = try key.get()
      let account = ProviderFacts.ServiceAccount(email: email, publicKeys: [key.keyID: key.publicPEM])
      return Requests.make(.customToken, ["token": token], serviceAccounts: isKnown ? [account] : [])
    }

    static func token(claims: [ClaimValue.Member] = []) throws -> String {
      let key = try key.get()
      return try CustomTokenMinter(email: email, keyID: key.keyID, privatePEM: key.privatePEM)
        .mint(uid: "alice", claims: claims, issuedAtSeconds: Requests.nowSeconds - 5)
    }

    static func provider(_ settings: String = "{}") throws -> any SignInProvider {
      try #require(try CustomTokenSignIn.providers(Requests.settings(settings)).first)
    }

    @Test("the plugin requests the service accounts")
    func manifest() throws {
      #expect(try Self.provider().manifest.needs == [.serviceAccounts])
    }

    @Test("a token of a known service account has its user and the session's claims")
    func accepted() async throws {
      let answer = try await Self.provider().answer(
        Self.request(Self.token(claims: [.init("role", .string("ed")), .init("n", .int(3))])))
      let user = try #require(answer.user)
      #expect(user.uid == "alice" && user.issuedAtSeconds == Requests.nowSeconds - 5)
      #expect(user.claims == .object([.init("role", .string("ed")), .init("n", .int(3))]))
      #expect(try await Self.provider().answer(Self.request(Self.token())).user?.claims == nil)
    }

    @Test("an invalid custom token is refused with the protocol's code")
    func refused() async throws {
      let provider = try Self.provider()
      let token = try Self.token()
      #expect(try await provider.answer(Self.request("")).refusal?.code == .missingCustomToken)
      #expect(try await provider.answer(Self.request("garbage")).refusal?.code == .invalidCustomToken)
      #expect(try await provider.answer(Self.request(token, isKnown: false)).refusal?.code == .credentialMismatch)
      #expect(try await provider.answer(Self.request(token + "x")).refusal?.code == .invalidCustomToken)
      var late = try Self.request(token)
      late.facts.nowSeconds += 10_000
      #expect(try await provider.answer(late).refusal?.code == .invalidCustomToken)
      var other = try Self.request(token)
      other.method = .password
      #expect(try await provider.answer(other).refusal?.code == .notAllowed)
    }

    @Test("unsigned tokens are never accepted, with any setting")
    func unsigned() async throws {
      let token = #"{"uid": "bob"}"#
      #expect(try await Self.provider().answer(Self.request(token)).refusal?.code == .invalidCustomToken)
      #expect(throws: SettingsError.self) { try Self.provider(#"{"allowsUnsigned": true}"#) }
    }
  }
#endif
