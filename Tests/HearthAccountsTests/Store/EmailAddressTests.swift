import Foundation
import HearthTestKit
import RandomTestKit
import Testing

@testable import HearthAccounts

@Suite struct EmailAddressTests {
  @Test(
    "an address is normalized to one form",
    arguments: [
      ("alice@example.com", "alice@example.com"), ("Alice@EXAMPLE.com", "alice@example.com"),
      ("a.b+c@x.y.z", "a.b+c@x.y.z"), ("root@localhost", "root@localhost"),
      ("José@example.com", "josé@example.com"), ("Jose\u{301}@example.com", "josé@example.com"),
      ("ÅNGSTRÖM@example.com", "ångström@example.com"), ("A\u{30A}ngstrom@x", "ångstrom@x"),
      ("a\u{308}\u{323}@x", "ạ\u{308}@x"), ("\u{1112}\u{1161}\u{11AB}@한국.kr", "한@한국.kr"),
      ("ΑΒΓ@x", "αβγ@x"), ("İ@x", "i\u{307}@x"), ("o'neil_{1}!#$%&*/=?^`|~-@x", "o'neil_{1}!#$%&*/=?^`|~-@x"),
    ])
  func canonical(text: String, form: String) {
    let canonical = EmailAddress.canonical(text)
    #expect(canonical.map { Array($0.utf8) } == Array(form.utf8))
    #expect(EmailAddress.canonical(form).map { Array($0.utf8) } == Array(form.utf8))
  }

  @Test(
    "invalid and ambiguous addresses are refused",
    arguments: [
      "", "@", "a", "a@", "@b", "a@b@c", "a b@c", " a@b", "a@b ", "a@b\n", "a\u{0}@b", "a\u{7F}@b", "a@b.", "a@.b",
      "a@b..c", "a@\u{200B}b", "a\u{200D}@b", "a\u{202E}@b", "a\u{A0}@b", "<a@b>", "a@b,c", "\"a\"@b", "a;b@c",
      "a\\b@c", "a@[1.2.3.4]", "a:b@c", "\u{212A}evin@x", "\u{212B}@x", "a@\u{2000}b", "a\r\nBcc: x@y", "\u{E000}@x",
    ])
  func refused(text: String) {
    #expect(EmailAddress.canonical(text) == nil)
  }

  @Test("addresses of 255 bytes are accepted and of 256 refused, also after composing and lower-casing")
  func length() {
    let domain = "@example.com"
    let longest = String(repeating: "a", count: 255 - domain.utf8.count) + domain
    #expect(EmailAddress.canonical(longest) == longest)
    #expect(EmailAddress.canonical("a" + longest) == nil)
    // Ⱥ has two bytes, its lower case ⱥ three.
    #expect(EmailAddress.canonical(String(repeating: "Ⱥ", count: 100) + domain) == nil)
  }

  @Test("a Korean syllable is composed with one following final consonant")
  func hangul() {
    // Foundation does not compose these; the standard (UAX #15, D117) does.
    #expect(CanonicalComposition.composed(["\u{AC38}", "\u{11C2}"]) == ["\u{AC53}"])
    #expect(CanonicalComposition.composed(["\u{AC53}", "\u{11C2}"]) == ["\u{AC53}", "\u{11C2}"])
    #expect(CanonicalComposition.composed(["\u{AC38}", "\u{11A7}"]) == ["\u{AC38}", "\u{11A7}"])
  }

  @Test("Unicode composition agrees with Foundation's", arguments: 0..<UInt64(8))
  func composition(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let ranges: [ClosedRange<UInt32>] = [
      0x41...0x7A, 0xC0...0x17F, 0x300...0x345, 0x370...0x3CE, 0x591...0x5C7, 0x64B...0x655, 0x900...0x9FF,
      0x1100...0x1112, 0x1161...0x1175, 0x11A7...0x11C2, 0x1E00...0x1FFE, 0x3041...0x30FE, 0x1F1E6...0x1F1FF,
    ]
    for _ in 0..<1_500 {
      let scalars = (0..<1 + random.below(6)).compactMap { _ -> Unicode.Scalar? in
        let range = random.pick(ranges)
        let scalar = Unicode.Scalar(range.lowerBound + UInt32(random.below(range.count)))
        return scalar?.properties.isFullCompositionExclusion == false ? scalar : nil
      }
      let text = String(String.UnicodeScalarView(scalars))
      let composed = CanonicalComposition.composed(scalars)
      #expect(
        composed == Array(text.precomposedStringWithCanonicalMapping.unicodeScalars),
        "\(scalars.map { String($0.value, radix: 16) })")
    }
  }

  @Test("canonicalizing is idempotent for every character")
  func idempotence() {
    for value in UInt32(0x21)...0x33FF {
      guard let scalar = Unicode.Scalar(value), let form = EmailAddress.canonical("a\(scalar)@x") else { continue }
      guard let again = EmailAddress.canonical(form), again.isSameText(as: form) else {
        Issue.record("U+\(String(value, radix: 16))")
        continue
      }
    }
  }
}
