import COpenSSL
import HearthBytes
import RandomTestKit
import Testing

@testable import HearthCrypto

/// The error queue of OpenSSL for this thread.
enum ErrorQueue {
  static var isEmpty: Bool { ERR_peek_error() == 0 }
}

@Suite("Stored password hashes")
struct PasswordStoredHashTests {
  private static let salt = "AAECAwQFBgcICQoLDA0ODw"
  private static let hash = "D7lSJtJDGLLVcrxL7dWjkoRxbs+pMvcVYIJ+gbuyltk"
  private static let valid = "$scrypt$ln=14,r=8,p=5$\(salt)$\(hash)"

  /// Texts that are not valid stored hashes; most differ from a valid one in a single point.
  static let tampered: [String] = [
    "", "$", "$$$$", "*0", "*1", "x", "password", "$scrypt$", "$scrypt$$$", "scrypt$ln=14,r=8,p=5$\(salt)$\(hash)",
    "$scrypt$ln=31,r=8,p=1$\(salt)$\(hash)", "$scrypt$ln=63,r=8,p=1$\(salt)$\(hash)",
    "$scrypt$ln=20,r=32,p=16$\(salt)$\(hash)", "$scrypt$ln=99999999999999999999,r=8,p=1$\(salt)$\(hash)",
    "$scrypt$ln=-1,r=8,p=1$\(salt)$\(hash)", "$scrypt$ln=+14,r=8,p=5$\(salt)$\(hash)",
    "$scrypt$ln=014,r=8,p=5$\(salt)$\(hash)", "$scrypt$ln=14,r=8,p=05$\(salt)$\(hash)",
    "$scrypt$r=8,ln=14,p=5$\(salt)$\(hash)", "$scrypt$ln=14,r=8$\(salt)$\(hash)",
    "$scrypt$ln=14,r=8,p=5,p=5$\(salt)$\(hash)", "$scrypt$ln=14,r=8,p=5,x=1$\(salt)$\(hash)",
    "$scrypt$ln=14,r=8,p=5,$\(salt)$\(hash)", "$scrypt$ln=14,r=8,p=5,k=$\(salt)$\(hash)",
    "$scrypt$ln=14,r=0,p=5$\(salt)$\(hash)", "$scrypt$ln=14,r=8,p=0$\(salt)$\(hash)",
    "$scrypt$ln=14,r=8,p=17$\(salt)$\(hash)", "$scrypt$ln=14, r=8,p=5$\(salt)$\(hash)",
    "$scrypt$ln=0x0e,r=8,p=5$\(salt)$\(hash)", "$scrypt$ln=١٤,r=8,p=5$\(salt)$\(hash)",
    "\(valid) ", " \(valid)", "\(valid)\n", "\(valid)=", "\(valid)$", "\(valid)\u{0}", "\(valid)$\(hash)",
    "$scrypt$ln=14,r=8,p=5$\(salt)==$\(hash)", "$scrypt$ln=14,r=8,p=5$$\(hash)", "$scrypt$ln=14,r=8,p=5$\(salt)$",
    "$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODx$\(hash)", "$scrypt$ln=14,r=8,p=5$AAEC$\(hash)",
    "$scrypt$ln=14,r=8,p=5$\(salt)$AAECAwQ", "$scrypt$ln=14,r=8,p=5$\(salt)$D7lSJtJDGLLVcrxL7dWjkoRxbs-pMvcVYIJ",
    "$scrypt$v=1$ln=14,r=8,p=5$\(salt)$\(hash)", "$SCRYPT$ln=14,r=8,p=5$\(salt)$\(hash)",
    "$standard-scrypt$ln=18,r=8,p=1$\(salt)$\(hash)", "$standard-scrypt$ln=17,r=9,p=1$\(salt)$\(hash)",
    "$firebase-scrypt$ln=15,r=8,s=Bw,k=a$\(salt)$\(hash)", "$firebase-scrypt$ln=14,r=9,s=Bw,k=a$\(salt)$\(hash)",
    "$firebase-scrypt$ln=14,r=8,s=Bw,k=a b$\(salt)$\(hash)", "$firebase-scrypt$ln=14,r=8,s=Bw$\(salt)$\(hash)",
    "$pbkdf2-sha256$i=0$\(salt)$\(hash)", "$pbkdf2-sha256$i=120001$\(salt)$\(hash)",
    "$pbkdf2-sha512$i=1000$\(salt)$\(hash)", "$hmac-sha256$o=ps$\(salt)$\(hash)",
    "$hmac-sha256$o=xx,k=a$\(salt)$\(hash)", "$hmac-sha512$o=ps,k=a$\(salt)$\(hash)",
    "$sha512$o=sp$\(salt)$\(hash)", "$md5$o=sp$\(salt)$\(hash)", "$argon2id$m=256,t=2,p=1$\(salt)$\(hash)",
    "$argon2id$v=18$m=256,t=2,p=1$\(salt)$\(hash)", "$argon2id$v=19$m=4194304,t=2,p=1$\(salt)$\(hash)",
    "$argon2id$v=19$m=256,t=9999,p=1$\(salt)$\(hash)", "$argon2id$v=19$m=256,t=2,p=33$\(salt)$\(hash)",
    "$argon2id$v=19$m=7,t=2,p=1$\(salt)$\(hash)", "$argon2id$v=19$m=256,t=2,p=1$AAEC$\(hash)",
    "$argon2x$v=19$m=256,t=2,p=1$\(salt)$\(hash)", "$1$salt$hash", "$y$j9T$abc$def", "$6$salt$hash",
    "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWx",
    "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2a$16$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2a$+5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe", "$2a$05$", "$2", "$2a",
    "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyO*0", "$2a$05$" + String(repeating: "\u{0}", count: 53),
    String(repeating: "$", count: 5_000), "$scrypt$" + String(repeating: "ln=14,", count: 100_000),
  ]

  @Test("Security 11: a malformed stored hash matches no password, and fails at once", arguments: tampered)
  func failsClosed(text: String) {
    #expect(StoredHash(parsing: text) == nil)
    // At a cost of microseconds the whole list is fast, which shows that no hash was computed.
    #expect(
      !PasswordHash.verifyWithConstantWork(
        "password", against: text, cost: .developer, allowsDeveloperCost: true, signerKey: { _ in [1] }))
    #expect(ImportedHash.parts(of: text) == nil)
  }

  @Test("Security 11: a change of any byte of a stored hash makes it wrong")
  func everyByte() throws {
    let stored = try PasswordHash.make("password", cost: .developer, random: .system)
    let bytes = Array(stored.utf8)
    for place in bytes.indices {
      for byte in [UInt8(ascii: "A"), UInt8(ascii: "0"), UInt8(ascii: "$"), UInt8(ascii: ","), 0]
      where byte != bytes[place] {
        var changed = bytes
        changed[place] = byte
        let text = String(decoding: changed, as: UTF8.self)
        // Bounded here, so that a changed cost cannot make this test slow.
        guard StoredHash(parsing: text)?.work ?? 0 <= 1 << 16 else { continue }
        #expect(
          !PasswordHash.verify("password", against: text, allowsDeveloperCost: true, signerKey: { _ in nil }),
          "\(place): \(text)")
      }
    }
  }

  @Test("Random texts are refused, or parsed to a hash with the same text")
  func randomTexts() throws {
    var random = SeededRandom(seed: 11)
    let pieces = [
      "$", ",", "=", "scrypt", "firebase-scrypt", "standard-scrypt", "argon2id", "md5", "sha256", "hmac-md5", "ln", "r",
      "p", "k", "o", "sp", "v", "m", "t", "s", "i", "14", "8", "1", "19", "256", Self.salt, Self.hash, "Bw", "\u{0}",
      "é",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined()
      if let stored = StoredHash(parsing: text) { #expect(stored.text == text) }
    }
  }

  @Test("The text of a hash of every scheme is parsed to the same hash")
  func roundTrip() throws {
    let argon2 = Argon2(variant: .id, version: 19, memoryKiB: 256, iterations: 2, lanes: 1, associatedData: [1])
    let salt = [UInt8](0..<16)
    var all: [StoredHash] = [
      StoredHash(scheme: .native(.standard, pepperID: nil), salt: salt, hash: [UInt8](0..<32)),
      StoredHash(scheme: .native(.developer, pepperID: nil), salt: salt, hash: [UInt8](0..<32)),
      StoredHash(scheme: .native(.small, pepperID: "p-1"), salt: salt, hash: [UInt8](0..<32)),
      StoredHash(
        scheme: .firebaseScrypt(logN: 14, r: 8, separator: [7], keyID: "a.b_c-D"), salt: [], hash: [UInt8](0..<64)),
      StoredHash(
        scheme: .firebaseScrypt(logN: 1, r: 1, separator: [], keyID: "k"), salt: salt, hash: [UInt8](0..<16)),
      StoredHash(scheme: .scrypt(logN: 10, r: 8, p: 16), salt: [1], hash: [UInt8](0..<64)),
      StoredHash(scheme: .argon2(argon2), salt: salt, hash: [1, 2, 3, 4]),
    ]
    all += [HashFunction.sha1, .sha256].map {
      StoredHash(scheme: .pbkdf2($0, iterations: 120_000), salt: [], hash: [UInt8](0..<64))
    }
    for function in HashFunction.allCases {
      let hash = [UInt8](repeating: 9, count: function.sizeBytes)
      for order in [StoredHash.Order.saltFirst, .passwordFirst] {
        all.append(StoredHash(scheme: .digest(function, order: order), salt: [], hash: hash))
        all.append(StoredHash(scheme: .hmac(function, keyID: "k", order: order), salt: salt, hash: hash))
      }
    }
    for stored in all {
      #expect(stored.isWithinBounds, "\(stored)")
      #expect(StoredHash(parsing: stored.text) == stored, "\(stored.text)")
      let parts = try #require(ImportedHash.parts(of: stored.text))
      #expect(
        try ImportedHash.storedString(hash: parts.hash, salt: parts.salt, parameters: parts.parameters) == stored.text)
    }
  }

  @Test("The time of a refused password is filled with costs whose sum lacks less than an eighth of the cost")
  func paddingWork() {
    for cost in PasswordCost.recommended + [.developer] {
      for eighths in 0...8 {
        let work = cost.work / 8 * eighths
        let sum = PasswordHash.parts(of: work, cost: cost).reduce(0) { $0 + $1.work }
        let rest = max(cost.work / 8, PasswordCost.developer.work)
        #expect(sum <= work && work - sum < rest, "\(cost) \(eighths): \(sum)")
      }
      #expect(PasswordHash.parts(of: cost.work, cost: cost) == [cost])
      #expect(PasswordHash.parts(of: 0, cost: cost).isEmpty)
      #expect(PasswordHash.parts(of: -5, cost: cost).isEmpty)
    }
  }

  @Test(
    "Base64 of imported hashes is accepted in both alphabets, padded or not",
    arguments: ["+/+/AA==", "-_-_AA==", "+/+/AA", "-_-_AA", "+_-/AA"])
  func lenient(text: String) {
    #expect(Base64.decodeLenient(text.utf8) == [0xFB, 0xFF, 0xBF, 0x00])
  }

  @Test(
    "Invalid base64 is refused",
    arguments: ["A", "AA=", "AA===", "A===", "====", "=", "A A", "AAA=\n", "AB==", "é"])
  func notBase64(text: String) { #expect(Base64.decodeLenient(text.utf8) == nil) }

  @Test("Base64 is written padded and unpadded, and read strictly in stored hashes")
  func base64() {
    #expect(Base64.encode([0xFB, 0xFF, 0xBF, 0x00]) == "+/+/AA==")
    #expect(Base64.encode([UInt8]()) == "")
    #expect(Base64.encode([1, 2, 3]) == "AQID")
    #expect(Base64.encodeUnpadded([0xFB, 0xFF, 0xBF, 0x00]) == "+/+/AA")
    #expect(Base64.decodeUnpadded("+/+/AA".utf8) == [0xFB, 0xFF, 0xBF, 0x00])
    for text in ["-_-_AA", "+/+/AA==", "+/+/AB"] { #expect(Base64.decodeUnpadded(text.utf8) == nil) }
  }
}
