import RandomTestKit
import Testing

@testable import HearthCrypto

@Suite("Token parser")
struct TokenReaderTests {
  private let good = TokenForge.hs256(TokenForge.legacyPayload())

  private func isRead(_ text: String) -> Bool { (try? TokenReader.read(text)) != nil }

  @Test("A well-formed token is split into its parts")
  func parts() throws {
    let token = try TokenReader.read(good)
    #expect(token.algorithm == "HS256")
    #expect(token.payload["d"]?["role"] == .string("ed"))
    #expect(token.signature.count == 32)
    #expect(token.kind == .legacy)
  }

  @Test("Texts that contain a valid token and more are refused")
  func shapes() {
    let parts = good.split(separator: ".").map(String.init)
    #expect(isRead(good))
    for bad in [
      "", ".", "..", "...", good + ".", good + ".x", "." + good, good + "=", good + "==", good + " ", " " + good,
      good + "\n", good + "\u{0}", parts[0] + "." + parts[1], parts[0] + ".." + parts[2],
      "." + parts[1] + "." + parts[2],
      parts[0] + "=." + parts[1] + "." + parts[2], parts[0] + "." + parts[1] + "=." + parts[2], good + "é",
      good.replacing(".", with: " ."), parts.joined(separator: ".."),
    ] {
      #expect(!isRead(bad), "\(bad)")
    }
  }

  @Test("Trailing bits other than zero are refused, so that each token has one text")
  func canonical() {
    // 32 bytes leave two unused bits in the 43rd character.
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    let last = alphabet.firstIndex(of: good.last!)!  // a token ends in a base64url character
    for offset in 1...3 {
      #expect(!isRead(good.dropLast() + String(alphabet[last + offset])))
    }
  }

  @Test(
    "Header and payload are objects in strict JSON",
    arguments: [
      "[]", "1", "null", "\"a\"", "{}x", " ", "{\"alg\":\"HS256\",\"alg\":\"none\"}", "\u{FEFF}{\"alg\":\"HS256\"}",
    ])
  func notObjects(json: String) {
    #expect(!isRead(TokenForge.hs256(TokenForge.legacyPayload(), header: json)))
    #expect(!isRead(TokenForge.hs256(json)))
  }

  @Test(
    "Header members that change the meaning of a signature are refused",
    arguments: [
      #""crit":["exp"]"#, #""crit":[]"#, #""b64":false"#, #""b64":true"#, #""zip":"DEF""#, #""jku":"https://x""#,
      #""jwk":{"kty":"oct","k":"AA"}"#, #""x5u":"https://x""#, #""x5c":[]"#, #""jwk":null"#, #""typ":"JWE""#,
      #""typ":1"#,
      #""typ":null"#,
    ])
  func headerMembers(member: String) {
    #expect(!isRead(TokenForge.hs256(TokenForge.legacyPayload(), header: #"{"alg":"HS256",\#(member)}"#)))
  }

  @Test(
    "The header needs an alg that is a string",
    arguments: ["{}", #"{"alg":1}"#, #"{"alg":null}"#, #"{"alg":["HS256"]}"#])
  func algorithm(header: String) {
    #expect(!isRead(TokenForge.hs256(TokenForge.legacyPayload(), header: header)))
  }

  @Test(
    "typ may be missing or spelled in any case", arguments: ["", #","typ":"jwt""#, #","typ":"Jwt""#, #","type":"JWT""#])
  func type(member: String) {
    #expect(isRead(TokenForge.hs256(TokenForge.legacyPayload(), header: #"{"alg":"HS256"\#(member)}"#)))
  }

  @Test("Huge texts are refused before they are parsed")
  func huge() {
    let megabyte = String(repeating: "A", count: 1 << 20) + ".." + good
    let dots = String(repeating: ".", count: 100_000)
    // If they were parsed, this loop would take minutes.
    for _ in 0..<10_000 where isRead(megabyte) || isRead(dots) { Issue.record("accepted") }
    #expect(!isRead(String(repeating: ".", count: TokenLimits.tokenBytesMax)))
  }

  @Test("A token of the greatest size is parsed, and one with a byte more is not")
  func sizeLimit() {
    let header = TokenForge.segment(#"{"alg":"HS256"}"#)
    func token(_ size: Int) -> String {
      // The signature segment (all-zero bits) pads the token to any canonical size.
      let start = header + "." + TokenForge.segment("{}") + "."
      return start + String(repeating: "A", count: size - start.utf8.count)
    }
    let sizes = (TokenLimits.tokenBytesMax - 3)...TokenLimits.tokenBytesMax
    #expect(sizes.contains { isRead(token($0)) })
    #expect(((TokenLimits.tokenBytesMax + 1)...(TokenLimits.tokenBytesMax + 4)).allSatisfy { !isRead(token($0)) })
  }

  @Test("The kind of a token follows from algorithm, audience and issuer alone")
  func kinds() throws {
    func kind(_ header: String, _ payload: String) throws -> UnverifiedToken.Kind {
      try TokenReader.read(TokenForge.unsigned(payload, header: header)).kind
    }
    #expect(try kind(#"{"alg":"HS256"}"#, "{}") == .legacy)
    #expect(try kind(#"{"alg":"HS256","kid":"a"}"#, #"{"v":0,"d":{}}"#) == .unsupported)
    #expect(try kind(#"{"alg":"HS256","kid":null}"#, #"{"v":0,"d":{}}"#) == .unsupported)
    #expect(try kind(#"{"alg":"RS256"}"#, TokenForge.idPayload()) == .id)
    #expect(
      try kind(#"{"alg":"RS256"}"#, TokenForge.idPayload(["aud": "\"\(UnverifiedToken.customTokenAudience)\""]))
        == .custom)
    #expect(try kind(#"{"alg":"RS256"}"#, #"{"iss":"https://session.firebase.google.com/p"}"#) == .sessionCookie)
    #expect(try kind(#"{"alg":"RS256"}"#, TokenForge.legacyPayload()) == .unsupported)
    #expect(try kind(#"{"alg":"none"}"#, TokenForge.idPayload()) == .unsigned)
    for name in ["None", "NONE", "nOnE", "", "hs256", "HS384", "HS512", "ES256", "RS384", "PS256", "EdDSA", "rs256"] {
      #expect(try kind(#"{"alg":"\#(name)"}"#, TokenForge.idPayload()) == .unsupported, "\(name)")
    }
  }

  @Test("Mutated tokens never trap the parser or a verifier, and only the original is accepted")
  func fuzz() {
    let originals = [good, TokenForge.rs256(TokenForge.idPayload())]
    let spice = Array("ABab01-_.=+/ \u{0}\n".utf8)
    for seed in 0..<1_500 {
      var random = SeededRandom(seed: UInt64(seed))
      let original = originals[seed % 2]
      var bytes = Array(original.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = spice.randomElement(using: &random) ?? 0
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(spice.randomElement(using: &random) ?? 0, at: index)
        default: bytes.removeSubrange(index...)
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text == original || TokenForge.refusal(text) == .invalidToken, "seed \(seed)")
    }
  }
}
