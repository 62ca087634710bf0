import CJWT
import COpenSSL
import Glibc
import HearthBytes
import Testing

@testable import HearthCrypto

/// Tests of the behavior of the system's libjwt, on which the checks around it depend. When a distribution's upgrade
/// changes a behavior, a test fails here, and a check may be removed or another one is needed.
@Suite("the behavior of libjwt itself")
struct LibJWTBehaviourTests {
  private static let secret = Array(TokenForge.secret.utf8)
  private let payload = TokenForge.legacyPayload()

  /// Returns the algorithm that `jwt_decode` finds in a token, or nil when it refuses the token.
  private func decode(_ token: String, key: [UInt8]?) -> jwt_alg_t? {
    var decoded: OpaquePointer?
    let status = token.withCString { text in
      key.map { jwt_decode(&decoded, text, $0, Int32($0.count)) } ?? jwt_decode(&decoded, text, nil, 0)
    }
    guard status == 0, let decoded else { return nil }
    defer { jwt_free(decoded) }
    return jwt_get_alg(decoded)
  }

  private func isGuarded(_ token: String, algorithm: LibJWT.Algorithm, key: [UInt8]) -> Bool {
    guard let token = try? TokenReader.read(token) else { return true }
    return LibJWT.verify(token, algorithm: algorithm, key: key) != .accepted
  }

  private func pem() throws -> [UInt8] { try #require(TokenForge.key.publicPEM()) }

  @Test("Without a key libjwt accepts any token; the server always passes a key")
  func noKey() {
    let junk = TokenForge.hs256(payload, key: Array("x".utf8))
    #expect(decode(junk, key: nil) == JWT_ALG_NONE)
    #expect(isGuarded(junk, algorithm: .hs256, key: []))
    #expect(isGuarded(TokenForge.unsigned(payload), algorithm: .hs256, key: []))
  }

  @Test("Libjwt accepts a public key as an HMAC secret; the server fixes the algorithm first")
  func algorithmConfusion() throws {
    let token = TokenForge.hs256(payload, key: try pem())
    #expect(decode(token, key: try pem()) == JWT_ALG_HS256)
    #expect(isGuarded(token, algorithm: .rs256, key: try pem()))
  }

  @Test(
    "Libjwt accepts alg none without a key in any spelling, and refuses it with a key",
    arguments: ["none", "NoNe", "NONE"])
  func algorithmNone(name: String) {
    let token = TokenForge.unsigned(payload, header: #"{"alg":"\#(name)"}"#)
    #expect(decode(token, key: nil) == JWT_ALG_NONE)
    #expect(decode(token, key: Self.secret) == nil)
    #expect(isGuarded(token, algorithm: .hs256, key: Self.secret))
  }

  @Test("Libjwt accepts alg in lower case; the server does not")
  func lowerCase() {
    let token = TokenForge.hs256(payload, header: #"{"alg":"hs256"}"#)
    #expect(decode(token, key: Self.secret) == JWT_ALG_HS256)
    #expect(isGuarded(token, algorithm: .hs256, key: Self.secret))
  }

  @Test(
    "Libjwt ignores critical extensions and kid; the server does not",
    arguments: [#""crit":["x"]"#, #""b64":false"#, #""kid":"x""#])
  func overlookedHeaders(member: String) {
    let token = TokenForge.hs256(payload, header: #"{"alg":"HS256",\#(member)}"#)
    #expect(decode(token, key: Self.secret) == JWT_ALG_HS256)
    #expect(TokenForge.refusal(token) == .invalidToken)
  }

  @Test("Libjwt accepts bytes after an RS256 signature; the server does not", arguments: [".", "..", "==", "!", "!!"])
  func junk(suffix: String) throws {
    let token = TokenForge.rs256(payload, header: #"{"alg":"RS256"}"#) + suffix
    #expect(decode(token, key: try pem()) == JWT_ALG_RS256)
    #expect(isGuarded(token, algorithm: .rs256, key: try pem()))
  }

  @Test("Libjwt ignores exp and nbf; the server checks them")
  func times() {
    let token = TokenForge.hs256(TokenForge.legacyPayload(["exp": "1", "nbf": "99999999999"]))
    #expect(decode(token, key: Self.secret) == JWT_ALG_HS256)
    #expect(TokenForge.refusal(token) == .invalidToken)
  }

  @Test("Libjwt takes the last of duplicate members; the server refuses them")
  func duplicates() throws {
    let token = TokenForge.hs256(#"{"v":0,"iat":1800000000,"d":{"uid":"a"},"d":{"uid":"b"}}"#)
    #expect(decode(token, key: Self.secret) == JWT_ALG_HS256)
    #expect(isGuarded(token, algorithm: .hs256, key: Self.secret))
    let twice = TokenForge.hs256(payload, header: #"{"alg":"none","alg":"HS256"}"#)
    #expect(decode(twice, key: Self.secret) == JWT_ALG_HS256)
    #expect(isGuarded(twice, algorithm: .hs256, key: Self.secret))
  }

  @Test("Libjwt accepts an array as payload; the server does not")
  func arrayPayload() {
    let token = TokenForge.hs256("[1]")
    #expect(decode(token, key: Self.secret) == JWT_ALG_HS256)
    #expect(isGuarded(token, algorithm: .hs256, key: Self.secret))
  }

  @Test("Libjwt truncates a payload at a raw NUL; the server refuses it")
  func rawNUL() {
    let token = TokenForge.hs256(payload + "\u{0}{\"admin\":true}")
    #expect(decode(token, key: Self.secret) == JWT_ALG_HS256)
    #expect(isGuarded(token, algorithm: .hs256, key: Self.secret))
  }

  @Test(
    "Libjwt refuses NUL escapes, invalid surrogates, trailing text and bare scalars, as the server does",
    arguments: [
      #"{"a":"\u0000"}"#, #"{"a":"\ud800"}"#, #"{"a":1}x"#, "1", "\"a\"", "null", #"{"a":18446744073709551616}"#,
      #"{"a":1e400}"#,
    ])
  func agreed(json: String) {
    #expect(decode(TokenForge.hs256(json), key: Self.secret) == nil)
    #expect((try? TokenReader.read(TokenForge.hs256(json))) == nil)
  }

  @Test("Libjwt accepts short keys and keys of other kinds; the server's are RSA of 2048 bits or more")
  func weakKeys() throws {
    let short = try #require(hearth_rsa_generate(1_024))
    let bio = try #require(hearth_pem_from_key(short, 1))
    var text: UnsafeMutablePointer<CChar>?
    let count = hearth_bio_bytes(bio, &text)
    let pem = UnsafeRawBufferPointer(start: text, count: count).map { $0 }
    BIO_free(bio)
    EVP_PKEY_free(short)
    let token = try LibJWT.sign(claims: [.init("a", .int(1))], algorithm: .rs256, key: pem)
    #expect(decode(token, key: pem) == nil || decode(token, key: pem) == JWT_ALG_RS256)
    #expect(RSAKey(privatePEM: pem) == nil)
    let curve = try #require(Self.ellipticKeyPEM())
    #expect(RSAKey(privatePEM: curve) == nil)
    #expect(throws: TokenMintError.self) {
      try LibJWT.sign(claims: [.init("a", .int(1))], algorithm: .rs256, key: curve)
    }
  }

  @Test("Libjwt does not distinguish a missing or non-integer grant from a number; the server does not use it")
  func grants() throws {
    var decoded: OpaquePointer?
    let token = TokenForge.hs256(#"{"real":1.5,"text":"5","exponent":1e3,"zero":0}"#)
    #expect(jwt_decode(&decoded, token, Self.secret, Int32(Self.secret.count)) == 0)
    defer { jwt_free(decoded) }
    errno = 0
    #expect(jwt_get_grant_int(decoded, "missing") == -1)
    #expect(errno == ENOENT)
    for name in ["real", "text", "exponent", "zero"] {
      errno = 0
      #expect(jwt_get_grant_int(decoded, name) == 0, "\(name)")
      #expect(errno == 0, "\(name)")
    }
  }

  @Test("A wrong signature of the right length is refused, as the distribution's patch promises")
  func patchedCompare() {
    let token = TokenForge.hs256(payload)
    let parts = token.split(separator: ".").map(String.init)
    for signature in [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32)] {
      #expect(decode(parts[0] + "." + parts[1] + "." + Base64URL.encode(signature), key: Self.secret) == nil)
    }
    #expect(decode(token, key: Self.secret) == JWT_ALG_HS256)
  }

  @Test("A long token overruns a small stack; the server limits tokens far below")
  func stackOverrun() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      signal(SIGSEGV, SIG_DFL)  // The child process must end without a crash report; only its exit status counts.
      LibJWTBehaviourTests.decodeOnSmallStack(tokenBytes: 1 << 20)
    }
    await #expect(processExitsWith: .success) {
      LibJWTBehaviourTests.decodeOnSmallStack(tokenBytes: TokenLimits.tokenBytesMax)
    }
  }

  @Test("A key that needs a passphrase is refused without asking for it")
  func encryptedKey() throws {
    let bio = try #require(BIO_new(BIO_s_mem()))
    defer { BIO_free(bio) }
    let phrase = Array("secret".utf8CString)
    let status = PEM_write_bio_PKCS8PrivateKey(bio, TokenForge.key.key, EVP_aes_128_cbc(), phrase, 6, nil, nil)
    #expect(status == 1)
    var text: UnsafeMutablePointer<CChar>?
    let count = hearth_bio_bytes(bio, &text)
    let pem = UnsafeRawBufferPointer(start: text, count: count).map { $0 }
    #expect(String(decoding: pem, as: UTF8.self).contains("ENCRYPTED"))
    #expect(RSAKey(privatePEM: pem) == nil)
    #expect(
      SigningKeys(text: "kid: \(String(repeating: "a", count: 40))\n" + String(decoding: pem, as: UTF8.self)) == nil)
  }

  /// Decodes a token of about this size with libjwt on a thread with a stack of 512 KiB.
  private static func decodeOnSmallStack(tokenBytes: Int) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 512 << 10)
    let size = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    size.initialize(to: tokenBytes)
    var thread = pthread_t()
    pthread_create(
      &thread, &attributes,
      { argument in
        let size = argument!.load(as: Int.self)  // The size that the starting thread passed.
        let token = TokenForge.segment(#"{"alg":"HS256"}"#) + "." + String(repeating: "A", count: size - 100) + ".AAAA"
        var decoded: OpaquePointer?
        _ = token.withCString { jwt_decode(&decoded, $0, LibJWTBehaviourTests.secret, 40) }
        return nil
      }, size)
    pthread_join(thread, nil)
  }

  private static func ellipticKeyPEM() -> [UInt8]? {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-384") == 1,
      EVP_PKEY_generate(context, &key) == 1, let bio = hearth_pem_from_key(key, 1)
    else { return nil }
    defer {
      BIO_free(bio)
      EVP_PKEY_free(key)
    }
    var text: UnsafeMutablePointer<CChar>?
    let count = hearth_bio_bytes(bio, &text)
    return UnsafeRawBufferPointer(start: text, count: count).map { $0 }
  }
}
