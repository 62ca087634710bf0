import HearthBytes
import Testing

@testable import HearthCrypto

@Suite("Password hashes")
struct PasswordHashTests {
  private func make(_ password: String, cost: PasswordCost = .developer) throws -> String {
    try PasswordHash.make(password, cost: cost, random: .system)
  }

  private func verify(_ password: String, _ stored: String, developer: Bool = true) -> Bool {
    PasswordHash.verify(password, against: stored, allowsDeveloperCost: developer, signerKey: { _ in nil })
  }

  @Test("Security 8: a stored hash is salted, and contains the policy's parameters")
  func stored() throws {
    let first = try make("correct horse", cost: .small)
    let second = try make("correct horse", cost: .small)
    #expect(first != second)
    for text in [first, second] {
      let fields = text.split(separator: "$", omittingEmptySubsequences: false)
      #expect(fields.prefix(3) == ["", "scrypt", "ln=14,r=8,p=5"])
      #expect(Base64.decodeUnpadded(fields[3].utf8)?.count == 16)
      #expect(Base64.decodeUnpadded(fields[4].utf8)?.count == 32)
      #expect(verify("correct horse", text, developer: false))
      #expect(!verify("correct horsf", text, developer: false))
    }
  }

  @Test(
    "Security 2: passwords of 64, 128 and 4,096 bytes are accepted, and of one byte more are not",
    arguments: [1, 6, 64, 128, 4_096])
  func lengths(count: Int) throws {
    let password = String(repeating: "p", count: count - 1)
    let stored = try make(password + "a")
    #expect(verify(password + "a", stored))
    #expect(!verify(password + "b", stored))
  }

  @Test("Security 2: an empty password and one of 4,097 bytes cannot be set, and do not match")
  func lengthBounds() throws {
    let long = String(repeating: "p", count: 4_097)
    #expect(throws: PasswordHashError(.passwordTooLong)) { try make(long) }
    #expect(throws: PasswordHashError(.emptyPassword)) { try make("") }
    // A hash of the empty password, as an import may contain it.
    let empty = StoredHash(scheme: .digest(.sha256, order: .saltFirst), salt: [], hash: Digest(sha256: []).bytes)
    #expect(!verify("", empty.text))
    let tooLong = StoredHash(
      scheme: .digest(.sha256, order: .saltFirst), salt: [], hash: Digest(sha256: long.utf8).bytes)
    #expect(!verify(long, tooLong.text))
  }

  @Test(
    "Security 3: every byte counts: spaces, case, emoji, zero bytes, and the composition of accents",
    arguments: [
      (" secret", "secret"), ("secret ", "secret"), ("Secret", "secret"), ("\u{0}secret", "secret"),
      ("secret\u{0}a", "secret\u{0}b"), ("\u{E9}cole!", "e\u{301}cole!"), ("🐵🐵🐵", "🐵🐵🙈"), ("\tsecret", "secret"),
      ("secret\r\n", "secret\n"), ("ＰＡＳＳ", "PASS"),
    ])
  func exactness(password: String, other: String) throws {
    let stored = try make(password)
    #expect(verify(password, stored))
    #expect(!verify(other, stored))
  }

  @Test("Scrypt ignores trailing zero bytes")
  func trailingZero() throws {
    // HMAC pads its key with zeros. Other behavior would be another algorithm, which cannot verify other servers'
    // hashes.
    #expect(verify("secret\u{0}", try make("secret")))
    #expect(!verify("secret\u{0}", try make("secret1")))
  }

  @Test("Security 3: passwords with the same first 72 bytes differ")
  func longTails() throws {
    let head = String(repeating: "x", count: 72)
    let stored = try make(head + "a")
    #expect(verify(head + "a", stored))
    #expect(!verify(head + "b", stored))
    #expect(!verify(head, stored))
  }

  @Test("bcrypt uses 72 bytes of an imported user's password, and the new hash uses all bytes")
  func bcryptTails() {
    let head = String(repeating: "x", count: 72)
    let setting = Array("$2b$04$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".utf8)
    let text = Bcrypt.hash(WipedBytes(head), setting: setting).map { String(decoding: $0, as: UTF8.self) }
    #expect(text != nil)
    #expect(verify(head, text ?? "") && verify(head + "tail", text ?? ""))
    // Longer than crypt itself accepts.
    #expect(verify(head + String(repeating: "y", count: 1_000), text ?? ""))
    #expect(!verify(String(head.dropLast()), text ?? ""))
  }

  @Test("A developer's cheap hash is not accepted on a server with a production cost")
  func floor() throws {
    let cheap = try make("secret")
    #expect(verify("secret", cheap, developer: true))
    #expect(!verify("secret", cheap, developer: false))
    let below = try #require(PasswordCost(logN: 14, r: 8, p: 4))
    #expect(below.isBelowFloor && PasswordCost.developer.isBelowFloor)
    #expect(PasswordCost.recommended.allSatisfy { !$0.isBelowFloor })
    #expect(PasswordCost(logN: 18, r: 8, p: 1)?.isBelowFloor == false)
    #expect(PasswordCost(logN: 16, r: 8, p: 1)?.isBelowFloor == true)
  }

  @Test("Excessive costs are refused")
  func costBounds() {
    for (logN, r, p) in [(3, 8, 1), (21, 1, 1), (14, 0, 1), (14, 33, 1), (14, 8, 0), (14, 8, 17), (18, 16, 1)] {
      #expect(PasswordCost(logN: logN, r: r, p: p) == nil, "\(logN) \(r) \(p)")
    }
    #expect(PasswordCost(logN: 18, r: 8, p: 1)?.memoryBytes == (256 << 20) + 1024)
    #expect(PasswordCost(logN: .max, r: .max, p: .max) == nil)
    #expect(PasswordCost(logN: .min, r: .min, p: .min) == nil)
  }

  @Test("A pepper changes the hash, and is not stored with it")
  func pepper() throws {
    let pepper = try #require(PasswordHash.Pepper(id: "p1", key: [UInt8](repeating: 7, count: 32)))
    let other = try #require(PasswordHash.Pepper(id: "p1", key: [UInt8](repeating: 8, count: 32)))
    let next = try #require(PasswordHash.Pepper(id: "p2", key: [UInt8](repeating: 7, count: 32)))
    let stored = try PasswordHash.make("secret", cost: .developer, pepper: pepper, random: .system)
    #expect(stored.hasPrefix("$scrypt$ln=4,r=8,p=1,k=p1$"))
    func verify(_ pepper: PasswordHash.Pepper?) -> Bool {
      PasswordHash.verify(
        "secret", against: stored, allowsDeveloperCost: true, pepper: pepper,
        signerKey: { _ in [UInt8](repeating: 7, count: 32) })
    }
    #expect(verify(pepper))
    #expect(!verify(other) && !verify(next) && !verify(nil))
    #expect(!PasswordHash.needsRehash(stored, cost: .developer, pepper: pepper))
    #expect(PasswordHash.needsRehash(stored, cost: .developer, pepper: next))
    #expect(PasswordHash.needsRehash(stored, cost: .developer))
    #expect(PasswordHash.Pepper(id: "a,b", key: [UInt8](repeating: 7, count: 32)) == nil)
    #expect(PasswordHash.Pepper(id: "p", key: []) == nil)
    #expect("\(pepper)" == "<Pepper>")
  }

  @Test("Only weaker hashes are replaced")
  func rehash() throws {
    let salt = "AAECAwQFBgcICQoLDA0ODw"
    let hash = "D7lSJtJDGLLVcrxL7dWjkoRxbs+pMvcVYIJ+gbuyltk"
    #expect(!PasswordHash.needsRehash("$scrypt$ln=17,r=8,p=1$\(salt)$\(hash)", cost: .standard))
    #expect(!PasswordHash.needsRehash("$scrypt$ln=18,r=8,p=1$\(salt)$\(hash)", cost: .standard))
    #expect(PasswordHash.needsRehash("$scrypt$ln=16,r=8,p=2$\(salt)$\(hash)", cost: .standard))
    #expect(PasswordHash.needsRehash("$scrypt$ln=17,r=8,p=1$AAECAwQFBgc$\(hash)", cost: .standard))
    #expect(PasswordHash.needsRehash("$scrypt$ln=17,r=8,p=1$\(salt)$\(salt)", cost: .standard))
    for text in ["$sha256$o=sp$$uI01eEasl+esOs45DDOed06Ax0DcKtjGukrvHCERiwQ", "", "*0"] {
      #expect(PasswordHash.needsRehash(text, cost: .developer))
    }
  }

  @Test("Without randomness there is no hash")
  func noRandomness() {
    let broken = RandomBytes { (_) throws(RandomnessError) in throw RandomnessError() }
    #expect(throws: PasswordHashError(.noRandomness)) {
      try PasswordHash.make("secret", cost: .developer, random: broken)
    }
    #expect(throws: PasswordHashError(.noRandomness)) {
      try PasswordHash.make("secret", cost: .developer, random: RandomBytes { _ in [1, 2, 3] })
    }
  }

  @Test("Errors in OpenSSL's queue are not left for the next caller")
  func errorQueue() {
    let impossible = Scrypt.derive(WipedBytes("x"), salt: [], logN: 4, r: 1 << 30, p: 1, sizeBytes: 32)
    #expect(impossible == nil)
    #expect(ErrorQueue.isEmpty)
  }
}
