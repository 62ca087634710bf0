import HearthRules
import HearthTree
import Testing

@Suite("Regular expressions")
struct RegexTests {
  private func matches(_ pattern: String, _ text: String) throws -> Bool {
    try RuleEvaluation(written: RulesFixtures.text(.string(text))).write("newData.val().matches(\(pattern))") == .yes
  }

  @Test(
    "A pattern finds a part of the text unless it is anchored",
    arguments: [
      ("/b/", "abc", true), ("/^b/", "abc", false), ("/^a/", "abc", true), ("/c$/", "abc", true),
      ("/b$/", "abc", false),
      ("/^abc$/", "abc", true), ("/^$/", "", true), ("/^$/", "a", false), ("/a|b/", "xb", true),
      // Anchors apply to the whole pattern.
      ("/a|b$/", "ax", false), ("/a|b$/", "xa", true), ("/^a|b/", "xb", false), ("/^a|b$/", "b", true),
      ("/^(up|down)$/", "down", true), ("/^(up|down)$/", "downer", false), ("/^a.c$/", "a\nc", true),
      ("/^a*$/", "aaa", true), ("/^a{2}$/", "aa", true), ("/^a{2}$/", "aaa", false), ("/^a{2,}$/", "aaaa", true),
      ("/^a{2,3}$/", "aaaa", false), ("/^(ab){2}$/", "abab", true), ("/^a?$/", "", true), ("/^ab+$/", "abbb", true),
      ("/^a**$/", "aa", true), ("/^a*?$/", "aa", true), ("/^a+?b$/", "aab", true), ("/^a{0}$/", "", true),
      ("/^[abc]$/", "b", true), ("/^[^abc]$/", "b", false), ("/^[a-c]$/", "b", true), ("/^[a-]$/", "-", true),
      ("/^[-a]$/", "-", true), ("/^[]a]$/", "]", true), ("/^[$^.*]$/", "$", true), ("/^[\\w-.]+$/", "a-.", true),
      ("/^[/]$/", "/", true), ("/^\\/$/", "/", true), ("/^\\d+\\s\\w+$/", "12 ab", true),
      ("/^\\D\\S\\W$/", "ab-", true),
      ("/^\\$\\^$/", "$^", true), ("/^a\\\\$/", "a\\", true), ("/\\{foo}/", "{foo}", true),
      // A backslash makes any other character literal; there are no control escapes.
      ("/^\\t$/", "t", true), ("/^\\n$/", "n", true), ("/^\\b$/", "b", true),
      // At the start of an atom a syntax character is literal.
      ("/^(?:foo)$/", "?:foo", true), ("/^(?=a)b$/", "?=ab", true), ("/^*$/", "*", true), ("/^a|*$/", "*", true),
      ("/^()$/", "", true),
      ("/^A$/i", "a", true), ("/^[a-z]+$/i", "ABC", true), ("/^[a-z]$/i", "\u{212A}", false),
      ("/^k$/i", "\u{212A}", false),
      ("/^s$/i", "\u{17F}", false), ("/^é$/i", "É", true), ("/^[а-я]+$/i", "ПРИВЕТ", true), ("/^[^a]$/i", "A", false),
      // Characters beyond U+FFFF are two units.
      ("/^..$/", "😀", true), ("/^.$/", "😀", false), ("/^😀$/", "😀", true), ("/^[^a]{2}$/", "😀", true),
      ("/^.{3}$/", "é😀", true), ("/^é.$/", "éa", true), ("/^.{1,1500}$/", "ab", true), ("/^a{1500}$/", "aa", false),
    ])
  func matching(pattern: String, text: String, expected: Bool) throws {
    #expect(try matches(pattern, text) == expected, "\(pattern) on \(text)")
  }

  @Test("Long repetitions are exact")
  func repetitions() throws {
    func text(_ count: Int) -> String { String(repeating: "a", count: count) }
    for (pattern, least, most) in [("{1500}", 1500, 1500), ("{999,2001}", 999, 2001), ("{0,1000}", 0, 1000)] {
      #expect(try matches("/^a\(pattern)$/", text(least)))
      #expect(try matches("/^a\(pattern)$/", text(most)))
      #expect(try least == 0 || !matches("/^a\(pattern)$/", text(least - 1)))
      #expect(try !matches("/^a\(pattern)$/", text(most + 1)))
    }
    #expect(try matches("/^a{1001,}$/", text(1001)))
    #expect(try !matches("/^a{1001,}$/", text(1000)))
  }

  @Test(
    "Unsupported regular expressions are refused",
    arguments: [
      ("/^(up|down|)$/", "expected ')' at position 10"), ("/^(foo|)$/", "expected ')' at position 6"),
      ("/(^foo$|bar)/", "unexpected '^' at position 1"), ("/a$b/", "unexpected '$' at position 1"),
      ("/(a/", "expected ')' at position 2"), ("/a)/", "end-of-string expected at position 1"),
      ("/a{/", "integer expected at position 2"), ("/a{2/", "expected '}' at position 3"),
      ("/a{3,2}/", "repetition {3,2} is reversed at position 6"),
      ("/a{99999}/", "repetition of more than 10000 at position 2"),
      ("/[b-a]/", "character range is reversed at position 3"), ("/[a-\\d]/", "expected a character at position 3"),
      ("/a|/", "unexpected end-of-string"),
    ])
  func refusals(pattern: String, problem: String) {
    let refusal = RulesFixtures.refusal("newData.val().matches(\(pattern))")
    #expect(refusal == "Illegal regular expression, \(problem)", "\(pattern)")
  }

  @Test("Patterns that grow without bound are refused quickly")
  func growth() {
    let nested = String(repeating: "(", count: 20) + "a" + String(repeating: "{1000})", count: 20)
    #expect(RulesFixtures.refusal("newData.val().matches(/\(nested)/)") != nil)
    let deep = String(repeating: "(", count: 5000) + "a" + String(repeating: ")", count: 5000)
    #expect(RulesFixtures.refusal("newData.val().matches(/\(deep)/)") != nil)
  }

  @Test("A pattern that makes backtracking engines slow takes linear time")
  func linearTime() throws {
    let text = String(repeating: "a", count: 100_000)
    #expect(try !matches("/^(a+)+b$/", text))
    #expect(try !matches("/^(a|a)*b$/", text))
  }
}
