import HearthRules
import RandomTestKit
import Testing

@testable import HearthExposure

/// Tests of regular expressions in two implementations: the evaluator's matcher, and derivatives.
@Suite struct RegexLanguageTests {
  @Test(arguments: 0..<4)
  func `derivatives and the evaluator agree on random patterns and texts`(seed: UInt64) throws {
    var random = RandomPattern(generator: SeededRandom(seed: seed))
    var matchCount = 0
    for _ in 0..<60 {
      let literal = random.literal()
      guard let regex = try? LiteralRegex.compile(literal) else { continue }
      let languages = Languages()
      let language = languages.matching(regex)
      for _ in 0..<20 {
        let text = random.text()
        let isMatch = regex.matches(text)
        matchCount += isMatch ? 1 : 0
        #expect(languages.contains(language, text) == isMatch, "\(literal) on \(text.debugDescription), seed \(seed)")
      }
    }
    #expect(matchCount > 200)
  }

  @Test(arguments: 0..<4)
  func `example words of a language match, and example words of its complement do not`(seed: UInt64) throws {
    var random = RandomPattern(generator: SeededRandom(seed: 100 + seed))
    var wordCount = 0
    for _ in 0..<40 {
      let literal = random.literal()
      guard let regex = try? LiteralRegex.compile(literal) else { continue }
      let languages = Languages()
      let language = languages.matching(regex)
      for word in languages.words(of: language, count: 3) {
        #expect(regex.matches(word), "\(literal) on \(word.debugDescription), seed \(seed)")
        wordCount += 1
      }
      for word in languages.words(of: languages.complement(language), count: 3) {
        #expect(!regex.matches(word), "\(literal) on \(word.debugDescription), seed \(seed)")
        wordCount += 1
      }
    }
    #expect(wordCount > 100)
  }

  @Test(arguments: [
    ("/^[a-z]{3}$/", "abc"), ("/^\\d+$/", "0"), ("/^.+@.+\\..+$/", "a@c.e"), ("/^(up|down)$/", "up"),
    ("/^[^a-zA-Z0-9]$/", "-"), ("/^😀$/", "😀"), ("/^[A-F0-9]{4}$/i", "abcd"), ("/^()$/", ""),
  ])
  func `the example word of a language is a readable one`(literal: String, word: String) throws {
    let languages = Languages()
    #expect(languages.readableWord(of: languages.matching(try LiteralRegex.compile(literal))) == .word(word))
  }

  @Test func `half of a surrogate pair is not a string`() throws {
    let languages = Languages()
    #expect(languages.shortestWord(of: languages.matching(try LiteralRegex.compile("/^[😀]$/"))) == .empty)
    #expect(languages.shortestWord(of: languages.units([0xD800...0xDFFF])) == .empty)
  }

  /// Patterns that take long to analyze. "Unknown" is a valid answer; a wrong one is not.
  @Test(arguments: [
    "/^.{0,1000}$/", "/^(.{0,30}){0,30}$/", "/^((a{0,9}b?){0,9}c?){0,9}$/",
    "/(a|b)*a(a|b){20}/", "/^(a+)+b$/", "/^(((a?){10}){10}){10}$/",
    "/^((((a*)*)*)*)*$/", "/^(a{300}|b{300}){3}$/",
  ])
  func `the analysis of hostile patterns ends, without a wrong answer`(literal: String) throws {
    let languages = Languages()
    let regex = try LiteralRegex.compile(literal)
    let language = languages.matching(regex)
    for (question, wanted) in [(language, true), (languages.complement(language), false)] {
      switch languages.shortestWord(of: question) {
      case .word(let word): #expect(regex.matches(word) == wanted)
      case .empty: Issue.record("\(literal): \(wanted ? "a pattern" : "a complement") with words is called empty")
      case .unknown: break
      }
    }
    _ = languages.isEmpty(languages.intersection([language, languages.keys]))
    _ = languages.isSubset(language, of: languages.keys)
  }

  @Test func `the analysis of nested repetition counts ends`() {
    let languages = Languages()
    var language = languages.union([languages.text("ab"), languages.text("b")])
    for depth in 0..<40 {
      language = languages.repeated(
        languages.sequence([language, languages.text("a")]), atLeast: depth % 3, atMost: 10_000)
    }
    #expect(languages.isEmpty(language) != true)
    #expect(languages.isSubset(language, of: languages.keys) != true)
    for _ in 0..<1_000 { language = languages.sequence([languages.complement(language), languages.text("a")]) }
    #expect(languages.isEmpty(language) != true)
  }

  @Test func `the analysis of ten thousand units ends`() throws {
    let languages = Languages()
    let patterns = [
      String(repeating: "a", count: 9_000), String(repeating: "a?", count: 4_500),
      String(repeating: "a|", count: 4_500) + "b", String(repeating: "(ab)*", count: 1_800),
      "[" + (0..<4_000).map { String(UnicodeScalar(0x4E00 + 2 * UInt32($0)) ?? "a") }.joined() + "]+",
      String(repeating: "(", count: 99) + "a" + String(repeating: ")*b", count: 99),
      String(repeating: ".*a", count: 2_000),
    ]
    for pattern in patterns {
      let regex = try LiteralRegex.compile("/^\(pattern)$/")
      let language = languages.matching(regex)
      if case .word(let word) = languages.shortestWord(of: language) { #expect(regex.matches(word)) }
      if case .word(let word) = languages.shortestWord(of: languages.complement(language)) {
        #expect(!regex.matches(word))
      }
      #expect(languages.isEmpty(language) != true)
      _ = languages.isSubset(language, of: languages.keys)
    }
  }
}
