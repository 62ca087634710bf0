import Testing

@testable import HearthCrypto

@Suite("Session cookies")
struct SessionCookieTests {
  private let folder = KeyFolder()
  private let now = TokenForge.now

  private func idClaims(_ ring: KeyRing) throws -> ClaimValue {
    var subject = IDTokenSubject(uid: "alice", signInProvider: "password", authTimeSeconds: now - 100)
    subject.email = "alice@example.com"
    subject.customClaims = [.init("role", .string("ed"))]
    subject.generation = 3
    let token = try ring.mintIDToken(subject, issuedAtSeconds: now)
    return try ring.verifyIDToken(token, nowSeconds: now).claims
  }

  @Test("A session cookie has the ID token's claims with its own issuer, times and key")
  func mint() throws {
    let ring = try folder.ring()
    let claims = try idClaims(ring)
    let cookie = try ring.mintSessionCookie(claims: claims, issuedAtSeconds: now + 5, lifetimeSeconds: 1_209_600)
    let verified = try ring.verifySessionCookie(cookie, nowSeconds: now + 1_209_604)
    #expect(verified.kind == .sessionCookie && verified.uid == "alice" && verified.generation == 3)
    #expect(verified.keyID == TokenForge.otherKeys.signingKeyID)
    #expect(verified.claims["iss"] == .string("https://session.firebase.google.com/\(KeyFolder.projectID)"))
    #expect(verified.claims["iat"] == .int(now + 5) && verified.claims["exp"] == .int(now + 1_209_605))
    for name in ["aud", "sub", "user_id", "auth_time", "email", "email_verified", "role", "firebase"] {
      #expect(verified.claims[name] == claims[name] && claims[name] != nil)
    }
    #expect(verified.claims.members?.count == claims.members?.count)
    #expect(throws: CredentialError(.expiredToken, reason: "")) {
      try ring.verifySessionCookie(cookie, nowSeconds: now + 1_209_605)
    }
  }

  @Test("Lifetimes of five minutes to two weeks are accepted")
  func lifetimes() throws {
    let ring = try folder.ring()
    let claims = try idClaims(ring)
    for seconds: Int64 in [.min, -1, 0, 299, 1_209_601, .max] {
      #expect(throws: TokenMintError.invalidTimes("")) {
        try ring.mintSessionCookie(claims: claims, issuedAtSeconds: now, lifetimeSeconds: seconds)
      }
    }
    #expect(throws: TokenMintError.invalidTimes("")) {
      try ring.mintSessionCookie(claims: claims, issuedAtSeconds: .max, lifetimeSeconds: 300)
    }
    #expect(throws: Never.self) {
      try ring.mintSessionCookie(claims: claims, issuedAtSeconds: now, lifetimeSeconds: 300)
    }
  }

  @Test("Only an ID token's claims make a session cookie; a session cookie's do not")
  func source() throws {
    let ring = try folder.ring()
    let cookie = try ring.mintSessionCookie(
      claims: try idClaims(ring), issuedAtSeconds: now, lifetimeSeconds: 300)
    let cookieClaims = try ring.verifySessionCookie(cookie, nowSeconds: now).claims
    for claims in [
      cookieClaims, .object([]), .null, .object([.init("iss", .string("https://securetoken.google.com/x"))]),
    ] {
      #expect(throws: TokenMintError.refused("")) {
        try ring.mintSessionCookie(claims: claims, issuedAtSeconds: now, lifetimeSeconds: 300)
      }
    }
  }

  @Test("Even with a shared issuer a key of either kind does not sign the other kind")
  func separateKeys() throws {
    let ring = try folder.ring()
    let issuer = "\"https://session.firebase.google.com/\(KeyFolder.projectID)\""
    let forged = TokenForge.rs256(TokenForge.idPayload(["iss": issuer]))  // Signed with the ID token key.
    #expect(throws: CredentialError(.invalidToken, reason: "")) {
      try ring.verifySessionCookie(forged, nowSeconds: now)
    }
    let header = #"{"alg":"RS256","kid":"\#(TokenForge.otherKeys.signingKeyID)","typ":"JWT"}"#
    let reverse = TokenForge.rs256(TokenForge.idPayload(), header: header, key: TokenForge.otherKeys.signing.key)
    #expect(throws: CredentialError(.invalidToken, reason: "")) { try ring.verifyIDToken(reverse, nowSeconds: now) }
    let genuine = TokenForge.rs256(
      TokenForge.idPayload(["iss": issuer]), header: header, key: TokenForge.otherKeys.signing.key)
    #expect(try ring.verifySessionCookie(genuine, nowSeconds: now).uid == "alice")
    #expect(throws: CredentialError(.invalidToken, reason: "")) { try ring.verifier.verify(genuine, nowSeconds: now) }
  }
}
