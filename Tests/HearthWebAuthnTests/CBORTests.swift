import PasskeyTestKit
import RandomTestKit
import Testing

@testable import HearthWebAuthn

@Suite struct CBORTests {
  static func read(_ bytes: [UInt8]) throws(WebAuthnError) -> CBORValue {
    var reader = CBORReader(bytes)
    let value = try reader.value()
    guard reader.isAtEnd else { throw WebAuthnError(.malformed, "more") }
    return value
  }

  @Test("CBOR of authenticators is decoded")
  func values() throws {
    #expect(try Self.read([0x17]).int == 23)
    #expect(try Self.read([0x18, 0x18]).int == 24)
    #expect(try Self.read([0x39, 0x01, 0x00]).int == -257)
    #expect(try Self.read([0x1B, 0, 0, 0, 1, 0, 0, 0, 0]).int == 1 << 32)
    #expect(try Self.read([0x3B] + [UInt8](repeating: 255, count: 8)).int == nil)
    #expect(try Self.read([0x42, 1, 2]).bytes == [1, 2])
    let map = try Self.read([0xA2, 0x01, 0x02, 0x61, 0x61, 0xF5])
    #expect(map[1]?.int == 2)
    guard case .bool(true)? = map["a"] else { throw WebAuthnError(.malformed, "no truth value") }
    #expect(map[2] == nil && map["b"] == nil)
  }

  static let refusedBytes: [[UInt8]] = {
    let all = [UInt8](repeating: 255, count: 8)
    var list: [[UInt8]] = [
      [], [0x18], [0x18, 0x17], [0x19, 0x00, 0xFF], [0x1A, 0, 0, 0xFF, 0xFF], [0x1B, 0, 0, 0, 0, 255, 255, 255, 255],
      // Indefinite lengths, reserved ones, and tags.
      [0x5F, 0x41, 0x00, 0xFF], [0x9F, 0xFF], [0xBF, 0xFF], [0x1C], [0xC0, 0x00], [0xFF], [0xF8, 0x20],
      // Lengths beyond the input.
      [0x41], [0x9A, 0x7F, 0xFF, 0xFF, 0xFF], [0x82, 0x00], [0xA1, 0x00],
      // An invalid text, a duplicate key, and invalid keys.
      [0x61, 0xFF], [0xA2, 0x01, 0x02, 0x01, 0x03], [0xA1, 0x40, 0x00], [0xA1, 0x80, 0x00], [0xA1, 0xF5, 0x00],
      // Bytes after the value.
      [0x00, 0x00],
      // Nested too deeply.
      [0x81, 0x81, 0x81, 0x81, 0x81, 0x00],
    ]
    for first: UInt8 in [0x5B, 0x7B, 0x9B, 0xBB] { list.append([first] + all) }
    for first: UInt8 in [0x81, 0xA1] { list.append([UInt8](repeating: first, count: 10_000)) }
    return list
  }()

  @Test("CBOR outside the canonical form of CTAP2 is refused", arguments: refusedBytes)
  func refused(bytes: [UInt8]) { #expect(throws: WebAuthnError.self) { try Self.read(bytes) } }

  @Test("four levels are decoded, as CTAP2 allows")
  func levels() throws { _ = try Self.read([0x81, 0x81, 0x81, 0x81, 0x00]) }

  @Test("any bytes end in a value or an error", arguments: 0..<20)
  func anything(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    for _ in 0..<2_000 {
      var bytes: [UInt8] = []
      for _ in 0..<random.below(40) { bytes.append(UInt8(random.below(256))) }
      _ = try? Self.read(bytes)
      _ = try? AttestationObject(bytes)
      _ = try? AuthenticatorData([UInt8](repeating: 0, count: 32) + bytes)
      _ = try? PublicKey(cose: bytes)
    }
  }
}
