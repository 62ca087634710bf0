import HearthBytes

#if PLUGIN_OAuth
  import Foundation
  import HearthOutbound
  import HearthPlugin
  import HearthTree
  import Testing

  @testable import HearthCrypto
  @testable import OAuthPlugin

  /// Tests of Apple's sign-in page: a signed client secret, a form post, and a name that is sent once.
  @Suite struct OAuthAppleTests {
    private func withKey(_ body: (String) async throws -> Void) async throws {
      let credentials = try NodeAuthority(now: Requests.nowSeconds).credentials
      let path = FileManager.default.temporaryDirectory.appending(path: "hearth-apple-\(UUID().uuidString).p8").path
      try Data(credentials.key).write(to: URL(filePath: path))
      defer { try? FileManager.default.removeItem(atPath: path) }
      try await body(path)
    }

    private func settings(_ path: String, _ more: String = "") -> String {
      """
      {"apple": {"clientIDs": ["com.example.app"], "servicesID": "com.example.web", "teamID": "TEAM123456",
                 "keyID": "KEY1234567", "privateKeyFile": "\(path)"\(more)}}
      """
    }

    @Test("The authorization request has form_post, a hashed nonce and the name; the code needs a new client secret")
    func flow() async throws {
      try await withKey { path in
        let fixture = try OAuthFixture(settings(path))
        let apple = try #require(fixture.providers.first as? any AuthorizationCodeProvider)
        #expect(apple.servesAuthorizationCodes)
        let page = try await apple.authorizationPage(
          AuthorizationRequest(
            state: "state", nonce: "nonce", codeChallenge: "challenge", redirectURI: "https://a.example/h",
            parameters: [(name: "response_mode", value: "query"), (name: "locale", value: "de_DE")]))
        #expect(page.issuers == ["https://appleid.apple.com"])
        #expect(
          page.url == "https://appleid.apple.com/auth/authorize?response_type=code&client_id=com.example.web"
            + "&redirect_uri=https%3A%2F%2Fa.example%2Fh&scope=name%20email&state=state&code_challenge=challenge"
            + "&code_challenge_method=S256&nonce=\(Digest(sha256: "nonce".utf8).hex)&response_mode=form_post"
            + "&locale=de_DE")
        fixture.fakes.on(
          "https://appleid.apple.com/auth/token", #"{"id_token": "id", "access_token": "a", "refresh_token": "r"}"#)
        let code = AuthorizationCode(
          code: "c", codeVerifier: "v", redirectURI: "https://a.example/h", nowSeconds: Requests.nowSeconds)
        #expect(try await apple.credential(code)["id_token"] == "id")
        let body = try #require(fixture.fakes.requests.last?.body)
        let form = try #require(PercentEncoding.pairs(body))
        let secret = try #require(form.first { $0.name == "client_secret" }?.value)
        let claims = try #require(Base64URL.decode(secret.split(separator: ".")[1].utf8))
        let json = try #require(JSON(parsing: claims))
        #expect(json["sub"]?.string == "com.example.web" && json["iat"]?.int == Requests.nowSeconds)
      }
    }

    @Test("Apple's tokens are valid for the app and for the page, with the digest of the nonce")
    func tokens() async throws {
      try await withKey { path in
        let fixture = try OAuthFixture(settings(path))
        for audience in ["com.example.app", "com.example.web"] {
          let token = try OAuthFixture.token(
            "apple.com",
            [
              "aud": .string(audience), "nonce": .string(Digest(sha256: "raw".utf8).hex),
              "email": .string("x@privaterelay.appleid.com"), "email_verified": .string("true"),
            ], without: ["name"])
          let name = #"{"name": {"firstName": "Ann", "lastName": "Lee"}, "email": "evil@example.com"}"#
          let answer = try await fixture.answer("apple.com", ["id_token": token, "nonce": "raw", "user": name])
          let person = try #require(answer.identity)
          #expect(person.displayName == "Ann Lee" && person.email == "x@privaterelay.appleid.com")
          #expect(person.isEmailVerified)
          #expect(try await fixture.answer("apple.com", ["id_token": token, "nonce": "other"]).refusal != nil)
          #expect(try await fixture.answer("apple.com", ["id_token": token]).refusal != nil)
        }
      }
    }

    @Test("Incomplete settings of the page prevent the start, with the missing member")
    func halves() async throws {
      try await withKey { path in
        for (text, words) in [
          (#"{"apple": {"clientIDs": ["a.b"], "teamID": "T"}}"#, "servicesID: is missing"),
          (
            "{\"apple\": {\"servicesID\": \"a.b\", \"teamID\": \"T\", \"privateKeyFile\": \"\(path)\"}}",
            "keyID: is missing"
          ),
          (#"{"apple": {"servicesID": "a.b", "teamID": "T", "keyID": "K"}}"#, "privateKeyFile: is missing"),
          (
            #"{"apple": {"servicesID": "a.b", "teamID": "T", "keyID": "K", "privateKeyFile": "/etc/hostname"}}"#,
            "privateKeyFile: must be the .p8 file"
          ),
          (#"{"apple": {"servicesID": "a.b", "privateKeyFile": "/nonexistent"}}"#, "privateKeyFile: cannot be read"),
          (settings(path, #", "issuer": "https://apple.example/""#), "issuer: must be a URL"),
        ] {
          let parsed = try Requests.settings(text)
          do throws(SettingsError) {
            _ = try OAuthSignIn.providers(parsed)
            Issue.record("taken: \(text)")
          } catch {
            #expect(error.description.contains(words), "\(error)")
          }
        }
        let bare = try OAuthSignIn.providers(Requests.settings(#"{"apple": {"clientIDs": ["com.example.web"]}}"#))
        #expect((bare.first as? any AuthorizationCodeProvider)?.servesAuthorizationCodes == false)
      }
    }
  }
#endif
