import RandomTestKit
import Testing

@testable import HearthCrypto

/// Tests of hostile input: parsing always ends with a value or an error, never with a trap or an accepted forgery.
@Suite("Hostile input")
struct HostileInputTests {
  private let folder = KeyFolder()
  private let now = TokenForge.now

  private func mutated(_ text: String, seed: Int) -> String {
    var random = SeededRandom(seed: UInt64(seed))
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = Int.random(in: 0..<max(1, bytes.count), using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...40, using: &random)))
      case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: min(index, bytes.count))
      case 2: bytes.insert(contentsOf: Array(#"{}[]",:.-1e9null"#.utf8), at: min(index, bytes.count))
      case 3: bytes += bytes.prefix(index)
      default: if index < bytes.count { bytes[index] ^= UInt8(1 << Int.random(in: 0..<8, using: &random)) }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("Mutated key sets")
  func keySets() throws {
    let text = String(decoding: try folder.ring().jwks(.idToken), as: UTF8.self)
    let pem = TokenForge.keys.publicPEM(keyID: TokenForge.keys.signingKeyID) ?? ""
    let certificate = try folder.ring().certificates(.idToken)[0].pem
    let token = TokenForge.rs256(#"{"iss":"i","aud":"a","sub":"s","iat":\#(now),"exp":\#(now + 10)}"#)
    let verifier = ForeignTokenVerifier(issuers: ["i"], audiences: ["a"])
    for seed in 0..<600 {
      let set =
        switch seed % 3 {
        case 0: try? ForeignKeySet(jwks: Array(mutated(text, seed: seed).utf8))
        case 1: try? ForeignKeySet(pems: [TokenForge.keys.signingKeyID: mutated(pem, seed: seed)])
        default: try? ForeignKeySet(pems: [TokenForge.keys.signingKeyID: mutated(certificate, seed: seed)])
        }
      if let set { _ = try? verifier.verify(token, keys: set, nonce: .absent, nowSeconds: now) }
    }
  }

  @Test("Mutated tokens, at every verifier: none is accepted")
  func tokens() throws {
    let ring = try folder.ring()
    let minter = try CustomTokenMinter(account: ring.mintingAccount)
    let accounts = [
      (email: ring.mintingEmail, publicKeys: [try ring.mintingAccount.keyID: try ring.mintingAccount.publicPEM])
    ]
    let assertions = AssertionVerifier(audiences: [])
    let custom = ring.customTokenVerifier(accounts: [], allowsUnsigned: true)
    let foreign = ForeignTokenVerifier(issuers: ["i"], audiences: ["a"])
    let keys = try ForeignKeySet(jwks: ring.jwks(.idToken))
    let originals = [
      try minter.mint(uid: "alice", claims: [.init("a", .int(1))], issuedAtSeconds: now),
      TokenForge.rs256(TokenForge.idPayload()),
      ServiceForge.assertion(), TokenForge.hs256(TokenForge.legacyPayload()),
    ]
    for seed in 0..<800 {
      let original = originals[seed % originals.count]
      let text = mutated(original, seed: seed)
      guard text != original else { continue }
      #expect((try? ring.verifier.verify(text, nowSeconds: now)) == nil)
      #expect((try? ring.verifySessionCookie(text, nowSeconds: now)) == nil)
      #expect((try? custom.verify(text, nowSeconds: now)) == nil)
      #expect((try? assertions.verify(text, accounts: accounts, nowSeconds: now)) == nil)
      #expect((try? foreign.verify(text, keys: keys, nonce: .unchecked, nowSeconds: now)) == nil)
    }
  }

  @Test("Payloads with wrong types and valid signatures are refused or harmless, and never trap")
  func payloads() throws {
    let ring = try folder.ring()
    let values = [
      "null", "true", "0", "-1", "1e308", "-0.0", "9223372036854775807", "\"\"", "\"x\"", "[]", "{}", "[[[]]]",
      "{\"a\":1}", "1.5", "\"\\ud83d\\ude42\"",
    ]
    let names = [
      "iss", "sub", "aud", "iat", "exp", "nbf", "uid", "claims", "tenant_id", "scope", "jti", "nonce", "azp",
    ]
    let verifier = CustomTokenVerifier(projectID: TokenForge.projectID, accounts: ServiceForge.accounts)
    let foreign = ForeignTokenVerifier(issuers: [ServiceForge.email], audiences: [UnverifiedToken.customTokenAudience])
    let keys = try ForeignKeySet(pems: [ServiceForge.keyID: ServiceForge.publicPEM])
    for name in names {
      for value in values {
        let custom = ServiceForge.custom([name: value])
        if let read = try? verifier.verify(custom, nowSeconds: now) {
          #expect(read.issuer == ServiceForge.email && !read.uid.isEmpty)
        }
        _ = try? foreign.verify(custom, keys: keys, nonce: .unchecked, nowSeconds: now)
        _ = try? AssertionVerifier(audiences: []).verify(
          ServiceForge.assertion([name: value]), accounts: ServiceForge.accounts, nowSeconds: now)
        #expect((try? ring.verifier.verify(custom, nowSeconds: now)) == nil)
      }
    }
  }

  @Test("Mutated key files are read as damaged or as keys, of which one signs")
  func keyFiles() throws {
    let text = try TokenForge.keys.rotated(isUrgent: true, nowSeconds: now, random: .system).text
    for seed in 0..<200 {
      guard let keys = SigningKeys(text: mutated(text, seed: seed)) else { continue }
      #expect(keys.entries.count { $0.state == .signing } == 1)
    }
  }
}
