import HearthBytes
import Testing

@testable import HearthCrypto

/// Tests with published vectors, and with vectors made by other implementations.
@Suite("Password vectors")
struct PasswordVectorTests {
  private func verify(_ password: String, _ stored: String, key: [UInt8]? = nil) -> Bool {
    PasswordHash.verify(password, against: stored, allowsDeveloperCost: false, signerKey: { _ in key })
  }

  private func bytes(_ base64: String) throws -> [UInt8] {
    try #require(Base64.decodeLenient(base64.utf8), "\(base64)")
  }

  @Test(
    "Security 10: native hashes are verified",
    arguments: [
      (
        "correct horse battery staple",
        "$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$D7lSJtJDGLLVcrxL7dWjkoRxbs+pMvcVYIJ+gbuyltk"
      ),
      (
        "correct horse battery staple",
        "$scrypt$ln=17,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$GylG2nH0EXnoO5ncM4QtFXQbh8QSHIx/N4HB34ZPtYs"
      ),
      (
        "pässwörd🐵",
        "$scrypt$ln=15,r=8,p=3$AAECAwQFBgcICQoLDA0ODw$QKGYyYIxAmvD8OmeOUBl/O1bK8LUciLL+0/fb5BHP/c"
      ),
    ])
  func native(password: String, stored: String) {
    #expect(verify(password, stored))
    #expect(!verify(password + " ", stored))
  }

  @Test("Security 10: a native hash has exactly the expected text")
  func nativeMade() throws {
    let random = RandomBytes { count in (0..<count).map { UInt8($0) } }
    #expect(
      try PasswordHash.make("correct horse battery staple", cost: .small, random: random)
        == "$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$D7lSJtJDGLLVcrxL7dWjkoRxbs+pMvcVYIJ+gbuyltk")
  }

  @Test("Security 10: scrypt of RFC 7914")
  func scrypt() {
    let short = Scrypt.derive(WipedBytes("password"), salt: Array("NaCl".utf8), logN: 10, r: 8, p: 16, sizeBytes: 64)
    #expect(
      short.map(Hexadecimal.text)
        == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640")
    let empty = Scrypt.derive(WipedBytes(""), salt: [], logN: 4, r: 1, p: 1, sizeBytes: 64)
    #expect(
      empty.map(Hexadecimal.text)
        == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
        + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906")
  }

  static let signerKey =
    "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="

  @Test(
    "Security 10: Firebase's scrypt is verified",
    arguments: [
      (
        "user1password", "42xEC+ixf3L2lw==",
        "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
      ),
      (
        "password", "TmFDbA==",
        "V358E8LdWJXAO7muq0CufVpEOXaj8aFiC7T/rcaGieN04q/ZPJ08WhJEHGjj9lz/2TT+/86N5VjVoc5DdBhBiw=="
      ),
    ])
  func firebase(password: String, salt: String, hash: String) throws {
    var parameters = ImportedHash.Parameters(.scrypt, signerKeyID: "batch-1")
    parameters.saltSeparator = try bytes("Bw==")
    parameters.rounds = 8
    parameters.memoryCost = 14
    let stored = try ImportedHash.storedString(hash: bytes(hash), salt: bytes(salt), parameters: parameters)
    let key = try bytes(Self.signerKey)
    #expect(verify(password, stored, key: key))
    #expect(!verify(password + "x", stored, key: key))
    #expect(!verify(password, stored, key: Array(key.reversed())))
    #expect(!verify(password, stored), "without its key nothing is right")
    #expect(!stored.contains(String(Self.signerKey.prefix(8))))
  }

  @Test(
    "Security 10: bcrypt is verified",
    arguments: [
      ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
      ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
    ])
  func bcrypt(password: String, text: String) throws {
    let stored = try ImportedHash.storedString(hash: Array(text.utf8), salt: [], parameters: .init(.bcrypt))
    #expect(stored == text)
    #expect(verify(password, stored))
    #expect(!verify(password + "x", stored))
    #expect(!verify(password + "\u{0}", stored), "a zero byte does not end a password")
  }

  @Test("Security 10: bcrypt of an empty password, and of bytes that are not UTF-8")
  func bcryptBytes() {
    let empty = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"
    let ofEmpty = Bcrypt.hash(WipedBytes(""), setting: Array(empty.utf8))
    #expect(ofEmpty == Array(empty.utf8))
    #expect(!verify("", empty), "no stored hash lets anybody in without a password")
    let binary = "$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"
    let ofBytes = Bcrypt.hash(WipedBytes([0xFF, 0xFF, 0xA3]), setting: Array(binary.utf8))
    #expect(ofBytes == Array(binary.utf8))
  }

  @Test(
    "Security 10: keyed hashes are verified",
    arguments: [
      (ImportedHash.Algorithm.hmacSHA256, "h2lRsK0mGRoOjeKZocuJ6JUYzLCPJ+mykhwBTtqjV5k="),
      (
        .hmacSHA512,
        "1RoFqghHLJ0dzOdgSF86ZFv3xsgXIOasujF77Iq+rsx9uUf5+8A8IKLm9jpxSp+vz4rNMDFwI7N1aUzlI0Pf1g=="
      ),
      (.hmacSHA1, "GGYT2LALHSi/kdbza8Cf/lS/rSs="), (.hmacMD5, "eDKF3d8YbUtjUVov1S3cug=="),
    ])
  func hmac(algorithm: ImportedHash.Algorithm, hash: String) throws {
    var parameters = ImportedHash.Parameters(algorithm, signerKeyID: "k")
    let salt = Array("NaCl".utf8)
    let key = Array("signerkey".utf8)
    let stored = try ImportedHash.storedString(hash: bytes(hash), salt: salt, parameters: parameters)
    #expect(verify("pässword1", stored, key: key))
    #expect(!verify("password1", stored, key: key))
    #expect(!verify("pässword1", stored))
    parameters.order = .saltAndPassword
    let turned = try ImportedHash.storedString(hash: bytes(hash), salt: salt, parameters: parameters)
    #expect(!verify("pässword1", turned, key: key))
    let swapped = try ImportedHash.storedString(
      hash: bytes(hash), salt: Array("pässword1".utf8), parameters: parameters)
    #expect(verify("NaCl", swapped, key: key), "the same text, its halves in other roles")
  }

  @Test(
    "Security 10: plain hashes are verified",
    arguments: [
      (ImportedHash.Algorithm.sha256, "uI01eEasl+esOs45DDOed06Ax0DcKtjGukrvHCERiwQ="),
      (.sha1, "3fQJgAO22DEPYKRSVRtRdX9+h6A="), (.md5, "KafiW09qhUQHERueoobWKQ=="),
      // Computed with Python's hashlib.
      (
        .sha512,
        "2ojJNXr5JTbswyWU4vhU+xbetGLwZY6GkHxlzceOj8BWLDr4duJ0jjCf+iLNtxnJ6vShU4+sfhD01guJSicDOA=="
      ),
    ])
  func digest(algorithm: ImportedHash.Algorithm, hash: String) throws {
    var parameters = ImportedHash.Parameters(algorithm)
    parameters.rounds = algorithm == .md5 ? 0 : 1
    let stored = try ImportedHash.storedString(hash: bytes(hash), salt: Array("NaCl".utf8), parameters: parameters)
    #expect(verify("pässword1", stored))
    #expect(!verify("pässword2", stored))
    parameters.order = .passwordAndSalt
    let turned = try ImportedHash.storedString(
      hash: bytes(hash), salt: Array("pässword1".utf8), parameters: parameters)
    #expect(verify("NaCl", turned))
  }

  @Test("Security 10: an MD5 hash is hexadecimal text, as in the import interface")
  func md5Text() throws {
    let raw = try bytes("KafiW09qhUQHERueoobWKQ==")
    for text in [Hexadecimal.text(raw), Hexadecimal.text(raw).uppercased()] {
      let stored = try ImportedHash.storedString(
        hash: Array(text.utf8), salt: Array("NaCl".utf8), parameters: .init(.md5))
      #expect(verify("pässword1", stored))
    }
  }

  @Test(
    "Security 10: PBKDF2 is verified",
    arguments: [
      (
        ImportedHash.Algorithm.pbkdfSHA1,
        "4q0hEJN0UNSJlHcGcvKij07cddwO1hLKyV/xUrC2KlyTsTvCN+nZ7rKU28wchonnDZzobTk3ZFdJ8g9DD4F1VQ=="
      ),
      (
        .pbkdf2SHA256,
        "3iiaTk9lQJu7RRBPh6K6vFPvEbONCysFhKyfJnll+7IP5NkOvsZj1DZUZ+mPGuvOjNTp4PjiO8XH8CKFtbGUEw=="
      ),
    ])
  func pbkdf2(algorithm: ImportedHash.Algorithm, hash: String) throws {
    var parameters = ImportedHash.Parameters(algorithm)
    parameters.rounds = 1000
    let stored = try ImportedHash.storedString(hash: bytes(hash), salt: Array("NaCl".utf8), parameters: parameters)
    #expect(verify("pässword1", stored))
    #expect(!verify("pässword", stored))
  }

  @Test("Security 10: standard scrypt, whose N is given as the number itself")
  func standardScrypt() throws {
    var parameters = ImportedHash.Parameters(.standardScrypt)
    parameters.cpuMemCost = 1024
    parameters.blockSize = 8
    parameters.parallelization = 16
    parameters.dkLen = 64
    let stored = try ImportedHash.storedString(
      hash: bytes("i9k9YM74fmEfMmTQGThtS59uoQh1h9elEOKN5MzTA1HH6LNDd+EpJeCy7qWWiNuhl3Y40czrB51dJso9XRYfRA=="),
      salt: Array("NaCl".utf8), parameters: parameters)
    #expect(verify("pässword1", stored))
    #expect(!verify("pässword", stored))
  }

  @Test(
    "Security 10: Argon2's own test vectors are verified",
    arguments: [
      (
        ImportedHash.Argon2Parameters.HashType.i, ImportedHash.Argon2Parameters.Version.v13, 1,
        "89e9029f4637b295beb027056a7336c414fadd43f6b208645281cb214a56452f"
      ),
      (.i, .v13, 2, "4ff5ce2769a1d7f4c8a491df09d41a9fbe90e5eb02155a13e4c01e20cd4eab61"),
      (.i, .v10, 1, "fd4dd83d762c49bdeaf57c47bdcd0c2f1babf863fdeb490df63ede9975fccf06"),
      (.id, .v13, 1, "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"),
      (.id, .v13, 2, "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"),
    ])
  func argon2(
    type: ImportedHash.Argon2Parameters.HashType, version: ImportedHash.Argon2Parameters.Version, lanes: Int64,
    hash: String
  ) throws {
    var parameters = ImportedHash.Parameters(.argon2)
    parameters.argon2 = .init(
      hashType: type, hashLengthBytes: 32, parallelism: lanes, iterations: 2, memoryCostKiB: 256)
    parameters.argon2?.version = version
    let raw = try #require(Hexadecimal.decode(Array(hash.utf8)))
    let stored = try ImportedHash.storedString(hash: raw, salt: Array("somesalt".utf8), parameters: parameters)
    #expect(verify("password", stored))
    #expect(!verify("passwore", stored))
    parameters.argon2?.associatedData = [1, 2, 3]
    let other = try ImportedHash.storedString(hash: raw, salt: Array("somesalt".utf8), parameters: parameters)
    #expect(!verify("password", other), "associated data counts")
  }
}

extension Hexadecimal {
  static func text(_ bytes: [UInt8]) -> String { String(decoding: encode(bytes), as: UTF8.self) }
}
