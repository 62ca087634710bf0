import Testing

@testable import HearthCrypto

@Suite("Credential verifier")
struct CredentialVerifierTests {
  private let now = TokenForge.now
  private let front = TokenForge.front

  @Test("Each kind reaches its verifier")
  func kinds() throws {
    func kind(_ credential: String) throws -> VerifiedCredential.Kind {
      try front.verify(credential, nowSeconds: now).kind
    }
    #expect(try kind(TokenForge.hs256(TokenForge.legacyPayload())) == .legacyToken)
    #expect(try kind(TokenForge.rs256(TokenForge.idPayload())) == .idToken)
    #expect(try kind(TokenForge.secret) == .legacySecret)
    #expect(try kind(TokenForge.adminToken) == .adminToken)
  }

  @Test("A secret and an admin token are administrators without an expiry")
  func administrators() throws {
    for credential in [TokenForge.secret, TokenForge.adminToken] {
      let verified = try front.verify(credential, nowSeconds: now)
      #expect(verified.authority.bypassesRules && verified.authPayload == nil && verified.expiresAtSeconds == nil)
    }
  }

  @Test(
    "Texts that are not credentials are all refused with the same error",
    arguments: [
      "", " ", ".", "..", "owner", "Owner", "ya29.a0AfH6SMC", "ya29", "null", "undefined", "{}", "Bearer x",
      "eyJhbGciOiJub25lIn0.e30.",
      String(repeating: "a", count: 40), "\u{0}", "🙂", String(repeating: "x", count: 1 << 20),
      String(repeating: ".", count: 100_000), AdminTokens.prefix, AdminTokens.prefix + "x",
      // A text in the form of a refresh token.
      "hrt_0123456789012345678901234567890123456789012",
    ])
  func garbage(credential: String) { #expect(TokenForge.refusal(credential) == .invalidToken) }

  @Test("alg none is refused in every spelling", arguments: ["none", "None", "NONE", "nOnE", "noNe", "", "null"])
  func algorithmNone(name: String) throws {
    for payload in [TokenForge.idPayload(), TokenForge.legacyPayload(), TokenForge.legacyPayload(["admin": "true"])] {
      let unsigned = TokenForge.unsigned(payload, header: #"{"alg":"\#(name)","typ":"JWT"}"#)
      #expect(TokenForge.refusal(unsigned) == .invalidToken)
      #expect(TokenForge.refusal(unsigned + "AAAA") == .invalidToken)
    }
    for header in ["{}", #"{"typ":"JWT"}"#, #"{"alg":null}"#, #"{"alg":false}"#] {
      #expect(TokenForge.refusal(TokenForge.unsigned(TokenForge.idPayload(), header: header)) == .invalidToken)
    }
  }

  @Test("An empty signature is refused for every algorithm", arguments: ["HS256", "RS256", "HS512", "ES256"])
  func emptySignature(algorithm: String) {
    for payload in [TokenForge.idPayload(), TokenForge.legacyPayload()] {
      let header = #"{"alg":"\#(algorithm)","kid":"\#(TokenForge.keys.signingKeyID)"}"#
      #expect(TokenForge.refusal(TokenForge.unsigned(payload, header: header)) == .invalidToken)
      #expect(
        TokenForge.refusal(TokenForge.unsigned(payload, header: #"{"alg":"\#(algorithm)"}"#)) == .invalidToken)
    }
  }

  @Test("A secret never makes a valid ID token")
  func secretSignedIDToken() throws {
    #expect(TokenForge.refusal(TokenForge.hs256(TokenForge.idPayload())) == .invalidToken)
    #expect(
      TokenForge.refusal(
        TokenForge.hs256(TokenForge.idPayload(), header: #"{"alg":"HS256","kid":"\#(TokenForge.keys.signingKeyID)"}"#))
        == .invalidToken)
    // With `v` it is a legacy token without `d`: it has no user, whatever its `sub` is.
    let both = try front.verify(TokenForge.hs256(TokenForge.idPayload(["v": "0"])), nowSeconds: now)
    #expect(both.kind == .legacyToken && both.authPayload == nil && !both.authority.bypassesRules)
  }

  @Test("No kind of token is accepted as another kind")
  func crossUses() throws {
    let custom = TokenForge.idPayload(["aud": "\"\(UnverifiedToken.customTokenAudience)\"", "uid": "\"alice\""])
    let cookie = TokenForge.idPayload(["iss": "\"https://session.firebase.google.com/\(TokenForge.projectID)\""])
    let legacy = TokenForge.hs256(TokenForge.legacyPayload())
    let id = TokenForge.rs256(TokenForge.idPayload())
    let legacyVerifier = LegacyTokenVerifier(secrets: TokenForge.secrets)
    let idVerifier = IDTokenVerifier(projectID: TokenForge.projectID, keys: TokenForge.keys)
    // Each is signed with the right key, and still refused: a custom token, a session cookie, and a legacy payload
    // under RS256.
    for payload in [custom, cookie, TokenForge.legacyPayload()] {
      let token = TokenForge.rs256(payload)
      #expect(TokenForge.refusal(token) == .invalidToken)
      #expect(throws: CredentialError.self) { try idVerifier.verify(token, nowSeconds: now) }
      #expect(throws: CredentialError.self) { try legacyVerifier.verify(token, nowSeconds: now) }
      #expect(throws: CredentialError.self) { try legacyVerifier.verify(TokenForge.unsigned(payload), nowSeconds: now) }
      #expect(throws: CredentialError.self) { try idVerifier.verify(TokenForge.unsigned(payload), nowSeconds: now) }
    }
    #expect(throws: CredentialError.self) { try idVerifier.verify(legacy, nowSeconds: now) }
    #expect(throws: CredentialError.self) { try legacyVerifier.verify(id, nowSeconds: now) }
    for opaque in [TokenForge.secret, TokenForge.adminToken, "owner"] {
      #expect(throws: CredentialError.self) { try idVerifier.verify(opaque, nowSeconds: now) }
      #expect(throws: CredentialError.self) { try legacyVerifier.verify(opaque, nowSeconds: now) }
    }
    let tokens = TokenForge.adminTokens([TokenForge.adminToken])
    for text in [legacy, id, TokenForge.secret, "owner"] { #expect(tokens.verify(text, nowSeconds: now) == .unknown) }
  }

  @Test("A disabled kind of credential is refused")
  func switchedOff() {
    let nothing = CredentialVerifier()
    for credential in [
      TokenForge.secret, TokenForge.adminToken, TokenForge.hs256(TokenForge.legacyPayload()),
      TokenForge.rs256(TokenForge.idPayload()), "owner", TokenForge.unsigned(TokenForge.idPayload()),
    ] {
      #expect(TokenForge.refusal(credential, front: nothing) == .invalidToken)
    }
  }

  @Test("Clients get the same error for every invalid signature, key and form")
  func outwardText() {
    let key = TokenForge.otherKeys.entries[0].key
    let bad = [
      "x", TokenForge.hs256(TokenForge.legacyPayload(), key: [1]), TokenForge.rs256(TokenForge.idPayload(), key: key),
      TokenForge.rs256(TokenForge.idPayload(), header: #"{"alg":"RS256","kid":"x"}"#), "a.b.c",
    ]
    var messages: Set<String> = []
    for credential in bad {
      do {
        _ = try front.verify(credential, nowSeconds: now)
        Issue.record("accepted")
      } catch {
        messages.insert(error.message)
      }
    }
    #expect(messages == ["Could not parse auth token."])
    #expect(CredentialError(.expiredToken, reason: "").message == "Auth token is expired.")
  }

  @Test("Reasons in the log never contain the credential")
  func reasons() {
    for credential in [
      TokenForge.otherSecret, TokenForge.hs256(TokenForge.legacyPayload(), key: [1]), "a.SECRETPART.c",
    ] {
      do {
        _ = try front.verify(credential, nowSeconds: now)
        Issue.record("accepted")
      } catch {
        for part in credential.split(separator: ".") where part.count > 3 {
          #expect(!error.description.contains(part) && !error.message.contains(part))
        }
      }
    }
  }
}
