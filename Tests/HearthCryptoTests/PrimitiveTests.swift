import HearthBytes
import RandomTestKit
import Testing

@testable import HearthCrypto

@Suite("Primitives")
struct PrimitiveTests {
  @Test(
    "Base64url follows the published vectors",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
      ("foobar", "Zm9vYmFy"),
    ])
  func base64(plain: String, encoded: String) {
    #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
    #expect(Base64URL.decode(Array(encoded.utf8)) == Array(plain.utf8))
  }

  @Test("Any bytes are encoded as base64url and decoded unchanged")
  func base64RoundTrip() throws {
    var random = SeededRandom(seed: 1)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(Base64URL.decode(Array(Base64URL.encode(bytes).utf8)) == bytes)
    }
  }

  @Test(
    "Base64url that is not canonical is refused",
    arguments: [
      "Z", "Zh", "Zm9", "Zg==", "Zm8=", "Zm9v ", "Zm 9v", "Zm9+", "Zm9/", "Zm9\u{0}", "Zmé", "Zm9vY", "Zm9v\n",
    ])
  func base64Refused(text: String) {
    #expect(Base64URL.decode(Array(text.utf8)) == nil)
  }

  @Test("SHA-256 follows the published vectors")
  func sha256() {
    #expect(
      Digest(sha256: []).hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      Digest(sha256: "abc".utf8).hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test("HMAC-SHA-256 follows RFC 4231 and refuses an empty key")
  func hmac() throws {
    let code = try #require(
      MessageAuthenticationCode.hmacSHA256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
    #expect(
      code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(MessageAuthenticationCode.hmacSHA256([1], key: []) == nil)
  }

  @Test("Byte strings compare as equal only when all bytes are equal")
  func constantTime() {
    #expect(ConstantTime.equal([], []))
    #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
    #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
    #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
  }

  @Test("Alphanumeric text uses its whole alphabet evenly")
  func alphanumeric() throws {
    let text = try RandomBytes.system.alphanumeric(length: 62_000)
    var counts: [Character: Int] = [:]
    for character in text { counts[character, default: 0] += 1 }
    #expect(text.utf8.count == 62_000)
    #expect(counts.count == 62)
    // The mean is 1000 and the standard deviation 32: a difference of ten deviations does not happen by chance.
    #expect(counts.values.allSatisfy { (680...1_320).contains($0) })
  }

  @Test("Without randomness generating fails")
  func noRandomness() {
    let none = RandomBytes { (_) throws(RandomnessError) in throw RandomnessError() }
    #expect(throws: RandomnessError.self) { try LegacySecrets.generate(random: none) }
    #expect(throws: RandomnessError.self) { try AdminTokens.generate(random: none) }
    #expect(throws: RandomnessError.self) { try SigningKeys.generate(random: none) }
  }

  @Test("Random bytes outside the alphabet's range are skipped")
  func rejection() throws {
    let source = RandomBytes { (count) throws(RandomnessError) in
      (0..<count).map { $0 % 2 == 0 ? 255 : UInt8($0 % 62) }
    }
    #expect(try source.alphanumeric(length: 10).utf8.count == 10)
  }
}
