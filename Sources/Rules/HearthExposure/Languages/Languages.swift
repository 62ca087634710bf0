import HearthRules
import HearthTree

/// A store of regular languages over UTF-16 units, each stored once. They represent the conditions that rules can
/// express about one text.
///
/// A language is a term: union, sequence, counted repetition, intersection and complement of sets of units. Questions
/// are answered by derivatives (Brzozowski, "Derivatives of Regular Expressions", 1964): the derivative by a unit is
/// the language of the texts that may follow the unit. A language has finitely many derivatives, and no automaton has
/// to be built first. Units that no set in a term distinguishes form one class and have the same derivative.
///
/// Questions are only about words that are well-formed UTF-16, without unpaired surrogates. An answer does not depend
/// on earlier questions. The class is not thread-safe.
package final class Languages {
  // The exclusivity checks are disabled, because these are read at every step of a derivative. They are never read
  // during a change: the functions that change one of them do not call other functions of the store during the change.

  /// The nodes by the number of the language.
  @exclusivity(unchecked) private var nodes: [LanguageNode] = []
  @exclusivity(unchecked) private var facts: [LanguageFacts] = []
  @exclusivity(unchecked) private var numbers: [LanguageNode: Language] = [:]
  @exclusivity(unchecked) var sets = UnitSets()
  /// Answers to earlier questions.
  @exclusivity(unchecked) var answers: [Question: WordSearch] = [:]
  /// Results of emptiness checks; nil when the search reached a limit.
  @exclusivity(unchecked) var emptiness: [Language: Bool?] = [:]
  /// Results of membership checks.
  @exclusivity(unchecked) var memberships: [Membership: Bool?] = [:]
  /// The derivatives that were computed.
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
    /// The word as a key, because texts that are equal as a Swift `String` may be different words.
    var word: Key
  }

  /// A language, and the first unit of a class whose units it does not distinguish.
  struct DerivativeKey: Hashable {
    var language: Language
    var unit: UInt16
  }

  struct RegexKey: Hashable {
    /// The pattern in UTF-8, because texts that are equal as a Swift `String` may be different patterns.
    var body: [UInt8]
    var ignoresCase: Bool
  }

  /// The empty language.
  package let none = Language(index: 0)
  /// An unknown language: questions about it, or about languages composed of it, are answered with "unknown".
  package let opaque = Language(index: 1)
  /// The language of the empty text.
  package let emptyText = Language(index: 2)
  /// The language of all texts.
  package let any = Language(index: 4)
  /// The language of all texts of one unit.
  let anyUnit = Language(index: 3)
  /// The language of texts without unpaired surrogates.
  private(set) var wellFormed = Language(index: 4)

  /// Creates a store with the basic languages.
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

  /// The number of stored languages, derivatives and answers, each of about a hundred bytes.
  var keptCount: Int { nodes.count + derivatives.count + answers.count + emptiness.count + memberships.count }

  subscript(language: Language) -> LanguageNode { nodes[Int(language.index)] }

  func facts(of language: Language) -> LanguageFacts { facts[Int(language.index)] }

  /// Returns the language of a node, which is the same for equal nodes. It is opaque for a node that is too deep to
  /// visit.
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
