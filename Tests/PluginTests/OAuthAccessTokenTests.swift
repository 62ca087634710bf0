#if PLUGIN_OAuth
  import HearthCrypto
  import HearthOutbound
  import HearthPlugin
  import HearthTree
  import Testing

  @testable import OAuthPlugin

  @Suite struct OAuthAccessTokenTests {
    static let providers = ["google.com", "github.com", "facebook.com", "twitter.com"]
    static let credential = ["access_token": "acc-token", "oauth_token_secret": "acc-secret"]

    /// Returns providers that all accept one access token, which belongs to this app and to the user 7.
    static func fixture() throws -> OAuthFixture {
      let fixture = try OAuthFixture()
      let fakes = fixture.fakes
      fakes.on(
        "https://oauth2.googleapis.com/tokeninfo",
        #"{"aud": "google-app", "azp": "google-app", "sub": "7", "exp": "9"}"#)
      fakes.on(
        "https://www.googleapis.com/oauth2/v3/userinfo",
        #"{"sub": "7", "name": "Al", "email": "al@gmail.com", "email_verified": true, "picture": "https://p.example/7"}"#
      )
      fakes.on(
        "https://api.github.com/applications/gh-app/token",
        #"{"app": {"client_id": "gh-app"}, "user": {"id": 7, "login": "al"}}"#)
      fakes.on("https://api.github.com/user", #"{"id": 7, "login": "al", "name": "Al", "email": null}"#)
      fakes.on(
        "https://api.github.com/user/emails",
        #"[{"email": "x@y.z", "primary": false, "verified": true}, {"email": "al@git.example", "primary": true, "verified": true}]"#
      )
      fakes.on(
        "https://graph.facebook.com/v21.0/debug_token",
        #"{"data": {"app_id": "4242", "type": "USER", "is_valid": true, "expires_at": 0, "user_id": "7"}}"#)
      fakes.on(
        "https://graph.facebook.com/v21.0/me",
        #"{"id": "7", "name": "Al", "email": "al@f.example", "picture": {"data": {"url": "https://p.example/7"}}}"#)
      fakes.on(
        "https://api.twitter.com/1.1/account/verify_credentials.json",
        #"{"id": 7, "id_str": "7", "name": "Al", "screen_name": "al", "email": "al@t.example"}"#)
      return fixture
    }

    @Test("an access token of the app identifies the provider's user", arguments: providers)
    func accepted(provider: String) async throws {
      let fixture = try Self.fixture()
      let identity = try #require(try await fixture.answer(provider, Self.credential).identity)
      #expect(identity.rawID == "7")
      #expect(identity.displayName == "Al")
      #expect(identity.email != nil)
      #expect(identity.isEmailVerified == (provider == "google.com"))
      #expect(identity.profile?.members != nil)
    }

    @Test(
      "Security 53: an access token of another app is refused without a request for the profile", arguments: providers)
    func otherApp(provider: String) async throws {
      let fixture = try Self.fixture()
      fixture.fakes.on("https://oauth2.googleapis.com/tokeninfo", #"{"aud": "other-app", "sub": "7"}"#)
      fixture.fakes.on("https://api.github.com/applications/gh-app/token", status: 404, #"{"message": "Not Found"}"#)
      fixture.fakes.on(
        "https://graph.facebook.com/v21.0/debug_token",
        #"{"data": {"app_id": "666", "type": "USER", "is_valid": true, "user_id": "7"}}"#)
      fixture.fakes.on(
        "https://api.twitter.com/1.1/account/verify_credentials.json", status: 401, #"{"errors": [{"code": 89}]}"#)
      #expect(try await fixture.answer(provider, Self.credential).refusal?.code == .invalidProviderResponse)
      #expect(fixture.fakes.requests.count == 1)
    }

    @Test("Security 53: each invalid part of a provider's answer is a refusal")
    func misfits() async throws {
      let cases: [(String, String, String)] = [
        ("google.com", "https://oauth2.googleapis.com/tokeninfo", #"{"sub": "7"}"#),
        ("google.com", "https://oauth2.googleapis.com/tokeninfo", #"{"aud": "google-app"}"#),
        ("google.com", "https://oauth2.googleapis.com/tokeninfo", #"{"aud": "google-app", "azp": "x", "sub": "7"}"#),
        ("google.com", "https://www.googleapis.com/oauth2/v3/userinfo", #"{"sub": "8"}"#),
        ("github.com", "https://api.github.com/applications/", #"{"app": {"client_id": "x"}, "user": {"id": 7}}"#),
        ("github.com", "https://api.github.com/applications/", #"{"user": {"id": 7}}"#),
        ("github.com", "https://api.github.com/user", #"{"id": 8}"#),
        (
          "facebook.com", "https://graph.facebook.com/v21.0/debug_token",
          #"{"data": {"app_id": "4242", "user_id": "7"}}"#
        ),
        (
          "facebook.com", "https://graph.facebook.com/v21.0/debug_token",
          #"{"data": {"app_id": "4242", "is_valid": true, "expires_at": 5, "user_id": "7"}}"#
        ),
        (
          "facebook.com", "https://graph.facebook.com/v21.0/debug_token",
          #"{"data": {"app_id": "4242", "type": "PAGE", "is_valid": true, "user_id": "7"}}"#
        ),
        ("facebook.com", "https://graph.facebook.com/v21.0/me", #"{"id": "8"}"#),
        ("twitter.com", "https://api.twitter.com/1.1/", #"{"id": 7}"#),
      ]
      for (provider, url, json) in cases {
        let fixture = try Self.fixture()
        fixture.fakes.on(url, json)
        #expect(
          try await fixture.answer(provider, Self.credential).refusal?.code == .invalidProviderResponse, "\(json)")
      }
      let fixture = try Self.fixture()
      let claimed = Self.credential.merging(["user_id": "8"]) { $1 }
      #expect(try await fixture.answer("twitter.com", claimed).refusal != nil)
    }

    @Test(
      "Security 56: an unreachable, slow, endless or invalid provider is refused without details",
      arguments: providers)
    func broken(provider: String) async throws {
      for code in OutboundError.Code.allCases {
        let fixture = try Self.fixture()
        fixture.fakes.on("https://", fails: code)
        #expect(try await fixture.answer(provider, Self.credential).refusal == ProviderHTTP.unavailable)
      }
      for (status, body) in [
        (200, ""), (200, "<html>"), (200, "{"), (200, "1"), (500, "{}"), (503, "busy"), (302, "{}"),
      ] {
        let fixture = try Self.fixture()
        fixture.fakes.on("https://", status: status, body)
        let refusal = try #require(try await fixture.answer(provider, Self.credential).refusal)
        #expect(refusal.code == .invalidProviderResponse)
        #expect(refusal.message?.contains("acc-") == false)
      }
    }

    @Test(
      "Security 56: an ID token whose keys cannot be fetched is refused, and the provider is not asked again for a while"
    )
    func brokenKeys() async throws {
      let fixture = try OAuthFixture()
      let url = "https://www.googleapis.com/oauth2/v3/certs"
      fixture.fakes.on(url, fails: .timedOut)
      let token = try OAuthFixture.token("google.com")
      for second: Int64 in 0..<5 {
        let answer = try await fixture.answer("google.com", ["id_token": token], after: second)
        #expect(answer.refusal == ProviderHTTP.unavailable)
      }
      #expect(fixture.fetches(url) == 1)
      fixture.fakes.on(url, try OAuthFixture.keySet(["k1": OAuthFixture.key]))
      #expect(try await fixture.answer("google.com", ["id_token": token], after: 5).identity != nil)
    }

    @Test("the app's secrets and the user's token are sent to the provider alone, in the documented place")
    func requests() async throws {
      let fixture = try Self.fixture()
      for provider in Self.providers { _ = try await fixture.answer(provider, Self.credential) }
      let requests = fixture.fakes.requests
      #expect(requests.allSatisfy { $0.url.hasPrefix("https://") && $0.timeoutMilliseconds <= 5_000 })
      let github = try #require(requests.first { $0.url.contains("/applications/") })
      #expect(github.headers.contains(OutboundHeader("Authorization", "Basic Z2gtYXBwOmdoLXNlY3JldA==")))
      #expect(String(decoding: github.body, as: UTF8.self) == #"{"access_token":"acc-token"}"#)
      let debug = try #require(requests.first { $0.url.contains("debug_token") })
      #expect(debug.url.hasSuffix("?input_token=acc-token&access_token=4242%7Cfb-secret"))
      let me = try #require(requests.first { $0.url.contains("/me?") })
      // HMAC-SHA256 of the token with the app's secret.
      let proof = MessageAuthenticationCode.hmacSHA256(Array("acc-token".utf8), key: Array("fb-secret".utf8)).map {
        Digest.hexadecimal($0)
      }
      #expect(me.url.hasSuffix("&appsecret_proof=\(try #require(proof))"))
      let twitter = try #require(requests.first { $0.url.contains("twitter") })
      let signature = try #require(twitter.headers.first { $0.name == "Authorization" }?.value)
      #expect(signature.hasPrefix("OAuth ") && signature.contains("oauth_consumer_key=\"tw-app\""))
      #expect(signature.contains("oauth_token=\"acc-token\"") && !signature.contains("acc-secret"))
      #expect(twitter.url.contains("include_email=true"))
    }

    @Test(
      "Security 54: the code of a redirect that the server did not start is refused", arguments: providers)
    func code(provider: String) async throws {
      let fixture = try OAuthFixture()
      let refusal = try await fixture.answer(provider, ["code": "abc", "state": "x"]).refusal
      #expect(refusal?.code == .invalidCredential)
      #expect(fixture.fakes.requests.isEmpty)
    }

    @Test("Security 55: a credential cannot determine the address of a request or redirect")
    func noTargets() async throws {
      let fixture = try Self.fixture()
      let extra = [
        "redirect_uri": "https://evil.example", "issuer": "https://evil.example", "jwks_uri": "https://evil.example",
      ]
      for provider in Self.providers { _ = try await fixture.answer(provider, Self.credential.merging(extra) { $1 }) }
      let token = try OAuthFixture.token("oidc.corp", ["jku": .string("https://evil.example")])
      _ = try await fixture.answer("oidc.corp", ["id_token": token].merging(extra) { $1 })
      #expect(!fixture.fakes.requests.contains { $0.url.contains("evil") })
    }

    @Test("a credential without a usable token is refused before a request is made")
    func unusable() async throws {
      let fixture = try OAuthFixture()
      for provider in Self.providers + ["apple.com", "oidc.corp"] {
        #expect(try await fixture.answer(provider, [:]).refusal?.code == .invalidCredential)
        #expect(
          try await fixture.answer(provider, ["access_token": "", "id_token": ""]).refusal?.code == .invalidCredential)
        #expect(try await fixture.answer(provider, Self.credential, operation: .change).refusal?.code == .notAllowed)
        for token in ["a b", "a\r\nX: y", "a\u{0}", "ü", String(repeating: "a", count: 16_385)] {
          let parameters = ["access_token": token, "oauth_token_secret": "s", "id_token": token]
          #expect(try await fixture.answer(provider, parameters).refusal?.code == .invalidProviderResponse)
        }
      }
      #expect(try await fixture.answer("oidc.corp", ["access_token": "acc-token"]).refusal?.code == .invalidCredential)
      #expect(try await fixture.answer("twitter.com", ["access_token": "t"]).refusal?.code == .invalidCredential)
      #expect(fixture.fakes.requests.isEmpty)
    }

    @Test("an address that GitHub did not verify stays unverified despite the operator's settings")
    func githubEmails() async throws {
      let settings = #"{"github": {"clientID": "gh-app", "clientSecret": "s", "emailDomains": ["*"]}}"#
      for (verified, expected) in [("true", true), ("false", false), ("null", false)] {
        let fixture = try OAuthFixture(settings)
        fixture.fakes.on("https://api.github.com/app", #"{"app": {"client_id": "gh-app"}, "user": {"id": 7}}"#)
        fixture.fakes.on("https://api.github.com/user", #"{"id": 7, "email": "other@git.example"}"#)
        fixture.fakes.on(
          "https://api.github.com/user/emails",
          "[{\"email\": \"al@git.example\", \"primary\": true, \"verified\": \(verified)}]")
        let identity = try await fixture.answer("github.com", Self.credential).identity
        #expect(identity?.email == "al@git.example")
        #expect(identity?.isEmailVerified == expected)
      }
    }
  }
#endif
