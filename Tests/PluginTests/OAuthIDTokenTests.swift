import HearthBytes

#if PLUGIN_OAuth
  import HearthCrypto
  import HearthOutbound
  import HearthPlugin
  import HearthTree
  import Testing

  @testable import OAuthPlugin

  @Suite struct OAuthIDTokenTests {
    static let providers = ["google.com", "apple.com", "facebook.com", "oidc.corp"]

    @Test("an ID token for the app identifies the user by sub", arguments: providers)
    func accepted(provider: String) async throws {
      let fixture = try OAuthFixture()
      let token = try OAuthFixture.token(
        provider, ["email": .string("Alice@mail.example"), "email_verified": .bool(true)])
      let identity = try #require(try await fixture.answer(provider, ["id_token": token]).identity)
      #expect(identity.rawID == "person-7")
      #expect(identity.email == "Alice@mail.example")
      // The provider is no authority for addresses of that domain.
      #expect(!identity.isEmailVerified)
      #expect(identity.displayName == "Alice A.")
      #expect(identity.profile?["sub"]?.string == "person-7")
    }

    @Test(
      "a picture's URL is kept unchanged if it is valid",
      arguments: [
        ("https://p.example/a.png", true), ("http://localhost/photo-from-idp.png", true),
        ("javascript:alert(1)", false), ("ftp://p.example/a", false), ("//p.example/a", false),
        ("http://p.example/a b", false), ("http://p.example/\u{7F}", false),
        ("http://p.example/" + String(repeating: "a", count: 2_048), false),
      ])
    func picture(address: String, isKept: Bool) async throws {
      let fixture = try OAuthFixture()
      let token = try OAuthFixture.token("google.com", ["picture": .string(address)])
      let identity = try #require(try await fixture.answer("google.com", ["id_token": token]).identity)
      #expect(identity.photoURL == (isKept ? address : nil))
    }

    @Test(
      "Security 53: a token for another app, of another issuer, expired or without times is refused",
      arguments: providers
    )
    func refused(provider: String) async throws {
      let fixture = try OAuthFixture()
      let now = OAuthFixture.now
      let changes: [[String: ClaimValue]] = [
        ["aud": .string("other-app")], ["aud": .array([.string("other-app")])], ["aud": .string("")],
        ["azp": .string("other-app")], ["azp": .int(1)],
        ["iss": .string("https://evil.example")], ["iss": .string("https://id.corp.example/")],
        ["exp": .int(now - 301)], ["exp": .string("9999999999")], ["iat": .int(now + 400)],
        ["nbf": .int(now + 400)], ["sub": .string("")], ["sub": .int(7)],
      ]
      for change in changes {
        let token = try OAuthFixture.token(provider, change)
        let refusal = try await fixture.answer(provider, ["id_token": token]).refusal
        #expect(refusal?.code == .invalidProviderResponse, "\(change)")
      }
    }

    @Test("Security 53: a token signed by another key, or unsigned, is refused")
    func forged() async throws {
      let fixture = try OAuthFixture()
      let good = try OAuthFixture.token("google.com")
      let parts = good.split(separator: ".").map(String.init)
      let none = Base64URL.encode(#"{"alg":"none","typ":"JWT"}"#.utf8)
      let hmac = Base64URL.encode(#"{"alg":"HS256","kid":"k1"}"#.utf8)
      let forged = [
        try OAuthFixture.token("google.com", key: OAuthFixture.otherKey), good + "x", String(good.dropLast()),
        "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])", "\(hmac).\(parts[1]).\(parts[2])", good + ".",
        #"{"sub": "person-7"}"#, "", "..", String(repeating: "a", count: 20_000),
      ]
      for token in forged {
        #expect(try await fixture.answer("google.com", ["id_token": token]).refusal != nil)
      }
    }

    @Test("Security 53: the nonce must be the request's", arguments: ["google.com", "oidc.corp"])
    func nonce(provider: String) async throws {
      let fixture = try OAuthFixture()
      let raw = "raw-nonce"
      let hashed = Digest(sha256: raw.utf8).hex
      for claim in [raw, hashed] {
        let token = try OAuthFixture.token(provider, ["nonce": .string(claim)])
        #expect(try await fixture.answer(provider, ["id_token": token, "nonce": raw]).identity != nil)
        #expect(
          try await fixture.answer(provider, ["id_token": token, "nonce": "other"]).refusal?.code == .invalidNonce)
        #expect(try await fixture.answer(provider, ["id_token": token]).refusal?.code == .invalidNonce)
        #expect(try await fixture.answer(provider, ["id_token": token, "nonce": ""]).refusal?.code == .invalidNonce)
      }
      let without = try OAuthFixture.token(provider)
      #expect(try await fixture.answer(provider, ["id_token": without, "nonce": raw]).refusal?.code == .invalidNonce)
    }

    @Test(
      "Security 53: Apple's token cannot be used without the raw nonce, of which the token has only the hash",
      arguments: ["apple.com", "facebook.com"])
    func hashedNonce(provider: String) async throws {
      let fixture = try OAuthFixture()
      let hash = Digest(sha256: "raw-nonce".utf8).hex
      let token = try OAuthFixture.token(provider, ["nonce": .string(hash)])
      #expect(try await fixture.answer(provider, ["id_token": token, "nonce": "raw-nonce"]).identity != nil)
      #expect(try await fixture.answer(provider, ["id_token": token, "nonce": hash]).refusal?.code == .invalidNonce)
      #expect(try await fixture.answer(provider, ["id_token": token]).refusal?.code == .invalidNonce)
    }

    @Test("a nonce that the client does not know is ignored only where the operator configures it")
    func optionalNonce() async throws {
      let fixture = try OAuthFixture(#"{"google": {"clientIDs": ["google-app"], "nonce": "optional"}}"#)
      let token = try OAuthFixture.token("google.com", ["nonce": .string("n")])
      #expect(try await fixture.answer("google.com", ["id_token": token]).identity != nil)
      #expect(try await fixture.answer("google.com", ["id_token": token, "nonce": "m"]).refusal?.code == .invalidNonce)
    }

    @Test(
      "a provider's verification of an address counts for its own domains only",
      arguments: [
        ("google.com", "a@gmail.com", nil, true), ("google.com", "a@corp.example", "corp.example", true),
        ("google.com", "a@corp.example", "other.example", false), ("google.com", "a@corp.example", nil, false),
        ("apple.com", "a@privaterelay.appleid.com", nil, true), ("apple.com", "a@gmail.com", nil, false),
        ("oidc.corp", "a@corp.example", nil, true), ("oidc.corp", "a@sub.corp.example", nil, false),
        ("oidc.corp", "a@gmail.com", "gmail.com", false), ("facebook.com", "a@facebook.com", nil, false),
      ])
    func emailAuthority(provider: String, email: String, hostedDomain: String?, isVerified: Bool) async throws {
      let fixture = try OAuthFixture()
      for verified in [ClaimValue.bool(true), .string("true")] {
        let token = try OAuthFixture.token(
          provider,
          ["email": .string(email), "email_verified": verified, "hd": hostedDomain.map { .string($0) } ?? .null])
        #expect(try await fixture.answer(provider, ["id_token": token]).identity?.isEmailVerified == isVerified)
      }
      for verified in [ClaimValue.bool(false), .string("false"), .int(1), .null] {
        let token = try OAuthFixture.token(provider, ["email": .string(email), "email_verified": verified])
        #expect(try await fixture.answer(provider, ["id_token": token]).identity?.isEmailVerified == false)
      }
    }

    @Test("selected claims become session claims, and Apple's client may add a name")
    func extras() async throws {
      let fixture = try OAuthFixture()
      let token = try OAuthFixture.token("oidc.corp", ["groups": .array([.string("ops")]), "secret_claim": .int(1)])
      let identity = try await fixture.answer("oidc.corp", ["id_token": token]).identity
      #expect(identity?.attributes == .object([.init("groups", .array([.string("ops")]))]))
      let apple = try OAuthFixture.token("apple.com", without: ["name"])
      let user = #"{"name": {"firstName": "Al", "lastName": "Ice"}, "email": "victim@example.com"}"#
      let named = try await fixture.answer("apple.com", ["id_token": apple, "user": user]).identity
      #expect(named?.displayName == "Al Ice")
      #expect(named?.email == nil)
    }

    @Test("keys are fetched once, kept as long as the provider says, and fetched again for an unknown key id")
    func keyCache() async throws {
      let fixture = try OAuthFixture()
      let url = "https://www.googleapis.com/oauth2/v3/certs"
      fixture.fakes.on(
        url, try OAuthFixture.keySet(["k1": OAuthFixture.key]),
        headers: [OutboundHeader("cache-control", "public, max-age=7200")])
      let token = try OAuthFixture.token("google.com", ["exp": .int(OAuthFixture.now + 1_000_000)])
      for second: Int64 in [0, 1, 3_600, 7_199] {
        #expect(try await fixture.answer("google.com", ["id_token": token], after: second).identity != nil)
      }
      #expect(fixture.fetches(url) == 1)
      #expect(try await fixture.answer("google.com", ["id_token": token], after: 7_200).identity != nil)
      #expect(fixture.fetches(url) == 2)

      let rotated = try OAuthFixture.token(
        "google.com", ["exp": .int(OAuthFixture.now + 1_000_000)], keyID: "k2", key: OAuthFixture.otherKey)
      fixture.fakes.on(url, try OAuthFixture.keySet(["k2": OAuthFixture.otherKey]))
      // Within a minute of the last fetch no client can cause another one.
      #expect(try await fixture.answer("google.com", ["id_token": rotated], after: 7_259).refusal != nil)
      #expect(fixture.fetches(url) == 2)
      #expect(try await fixture.answer("google.com", ["id_token": rotated], after: 7_260).identity != nil)
      #expect(try await fixture.answer("google.com", ["id_token": token], after: 7_261).refusal != nil)
      #expect(fixture.fetches(url) == 3)
    }

    @Test("a hundred sign-ins at once fetch the keys once")
    func singleFlight() async throws {
      let fixture = try OAuthFixture()
      let token = try OAuthFixture.token("apple.com")
      let count = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<100 {
          group.addTask { try await fixture.answer("apple.com", ["id_token": token]).identity != nil }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(count == 100)
      #expect(fixture.fetches("https://appleid.apple.com/auth/keys") == 1)
    }

    @Test("an issuer's document must name that issuer")
    func discovery() async throws {
      let token = try OAuthFixture.token("oidc.corp")
      for document in [
        #"{"issuer": "https://evil.example", "jwks_uri": "https://id.corp.example/keys"}"#,
        #"{"issuer": "https://id.corp.example/", "jwks_uri": "https://id.corp.example/keys"}"#,
        #"{"jwks_uri": "https://id.corp.example/keys"}"#, #"{"issuer": "https://id.corp.example"}"#, "[]", "x",
      ] {
        let fixture = try OAuthFixture()
        fixture.fakes.on("https://id.corp.example/.well-known/openid-configuration", document)
        #expect(try await fixture.answer("oidc.corp", ["id_token": token]).refusal?.code == .invalidProviderResponse)
        #expect(fixture.fetches("https://id.corp.example/keys") == 0)
      }
    }

    @Test("Security 57: an issuer at a private address is not requested, by name or by address")
    func guarded() async throws {
      for issuer in [
        "https://127.0.0.1", "https://localhost", "https://[::1]", "https://169.254.169.254", "https://10.0.0.1",
        "http://127.0.0.1", "https://0x7f000001",
      ] {
        let text = #"{"oidc": [{"id": "oidc.in", "issuer": "ISSUER", "clientIDs": ["a"]}]}"#
        let settings = try Requests.settings(text.replacing("ISSUER", with: issuer))
        let provider = try #require(try OAuthSignIn.providers(settings).first)
        let token = try OAuthFixture.token("oidc.corp")
        let answer = try await provider.answer(Requests.make(.credential, ["id_token": token]))
        #expect(answer.refusal == ProviderHTTP.unavailable)
      }
    }
  }
#endif
