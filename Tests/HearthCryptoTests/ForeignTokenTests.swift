import HearthBytes
import Testing

@testable import HearthCrypto

@Suite("Tokens of other providers")
struct ForeignTokenTests {
  private let now = TokenForge.now
  private let verifier = ForeignTokenVerifier(
    issuers: ["https://issuer.example", "issuer.example"], audiences: ["app-1", "app-2"])

  // A P-256 key and a token signed with it, made by another library (pyca/cryptography) for `TokenForge.now`.
  private static let ecKey = """
    {"kty":"EC","crv":"P-256","kid":"ec","use":"sig","alg":"ES256",\
    "x":"8pOxC9cH_PnXVwMRzwVd2XOH4WT4QjmGBvywzH8v6hw","y":"qhcVG-6_gUPLMCbjQWj7Po0NW7Iq9sw_nTJPaxR_-gM"}
    """
  private static let ecPEM = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8pOxC9cH/PnXVwMRzwVd2XOH4WT4
    QjmGBvywzH8v6hyqFxUb7r+BQ8swJuNBaPs+jQ1bsir2zD+dMk9rFH/6Aw==
    -----END PUBLIC KEY-----

    """
  private static let ecSigned = """
    eyJhbGciOiJFUzI1NiIsImtpZCI6ImVjIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwiYXVkIjoiYXBwLTEi\
    LCJzdWIiOiJwZXJzb24tMSIsImlhdCI6MTc5OTk5OTk5MCwiZXhwIjoxODAwMDAzNTkwfQ
    """
  private static let ecSignature =
    "Zk_brSeGNb-AaoC0HCJBKE9qBO3-KVARh4PAv4o-NUGXsU1f2phVgGtxfiA10-9l7IdEVZH1yuXydxO5DbV1Yg"
  /// The same signature in OpenSSL's DER form, which tokens do not use.
  private static let ecSignatureDER =
    "MEUCIGZP260nhjW_gGqAtBwiQShPagTt_ilQEYeDwL-KPjVBAiEAl7FNX9qYVYBrcX4gNdPvZeyHRFWR9crl8ncTuQ21dWI"
  private static let p384Key = """
    {"kty":"EC","crv":"P-384","kid":"ec384","use":"sig","alg":"ES384",\
    "x":"VAW8Eq6hnDKVM1W3trGXU9O1CpVp9e9eg2GePqM-Mwo9uu6Jbj_eEztbXhz5rLbb",\
    "y":"2O5LTkJUiQacXNVjBCICSEZI5oEiii487ZGLnzRodM_v-X0unMr0IWGKs6Xdp5Cb"}
    """
  private static let rsa1024Modulus = """
    uRmDX4GWJI47QDQC8eLFNhqrv2RY9LP5IIawFDWvP3H3JFaZ5-zvwxbuvz3j9rsm46Iyp7UQEfo8sUW3Xr44Un3vhbHb5ZMWq6ee0DuF3cHzwc1lOlZA\
    uGBuSZIerUegykW1fAeMP2rpDBSAbJuf1xu2CpC1XXrHasakQRMlVZk
    """

  private static func set(_ keys: String...) throws -> ForeignKeySet {
    try ForeignKeySet(jwks: Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8))
  }

  /// The forge's RSA key in the form in which another provider would publish it, with the P-256 key.
  private static let keys: ForeignKeySet = {
    let published = String(decoding: PublishedKeys(TokenForge.keys, kind: .idToken).jwks, as: UTF8.self)
    return try! set(String(published.dropFirst(9).dropLast(2)), ecKey)  // both are sound
  }()

  private static func payload(_ changes: [String: String?] = [:]) -> String {
    var members: [String: String] = [
      "iss": "\"https://issuer.example\"", "aud": "\"app-1\"", "sub": "\"person-1\"", "iat": "\(TokenForge.now - 10)",
      "exp": "\(TokenForge.now + 3_590)",
    ]
    for (name, value) in changes { members[name] = value }
    return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  private func refusal(
    _ token: String, keys: ForeignKeySet = keys, nonce: ForeignNonce = .unchecked
  ) -> ForeignTokenError.Code? {
    do {
      _ = try verifier.verify(token, keys: keys, nonce: nonce, nowSeconds: now)
      return nil
    } catch {
      return error.code
    }
  }

  private func refusal(_ changes: [String: String?], nonce: ForeignNonce = .unchecked) -> ForeignTokenError.Code? {
    refusal(TokenForge.rs256(Self.payload(changes)), nonce: nonce)
  }

  @Test("A valid token has its claims, with RSA and with P-256")
  func accepted() throws {
    let claims = try verifier.verify(
      TokenForge.rs256(Self.payload(["email": "\"p@example.com\""])), keys: Self.keys, nonce: .absent, nowSeconds: now)
    #expect(claims["sub"] == .string("person-1") && claims["email"] == .string("p@example.com"))
    let elliptic = try verifier.verify(
      Self.ecSigned + "." + Self.ecSignature, keys: Self.keys, nonce: .absent, nowSeconds: now)
    #expect(elliptic["sub"] == .string("person-1"))
    #expect(refusal(["iss": "\"issuer.example\""]) == nil)
  }

  @Test("Security 53: a token for another application is refused, by aud and by azp")
  func audience() {
    for value in [
      "\"app-3\"", "\"app-1 \"", "\"\"", "1", "null", "{}", "[]", "[\"app-3\"]", "[1]", nil,
    ] as [String?] {
      #expect(refusal(["aud": value]) == .audience)
    }
    #expect(refusal(["aud": "[\"app-1\"]"]) == nil)
    #expect(refusal(["aud": "[\"app-1\",\"app-2\"]"]) == nil)
    #expect(refusal(["aud": "[\"app-1\",\"other\"]"]) == .audience)
    #expect(refusal(["aud": "[\"app-1\",\"other\"]", "azp": "\"app-2\""]) == nil)
    #expect(refusal(["aud": "[\"app-1\",\"other\"]", "azp": "\"other\""]) == .audience)
    #expect(refusal(["azp": "\"app-2\""]) == nil)
    for value in ["\"app-3\"", "\"\"", "1", "null", "[\"app-1\"]"] { #expect(refusal(["azp": value]) == .audience) }
    #expect(ForeignTokenVerifier(issuers: ["https://issuer.example"], audiences: []).refuses(Self.payload(), .audience))
  }

  @Test("Security 53: another issuer is refused, compared byte for byte")
  func issuer() {
    for value in [
      "\"https://issuer.example/\"", "\"http://issuer.example\"", "\"https://issuer.example.evil\"", "\"\"", "1",
      "[\"https://issuer.example\"]", nil,
    ] as [String?] {
      #expect(refusal(["iss": value]) == .issuer)
    }
  }

  @Test("Security 53: expired tokens, future ones and those without times are refused")
  func times() {
    #expect(refusal(["exp": "\(now - 299)"]) == nil, "foreign clocks differ")
    #expect(refusal(["exp": "\(now - 300)"]) == .expired)
    #expect(refusal(["iat": "\(now + 300)"]) == nil)
    #expect(refusal(["iat": "\(now + 301)"]) == .notYetValid)
    #expect(refusal(["nbf": "\(now + 301)"]) == .notYetValid)
    for value in ["\"1\"", "-1", "1.5", "1e400", "1e300", "null", nil] as [String?] {
      #expect(refusal(["exp": value]) == .malformed)
      #expect(refusal(["iat": value]) == .malformed)
    }
    #expect(refusal(["nbf": "\"1\""]) == .malformed)
  }

  @Test("Security 53: the nonce must be the request's, plain or hashed as the provider sends it")
  func nonce() {
    let hash = "\"\(Digest(sha256: "raw-nonce".utf8).hex)\""
    #expect(refusal(["nonce": "\"raw-nonce\""], nonce: .exactly("raw-nonce")) == nil)
    #expect(refusal(["nonce": hash], nonce: .hashed("raw-nonce")) == nil)
    #expect(refusal(["nonce": hash], nonce: .exactlyOrHashed("raw-nonce")) == nil)
    #expect(refusal(["nonce": "\"raw-nonce\""], nonce: .exactlyOrHashed("raw-nonce")) == nil)
    #expect(refusal(["nonce": "\"raw-nonce\""], nonce: .hashed("raw-nonce")) == .nonce)
    #expect(refusal(["nonce": hash], nonce: .exactly("raw-nonce")) == .nonce)
    #expect(refusal(["nonce": "\"raw-nonce\""], nonce: .absent) == .nonce)
    #expect(refusal([:], nonce: .absent) == nil)
    for nonce in [ForeignNonce.exactly("raw-nonce"), .hashed("raw-nonce"), .exactlyOrHashed("raw-nonce")] {
      for value in ["\"other\"", "1", "null", "[\"raw-nonce\"]", "\"\"", nil] as [String?] {
        #expect(refusal(["nonce": value], nonce: nonce) == .nonce)
      }
    }
    #expect(refusal(["nonce": "\"\""], nonce: .exactly("")) == .nonce)
  }

  @Test("The subject must be a valid id")
  func subject() {
    for value in ["\"\"", "1", "null", nil, "\"\(String(repeating: "a", count: 256))\""] as [String?] {
      #expect(refusal(["sub": value]) == .subject)
    }
  }

  @Test("The key determines the algorithm, and only two algorithms are accepted")
  func algorithms() {
    let kid = TokenForge.keys.signingKeyID
    for algorithm in ["none", "None", "HS256", "RS384", "RS512", "PS256", "ES384", "EdDSA", "rs256", "ES256 "] {
      let header = #"{"alg":"\#(algorithm)","kid":"\#(kid)"}"#
      #expect(refusal(TokenForge.rs256(Self.payload(), header: header)) == .malformed)
    }
    #expect(refusal(TokenForge.rs256(Self.payload(), header: #"{"alg":"ES256","kid":"\#(kid)"}"#)) == .signature)
    #expect(refusal(TokenForge.rs256(Self.payload(), header: #"{"alg":"RS256","kid":"ec"}"#)) == .signature)
    #expect(refusal(TokenForge.rs256(Self.payload(), header: #"{"kid":"\#(kid)"}"#)) == .malformed)
    let pem = TokenForge.keys.publicPEM(keyID: kid) ?? ""
    let confused = TokenForge.hs256(Self.payload(), header: #"{"alg":"HS256","kid":"\#(kid)"}"#, key: Array(pem.utf8))
    #expect(refusal(confused) == .malformed)
  }

  @Test("An unknown key id fetches a new key set; a wrong signature of a known one does not")
  func keys() throws {
    for kid in ["\"nobody\"", "\"\"", "1", "null", "[\"ec\"]"] {
      #expect(refusal(TokenForge.rs256(Self.payload(), header: #"{"alg":"RS256","kid":\#(kid)}"#)) == .unknownKey)
    }
    #expect(
      refusal(TokenForge.rs256(Self.payload(), header: #"{"alg":"RS256"}"#)) == .unknownKey, "two keys to choose from")
    let one = try ForeignKeySet(pems: ["a": TokenForge.keys.publicPEM(keyID: TokenForge.keys.signingKeyID) ?? ""])
    #expect(refusal(TokenForge.rs256(Self.payload(), header: #"{"alg":"RS256"}"#), keys: one) == nil)
    #expect(refusal(TokenForge.rs256(Self.payload(), key: TokenForge.otherKeys.signing.key)) == .signature)
    #expect(Self.keys.contains(keyID: "ec") && !Self.keys.contains(keyID: "EC"))
  }

  @Test("P-256 signatures have 64 bytes, and every changed one is refused")
  func elliptic() throws {
    let bytes = try #require(Base64URL.decode(Self.ecSignature.utf8))
    var forged = [Array(bytes.dropLast()), bytes + [0], [], [UInt8](repeating: 0, count: 64)]
    forged.append([UInt8](repeating: 0xFF, count: 64))
    forged.append(try #require(Base64URL.decode(Self.ecSignatureDER.utf8)))
    for index in stride(from: 0, to: 64, by: 7) {
      var changed = bytes
      changed[index] ^= 1
      forged.append(changed)
    }
    for signature in forged {
      #expect(refusal(Self.ecSigned + "." + Base64URL.encode(signature)) == .signature)
    }
    let pems = try ForeignKeySet(pems: ["ec": Self.ecPEM])
    #expect(refusal(Self.ecSigned + "." + Self.ecSignature, keys: pems) == nil)
  }

  @Test("Keys of other kinds are ignored; a set without a usable key is refused")
  func sets() throws {
    #expect(try Self.set(Self.p384Key, Self.ecKey, #"{"kty":"oct","k":"AAAA"}"#, "1", "null").entries.count == 1)
    let useless = [
      Self.p384Key, #"{"kty":"RSA","kid":"r","n":"\#(Self.rsa1024Modulus)","e":"AQAB"}"#,
      Self.ecKey.replacing("\"sig\"", with: "\"enc\""), Self.ecKey.replacing("ES256", with: "RS256"),
      Self.ecKey.replacing("8pOx", with: "8pOy"), Self.ecKey.replacing("P-256", with: "P-384"),
      Self.ecKey.replacing("8pOx", with: "AAAA8pOx"), #"{"kty":"RSA","kid":"r","n":"","e":""}"#, #"{"kty":"RSA"}"#,
      #"{"kty":"EC","crv":"P-256","x":1,"y":2}"#, "{}",
      #"{"kty":"RSA","n":"\#(String(repeating: "_", count: 344))","e":"AQAC"}"#,
      #"{"kty":"RSA","n":"\#(String(repeating: "_", count: 344))","e":"AQ"}"#,
      // A key with exponent one, after a leading zero: a signature under it would equal its text.
      #"{"kty":"RSA","n":"\#(String(repeating: "_", count: 344))","e":"AAE"}"#,
      #"{"kty":"RSA","n":"\#(String(repeating: "_", count: 4_000))","e":"AQAB"}"#,
      #"{"kty":"RSA","n":"\#(String(repeating: "_", count: 344))","e":"\#(String(repeating: "_", count: 344))"}"#,
    ]
    for key in useless { #expect(throws: ForeignKeySetError(reason: "no usable key")) { try Self.set(key) } }
    for text in ["", "{}", "[]", "{\"keys\":{}}", "{\"keys\":[]}", "{\"keys\":[],\"keys\":[]}", "x"] {
      #expect(throws: ForeignKeySetError.self) { try ForeignKeySet(jwks: Array(text.utf8)) }
    }
    #expect(throws: ForeignKeySetError(reason: "too many keys")) {
      try ForeignKeySet(jwks: Array("{\"keys\":[\(Array(repeating: "1", count: 101).joined(separator: ","))]}".utf8))
    }
    #expect(throws: ForeignKeySetError(reason: "too long")) {
      try ForeignKeySet(jwks: [UInt8](repeating: 0x20, count: TokenLimits.foreignKeySetBytesMax + 1))
    }
    for pem in ["", "x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"] {
      #expect(throws: ForeignKeySetError(reason: "no usable key")) { try ForeignKeySet(pems: ["a": pem]) }
    }
  }
}

extension ForeignTokenVerifier {
  fileprivate func refuses(_ payload: String, _ code: ForeignTokenError.Code) -> Bool {
    guard
      let keys = try? ForeignKeySet(pems: [
        TokenForge.keys.signingKeyID: TokenForge.keys.publicPEM(keyID: TokenForge.keys.signingKeyID) ?? ""
      ])
    else { return false }
    do {
      _ = try verify(TokenForge.rs256(payload), keys: keys, nonce: .unchecked, nowSeconds: TokenForge.now)
      return false
    } catch {
      return error.code == code
    }
  }
}
