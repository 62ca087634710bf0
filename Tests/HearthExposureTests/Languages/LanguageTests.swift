import HearthTree
import RandomTestKit
import Testing

@testable import HearthExposure

@Suite struct LanguageTests {
  /// All words over `a` and `b` of up to four units.
  private static let words = Term.words(upTo: 4)

  @Test(arguments: 0..<4)
  func `membership, emptiness and shortest words are those of the definition`(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    var (emptyCount, wordCount) = (0, 0)
    for _ in 0..<100 {
      let languages = Languages()
      let term = Term.random(&generator, 4)
      let language = term.language(in: languages)
      let members = Self.words.filter { term.contains(Substring($0)) }
      for word in Self.words {
        #expect(languages.contains(language, word) == members.contains(word), "\(term) on '\(word)', seed \(seed)")
      }
      let overAB = languages.repeated(languages.units([0x61...0x62]), atLeast: 0, atMost: nil)
      switch languages.shortestWord(of: languages.intersection([language, overAB])) {
      case .word(let word):
        wordCount += 1
        #expect(term.contains(Substring(word)), "\(term) has not the word '\(word)', seed \(seed)")
        #expect(word.count > 4 || word.count == members.first?.count, "\(term) has a shorter word than '\(word)'")
      case .empty:
        emptyCount += 1
        #expect(members.isEmpty, "\(term) is not empty, seed \(seed)")
      case .unknown: Issue.record("\(term) is not decided, seed \(seed)")
      }
    }
    #expect(emptyCount > 5)
    #expect(wordCount > 50)
  }

  @Test(arguments: 0..<4)
  func `the laws of sets and of sequences hold`(seed: UInt64) {
    var generator = SeededRandom(seed: 200 + seed)
    for _ in 0..<15 {
      let languages = Languages()
      let terms = (0..<3).map { _ in Term.random(&generator, 3) }
      let (a, b, c) = (
        terms[0].language(in: languages), terms[1].language(in: languages), terms[2].language(in: languages)
      )
      func union(_ x: Language, _ y: Language) -> Language { languages.union([x, y]) }
      func both(_ x: Language, _ y: Language) -> Language { languages.intersection([x, y]) }
      func not(_ x: Language) -> Language { languages.complement(x) }
      func then(_ x: Language, _ y: Language) -> Language { languages.sequence([x, y]) }
      let laws: [(String, Language, Language)] = [
        ("De Morgan", not(union(a, b)), both(not(a), not(b))), ("De Morgan", not(both(a, b)), union(not(a), not(b))),
        ("double complement", not(not(a)), a), ("absorption", union(a, both(a, b)), a),
        ("distribution", both(a, union(b, c)), union(both(a, b), both(a, c))),
        ("sequences associate", then(then(a, b), c), then(a, then(b, c))),
        ("sequences distribute", then(a, union(b, c)), union(then(a, b), then(a, c))),
        ("nothing before", then(languages.emptyText, a), a), ("none before", then(languages.none, a), languages.none),
        (
          "star", languages.repeated(a, atLeast: 0, atMost: nil),
          union(languages.emptyText, then(a, languages.repeated(a, atLeast: 0, atMost: nil)))
        ),
        ("counts", languages.repeated(a, atLeast: 1, atMost: 3), then(a, languages.repeated(a, atLeast: 0, atMost: 2))),
        ("excluded middle", union(a, not(a)), languages.any), ("contradiction", both(a, not(a)), languages.none),
      ]
      for (law, left, right) in laws {
        #expect(languages.isSubset(left, of: right) != false, "\(law): \(terms), seed \(seed)")
        #expect(languages.isSubset(right, of: left) != false, "\(law): \(terms), seed \(seed)")
      }
    }
  }

  @Test func `strings and their parts`() {
    let languages = Languages()
    let cases: [(Language, String, Bool)] = [
      (languages.text("aé😀"), "aé😀", true), (languages.text("aé😀"), "aé", false), (languages.text(""), "", true),
      (languages.containing("b"), "abc", true), (languages.containing(""), "", true),
      (languages.containing("😀"), "x😀y", true), (languages.beginning(with: "ab"), "abc", true),
      (languages.beginning(with: "ab"), "ba", false), (languages.ending(with: "bc"), "abc", true),
      (languages.ending(with: "foo"), "foofoo", true), (languages.length(atLeast: 2, atMost: 2), "😀", true),
      (languages.length(atLeast: 3), "ab", false), (languages.userIDs, "a/b", true), (languages.userIDs, "", false),
      (languages.lowercased, "aé1", true), (languages.lowercased, "aB", false), (languages.uppercased, "AÉ1", true),
    ]
    for (language, text, isWord) in cases { #expect(languages.contains(language, text) == isWord, "\(text)") }
  }

  @Test func `keys are the strings under which data can be stored`() {
    let languages = Languages()
    let long = String(repeating: "a", count: 764)
    var texts = ["", "a", "é", long + "aaaa", long + "aaaaa", long + "😀", long + "a😀", long + "éé", long + "ééa"]
    texts += (0...0x100).compactMap { UnicodeScalar($0).map { "x" + String($0) } }
    for text in texts {
      #expect(languages.contains(languages.keys, text) == (Key(text).problem == nil), "\(text.debugDescription)")
    }
    #expect(languages.isSubset(languages.keys, of: languages.length(atLeast: 1, atMost: 768)) == true)
    let chinese = languages.repeated(languages.units([0x4E00...0x4FFF]), atLeast: 257, atMost: nil)
    #expect(languages.isEmpty(languages.intersection([languages.keys, chinese])) == true)
  }

  @Test func `changing the case leaves no ASCII letter of the other case`() {
    // No character above U+20000 has a case.
    for value in UInt32(0)...0x20000 {
      guard let scalar = UnicodeScalar(value) else { continue }
      let text = String(scalar)
      guard text.lowercased().utf8.allSatisfy({ !(0x41...0x5A).contains($0) }),
        text.uppercased().utf8.allSatisfy({ !(0x61...0x7A).contains($0) })
      else {
        Issue.record("U+\(String(value, radix: 16))")
        return
      }
    }
  }

  @Test func `example words of a language differ, and are no more than the language has`() {
    let languages = Languages()
    let digits = languages.units([0x30...0x32])
    let words = Array(languages.words(of: digits, count: 5))
    #expect(Set(words) == ["0", "1", "2"])
    #expect(words.count == 3)
    #expect(Array(languages.words(of: languages.keys, count: 4)).count == 4)
  }

  @Test func `unknown languages stay unknown, and contradictory ones are empty`() {
    let languages = Languages()
    let long = languages.text(String(repeating: "a", count: 10_001))
    #expect(languages.shortestWord(of: long) == .unknown)
    #expect(languages.isEmpty(languages.complement(long)) == nil)
    #expect(languages.contains(languages.sequence([long, languages.any]), "a") == nil)
    #expect(languages.isEmpty(languages.intersection([long, languages.none])) == true)
  }

  @Test func `answers do not depend on earlier requests`() {
    var generator = SeededRandom(seed: 7)
    let terms = (0..<30).map { _ in Term.random(&generator, 4) }
    let shared = Languages()
    let forth = terms.map { shared.readableWord(of: $0.language(in: shared)) }
    let other = Languages()
    let back = terms.reversed().map { other.readableWord(of: $0.language(in: other)) }
    #expect(forth == back.reversed())
    #expect(
      forth
        == terms.map {
          let languages = Languages()
          return languages.readableWord(of: $0.language(in: languages))
        })
  }
}
