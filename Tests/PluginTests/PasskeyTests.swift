#if PLUGIN_Passkey
  import HearthPlugin
  import HearthWebAuthn
  import PasskeyPlugin
  import PasskeyTestKit
  import Testing

  @Suite struct PasskeyTests {
    private func provider(
      _ json: String, pages: [String] = ["https://auth.example.com"], domains: [String] = ["localhost", "127.0.0.1"]
    ) throws -> any PasskeyProvider {
      var settings = try Requests.settings(json)
      settings.pageOrigins = pages
      settings.authorizedDomains = domains
      let provider = try #require(try PasskeySignIn.providers(settings).first)
      #expect(provider.manifest.id == "passkey" && provider.manifest.methods == [.passkey])
      return try #require(provider as? any PasskeyProvider)
    }

    /// Returns true when a provider accepts a key made on a page with this origin.
    private func takes(_ provider: any PasskeyProvider, _ origin: String, flags: UInt8 = 0x05) throws -> Bool {
      let authenticator = SoftwareAuthenticator()
      var overrides = SoftwareAuthenticator.Overrides()
      overrides.origin = origin
      overrides.relyingPartyID = provider.relyingParty.id
      overrides.flags = flags
      let made = authenticator.make(challenge: [1, 2, 3], overrides: overrides)
      let registration = PasskeyRegistration(
        challenge: [1, 2, 3], credentialID: authenticator.credentialID, clientDataJSON: made.clientDataJSON,
        attestationObject: made.attestationObject)
      return (try? provider.register(registration)) != nil
    }

    @Test("missing settings are derived from the server's addresses")
    func defaults() throws {
      let plain = try provider("{}")
      #expect(plain.relyingParty.id == "auth.example.com" && plain.relyingParty.name == "demo-project")
      #expect(plain.relyingParty.requiresUserVerification && !plain.relyingParty.isRequiredOnceEnrolled)
      #expect(plain.relyingParty.keysMax == 10 && plain.relyingParty.algorithms == [-7, -8, -257])
      #expect(try takes(plain, "https://auth.example.com"))
      #expect(try !takes(plain, "http://localhost:3000") && !takes(plain, "https://example.com"))
      let own = try provider(
        "{}", pages: ["https://auth.example.com", "https://example.com"], domains: ["www.example.com", "other.example"])
      #expect(own.relyingParty.id == "example.com")
      for origin in ["https://auth.example.com", "https://example.com", "https://www.example.com"] {
        #expect(try takes(own, origin))
      }
      #expect(try !takes(own, "https://other.example"))
    }

    @Test(
      "a server on this machine has the relying party id localhost, and accepts every port",
      arguments: ["http://127.0.0.1:9000", "http://localhost:9000", "http://[::1]:9000", "http://192.0.2.7:9000"])
    func local(page: String) throws {
      let local = try provider("{}", pages: [page])
      #expect(local.relyingParty.id == "localhost")
      #expect(try takes(local, "http://localhost:5173") && takes(local, "http://localhost"))
      #expect(try !takes(local, "http://127.0.0.1:9000") && !takes(local, "https://evil.example"))
    }

    @Test("explicit settings take precedence")
    func said() throws {
      let said = try provider(
        """
        { "relyingPartyID": "Example.com", "relyingPartyName": "Shop", "userVerification": "preferred",
          "requiredOnceEnrolled": true, "keysMax": 2,
          "origins": ["https://app.example.com:8443", "android:apk-key-hash:abc"] }
        """)
      #expect(said.relyingParty.id == "example.com" && said.relyingParty.name == "Shop")
      #expect(!said.relyingParty.requiresUserVerification && said.relyingParty.isRequiredOnceEnrolled)
      #expect(said.relyingParty.keysMax == 2)
      #expect(try takes(said, "https://app.example.com:8443", flags: 0x01) && takes(said, "android:apk-key-hash:abc"))
      #expect(try !takes(said, "https://example.com") && !takes(said, "https://auth.example.com"))
    }

    @Test("requests outside the two functions are refused")
    func answers() async throws {
      let answer = try await provider("{}").answer(Requests.make(.passkey, [:]))
      #expect(answer.refusal?.code == .notAllowed)
    }

    @Test(
      "invalid settings are refused, with their place",
      arguments: [
        (#"{"relyingPartyID": "https://example.com"}"#, "signIn.passkey.relyingPartyID"),
        (#"{"relyingPartyID": "example.com:443"}"#, "signIn.passkey.relyingPartyID"),
        (#"{"relyingPartyID": "192.0.2.1"}"#, "signIn.passkey.relyingPartyID"),
        (#"{"relyingPartyID": "com"}"#, "signIn.passkey.relyingPartyID"),
        (#"{"relyingPartyID": "a..b"}"#, "signIn.passkey.relyingPartyID"),
        (#"{"relyingPartyID": 7}"#, "signIn.passkey.relyingPartyID"),
        (#"{"userVerification": "discouraged"}"#, "signIn.passkey.userVerification"),
        (#"{"keysMax": 0}"#, "signIn.passkey.keysMax"),
        (#"{"origins": ["https://other.example"]}"#, "signIn.passkey.origins[0]"),
        (#"{"origins": ["https://auth.example.com", "http://auth.example.com"]}"#, "signIn.passkey.origins[1]"),
        (#"{"origins": ["https://auth.example.com/"]}"#, "signIn.passkey.origins[0]"),
        (#"{"origins": ["https://notauth.example.com.evil"]}"#, "signIn.passkey.origins[0]"),
        (#"{"origin": "https://auth.example.com"}"#, "signIn.passkey.origin"),
        (#"[]"#, "signIn.passkey"),
      ])
    func wrong(json: String, place: String) throws {
      #expect {
        _ = try provider(json)
      } throws: { error in
        (error as? SettingsError)?.place == place
      }
    }
  }
#endif
