import Testing

@testable import HearthCrypto

@Suite("Time-based one-time passwords")
struct TOTPTests {
  private let secret = Array("12345678901234567890".utf8)

  @Test(
    "The codes of RFC 6238",
    arguments: [
      (Int64(59), "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
      (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
    ])
  func vectors(seconds: Int64, code: String) {
    #expect(TOTP.code(secret: secret, step: TOTP.step(atSeconds: seconds), digits: 8) == code)
    #expect(TOTP.code(secret: secret, step: TOTP.step(atSeconds: seconds)) == String(code.suffix(6)))
  }

  @Test("A code is valid one time step earlier and later, but not two")
  func window() throws {
    let now: Int64 = 1_700_000_010
    let step = TOTP.step(atSeconds: now)
    for offset in -3...3 as ClosedRange<Int64> {
      let code = try #require(TOTP.code(secret: secret, step: step + offset))
      #expect(
        TOTP.matchingStep(secret: secret, code: code, nowSeconds: now)
          == (abs(offset) <= 1 ? step + offset : nil), "\(offset)")
    }
  }

  @Test("A code is accepted once: neither it nor an earlier one is valid again")
  func once() throws {
    let now: Int64 = 1_700_000_010
    let step = TOTP.step(atSeconds: now)
    let code = try #require(TOTP.code(secret: secret, step: step))
    let earlier = try #require(TOTP.code(secret: secret, step: step - 1))
    #expect(TOTP.matchingStep(secret: secret, code: code, nowSeconds: now, after: step - 1) == step)
    #expect(TOTP.matchingStep(secret: secret, code: code, nowSeconds: now, after: step) == nil)
    #expect(TOTP.matchingStep(secret: secret, code: earlier, nowSeconds: now, after: step) == nil)
  }

  @Test(
    "A code that is not six digits is refused",
    arguments: ["", "0", "12345", "1234567", "12345a", " 123456", "１２３４５６", "-12345", "94287082"])
  func malformed(code: String) {
    #expect(TOTP.matchingStep(secret: secret, code: code, nowSeconds: 59) == nil)
  }

  @Test("Any time and any secret are handled without a trap", arguments: [Int64.min, -1, 0, .max])
  func extremes(seconds: Int64) {
    #expect(TOTP.matchingStep(secret: secret, code: "000000", nowSeconds: seconds, window: 1, after: .max) == nil)
    #expect(TOTP.matchingStep(secret: [], code: "000000", nowSeconds: seconds) == nil)
    #expect(TOTP.code(secret: secret, step: seconds, digits: 0) == nil)
    #expect(TOTP.code(secret: secret, step: seconds, digits: 10) == nil)
  }

  @Test("Times before 1970 are rounded down to a step, too")
  func steps() {
    #expect([-31, -30, -1, 0, 29, 30].map { TOTP.step(atSeconds: $0) } == [-2, -1, -1, 0, 0, 1])
  }

  @Test(
    "Base32 follows RFC 4648, without padding",
    arguments: [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
      ("foobar", "MZXW6YTBOI"),
    ])
  func base32(plain: String, text: String) {
    #expect(TOTP.base32(Array(plain.utf8)) == text)
    #expect(TOTP.secret(base32: text) == Array(plain.utf8))
    #expect(TOTP.secret(base32: text.lowercased()) == Array(plain.utf8))
    let padding = (8 - text.utf8.count % 8) % 8
    #expect(TOTP.secret(base32: text + String(repeating: "=", count: padding)) == Array(plain.utf8))
  }

  @Test("Other texts are not base32", arguments: ["M", "MZX", "MZ=", "M1", "MZ XQ", "MZ", "MZXW6Y=="])
  func notBase32(text: String) { #expect(TOTP.secret(base32: text) == nil) }

  @Test("Secrets have 160 bits and are decoded as they were encoded")
  func secrets() throws {
    let secret = try TOTP.newSecret(random: .system)
    #expect(secret.count == 20)
    #expect(TOTP.secret(base32: TOTP.base32(secret)) == secret)
    #expect(try TOTP.newSecret(random: .system) != secret)
  }
}
