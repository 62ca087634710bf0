import HearthBytes
import Testing

@testable import HearthCrypto

@Suite("An emulator's tokens")
struct TokenSealTests {
  private let folder = KeyFolder()
  private let now = TokenForge.now

  private func ring(isEmulator: Bool = true) throws -> KeyRing {
    KeyRing(
      store: try KeyStore(directory: folder.path), projectID: KeyFolder.projectID,
      developerCredentials: isEmulator ? DeveloperCredentials() : nil)
  }

  private func token(_ ring: KeyRing) throws -> String {
    try ring.mintIDToken(
      IDTokenSubject(uid: "ann", signInProvider: "password", authTimeSeconds: now), issuedAtSeconds: now)
  }

  @Test(
    "an emulator's tokens have no signature, as admin SDKs in emulator mode require, and are accepted from any address")
  func verified() throws {
    let ring = try ring()
    let token = try token(ring)
    let read = try TokenReader.read(token)
    #expect(read.algorithm == "none" && read.signature.isEmpty && token.hasSuffix("."))
    let credential = try ring.verifyIDToken(token, nowSeconds: now)
    #expect(credential.kind == .idToken && credential.keyID == nil && credential.uid == "ann")
    #expect(ring.isKeyValid(of: credential))
    #expect(try ring.verifier.verify(token, nowSeconds: now, isFromLoopback: false).kind == .idToken)
    #expect(throws: CredentialError.self) { try ring.verifyIDToken(token, nowSeconds: now + 3_600) }
    let copy = ring.copy(for: "other")
    #expect(throws: CredentialError.self) { try copy.verifyIDToken(token, nowSeconds: now) }
    #expect(try self.token(copy) != token)
  }

  @Test("altered tokens, and those of other servers or purposes, are refused")
  func forged() throws {
    let ring = try ring()
    let token = try token(ring)
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let payload = String(decoding: Base64URL.decode(parts[1].utf8) ?? [], as: UTF8.self)
    let other = Base64URL.encode(payload.replacing("ann", with: "bob").utf8)
    let plain = Base64URL.encode(#"{"alg":"none","typ":"JWT"}"#.utf8)
    let cookie = try ring.mintSessionCookie(
      claims: try ring.verifyIDToken(token, nowSeconds: now).claims, issuedAtSeconds: now, lifetimeSeconds: 600)
    let elsewhere = KeyFolder()
    let stranger = try self.token(
      KeyRing(
        store: try KeyStore(directory: elsewhere.path), projectID: KeyFolder.projectID,
        developerCredentials: DeveloperCredentials()))
    for forged in [parts[0] + "." + other + ".", plain + "." + parts[1] + ".", token + "AAAA", cookie, stranger] {
      #expect(throws: CredentialError.self) { try ring.verifyIDToken(forged, nowSeconds: now) }
      #expect(throws: CredentialError.self) { try ring.verifier.verify(forged, nowSeconds: now, isFromLoopback: false) }
    }
    #expect(try ring.verifySessionCookie(cookie, nowSeconds: now).uid == "ann")
    #expect(throws: CredentialError.self) { try ring.verifySessionCookie(token, nowSeconds: now) }
  }

  @Test("Security 28: no other server accepts an emulator's tokens, even with the same keys")
  func elsewhere() throws {
    let token = try token(ring())
    let serving = try ring(isEmulator: false)
    #expect(throws: CredentialError.self) { try serving.verifyIDToken(token, nowSeconds: now) }
    for isFromLoopback in [true, false] {
      #expect(throws: CredentialError.self) {
        try serving.verifier.verify(token, nowSeconds: now, isFromLoopback: isFromLoopback)
      }
    }
    let signed = try self.token(serving)
    #expect(try TokenReader.read(signed).algorithm == "RS256")
    #expect(try ring().verifyIDToken(signed, nowSeconds: now).uid == "ann", "what was signed before counts")
  }
}
