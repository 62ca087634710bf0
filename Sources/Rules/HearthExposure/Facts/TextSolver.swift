import HearthRules
import HearthTree

/// Facts about texts as regular languages: each class of text terms has a language, the intersection of the languages
/// of its statements and its terms.
///
/// It is a reference type because all questions about one file share its cache of languages.
final class TextSolver {
  let languages = Languages()
  /// The language of the keys that a wildcard can match, by the names next to the wildcard.
  private var keyLanguages: [[Key]: Language] = [:]
  private lazy var keys = languages.keys
  private lazy var numerals = languages.repeated(
    languages.union("+-.0123456789INaefinty".map { languages.text(String($0)) }), atLeast: 1, atMost: nil)

  // MARK: Deriving

  /// Refutes the facts when a known text contradicts a statement, or a class of texts has no possible text left.
  func settle(_ facts: inout Facts) {
    if breaksStatement(facts) { return facts.refute() }
    var looked: Set<TermID> = []
    for term in concerned(facts) {
      let root = facts.root(term)
      guard looked.insert(root).inserted else { continue }
      // A known text must be in every language of its class.
      if let text = facts.constantText(root) {
        if languages.contains(language(of: root, facts), text) == false { return facts.refute() }
      } else if facts.types(root) == .text, languages.isEmpty(language(of: root, facts)) == true {
        return facts.refute()
      }
    }
  }

  private func breaksStatement(_ facts: Facts) -> Bool {
    for (term, pattern, isPositive) in facts.patterns {
      if let text = facts.constantText(term), facts.table.patterns[pattern].accepts(text) != isPositive { return true }
    }
    for (relation, text, part, isPositive) in facts.relations {
      // Every text contains, begins with and ends with itself.
      if facts.root(text) == facts.root(part), !isPositive { return true }
      if let text = facts.constantText(text), let part = facts.constantText(part),
        TextPattern(relation, part).accepts(text) != isPositive
      {
        return true
      }
    }
    for (a, b, isStrict) in facts.textOrders {
      if facts.root(a) == facts.root(b), isStrict { return true }  // a text is not less than itself
      guard let x = facts.constantText(a), let y = facts.constantText(b) else { continue }
      if isStrict ? !Text.precedes(x, y) : Text.precedes(y, x) { return true }
    }
    return false
  }

  /// Returns the terms of classes with more than one statement; other classes always have possible texts.
  private func concerned(_ facts: Facts) -> [TermID] {
    var result = facts.patterns.map(\.term)
    result += facts.relations.map(\.text)
    for term in facts.active {
      switch facts.table[term] {
      case .length(let text) where hasBound(term, facts): result.append(text)
      case .joined: result.append(term)
      case .applied(let function, _) where function.results(languages) != nil: result.append(term)
      case .claim(let names) where names.count == 1 && facts.constantText(term) != nil: result.append(term)
      default: break
      }
    }
    return result
  }

  private func hasBound(_ length: TermID, _ facts: Facts) -> Bool {
    guard let bounds = facts.bounds[facts.root(length)] else { return facts.constantNumber(length) != nil }
    return bounds.low > 0 || bounds.isLowStrict || bounds.high < .infinity || facts.constantNumber(length) != nil
  }

  // MARK: Languages

  /// Returns a language that contains all possible texts of a class, and perhaps more.
  func language(of root: TermID, _ facts: Facts, depth: Int = 0) -> Language {
    var parts: [Language] = []
    for term in facts.active {
      switch facts.table[term] {
      case .wildcard(let number) where facts.root(term) == root: parts.append(keys(of: facts.table.wildcards[number]))
      case .claim(let names)
      where names.count == 1 && names[0].text == "uid" && facts.table.claims.freedom != .all && facts.root(term) == root:
        parts.append(languages.userIDs)
      case .joined(let pieces) where facts.root(term) == root && depth < 2:
        // The language of a joined text is the concatenation of those of its parts.
        parts.append(languages.sequence(pieces.map { piece($0, facts, depth: depth + 1) }))
      case .applied(let function, _) where facts.root(term) == root:
        if let results = function.results(languages) { parts.append(results) }
      case .length(let text) where facts.root(text) == root:
        if let lengths = lengths(term, facts) { parts.append(lengths) }
      default: break
      }
    }
    for (term, pattern, isPositive) in facts.patterns where facts.root(term) == root {
      let language = language(of: facts.table.patterns[pattern])
      parts.append(isPositive ? language : languages.complement(language))
    }
    for (relation, text, part, isPositive) in facts.relations where facts.root(text) == root {
      guard let part = facts.constantText(part) else { continue }
      let language = language(of: TextPattern(relation, part))
      parts.append(isPositive ? language : languages.complement(language))
    }
    for (a, b) in facts.unequal {
      let (x, y) = (facts.root(a), facts.root(b))
      if x == root, let text = facts.constantText(b) { parts.append(without(text)) }
      if y == root, let text = facts.constantText(a) { parts.append(without(text)) }
    }
    // A language that is too large is omitted from the intersection, which then contains all its texts and more.
    return languages.intersection(parts.filter { $0 != languages.opaque })
  }

  private func without(_ text: String) -> Language { languages.complement(languages.text(text)) }

  private func language(of pattern: TextPattern) -> Language {
    switch pattern {
    case .regex(let regex): languages.matching(regex)
    case .contains(let part): languages.containing(part)
    case .begins(let part): languages.beginning(with: part)
    case .ends(let part): languages.ending(with: part)
    }
  }

  private func piece(_ term: TermID, _ facts: Facts, depth: Int) -> Language {
    if let text = facts.constantText(term) { return languages.text(text) }
    let types = facts.types(term)
    if types == .number { return numerals }
    return types == .text ? language(of: facts.root(term), facts, depth: depth) : languages.any
  }

  private func keys(of wildcard: Wildcard) -> Language {
    let names = wildcard.excluded.map { Key($0) }
    if let known = keyLanguages[names] { return known }
    let language = languages.intersection([keys] + wildcard.excluded.map { without($0) })
    keyLanguages[names] = language
    return language
  }

  /// Returns the language of the texts with the possible lengths; nil for very long ones, which are checked when a text
  /// is built.
  private func lengths(_ length: TermID, _ facts: Facts) -> Language? {
    if let value = facts.constantNumber(length) {
      guard let count = Int(exactly: value) else { return languages.none }  // because a length is an integer
      return count <= ExposureLimits.lengthMax ? languages.length(atLeast: count, atMost: count) : nil
    }
    guard let bounds = facts.bounds[facts.root(length)] else { return nil }
    let low = bounds.isLowStrict ? bounds.low.rounded(.down) + 1 : bounds.low.rounded(.up)
    let high = bounds.isHighStrict ? bounds.high.rounded(.up) - 1 : bounds.high.rounded(.down)
    guard low <= high else { return languages.none }
    guard low <= Double(ExposureLimits.lengthMax) else { return nil }
    let most = high <= Double(ExposureLimits.lengthMax) ? Int(high) : nil
    return languages.length(atLeast: max(0, low.isFinite ? Int(low) : 0), atMost: most)
  }
}
