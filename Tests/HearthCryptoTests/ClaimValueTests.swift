import RandomTestKit
import Testing

@testable import HearthCrypto

@Suite("Claim values")
struct ClaimValueTests {
  @Test(
    "Values are encoded and decoded unchanged",
    arguments: [
      "null", "true", "false", "0", "-7", "9223372036854775807", "-9223372036854775808", "1.5", "\"a\"", "[]", "{}",
      #"{"b":[1,{"a":null}],"a":"\"\\\n\t"}"#, #""🙂é""#,
    ])
  func roundTrip(json: String) throws {
    #expect(try ClaimValue(json: json).json == json)
  }

  @Test("Integers stay exact and other numbers become doubles")
  func numbers() throws {
    #expect(try ClaimValue(json: "9007199254740993") == .int(9_007_199_254_740_993))
    #expect(try ClaimValue(json: "1.0") == .double(1))
    #expect(try ClaimValue(json: "1e3") == .double(1_000))
    #expect(try ClaimValue(json: "-0") == .int(0))
    #expect(try ClaimValue(customAttributes: "9223372036854775808") == .double(9_223_372_036_854_775_808))
    #expect(try ClaimValue(customAttributes: "-12345678901234567890").json == "-1.2345678901234567e+19")
    #expect(try ClaimValue(customAttributes: "9007199254740993") == .int(9_007_199_254_740_993))
  }

  @Test("Escapes are decoded")
  func escapes() throws {
    #expect(try ClaimValue(json: #""\u00e9\ud83d\ude42\/\b\f\n\r\t\"\\""#) == .string("é🙂/\u{8}\u{C}\n\r\t\"\\"))
  }

  @Test(
    "JSON that parsers read differently is refused",
    arguments: [
      "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "01", "-", "+1", ".5", "1.", "1e", "1e400", "-1e999",
      "9223372036854775808", "NaN", "Infinity", "nul", "truex", "1 2", "{} {}", "\"a", "\"\u{1}\"", "\"\n\"",
      #""\ud800""#, #""\ud800x""#, #""\ud800\u0041""#, #""\udc00""#, #""\u0000""#, #""\u00g0""#, #""\x41""#, #""\u12""#,
      #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"[{"x":{"a":1,"b":2,"a":3}}]"#, "\u{FEFF}{}", "//c\n1", "[1 2]",
      "{\"a\" 1}",
    ])
  func refused(json: String) {
    #expect(throws: ClaimSyntaxError.self) { try ClaimValue(json: json) }
  }

  @Test("Invalid UTF-8 is refused")
  func invalidUTF8() {
    for bytes: [UInt8] in [
      [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0, 0x22],
    ] {
      #expect(throws: ClaimSyntaxError.self) { try ClaimValue(json: bytes) }
    }
  }

  @Test("Nesting has a limit")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(throws: Never.self) { try ClaimValue(json: nested(TokenLimits.depthMax)) }
    #expect(throws: ClaimSyntaxError.self) { try ClaimValue(json: nested(TokenLimits.depthMax + 1)) }
    #expect(throws: ClaimSyntaxError.self) { try ClaimValue(json: String(repeating: "[{\"a\":", count: 5_000)) }
  }

  @Test("Names that differ only by Unicode normalization are two names")
  func normalisation() throws {
    let value = try ClaimValue(json: "{\"\u{E9}\":1,\"e\u{301}\":2}")
    #expect(value["\u{E9}"] == .int(1))
    #expect(value["e\u{301}"] == .int(2))
    #expect(ClaimValue.string("\u{E9}") != .string("e\u{301}"))
  }

  @Test(
    "Times are integers from 0 to 2^53",
    arguments: [
      ("0", 0), ("5.0", 5), ("1e3", 1_000), ("9007199254740991", 9_007_199_254_740_991), ("9007199254740992", nil),
      ("-1", nil), ("0.5", nil), ("1e300", nil), ("-1e300", nil), ("\"5\"", nil), ("true", nil), ("null", nil),
      ("[5]", nil), ("9.007199254740992e15", nil), ("-0.0", 0),
    ] as [(String, Int64?)])
  func seconds(json: String, expected: Int64?) throws {
    #expect(try ClaimValue(json: json).seconds == expected)
  }

  @Test("Mutated JSON never traps, and accepted values are encoded and decoded unchanged")
  func fuzz() throws {
    let seeds = [
      TokenForge.idPayload(), TokenForge.legacyPayload(["debug": "true", "x": "[1.5e3,-0,\"\\ud83d\\ude42\"]"]),
      #"{"alg":"RS256","kid":"a","typ":"JWT"}"#,
    ]
    let spice = Array(#"{}[]",:\u0eE+-.1dDaA9tfn "#.utf8) + [0, 0x7F, 0x80, 0xC3, 0xED, 0xF0, 0xFF]
    for seed in 0..<1_500 {
      var random = SeededRandom(seed: UInt64(seed))
      var bytes = Array(seeds[seed % seeds.count].utf8)
      for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = spice.randomElement(using: &random) ?? 0
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(spice.randomElement(using: &random) ?? 0, at: index)
        default: bytes.removeSubrange(index...)
        }
      }
      guard let value = try? ClaimValue(json: bytes) else { continue }
      #expect(try ClaimValue(json: value.json) == value, "seed \(seed)")
    }
  }
}
