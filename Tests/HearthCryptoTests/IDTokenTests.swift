import HearthBytes
import Testing

@testable import HearthCrypto

@Suite("ID tokens")
struct IDTokenTests {
  private let now = TokenForge.now
  private var verifier: IDTokenVerifier { IDTokenVerifier(projectID: TokenForge.projectID, keys: TokenForge.keys) }

  private func refusal(_ token: String) -> CredentialError.Code? {
    do {
      _ = try verifier.verify(token, nowSeconds: now)
      return nil
    } catch {
      return error.code
    }
  }

  private func refusal(_ changes: [String: String?]) -> CredentialError.Code? {
    refusal(TokenForge.rs256(TokenForge.idPayload(changes)))
  }

  @Test("A valid token has uid, provider and the whole claim set")
  func accepted() throws {
    let payload = TokenForge.idPayload(["role": #""editor""#])
    let credential = try verifier.verify(TokenForge.rs256(payload), nowSeconds: now)
    #expect(credential.kind == .idToken)
    #expect(credential.authPayload?["uid"] == .string("alice"))
    #expect(credential.authPayload?["provider"] == .string("google"))
    #expect(credential.authPayload?["token"] == TokenForge.object(payload))
    #expect(credential.authPayload?.members?.count == 3)
    #expect(credential.expiresAtSeconds == now + 3_590)
    #expect(credential.authority == .user)
  }

  @Test(
    "The provider's name is shortened only by .com",
    arguments: [
      ("google.com", "google"), ("password", "password"), ("custom", "custom"), ("oidc.acme.com", "oidc.acme.com"),
      ("saml.x", "saml.x"), ("apple.com", "apple"),
    ])
  func provider(name: String, expected: String) throws {
    let token = TokenForge.rs256(TokenForge.idPayload(["firebase": #"{"sign_in_provider":"\#(name)"}"#]))
    #expect(try verifier.verify(token, nowSeconds: now).authPayload?["provider"] == .string(expected))
  }

  @Test(
    "aud must be exactly the project",
    arguments: [
      #"["demo-forge"]"#, "1", #""demo-other""#, #""demo-forg""#, #""demo-forge/""#, #""""#, "null", nil,
    ] as [String?])
  func audience(value: String?) { #expect(refusal(["aud": value]) == .invalidToken) }

  @Test(
    "iss must be exactly the project's issuer",
    arguments: [
      #""https://securetoken.google.com/demo-forge/""#, #""https://securetoken.google.com/demo-other""#,
      #""https://securetoken.google.com/""#, #""http://securetoken.google.com/demo-forge""#,
      #""https://session.firebase.google.com/demo-forge""#, #"["https://securetoken.google.com/demo-forge"]"#, "1", nil,
    ] as [String?])
  func issuer(value: String?) { #expect(refusal(["iss": value]) == .invalidToken) }

  @Test(
    "sub and user_id must be the same user id",
    arguments: [
      #""""#, "1", "null", #"["alice"]"#, #""bob""#, nil, #""a\u0001b""#,
    ] as [String?])
  func subject(value: String?) {
    #expect(refusal(["sub": value]) == .invalidToken)
    #expect(refusal(["user_id": value]) == .invalidToken)
  }

  @Test("A user id has 128 characters at most")
  func subjectLength() {
    let fits = "\"\(String(repeating: "a", count: 128))\""
    let long = "\"\(String(repeating: "a", count: 129))\""
    #expect(refusal(["sub": fits, "user_id": fits]) == nil)
    #expect(refusal(["sub": long, "user_id": long]) == .invalidToken)
  }

  @Test(
    "Invalid times are refused",
    arguments: [
      "\"1800001000\"", "-1", "1800001000.5", "1e400", "1e300", "null", "true", "9007199254740992", nil,
    ] as [String?])
  func times(value: String?) {
    for name in ["exp", "iat", "auth_time"] { #expect(refusal([name: value]) == .invalidToken, "\(name)") }
  }

  @Test("A token expires exactly at the second of exp")
  func expiry() {
    #expect(refusal(["exp": "\(now)"]) == .expiredToken)
    #expect(refusal(["exp": "\(now + 1)"]) == nil)
  }

  @Test("A future iat, or an auth_time after it, is refused beyond the tolerated clock skew")
  func future() {
    #expect(refusal(["iat": "\(now + 60)"]) == nil)
    #expect(refusal(["iat": "\(now + 61)"]) == .invalidToken)
    #expect(refusal(["iat": "\(now)", "auth_time": "\(now + 61)"]) == .invalidToken)
    #expect(refusal(["auth_time": "0"]) == nil)
  }

  @Test(
    "A token without a valid description of the sign-in is refused",
    arguments: [
      "null", "[]", "{}", "\"google.com\"", #"{"sign_in_provider":1}"#, nil,
    ] as [String?])
  func signIn(value: String?) { #expect(refusal(["firebase": value]) == .invalidToken) }

  @Test("A tenant's token is accepted for that tenant alone")
  func tenants() throws {
    let token = TokenForge.rs256(TokenForge.idPayload(["firebase": #"{"sign_in_provider":"custom","tenant":"a"}"#]))
    let plain = TokenForge.rs256(TokenForge.idPayload())
    func isAccepted(_ token: String, tenant: String?) -> Bool {
      let verifier = IDTokenVerifier(projectID: TokenForge.projectID, tenant: tenant, keys: TokenForge.keys)
      return (try? verifier.verify(token, nowSeconds: now)) != nil
    }
    #expect(isAccepted(token, tenant: "a") && isAccepted(plain, tenant: nil))
    #expect(!isAccepted(token, tenant: "b") && !isAccepted(token, tenant: nil) && !isAccepted(plain, tenant: "a"))
  }

  @Test(
    "kid must name a key exactly",
    arguments: [
      #""""#, #""unknown""#, #""../../etc/passwd""#, #""/dev/zero""#, "1", "null", #"["a"]"#, #"{"a":1}"#,
    ])
  func keyID(value: String) {
    let token = TokenForge.rs256(TokenForge.idPayload(), header: #"{"alg":"RS256","kid":\#(value)}"#)
    #expect(refusal(token) == .invalidToken)
  }

  @Test("A missing, long or almost right kid is refused")
  func keyIDForms() {
    let id = TokenForge.keys.signingKeyID
    for header in [
      #"{"alg":"RS256"}"#, #"{"alg":"RS256","kid":"\#(String(repeating: "k", count: 10_000))"}"#,
      #"{"alg":"RS256","kid":"\#(id)0"}"#, #"{"alg":"RS256","kid":"\#(id.dropLast())"}"#,
      #"{"alg":"RS256","kid":"\#(id.uppercased()) "}"#,
    ] {
      #expect(refusal(TokenForge.rs256(TokenForge.idPayload(), header: header)) == .invalidToken)
    }
  }

  @Test("Signatures that are not the key's are refused")
  func signature() {
    let token = TokenForge.rs256(TokenForge.idPayload())
    let parts = token.split(separator: ".").map(String.init)
    let signature = Base64URL.decode(Array(parts[2].utf8)) ?? []
    func with(_ signature: [UInt8]) -> String { parts[0] + "." + parts[1] + "." + Base64URL.encode(signature) }
    #expect(refusal(with(signature)) == nil)
    var changed = signature
    changed[100] ^= 1
    for bad in [
      changed, [], signature + [0], [0] + signature, Array(signature.dropLast()), [UInt8](repeating: 0, count: 256),
      [UInt8](repeating: 0xFF, count: 256), [0] + [UInt8](repeating: 1, count: 10_000),
    ] {
      #expect(refusal(with(bad)) == .invalidToken)
    }
    #expect(
      refusal(TokenForge.rs256(TokenForge.idPayload(), key: TokenForge.otherKeys.entries[0].key)) == .invalidToken)
    #expect(refusal(token + ".") == .invalidToken)
    #expect(refusal(token + ".x") == .invalidToken)
  }

  @Test("A public key used as an HMAC key is refused")
  func algorithmConfusion() throws {
    let pem = try #require(TokenForge.keys.publicPEM(keyID: TokenForge.keys.signingKeyID))
    for key in [pem, String(pem.dropLast()), pem + "\n", pem.replacing("\n", with: "\r\n")] {
      for header in [#"{"alg":"HS256","typ":"JWT"}"#, #"{"alg":"HS256","kid":"\#(TokenForge.keys.signingKeyID)"}"#] {
        let token = TokenForge.hs256(TokenForge.idPayload(), header: header, key: Array(key.utf8))
        #expect(refusal(token) == .invalidToken)
        #expect(TokenForge.refusal(token) == .invalidToken)
      }
    }
  }

  // MARK: Minting

  private var subject: IDTokenSubject {
    var subject = IDTokenSubject(uid: "alice", signInProvider: "google.com", authTimeSeconds: now - 100)
    subject.email = "alice@example.com"
    subject.emailVerified = true
    subject.name = "Alice é🙂"
    subject.identities = [.init("google.com", .array([.string("42")]))]
    subject.customClaims = [.init("role", .string("editor")), .init("level", .int(1))]
    subject.sessionClaims = [.init("level", .int(2))]
    return subject
  }

  @Test("A minted token verifies and has every claim in its place")
  func mint() throws {
    let minter = IDTokenMinter(projectID: TokenForge.projectID, keys: TokenForge.keys)
    let token = try minter.mint(subject, issuedAtSeconds: now)
    let credential = try verifier.verify(token, nowSeconds: now)
    let claims = credential.claims
    #expect(claims["level"] == .int(2))
    #expect(claims["name"] == .string("Alice é🙂"))
    #expect(claims["auth_time"] == .int(now - 100))
    #expect(claims["exp"] == .int(now + 3_600))
    #expect(claims["firebase"]?["identities"]?["google.com"] == .array([.string("42")]))
    #expect(claims["provider_id"] == nil)
    let header = try TokenReader.read(token).header
    #expect(header["kid"] == .string(TokenForge.keys.signingKeyID))
    #expect(header["alg"] == .string("RS256") && header["typ"] == .string("JWT"))
  }

  @Test("The generation is in a reserved member, and no other issuer's token has one")
  func generation() throws {
    let minter = IDTokenMinter(projectID: TokenForge.projectID, keys: TokenForge.keys)
    var subject = subject
    #expect(
      try verifier.verify(try minter.mint(subject, issuedAtSeconds: now), nowSeconds: now).generation == nil)
    subject.generation = 7
    let credential = try verifier.verify(try minter.mint(subject, issuedAtSeconds: now), nowSeconds: now)
    #expect(credential.generation == 7 && credential.claims["firebase"]?["generation"] == .int(7))
    let legacy = VerifiedCredential(kind: .legacyToken, authPayload: nil, authority: .user, claims: credential.claims)
    #expect(legacy.generation == nil, "what an operator writes into a token is no word of the server's")
  }

  @Test("An anonymous user's token has the provider anonymous and no e-mail")
  func mintAnonymous() throws {
    let minter = IDTokenMinter(projectID: TokenForge.projectID, keys: TokenForge.keys)
    let subject = IDTokenSubject(uid: "a", signInProvider: "anonymous", authTimeSeconds: now)
    let claims = try verifier.verify(try minter.mint(subject, issuedAtSeconds: now), nowSeconds: now).claims
    #expect(claims["provider_id"] == .string("anonymous"))
    #expect(claims["email"] == nil && claims["email_verified"] == nil)
  }

  @Test("Reserved claims cannot be set by a developer", arguments: IDTokenClaims.reservedNames.sorted())
  func reserved(name: String) {
    let minter = IDTokenMinter(projectID: TokenForge.projectID, keys: TokenForge.keys)
    var stored = subject
    var session = subject
    stored.customClaims = [.init(name, .bool(true))]
    session.sessionClaims = [.init(name, .bool(true))]
    for subject in [stored, session] {
      #expect(throws: TokenMintError.forbiddenClaim(name)) { try minter.mint(subject, issuedAtSeconds: now) }
    }
  }

  @Test("Tokens that could not be used are not made")
  func mintRefused() {
    let minter = IDTokenMinter(projectID: TokenForge.projectID, keys: TokenForge.keys)
    var large = subject
    var nobody = subject
    var long = subject
    large.customClaims = [.init("x", .string(String(repeating: "x", count: 1_000)))]
    nobody.uid = ""
    long.uid = String(repeating: "a", count: 129)
    #expect(throws: TokenMintError.claimsTooLarge) { try minter.mint(large, issuedAtSeconds: now) }
    #expect(throws: TokenMintError.missingUID) { try minter.mint(nobody, issuedAtSeconds: now) }
    #expect(throws: TokenMintError.uidTooLong(lengthMax: 128)) { try minter.mint(long, issuedAtSeconds: now) }
    #expect(throws: TokenMintError.invalidTimes("")) {
      try minter.mint(subject, issuedAtSeconds: now, lifetimeSeconds: 899)
    }
    #expect(throws: TokenMintError.invalidTimes("")) { try minter.mint(subject, issuedAtSeconds: .max) }
  }

  // MARK: Keys and cache

  @Test("After a rotation the new key signs and the old ones verify until they fall out")
  func rotation() throws {
    let old = TokenForge.rs256(TokenForge.idPayload())
    let rotated = try TokenForge.keys.rotated(random: .system, keeping: 1)
    #expect(rotated.signingKeyID != TokenForge.keys.signingKeyID)
    let verifier = IDTokenVerifier(projectID: TokenForge.projectID, keys: rotated)
    #expect(throws: Never.self) { try verifier.verify(old, nowSeconds: now) }
    let fresh = try IDTokenMinter(projectID: TokenForge.projectID, keys: rotated).mint(subject, issuedAtSeconds: now)
    #expect(throws: Never.self) { try verifier.verify(fresh, nowSeconds: now) }
    let without = IDTokenVerifier(
      projectID: TokenForge.projectID, keys: try rotated.rotated(random: .system, keeping: 1))
    #expect(throws: CredentialError(.invalidToken, reason: "")) { try without.verify(old, nowSeconds: now) }
  }

  @Test("A token found right before still ends, and another token is not mistaken for it")
  func cache() throws {
    let verifier = verifier
    let token = TokenForge.rs256(TokenForge.idPayload())
    let first = try verifier.verify(token, nowSeconds: now)
    #expect(try verifier.verifyKnown(token, nowSeconds: now) == first)
    #expect(throws: CredentialError(.expiredToken, reason: "")) { try verifier.verify(token, nowSeconds: now + 3_590) }
    #expect(try verifier.verifyKnown(token + "A", nowSeconds: now) == nil)
    let forged = token.dropLast(20) + String(repeating: "A", count: 20)
    #expect(throws: CredentialError(.invalidToken, reason: "")) { try verifier.verify(String(forged), nowSeconds: now) }
    #expect(try verifier.verifyKnown(String(forged), nowSeconds: now) == nil)
  }

  @Test("The cache is bounded, and keeps recently used entries")
  func cacheBound() throws {
    let cache = VerifiedTokenCache(countMax: 10)
    let tokens = try (0..<200).map { try TokenReader.read(TokenForge.hs256(TokenForge.legacyPayload(["n": "\($0)"]))) }
    for token in tokens {
      cache.remember(token, keyID: "k")
      #expect(cache.entry(of: tokens[0].text) != nil)
      #expect(cache.count <= 20)
    }
    #expect(cache.entry(of: tokens[1].text) == nil)
  }

  @Test("Keys read back from their text, and a damaged text is refused")
  func keysText() throws {
    let keys = try TokenForge.keys.rotated(random: .system)
    let text = keys.text
    let again = try #require(SigningKeys(text: text))
    #expect(again.keyIDs == keys.keyIDs)
    #expect(again.publicPEM(keyID: keys.keyIDs[1]) == keys.publicPEM(keyID: keys.keyIDs[1]))
    let id = keys.keyIDs[0]
    for bad in [
      "", "\n", text + "x", String(text.dropLast(40)), "kid: x\n" + text, text.replacing(id, with: id + "0"),
      text.replacing("PRIVATE", with: "PUBLIC"), text + text, "kid: \(id)\n", text.replacing("M", with: "!"),
    ] {
      #expect(SigningKeys(text: bad) == nil)
    }
  }
}
