#if PLUGIN_OAuth
  import HearthBytes
  import HearthOutbound
  import HearthPlugin
  import HearthTree
  import Testing

  @testable import HearthCrypto
  @testable import OAuthPlugin

  /// Tests of the verifier of a trusted issuer's tokens.
  @Suite struct TrustedIssuerTests {
    private static let issuerURL = "https://securetoken.google.com/my-app"
    private static let keysURL =
      "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
    private static let now = OAuthFixture.now

    private let fakes = FakeProviders()
    private let verifier: TrustedIssuerVerifier

    init() throws {
      fakes.on(Self.keysURL, try OAuthFixture.keySet(["k1": OAuthFixture.key]), headers: Self.lifetime(3_600))
      verifier = TrustedIssuerVerifier([.firebase(projectID: "my-app")], http: fakes)
    }

    private static func lifetime(_ seconds: Int) -> [OutboundHeader] {
      [OutboundHeader("Cache-Control", "public, max-age=\(seconds), must-revalidate")]
    }

    private static func token(
      _ changes: [String: ClaimValue] = [:], without removed: [String] = [], keyID: String = "k1",
      key: RSAKey? = OAuthFixture.key, after seconds: Int64 = 0
    ) throws -> String {
      let firebase = ClaimValue.object([
        ClaimValue.Member("identities", .object([ClaimValue.Member("google.com", .array([.string("g1")]))])),
        ClaimValue.Member("sign_in_provider", .string("google.com")),
      ])
      var claims: [String: ClaimValue] = [
        "iss": .string(issuerURL), "aud": .string("my-app"), "auth_time": .int(now - 60),
        "user_id": .string("person-7"),
        "email": .string("ann@example.com"), "email_verified": .bool(true), "role": .string("editor"),
        "firebase": firebase, "iat": .int(now - 10 + seconds), "exp": .int(now + 3_600 + seconds),
      ]
      claims.merge(changes) { $1 }
      return try OAuthFixture.token("", claims, without: removed + ["name"], keyID: keyID, key: key)
    }

    private func answer(
      _ token: String, after seconds: Int64 = 0, by verifier: TrustedIssuerVerifier? = nil
    ) async throws -> TokenAnswer {
      try await (verifier ?? self.verifier).verify(
        TokenQuestion(id: "t1", token: token, digest: "", projectID: "own", nowSeconds: Self.now + seconds))
    }

    @Test func `a valid token has the issuer's uid, times, provider and all claims`() async throws {
      guard case .verified(let token) = try await answer(try Self.token()) else {
        Issue.record("refused")
        return
      }
      #expect(token.uid == "person-7" && token.signInProvider == "google.com")
      #expect(token.issuedAtSeconds == Self.now - 10 && token.expiresAtSeconds == Self.now + 3_600)
      #expect(token.cacheSeconds == 3_600)
      let claims = try #require(token.tokenClaims)
      #expect(claims["auth_time"]?.int == Self.now - 60 && claims["role"]?.string == "editor")
      #expect(claims["firebase"]?["identities"]?["google.com"]?.array?.count == 1)
    }

    @Test func `Security 95: a token of another issuer, app, algorithm, key or time is refused`() async throws {
      let other = OAuthFixture.otherKey
      let wrong: [(String, String)] = [
        ("iss", try Self.token(["iss": .string("https://securetoken.google.com/other")])),
        ("iss with a slash", try Self.token(["iss": .string(Self.issuerURL + "/")])),
        ("aud", try Self.token(["aud": .string("other")])),
        ("aud of another app too", try Self.token(["aud": .array([.string("my-app"), .string("other")])])),
        ("no aud", try Self.token(without: ["aud"])), ("azp", try Self.token(["azp": .string("other")])),
        ("signature", try Self.token(key: other)), ("no sub", try Self.token(without: ["sub"])),
        ("empty sub", try Self.token(["sub": .string("")])),
        ("long sub", try Self.token(["sub": .string(String(repeating: "u", count: 129))])),
        ("control character in sub", try Self.token(["sub": .string("a\u{7}b")])),
        ("no iat", try Self.token(without: ["iat"])), ("no exp", try Self.token(without: ["exp"])),
        ("iat in the future", try Self.token(["iat": .int(Self.now + 301)])),
        ("exp is text", try Self.token(["exp": .string("4000000000")])),
        ("no auth_time", try Self.token(without: ["auth_time"])),
        ("auth_time in the future", try Self.token(["auth_time": .int(Self.now + 301)])),
      ]
      for (name, token) in wrong {
        let answer = try await answer(token)
        #expect(answer == .refused(TokenRefusal(.invalid, cacheSeconds: 10)), "\(name)")
      }
      let ended = try await answer(try Self.token(["exp": .int(Self.now - 301)]))
      #expect(ended == .refused(TokenRefusal(.expired, cacheSeconds: 10)))
      // HS256 with the public key as the secret, and no algorithm, never reach a key.
      for header in [#"{"alg":"HS256","kid":"k1"}"#, #"{"alg":"none","kid":"k1"}"#] {
        let parts = try Self.token().split(separator: ".")
        let forged = "\(Base64URL.encode(Array(header.utf8))).\(parts[1]).\(parts[2])"
        #expect(try await answer(forged) == .refused(TokenRefusal(.invalid, cacheSeconds: 10)))
      }
      #expect(fakes.requests.count == 1)
    }

    @Test func `a new key is fetched once it signs, at most every ten seconds`() async throws {
      _ = try await answer(try Self.token())
      let fresh = try Self.token(keyID: "k2", key: OAuthFixture.otherKey)
      for _ in 0..<5 {
        #expect(try await answer(fresh, after: 9) == .refused(TokenRefusal(.invalid, cacheSeconds: 10)))
      }
      #expect(fakes.requests.count == 1)
      let rotated = ["k1": OAuthFixture.key, "k2": OAuthFixture.otherKey]
      fakes.on(Self.keysURL, try OAuthFixture.keySet(rotated), headers: Self.lifetime(3_600))
      guard case .verified = try await answer(fresh, after: 10) else {
        Issue.record("the new key was not fetched")
        return
      }
      #expect(fakes.requests.count == 2)
      // A withdrawn key stops at the end of the lifetime.
      fakes.on(Self.keysURL, try OAuthFixture.keySet(["k2": OAuthFixture.otherKey]), headers: Self.lifetime(3_600))
      guard case .verified = try await answer(try Self.token(after: 3_600), after: 3_600) else {
        Issue.record("the key was dropped before its lifetime")
        return
      }
      let late = try Self.token(after: 3_620)
      #expect(try await answer(late, after: 3_620) == .refused(TokenRefusal(.invalid, cacheSeconds: 10)))
    }

    @Test func `known keys are used for hours while the issuer does not answer, and then nothing is decided`()
      async throws
    {
      _ = try await answer(try Self.token())
      fakes.on(Self.keysURL, fails: .unreachable)
      let grace = 3_600 + TrustedIssuerVerifier.graceSeconds
      for seconds in [3_599, 3_600, grace - 1] as [Int64] {
        guard case .verified = try await answer(try Self.token(after: seconds), after: seconds) else {
          Issue.record("refused after \(seconds) s")
          return
        }
      }
      await #expect(throws: ForeignTokenError(.unavailable, "")) {
        try await answer(try Self.token(after: grace), after: grace)
      }
      // A key that the known set lacks may be new: the token is not refused.
      await #expect(throws: ForeignTokenError(.unavailable, "")) {
        try await answer(try Self.token(keyID: "k2", key: OAuthFixture.otherKey, after: 7_000), after: 7_000)
      }
    }

    @Test func `an issuer that never answered decides nothing`() async throws {
      let fakes = FakeProviders()
      fakes.on(Self.keysURL, fails: .unreachable)
      let verifier = TrustedIssuerVerifier([.firebase(projectID: "my-app")], http: fakes)
      await #expect(throws: ForeignTokenError(.unavailable, "")) { try await answer(try Self.token(), by: verifier) }
    }

    @Test func `Security 96: the uids of another issuer have a prefix, and its keys are found by its configuration`()
      async throws
    {
      let fakes = FakeProviders()
      fakes.on("https://id.corp.example/keys", try OAuthFixture.keySet(["k1": OAuthFixture.key]))
      fakes.on(
        "https://id.corp.example/.well-known/openid-configuration",
        #"{"issuer": "https://id.corp.example", "jwks_uri": "https://id.corp.example/keys"}"#)
      let issuer = TrustedIssuer(issuer: "https://id.corp.example", audiences: ["api"], uidPrefix: "ext:")
      let verifier = TrustedIssuerVerifier([issuer], http: fakes)
      let text = try OAuthFixture.token("oidc.corp", ["aud": .string("api")])
      guard case .verified(let token) = try await answer(text, by: verifier) else {
        Issue.record("refused")
        return
      }
      #expect(token.uid == "ext:person-7" && token.signInProvider == nil)
      #expect(token.tokenClaims?["sub"]?.string == "person-7")
      #expect(verifier.name == "issuer https://id.corp.example")
    }

    @Test func `Security 98: the audience of a token decides which databases it opens`() async throws {
      let fakes = FakeProviders()
      fakes.on("https://id.corp.example/keys", try OAuthFixture.keySet(["k1": OAuthFixture.key]))
      var (shop, guests) = (
        TrustedIssuer(issuer: "https://id.corp.example", audiences: ["shop-api", "shop-app"], uidPrefix: "ext:"),
        TrustedIssuer(issuer: "https://id.corp.example", audiences: ["guests-api"], uidPrefix: "guest:")
      )
      (shop.databases, guests.databases) = (["shop"], ["guests", "lobby"])
      (shop.keysURL, guests.keysURL) = ("https://id.corp.example/keys", "https://id.corp.example/keys")
      let verifier = TrustedIssuerVerifier([shop, guests], http: fakes)
      func verified(_ audience: ClaimValue) async throws -> TokenAnswer {
        try await answer(try OAuthFixture.token("oidc.corp", ["aud": audience]), by: verifier)
      }
      for (audience, uid, databases) in [
        ("shop-app", "ext:person-7", ["shop"]), ("guests-api", "guest:person-7", ["guests", "lobby"]),
      ] {
        guard case .verified(let token) = try await verified(.string(audience)) else {
          Issue.record("refused: \(audience)")
          continue
        }
        #expect(token.uid == uid && token.databases == databases)
      }
      guard case .verified(let token) = try await verified(.array([.string("shop-api"), .string("shop-app")])) else {
        Issue.record("refused: two audiences of one entry")
        return
      }
      #expect(token.databases == ["shop"])
      // The audiences of two entries would open databases of both.
      let both = try await verified(.array([.string("shop-api"), .string("guests-api")]))
      #expect(both == .refused(TokenRefusal(.invalid, cacheSeconds: 10)))
    }

    @Test func `users of a tenant are not looked up, because the project's lookup does not have them`() async throws {
      var issuer = TrustedIssuer.firebase(projectID: "my-app")
      issuer.userLookup = UserLookup(keyFile: "key.json", url: UserLookup.url(projectID: "my-app"))
      let verifier = TrustedIssuerVerifier([issuer], http: fakes)
      let tenant: ClaimValue = .object([ClaimValue.Member("tenant", .string("acme"))])
      for (changes, count) in [(["firebase": tenant], 0), ([:], 1)] as [([String: ClaimValue], Int)] {
        guard case .verified = try await answer(try Self.token(changes), by: verifier) else {
          Issue.record("refused")
          return
        }
        #expect(verifier.lookupStatus?.users == count)
      }
    }

    @Test func `the revision of a verifier differs with every setting of its issuer`() {
      let issuer = TrustedIssuer(issuer: "https://id.corp.example", audiences: ["api"], uidPrefix: "ext:")
      let changes: [(inout TrustedIssuer) -> Void] = [
        { _ in }, { $0.audiences = ["api", "app"] }, { $0.uidPrefix = "" },
        { $0.keysURL = "https://id.corp.example/k" },
        { $0.databases = ["api"] }, { $0.databases = [] }, { $0.requiresAuthTime = true },
        { $0.userLookup = UserLookup(keyFile: "key.json", url: "https://id.corp.example/lookup") },
      ]
      let revisions = changes.map { change in
        var changed = issuer
        change(&changed)
        return TrustedIssuerVerifier([changed], http: fakes).revision
      }
      #expect(Set(revisions).count == changes.count)
    }
  }
#endif
