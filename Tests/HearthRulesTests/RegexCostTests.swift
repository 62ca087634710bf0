import HearthTree
import Testing

@testable import HearthRules

@Suite("The cost of regular expressions")
struct RegexCostTests {
  private static let hostile = "/^.*a.{0,1000}b.{0,1000}c$/"

  private func outcome(_ pattern: String, _ text: String) throws -> Outcome {
    try RuleEvaluation(written: RulesFixtures.text(.string(text))).write("newData.val().matches(\(pattern))")
  }

  @Test("An expensive expression matches short strings and refuses long ones with an error")
  func costly() throws {
    #expect(try outcome(Self.hostile, "xxabxxc") == .yes)
    #expect(try outcome(Self.hostile, "xxabxx") == .no)
    let gap = String(repeating: "ab", count: 300)
    #expect(try outcome(Self.hostile, gap + "c") == .yes)
    #expect(try outcome(Self.hostile, gap) == .no)
    let long = String(repeating: "ab", count: 500_000)
    #expect(try outcome(Self.hostile, long + "c") == .error)
    #expect(try outcome(Self.hostile, long) == .error)
    // As elsewhere in the language, an earlier operand may decide.
    let guarded = "newData.val().length < 1000 && newData.val().matches(\(Self.hostile))"
    #expect(try RuleEvaluation(written: RulesFixtures.text(.string(long))).write(guarded) == .no)
  }

  @Test("Ordinary expressions match strings of the greatest length")
  func ordinary() throws {
    let longest = String(repeating: "x", count: 9 << 20)
    for pattern in ["/^[a-z]*$/", "/y|x{3}z/", "/^(data:)?[a-zA-Z0-9+=\\/]+$/", "/xx+/", "/^.*x$/"] {
      #expect(try outcome(pattern, longest) == (pattern == "/y|x{3}z/" ? .no : .yes), "\(pattern)")
    }
    #expect(try outcome("/^[a-z]*$/", longest + "1") == .no)
    #expect(try outcome("/^.{1,5000}$/", String(repeating: "é", count: 5_000)) == .yes)
    #expect(try outcome("/^.{1,5000}$/", String(repeating: "é", count: 5_001)) == .no)
    #expect(try outcome("/^.{1,10000}$/", longest) == .no)
    #expect(try outcome("/^([a-z]{1,20} ){1,50}$/", String(repeating: "word ", count: 50)) == .yes)
  }

  @Test(
    "The size of an expression's automaton is computed before it is built",
    arguments: [
      ("^[a-z]+$", RegexShape.small), ("", .small), ("^(a|b)*c?$", .small), ("foo|bar", .small),
      ("[a-z]{5,100}", .small),
      ("^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,4}$", .small), ("^(()*a?){3}$", .small), ("a{0}", .small),
      // Patterns that have one active position at a time, of five thousand.
      ("^.{1,5000}$", .wide(1)), ("^([a-z]{1,20} ){1,200}$", .wide(1)),
      // A pattern with 2¹³ states: which of the last twelve units were an a.
      ("^.*a.{12}$", .wide(14)), ("^.*a.{24}$", .unknown), ("a.{1000}c", .unknown), (".{5000}", .unknown),
      ("^.*a.{0,1000}b.{0,1000}c$", .unknown),
    ])
  func shapes(pattern: String, shape: RegexShape) throws {
    var stepsLeft = RulesLimits.regexAnalysisStepsMax
    #expect(try RegexTranslator.translate(pattern, ignoresCase: false, stepsLeft: &stepsLeft).shape == shape)
    #expect(stepsLeft >= 0)
  }

  @Test("Expressions of one file share a budget")
  func budget() throws {
    var stepsLeft = 400
    var shapes: [RegexShape] = []
    for _ in 0..<4 {
      shapes.append(try RegexTranslator.translate("^[a-z]{20}$", ignoresCase: false, stepsLeft: &stepsLeft).shape)
      #expect(stepsLeft >= 0)
    }
    #expect(shapes.first == .small)
    #expect(shapes.last == .unknown)
  }

  @Test("A character beyond U+FFFF is two surrogates for the matcher")
  func surrogates() {
    for text in ["", "a", "é€", "😀", "a😀b\u{10FFFF}\u{10000}", String(repeating: "😀", count: 100)] {
      var expected: [UInt8] = []
      for unit in text.utf16 {
        switch unit {
        case 0..<0x80: expected.append(UInt8(unit))
        case 0x80..<0x800: expected += [0xC0 | UInt8(unit >> 6), 0x80 | UInt8(unit & 0x3F)]
        default:
          expected += [0xE0 | UInt8(unit >> 12), 0x80 | UInt8(unit >> 6 & 0x3F), 0x80 | UInt8(unit & 0x3F)]
        }
      }
      #expect(Array(text.utf8).withUnsafeBufferPointer(SurrogateText.encode) == expected, "\(text)")
    }
  }
}
