import Testing

@testable import HearthCrypto

@Suite("Key ring")
struct KeyRingTests {
  private let folder = KeyFolder()
  private let now = TokenForge.now

  private var subject: IDTokenSubject { IDTokenSubject(uid: "alice", signInProvider: "password", authTimeSeconds: now) }

  @Test("Tokens of the key ring are verified by the ring and by its public part, and name the signing key")
  func mint() throws {
    let ring = try folder.ring()
    var subject = subject
    subject.secondFactor = (provider: "totp", identifier: "factor-1")
    let token = try ring.mintIDToken(subject, issuedAtSeconds: now)
    let credential = try ring.verifyIDToken(token, nowSeconds: now)
    #expect(credential.keyID == TokenForge.keys.signingKeyID)
    #expect(try ring.verifyIDToken(token, nowSeconds: now) == credential, "the second time from the cache")
    #expect(try ring.verifier.verify(token, nowSeconds: now) == credential)
    #expect(credential.claims["firebase"]?["sign_in_second_factor"] == .string("totp"))
    #expect(credential.claims["firebase"]?["second_factor_identifier"] == .string("factor-1"))
    #expect(credential.claims["iat"] == .int(now))
  }

  @Test("The ring's own signature equals libjwt's byte for byte, and libjwt accepts it")
  func differential() throws {
    let ring = try folder.ring()
    let token = try TokenReader.read(try ring.mintIDToken(subject, issuedAtSeconds: now))
    let pem = try #require(TokenForge.key.publicPEM())
    #expect(LibJWT.verify(token, algorithm: .rs256, key: pem) == .accepted)
    let theirs = try LibJWT.sign(
      claims: try #require(token.payload.members), header: [("kid", TokenForge.keys.signingKeyID)], algorithm: .rs256,
      key: TokenForge.keys.signing.privatePEM)
    let read = try TokenReader.read(theirs)
    #expect(TokenForge.key.sign(read.signedBytes) == read.signature)
    for claim in try #require(token.payload.members) { #expect(read.payload[claim.name] == claim.value) }
  }

  @Test("Security 31: tokens with a too short lifetime, or a longer one than their key's, are not minted")
  func lifetimes() throws {
    let ring = try folder.ring()
    for seconds: Int64 in [.min, -1, 0, 1, 299, 300, 301, 899, 1_209_601, .max] {
      #expect(throws: TokenMintError.invalidTimes("")) {
        try ring.mintIDToken(subject, issuedAtSeconds: now, lifetimeSeconds: seconds)
      }
    }
    for seconds: Int64 in [900, 3_600, 1_209_600] {
      #expect(throws: Never.self) { try ring.mintIDToken(subject, issuedAtSeconds: now, lifetimeSeconds: seconds) }
    }
  }

  @Test("Security 34: auth_time stays while iat moves on with each refresh")
  func authTime() throws {
    let ring = try folder.ring()
    for refresh: Int64 in 0..<4 {
      let at = now + refresh * 3_500
      let claims = try ring.verifyIDToken(try ring.mintIDToken(subject, issuedAtSeconds: at), nowSeconds: at).claims
      #expect(claims["auth_time"] == .int(now))
      #expect(claims["iat"] == .int(at) && claims["exp"] == .int(at + 3_600))
    }
  }

  @Test("Security 29: after a clock step of an hour tokens expire exactly, and future ones are refused")
  func clockSteps() throws {
    let ring = try folder.ring()
    let token = try ring.mintIDToken(subject, issuedAtSeconds: now)
    func refusal(_ seconds: Int64) -> CredentialError.Code? {
      do {
        _ = try ring.verifier.verify(token, nowSeconds: seconds)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(refusal(now) == nil)
    #expect(refusal(now + 3_599) == nil)
    #expect(refusal(now + 3_600) == .expiredToken)
    #expect(refusal(now - 3_600) == .invalidToken, "known to the cache, and still judged by its times")
    #expect(refusal(now - 60) == nil)
    #expect(refusal(now + 1) == nil, "after the clock came back")
  }

  @Test("A legacy session is a legacy token with the session's name")
  func legacySession() throws {
    let ring = try folder.ring()
    let token = try ring.mintLegacySession(
      uid: "simplelogin:1", data: [.init("provider", .string("password"))], sessionID: "session-1",
      issuedAtSeconds: now, expiresAtSeconds: now + 86_400)
    let credential = try ring.verifier.verify(token, nowSeconds: now)
    #expect(credential.kind == .legacyToken && !credential.authority.bypassesRules)
    #expect(credential.claims["jti"] == .string("session-1"))
    #expect(credential.authPayload == TokenForge.object(#"{"provider":"password","uid":"simplelogin:1"}"#))
    #expect(credential.expiresAtSeconds == now + 86_400)
    #expect(credential.keyID == ring.legacySecrets.ids[0])
    #expect(throws: TokenMintError.invalidTimes("")) {
      try ring.mintLegacySession(uid: "a", data: [], sessionID: "s", issuedAtSeconds: now, expiresAtSeconds: now)
    }
    #expect(throws: TokenMintError.forbiddenClaim("uid")) {
      try ring.mintLegacySession(
        uid: "a", data: [.init("uid", .string("b"))], sessionID: "s", issuedAtSeconds: now, expiresAtSeconds: now + 1)
    }
  }

  @Test("Raw secrets can be disabled without ending tokens that they sign")
  func rawSecrets() throws {
    let open = try folder.ring()
    let closed = try folder.ring(acceptsRawSecrets: false)
    let secret = open.legacySecrets.active[0]
    let admin = try open.verifier.verify(secret, nowSeconds: now)
    #expect(admin.authority.bypassesRules && open.isKeyValid(of: admin) && !closed.isKeyValid(of: admin))
    #expect(throws: CredentialError(.invalidToken, reason: "")) { try closed.verifier.verify(secret, nowSeconds: now) }
    let token = try LegacyTokenMinter(secrets: open.legacySecrets).mint(uid: "a", issuedAtSeconds: now)
    #expect(try closed.verifier.verify(token, nowSeconds: now).uid == "a")
  }

  @Test("Sealed data opens only unchanged, with the same key and purpose")
  func sealing() throws {
    let ring = try folder.ring()
    for bytes in [[], [0], Array("a secret".utf8), [UInt8](repeating: 7, count: 5_000)] {
      let text = try ring.seal(bytes, for: "totp alice")
      #expect(try ring.seal(bytes, for: "totp alice") != text, "a new nonce each time")
      #expect(ring.unseal(text, for: "totp alice") == bytes)
      #expect(ring.unseal(text, for: "totp bob") == nil)
      #expect(ring.unseal(text) == nil)
      #expect(try folder.ring().unseal(text, for: "totp alice") == bytes, "after a restart")
      #expect(try KeyFolder().ring().unseal(text, for: "totp alice") == nil, "another server's key")
    }
  }

  @Test("A damaged sealed text cannot be opened")
  func damagedSeal() throws {
    let ring = try folder.ring()
    let text = try ring.seal(Array("a secret".utf8))
    for index in text.utf8.indices {
      var changed = text
      let letter: Character = text[index] == "A" ? "B" : "A"
      changed.replaceSubrange(index...index, with: String(letter))
      #expect(ring.unseal(changed) == nil)
      #expect(ring.unseal(String(text[..<index])) == nil)
    }
    for bad in ["", "s1.", "s1.AAAA", text + "A", text + "=", " " + text, "s2." + text.dropFirst(3)] {
      #expect(ring.unseal(bad) == nil)
    }
  }

  @Test("The throttle's key is the same after a restart, and does not contain the key that it is derived from")
  func throttleKey() throws {
    let ring = try folder.ring()
    #expect(ring.throttleKey.count == 32)
    #expect(try folder.ring().throttleKey == ring.throttleKey)
    #expect(try KeyFolder().ring().throttleKey != ring.throttleKey)
  }

  @Test("Without randomness sealing fails")
  func noRandomness() throws {
    let none = RandomBytes { (_) throws(RandomnessError) in throw RandomnessError() }
    let ring = KeyRing(store: try folder.store(), projectID: "p", random: none)
    #expect(throws: RandomnessError.self) { try ring.seal([1]) }
    let few = RandomBytes { (_) throws(RandomnessError) in [1, 2, 3] }
    let short = KeyRing(store: try folder.store(), projectID: "p", random: few)
    #expect(throws: RandomnessError.self) { try short.seal([1]) }
  }

  @Test("A ring and its parts print none of their secrets")
  func redaction() throws {
    let ring = try folder.ring()
    let store = try folder.store()
    let account = try ring.mintingAccount
    let minter = try CustomTokenMinter(account: account)
    let secrets = [
      store.adminToken, store.legacySecrets.active[0], String(account.privatePEM.dropFirst(40).prefix(60)),
      String(TokenForge.keys.text.dropFirst(200).prefix(60)),
    ]
    let key = ServiceAccountKey(keyID: "k", privatePEM: account.privatePEM, publicPEM: account.publicPEM)
    let values: [Any] = [ring, ring.snapshot, store, account, minter, key, store.sealingKey]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        for secret in secrets { #expect(!text.contains(secret)) }
      }
    }
  }
}
