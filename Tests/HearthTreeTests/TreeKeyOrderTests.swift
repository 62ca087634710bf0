import HearthTree
import RandomTestKit
import Testing

@Suite struct TreeKeyOrderTests {
  @Test func `Integer keys come first by number and then by length, others by UTF-16 code unit`() {
    let keys: [Key] = [
      "-2147483648", "-1", "-01", "0", "-0", "00", "1", "01", "001", "2", "10", "2147483647",
      "", "-", "-2147483649", "000000000001", "1a", "2147483648", "A", "a", "ab", "b", "é", "\u{D7FF}", "\u{10000}",
      "\u{10FFFF}",
      "\u{E000}", "\u{EFFF}", "\u{F000}", "\u{FFFF}",
    ]
    for (i, a) in keys.enumerated() {
      for (j, b) in keys.enumerated() {
        #expect((a < b) == (i < j), "\(a) \(b)")
        #expect((a == b) == (i == j), "\(a) \(b)")
      }
    }
  }

  @Test func `The order agrees with its definition for random keys`() {
    var random = SeededRandom(seed: 1)
    let parts = ["", "a", "0", "-", "é", "\u{E000}", "\u{FFFF}", "\u{1F600}", "abcdefg", "12345"]
    func text() -> String { (0..<random.below(5)).map { _ in parts[random.below(parts.count)] }.joined() }
    for _ in 0..<2000 {
      let (a, b) = (text(), text())
      #expect((Key(a) < Key(b)) == TreeModel.isBefore(a, b), "\(a) \(b)")
      #expect((Key(a) == Key(b)) == (Array(a.utf8) == Array(b.utf8)), "\(a) \(b)")
    }
  }

  @Test func `Keys that differ only in Unicode normalization are two keys`() {
    let (one, two) = (Key("é"), Key("e\u{301}"))
    #expect(one != two)
    #expect(Set([one, two]).count == 2)
    let node = Node.empty.replacing(Path([one]), with: Node(.int(1))).replacing(Path([two]), with: Node(.int(2)))
    #expect(node.childCount == 2)
    #expect(node.child(one).scalar == .int(1))
    #expect(node.child(two).scalar == .int(2))
  }

  @Test func `Only 32-bit integers of at most eleven characters are integer keys`() {
    let cases: [(Key, Int32?)] = [
      ("0", 0), ("-0", 0), ("007", 7), ("-2147483648", .min), ("2147483647", .max), ("2147483648", nil), ("", nil),
      ("-", nil), ("+1", nil), ("1 ", nil), ("00000000001", 1), ("000000000001", nil), ("١", nil),
    ]
    for (key, expected) in cases { #expect(key.integer == expected, "\(key)") }
  }
}
