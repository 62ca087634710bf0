import COpenSSL
import Foundation
import Testing

@testable import HearthCrypto

@Suite("Published keys")
struct KeyPublicationTests {
  private let folder = KeyFolder()
  private let now = TokenForge.now

  @Test("Each key has a self-signed certificate with its own public key")
  func certificates() throws {
    let ring = try folder.ring()
    try ring.rotate(.idToken, nowSeconds: 1_700_000_000)
    for kind in KeyKind.allCases {
      let certificates = ring.certificates(kind)
      #expect(certificates.map(\.kid) == ring.list(kind).map(\.kid))
      for (kid, pem) in certificates {
        let key = try #require(RSAKey(certificatePEM: Array(pem.utf8)))
        #expect(try key.publicPEM() == ring.snapshot.store.keys(kind).key(id: kid)?.publicPEM())
        #expect(isSelfSigned(pem, by: key))
        #expect(pem.hasPrefix("-----BEGIN CERTIFICATE-----\n") && pem.hasSuffix("-----END CERTIFICATE-----\n"))
        #expect(!pem.contains("PRIVATE"))
      }
    }
  }

  private func isSelfSigned(_ pem: String, by key: RSAKey) -> Bool {
    let bytes = Array(pem.utf8)
    let bio = BIO_new_mem_buf(bytes, Int32(bytes.count))
    defer { BIO_free(bio) }
    let certificate = PEM_read_bio_X509(bio, nil, nil, nil)
    defer { X509_free(certificate) }
    return X509_verify(certificate, key.key) == 1 && X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0
      && X509_cmp_current_time(X509_get0_notBefore(certificate)) < 0
  }

  @Test("Certificates stay the same over a restart, so that caches stay valid")
  func stable() throws {
    let ring = try folder.ring()
    ring.rotateIfDue(nowSeconds: 1_700_000_000)
    let first = ring.certificates(.idToken).map(\.pem)
    #expect(try folder.ring().certificates(.idToken).map(\.pem) == first)
    #expect(first.count == 1)
  }

  @Test("The certificates' JSON is the object that admin SDKs read")
  func certificatesJSON() throws {
    let ring = try folder.ring()
    let parsed = try JSONSerialization.jsonObject(with: Data(ring.certificatesJSON(.sessionCookie)))
    let map = try #require(parsed as? [String: String])
    #expect(map == Dictionary(uniqueKeysWithValues: ring.certificates(.sessionCookie).map { ($0.kid, $0.pem) }))
    let keys = try ForeignKeySet(pems: map)
    #expect(keys.contains(keyID: TokenForge.otherKeys.signingKeyID))
  }

  @Test("An ordinary OpenID verifier accepts the server's ID tokens by its published key set")
  func jwks() throws {
    let ring = try folder.ring()
    let subject = IDTokenSubject(uid: "alice", signInProvider: "password", authTimeSeconds: now)
    let token = try ring.mintIDToken(subject, issuedAtSeconds: now)
    let verifier = ForeignTokenVerifier(
      issuers: ["https://securetoken.google.com/\(KeyFolder.projectID)"], audiences: [KeyFolder.projectID])
    let claims = try verifier.verify(
      token, keys: try ForeignKeySet(jwks: ring.jwks(.idToken)), nonce: .absent, nowSeconds: now)
    #expect(claims["sub"] == .string("alice"))
    let cookieKeys = try ForeignKeySet(jwks: ring.jwks(.sessionCookie))
    #expect(throws: ForeignTokenError(.unknownKey, "")) {
      try verifier.verify(token, keys: cookieKeys, nonce: .absent, nowSeconds: now)
    }
    let members = TokenForge.object(String(decoding: ring.jwks(.idToken), as: UTF8.self))["keys"]
    guard case .array(let keys) = members, let key = keys.first else { throw CancellationError() }
    #expect(key.members?.map(\.name) == ["kty", "use", "alg", "kid", "n", "e"], "and no private number")
    #expect(key["e"] == .string("AQAB"))
  }

  @Test("The discovery document names the tokens' issuer and the key set")
  func discovery() throws {
    let text = try folder.ring().discovery(issuer: "https://auth.example.com")
    let document = TokenForge.object(String(decoding: text, as: UTF8.self))
    #expect(document["issuer"] == .string("https://securetoken.google.com/\(KeyFolder.projectID)"))
    #expect(
      document["jwks_uri"]
        == .string("https://auth.example.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"))
  }
}
