import RandomTestKit
import Testing

@testable import HearthCrypto

/// Tests that libjwt and OpenSSL's own verification agree on every token that the reader accepts.
@Suite("libjwt against OpenSSL")
struct DifferentialTests {
  private static let keyPEM = TokenForge.key.publicPEM() ?? []

  @Test("Both give the same result for RS256 tokens, valid and mutated")
  func rs256() throws {
    let minter = IDTokenMinter(projectID: TokenForge.projectID, keys: TokenForge.keys)
    var subject = IDTokenSubject(uid: "alice", signInProvider: "custom", authTimeSeconds: 0)
    var originals = [TokenForge.rs256(TokenForge.idPayload()), TokenForge.rs256("{}")]
    for level in 0..<3 {
      subject.customClaims = [.init("level", .int(Int64(level))), .init("text", .string("é🙂\"\\\n"))]
      originals.append(try minter.mint(subject, issuedAtSeconds: 1_000))
    }
    originals.append(TokenForge.rs256("{}", key: TokenForge.otherKeys.entries[0].key))
    var accepted = 0
    var refused = 0
    for seed in 0..<600 {
      var random = SeededRandom(seed: UInt64(seed))
      let original = originals[seed % originals.count]
      let text = seed < originals.count ? original : Self.mutate(original, using: &random)
      guard let token = try? TokenReader.read(text) else { continue }
      let ours =
        TokenForge.key.verify(token.signature, of: token.signedBytes) == .accepted && token.isAlgorithm("RS256")
      let theirs = LibJWT.verify(token, algorithm: .rs256, key: Self.keyPEM) == .accepted
      #expect(ours == theirs, "seed \(seed): OpenSSL \(ours), libjwt \(theirs)")
      if ours { accepted += 1 } else { refused += 1 }
    }
    #expect(accepted >= 5 && refused >= 100)
  }

  @Test("Both give the same result for HS256 tokens, valid and mutated")
  func hs256() throws {
    let minter = LegacyTokenMinter(secrets: TokenForge.secrets)
    let originals = [
      TokenForge.hs256(TokenForge.legacyPayload()), try minter.mint(uid: "bob", issuedAtSeconds: 1_000),
      TokenForge.hs256(TokenForge.legacyPayload(), key: Array(TokenForge.otherSecret.utf8)),
    ]
    let key = Array(TokenForge.secret.utf8)
    var accepted = 0
    var refused = 0
    for seed in 0..<1_500 {
      var random = SeededRandom(seed: UInt64(seed))
      let original = originals[seed % originals.count]
      let text = seed < originals.count ? original : Self.mutate(original, using: &random)
      guard let token = try? TokenReader.read(text) else { continue }
      let expected = MessageAuthenticationCode.hmacSHA256(token.signedBytes, key: key) ?? []
      let ours = ConstantTime.equal(expected, token.signature) && token.isAlgorithm("HS256")
      let theirs = LibJWT.verify(token, algorithm: .hs256, key: key) == .accepted
      #expect(ours == theirs, "seed \(seed): ours \(ours), libjwt \(theirs)")
      if ours { accepted += 1 } else { refused += 1 }
    }
    #expect(accepted >= 2 && refused >= 100)
  }

  @Test("Claims that the token parser accepts are accepted by libjwt, too")
  func claims() {
    // Otherwise a token that passes these checks would be refused for its contents alone.
    let key = Array(TokenForge.secret.utf8)
    let seeds = [
      TokenForge.legacyPayload([
        "x": #"[1.5e3,-0,-0.0,1e-400,5e-324,1.7976931348623157e308,"\/\ud83d\ude42\uffff\u0001"]"#
      ]),
      TokenForge.legacyPayload(["": "{\"\":[[],{}]}", "y": "9223372036854775807", "z": "-9223372036854775808"]),
      TokenForge.legacyPayload(["é": "\"\u{7F}\u{FFFF}\u{10FFFF}e\u{301}\"", " ": " [ 1 ,\t2 ]\r\n"]),
    ]
    let spice = Array(#"{}[]",:\u0eE+-.1dDaA9tfn "#.utf8)
    var read = 0
    for seed in 0..<3_000 {
      var random = SeededRandom(seed: UInt64(seed))
      var bytes = Array(seeds[seed % seeds.count].utf8)
      for _ in 0..<(seed < 3 ? 0 : Int.random(in: 1...3, using: &random)) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = spice.randomElement(using: &random) ?? 0
      }
      let payload = String(decoding: bytes, as: UTF8.self)
      guard let token = try? TokenReader.read(TokenForge.hs256(payload)) else { continue }
      read += 1
      #expect(LibJWT.verify(token, algorithm: .hs256, key: key) == .accepted, "seed \(seed): \(payload)")
    }
    #expect(read >= 100)
  }

  @Test("Many threads verify at once and get the same answers")
  func threads() async throws {
    let id = TokenForge.rs256(TokenForge.idPayload())
    let legacy = TokenForge.hs256(TokenForge.legacyPayload())
    let forged = TokenForge.rs256(TokenForge.idPayload(), key: TokenForge.otherKeys.entries[0].key)
    let minter = IDTokenMinter(projectID: TokenForge.projectID, keys: TokenForge.keys)
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          // Every second worker has its own verifier, so that the cache does not hide the signature checks.
          let front =
            worker % 2 == 0
            ? TokenForge.front
            : CredentialVerifier(
              legacyTokens: LegacyTokenVerifier(secrets: TokenForge.secrets),
              idTokens: IDTokenVerifier(projectID: TokenForge.projectID, keys: TokenForge.keys))
          for round in 0..<30 {
            #expect(TokenForge.refusal(id, front: front) == nil)
            #expect(TokenForge.refusal(legacy, front: front) == nil)
            #expect(TokenForge.refusal(forged, front: front) == .invalidToken)
            guard round % 10 == 0 else { continue }
            let subject = IDTokenSubject(uid: "w\(worker)", signInProvider: "custom", authTimeSeconds: TokenForge.now)
            let minted = try? minter.mint(subject, issuedAtSeconds: TokenForge.now)
            #expect(minted.map { TokenForge.refusal($0, front: front) == nil } == true)
          }
        }
      }
    }
  }

  @Test("Signatures of libjwt and OpenSSL are equal byte for byte")
  func signatures() throws {
    let token = try LibJWT.sign(
      claims: [.init("b", .int(1)), .init("a", .string("x"))], header: [("kid", "k")], algorithm: .rs256,
      key: try #require(TokenForge.keys.entries.first).privatePEM)
    let read = try TokenReader.read(token)
    // PKCS#1 v1.5 signatures are deterministic.
    #expect(TokenForge.sign(read.signedBytes, key: TokenForge.key) == read.signature)
    #expect(read.payload == TokenForge.object(#"{"a":"x","b":1}"#))
  }

  /// Returns a change that the parser may still accept: replaced letters, segments swapped or resigned.
  private static func mutate(_ token: String, using random: inout SeededRandom) -> String {
    var bytes = Array(token.utf8)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    let dots = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:  // Replaces a letter of the signature.
      bytes[Int.random(in: (dots[1] + 1)..<(bytes.count - 1), using: &random)] =
        alphabet.randomElement(using: &random) ?? 65
    case 1:  // Cuts four letters off the signature.
      bytes.removeLast(4)
    case 2:  // Extends the signature.
      bytes += [alphabet.randomElement(using: &random) ?? 65] + Array("AAA".utf8)
    default:  // Puts another payload under the same signature.
      let payload = TokenForge.segment("{\"x\":\(Int.random(in: 0...9, using: &random))}")
      bytes.replaceSubrange((dots[0] + 1)..<dots[1], with: payload.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
