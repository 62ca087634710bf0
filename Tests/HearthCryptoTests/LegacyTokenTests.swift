import HearthBytes
import Testing

@testable import HearthCrypto

@Suite("Legacy tokens")
struct LegacyTokenTests {
  private let verifier = LegacyTokenVerifier(secrets: TokenForge.secrets)
  private let now = TokenForge.now

  private func refusal(_ changes: [String: String?], nowSeconds: Int64 = TokenForge.now) -> CredentialError.Code? {
    do {
      _ = try verifier.verify(TokenForge.hs256(TokenForge.legacyPayload(changes)), nowSeconds: nowSeconds)
      return nil
    } catch {
      return error.code
    }
  }

  private func accepted(_ changes: [String: String?]) throws -> VerifiedCredential {
    try verifier.verify(TokenForge.hs256(TokenForge.legacyPayload(changes)), nowSeconds: now)
  }

  // MARK: Known tokens

  private let userVector =
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJ2IjowLCJkIjp7InVpZCI6InNpbXBsZWxvZ2luOjEiLCJyb2xlIjoiZWQifSwiaWF0IjoxNDAw"
    + "MDAwMDAwfQ.SX3mG9o9scvupJg-jNHCaa1ndsAlyt4a5p7_izHJQi4"
  private let adminVector =
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJ2IjowLCJkIjp7fSwiaWF0IjoxNDAwMDAwMDAwLCJhZG1pbiI6dHJ1ZX0.clrdixjbmi5VqTKZ"
    + "cXv5oj2Jxnl2xGYv9EQrb39eRtg"

  @Test("A known user token has exactly the data of its `d`")
  func userToken() throws {
    let credential = try verifier.verify(userVector, nowSeconds: 1_400_000_100)
    #expect(credential.authPayload == TokenForge.object(#"{"uid":"simplelogin:1","role":"ed"}"#))
    #expect(!credential.authority.bypassesRules)
    #expect(credential.expiresAtSeconds == 1_400_086_400)
    #expect(credential.uid == "simplelogin:1")
    #expect(TokenForge.hs256(#"{"v":0,"d":{"uid":"simplelogin:1","role":"ed"},"iat":1400000000}"#) == userVector)
  }

  @Test("A known administrator token bypasses rules and has no uid")
  func adminToken() throws {
    let credential = try verifier.verify(adminVector, nowSeconds: 1_400_000_100)
    #expect(credential.authority.bypassesRules)
    #expect(credential.authPayload == nil)
  }

  @Test("Without exp a token is valid for a day")
  func defaultLifetime() {
    #expect(throws: Never.self) { try verifier.verify(userVector, nowSeconds: 1_400_086_399) }
    #expect(throws: CredentialError(.expiredToken, reason: "")) {
      try verifier.verify(userVector, nowSeconds: 1_400_086_400)
    }
  }

  // MARK: Claims

  @Test("v is the number 0", arguments: ["1", "\"0\"", "null", "false", "0.5", "-1", "[0]"])
  func version(value: String) { #expect(refusal(["v": value]) == .invalidToken) }

  @Test("v is required, and 0.0 equals 0")
  func versionForms() {
    #expect(refusal(["v": nil]) == .invalidToken)
    #expect(refusal(["v": "0.0"]) == nil)
  }

  @Test(
    "Invalid times are refused",
    arguments: [
      "\"1800000000\"", "-1", "1.5", "1e300", "null", "true", "[]", "{}", "9007199254740992", "99999999999999999999",
      "1e400",
    ])
  func times(value: String) {
    for name in ["iat", "nbf", "exp"] { #expect(refusal([name: value]) == .invalidToken, "\(name)") }
  }

  @Test("iat is required, and may lie in the future")
  func issuedAt() {
    #expect(refusal(["iat": nil]) == .invalidToken)
    #expect(refusal(["iat": "\(now + 40_000)"]) == nil)
  }

  @Test("nbf delays a token, with a tolerance for the issuer's clock")
  func notBefore() throws {
    #expect(refusal(["nbf": "\(now + 301)"]) == .invalidToken)
    #expect(refusal(["nbf": "\(now + 300)"]) == nil)
    #expect(try accepted(["nbf": "\(now - 5)"]).expiresAtSeconds == now - 5 + 86_400)
  }

  @Test("A token expires exactly at the second of exp")
  func expires() throws {
    #expect(refusal(["exp": "\(now)"]) == .expiredToken)
    #expect(refusal(["exp": "0"]) == .expiredToken)
    #expect(try accepted(["exp": "\(now + 1)"]).expiresAtSeconds == now + 1)
    #expect(try accepted(["exp": "\(now + 1).0"]).expiresAtSeconds == now + 1)
    #expect(try accepted(["exp": "9007199254740991"]).expiresAtSeconds == 9_007_199_254_740_991)
  }

  @Test(
    "Only a literal true grants administration, and other values are refused",
    arguments: [
      "\"true\"", "1", "null", "[]", "{}", "0",
    ])
  func oddAdmin(value: String) { #expect(refusal(["admin": value]) == .invalidToken) }

  @Test("admin counts only as a top-level claim")
  func admin() throws {
    #expect(try accepted(["admin": "true"]).authority.bypassesRules)
    #expect(try !accepted(["admin": "false"]).authority.bypassesRules)
    let sly = try accepted(["d": #"{"uid":"a","admin":true,"provider":"password","__proto__":{"admin":true}}"#])
    #expect(!sly.authority.bypassesRules)
    #expect(sly.authPayload?["admin"] == .bool(true))
  }

  @Test("debug and simulate count when they are literally true, and are ignored otherwise")
  func flags() throws {
    #expect(try accepted(["debug": "true", "simulate": "true"]).debug)
    #expect(try accepted(["debug": "true", "simulate": "true"]).simulate)
    for value in ["1", "\"true\"", "null", "false"] {
      let credential = try accepted(["debug": value, "simulate": value])
      #expect(!credential.debug && !credential.simulate)
    }
    #expect(try !accepted(["simulate": "true"]).authority.bypassesRules)
  }

  @Test("d is returned unchanged")
  func verbatim() throws {
    let data = #"{"uid":"a","n":[1,2.5,null,{"x":[]}],"e":{},"big":9007199254740993,"t":true}"#
    #expect(try accepted(["d": data]).authPayload?.json == data)
  }

  @Test("A token without the member d has no uid", arguments: ["null", "{}", nil] as [String?])
  func noData(value: String?) throws {
    #expect(try accepted(["d": value]).authPayload == nil)
  }

  @Test(
    "d must be an object whose uid is a short text",
    arguments: [
      "[]", "\"alice\"", "1", "true", #"{"uid":1}"#, #"{"uid":null}"#, #"{"uid":{}}"#,
    ])
  func oddData(value: String) { #expect(refusal(["d": value]) == .invalidToken) }

  @Test("The uid has a length limit and may be missing")
  func uid() {
    #expect(refusal(["d": "{\"uid\":\"\(String(repeating: "a", count: 256))\"}"]) == nil)
    #expect(refusal(["d": "{\"uid\":\"\(String(repeating: "a", count: 257))\"}"]) == .invalidToken)
    #expect(refusal(["d": #"{"provider":"password","email":"a@b"}"#]) == nil)
    let strict = LegacyTokenVerifier(secrets: TokenForge.secrets, requiresUID: true)
    #expect(throws: CredentialError.self) {
      try strict.verify(TokenForge.hs256(TokenForge.legacyPayload(["d": #"{"email":"a@b"}"#])), nowSeconds: now)
    }
    for changes in [[:], ["d": "{}", "admin": "true"]] {
      #expect(throws: Never.self) {
        try strict.verify(TokenForge.hs256(TokenForge.legacyPayload(changes)), nowSeconds: now)
      }
    }
  }

  @Test("Deep nesting in d is refused")
  func depth() {
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    #expect(refusal(["d": "{\"uid\":\"a\",\"x\":\(deep)}"]) == .invalidToken)
  }

  // MARK: Signature and size

  @Test("Tokens with other keys or algorithms, and changed tokens, are refused")
  func signature() {
    let payload = TokenForge.legacyPayload()
    let good = TokenForge.hs256(payload)
    let parts = good.split(separator: ".").map(String.init)
    let other = TokenForge.hs256(TokenForge.legacyPayload(["admin": "true"])).split(separator: ".").map(String.init)
    for token in [
      TokenForge.hs256(payload, key: Array(TokenForge.otherSecret.utf8)),
      TokenForge.hs256(payload, key: Array(TokenForge.secret.utf8) + [1]),
      TokenForge.hs256(payload, header: #"{"alg":"HS512"}"#), TokenForge.hs256(payload, header: #"{"alg":"hs256"}"#),
      TokenForge.hs256(payload, header: #"{"alg":"HS256","kid":"a"}"#), TokenForge.unsigned(payload),
      TokenForge.unsigned(payload, header: #"{"alg":"HS256"}"#), parts[0] + "." + other[1] + "." + parts[2],
      parts[0] + "." + parts[1] + "." + String(parts[2].dropLast(11)),
      TokenForge.rs256(payload, header: #"{"alg":"RS256"}"#),
      parts[0] + "." + parts[1] + "." + Base64URL.encode([UInt8](repeating: 0, count: 32)),
      parts[0] + "." + parts[1] + "." + parts[2] + "AAAA",
    ] {
      #expect(throws: CredentialError(.invalidToken, reason: "")) { try verifier.verify(token, nowSeconds: now) }
    }
  }

  @Test("Tokens signed with any active secret are accepted, and no others")
  func rotation() throws {
    let random = RandomBytes.system
    var secrets = TokenForge.secrets
    let old = TokenForge.hs256(TokenForge.legacyPayload())
    for round in 1...3 {
      secrets = try secrets.rotated(random: random)
      let rotated = LegacyTokenVerifier(secrets: secrets)
      let isOldAccepted = (try? rotated.verify(old, nowSeconds: now)) != nil
      #expect(isOldAccepted == (round < TokenLimits.legacySecretsMax))
      #expect(secrets.contains(TokenForge.secret) == isOldAccepted)
      let fresh = TokenForge.hs256(TokenForge.legacyPayload(), key: Array(secrets.active[0].utf8))
      #expect(throws: Never.self) { try rotated.verify(fresh, nowSeconds: now) }
    }
    #expect(secrets.active.count == TokenLimits.legacySecretsMax)
  }

  @Test("A token of 1024 bytes is accepted and a longer one is not")
  func size() {
    func token(_ padding: Int) -> String {
      TokenForge.hs256(TokenForge.legacyPayload(["d": "{\"x\":\"\(String(repeating: "a", count: padding))\"}"]))
    }
    let tokens = (600...760).map(token)
    let longest = tokens.last { $0.utf8.count <= 1_024 }!  // sizes grow by 1 or 2 from below the limit to above
    let shortest = tokens.first { $0.utf8.count > 1_024 }!  // the same
    #expect(longest.utf8.count >= 1_023)
    #expect(throws: Never.self) { try verifier.verify(longest, nowSeconds: now) }
    #expect(throws: CredentialError.self) { try verifier.verify(shortest, nowSeconds: now) }
    let roomy = LegacyTokenVerifier(secrets: TokenForge.secrets, sizeBytesMax: 4_096)
    #expect(throws: Never.self) { try roomy.verify(shortest, nowSeconds: now) }
  }
}
