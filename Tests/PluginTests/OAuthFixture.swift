import HearthBytes

#if PLUGIN_OAuth
  import HearthOutbound
  import HearthPlugin
  import HearthTree
  import Testing

  @testable import HearthCrypto
  @testable import OAuthPlugin

  /// All providers enabled, with fake servers and one signing key for all of them.
  struct OAuthFixture {
    static let settings = """
      {"google": {"clientIDs": ["google-app"]}, "apple": {"clientIDs": ["com.example.app"]},
       "github": {"clientID": "gh-app", "clientSecret": "gh-secret"},
       "facebook": {"appID": "4242", "appSecret": "fb-secret"},
       "twitter": {"consumerKey": "tw-app", "consumerSecret": "tw-secret"},
       "oidc": [{"id": "oidc.corp", "issuer": "https://id.corp.example", "clientIDs": ["corp-app", "corp-ios"],
                 "attributes": ["groups"], "emailDomains": ["corp.example"]}]}
      """

    static let key = RSAKey.generate()
    static let otherKey = RSAKey.generate()
    static let now = Requests.nowSeconds

    let fakes = FakeProviders()
    let providers: [any SignInProvider]

    init(_ settings: String = settings) throws {
      let fakes = fakes
      providers = try OAuthSignIn.providers(OAuthSettings(try #require(JSON(parsing: settings.utf8)))) { fakes }
      for url in [
        "https://www.googleapis.com/oauth2/v3/certs", "https://appleid.apple.com/auth/keys",
        "https://limited.facebook.com/.well-known/oauth/openid/jwks/", "https://id.corp.example/keys",
      ] {
        fakes.on(url, try Self.keySet(["k1": Self.key]))
      }
      fakes.on(
        "https://id.corp.example/.well-known/openid-configuration",
        #"{"issuer": "https://id.corp.example", "jwks_uri": "https://id.corp.example/keys"}"#)
    }

    static func keySet(_ keys: [String: RSAKey?]) throws -> String {
      var members: [JSON] = []
      for (id, key) in keys {
        let key = try #require(key)
        let numbers = try #require(key.numbers())
        members.append(
          .object([
            .init("kty", .string("RSA")), .init("kid", .string(id)), .init("alg", .string("RS256")),
            .init("n", .string(Base64URL.encode(numbers.modulus))),
            .init("e", .string(Base64URL.encode(numbers.exponent))),
          ]))
      }
      return String(decoding: JSON.object([.init("keys", .array(members))]).text(), as: UTF8.self)
    }

    /// Returns a token with a provider's claims, some of them replaced or omitted.
    static func token(
      _ provider: String, _ changes: [String: ClaimValue] = [:], without removed: [String] = [], keyID: String = "k1",
      key: RSAKey? = key
    ) throws -> String {
      var claims: [String: ClaimValue] = [
        "sub": .string("person-7"), "iat": .int(now - 10), "exp": .int(now + 3_600), "name": .string("Alice A."),
      ]
      switch provider {
      case "google.com": claims["iss"] = .string("https://accounts.google.com")
      case "apple.com": claims["iss"] = .string("https://appleid.apple.com")
      case "facebook.com": claims["iss"] = .string("https://www.facebook.com")
      default: claims["iss"] = .string("https://id.corp.example")
      }
      claims["aud"] = .string(
        ["google.com": "google-app", "apple.com": "com.example.app", "facebook.com": "4242"][provider] ?? "corp-app")
      claims.merge(changes) { $1 }
      for name in removed { claims[name] = nil }
      let members = claims.sorted { $0.key < $1.key }.map { ClaimValue.Member($0.key, $0.value) }
      return try SignedToken.rs256(claims: members, keyID: keyID, key: try #require(key))
    }

    func answer(
      _ provider: String, _ parameters: [String: String], operation: SignInRequest.Operation = .signIn, after: Int64 = 0
    ) async throws -> SignInAnswer {
      let provider = try #require(providers.first { $0.manifest.id == provider })
      return try await provider.answer(
        Requests.make(.credential, parameters, operation: operation, nowSeconds: Self.now + after))
    }

    /// Returns the number of fetches of one URL.
    func fetches(_ url: String) -> Int { fakes.requests.count { $0.url == url } }
  }
#endif
