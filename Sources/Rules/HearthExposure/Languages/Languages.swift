import HearthRules
import HearthTree

/// Regular languages over UTF-16 units, each made once: the facts that the rules language can express about one text.
///
/// A language is a term: union, sequence, counted repetition, intersection and complement of sets of units. Questions
/// are answered by derivatives (Brzozowski, "Derivatives of Regular Expressions", 1964): the derivative by a unit is
/// the language of the texts that may follow it. A language has finitely many, and there is no automaton to build
/// beforehand. Units that no set in a term distinguishes are one class, and have one derivative.
///
/// Only well-formed UTF-16 texts count: questions are about the well-formed words, and a half of a surrogate pair alone
/// is none. An answer does not depend on earlier questions. Not thread-safe.
package final class Languages {
  // Read at every step of a derivative, and never while they change: the functions that change one call nothing else of
  // the store meanwhile.

  /// The nodes by the number of the language.
  @exclusivity(unchecked) private var nodes: [LanguageNode] = []
  @exclusivity(unchecked) private var facts: [LanguageFacts] = []
  @exclusivity(unchecked) private var numbers: [LanguageNode: Language] = [:]
  @exclusivity(unchecked) var sets = UnitSets()
  /// Answers to earlier questions.
  @exclusivity(unchecked) var answers: [Question: WordSearch] = [:]
  /// Results of emptiness checks; nil when the search gave up.
  @exclusivity(unchecked) var emptiness: [Language: Bool?] = [:]
  /// Results of membership checks.
  @exclusivity(unchecked) var memberships: [Membership: Bool?] = [:]
  /// Derivatives that were computed.
  @exclusivity(unchecked) var derivatives: [DerivativeKey: Language] = [:]
  /// The languages of regular expressions used so far.
  @exclusivity(unchecked) var regexes: [RegexKey: Language] = [:]

  /// Texts of one ASCII unit, made on demand.
  @exclusivity(unchecked) var singles: [Language?] = Array(repeating: nil, count: 128)

  struct Question: Hashable {
    var language: Language
    var preference: WordFinder.Preference
  }

  struct Membership: Hashable {
    var language: Language
    /// The word as a key, because texts of equal meaning are not equal words.
    var word: Key
  }

  /// A language, and the first unit of a class of units that it does not distinguish.
  struct DerivativeKey: Hashable {
    var language: Language
    var unit: UInt16
  }

  struct RegexKey: Hashable {
    /// The pattern in UTF-8: texts of equal meaning are not equal patterns.
    var body: [UInt8]
    var ignoresCase: Bool
  }

  /// No text at all.
  package let none = Language(index: 0)
  /// An unknown language: questions about it, or about languages made of it, are answered with "unknown".
  package let opaque = Language(index: 1)
  /// The empty text.
  package let emptyText = Language(index: 2)
  /// Every text.
  package let any = Language(index: 4)
  /// Any one unit.
  let anyUnit = Language(index: 3)
  /// Texts in which each high surrogate has its low one.
  private(set) var wellFormed = Language(index: 4)

  /// Makes an empty store, in which any number of languages can be made.
  package init() {
    _ = intern(.none, LanguageFacts(isNullable: false, unitsMin: .max, unitsMax: 0, height: 0, width: 0))
    _ = intern(.opaque, LanguageFacts(isNullable: false, unitsMin: 0, unitsMax: nil, height: 0, width: 0))
    _ = intern(.emptyText, LanguageFacts(isNullable: true, unitsMin: 0, unitsMax: 0, height: 0, width: 1))
    _ = units([.min ... .max])
    _ = repeated(anyUnit, atLeast: 0, atMost: nil)
    let character = union([
      units([0...0xD7FF, 0xE000...0xFFFF]), sequence([units([0xD800...0xDBFF]), units([0xDC00...0xDFFF])]),
    ])
    wellFormed = repeated(character, atLeast: 0, atMost: nil)
  }

  /// The number of kept languages, derivatives and answers, at some hundred bytes each.
  var keptCount: Int { nodes.count + derivatives.count + answers.count + emptiness.count + memberships.count }

  subscript(language: Language) -> LanguageNode { nodes[Int(language.index)] }

  func facts(of language: Language) -> LanguageFacts { facts[Int(language.index)] }

  /// The language of a node, the same one for equal nodes. A node too deep to visit is opaque.
  func intern(_ node: LanguageNode, _ facts: @autoclosure () -> LanguageFacts) -> Language {
    if let known = numbers[node] { return known }
    let facts = facts()
    guard facts.height <= ExposureLimits.languageHeightMax, nodes.count < Int(Int32.max) else { return opaque }
    let language = Language(index: Int32(nodes.count))
    nodes.append(node)
    self.facts.append(facts)
    numbers[node] = language
    return language
  }
}
