import HearthRules

/// Operations on languages. Each normalises its result, so that many equal sets have equal terms, which keeps the
/// number of derivatives small.
extension Languages {
  /// Returns the texts of one unit in the ranges.
  package func units(_ ranges: [ClosedRange<UInt16>]) -> Language {
    let merged = RegexUnits.merged(ranges)
    guard !merged.isEmpty else { return none }
    return intern(
      .units(sets.number(of: merged)),
      LanguageFacts(isNullable: false, unitsMin: 1, unitsMax: 1, height: 1, width: 1))
  }

  /// Returns the concatenations of one text of each language.
  package func sequence(_ parts: [Language]) -> Language {
    parts.reversed().reduce(emptyText) { sequence($1, $0) }
  }

  func sequence(_ first: Language, _ rest: Language) -> Language {
    if first == none || rest == none { return none }
    if first == opaque || rest == opaque { return opaque }
    if first == emptyText { return rest }
    if rest == emptyText { return first }
    // x*x* is x*; adjacent counted repetitions of one language are joined likewise.
    var (first, rest) = (first, rest)
    if let (joined, after) = joined(first, rest) { (first, rest) = (joined, after) }
    if rest == emptyText { return first }
    let (a, b) = (facts(of: first), facts(of: rest))
    return intern(
      .sequence(first, rest),
      LanguageFacts(
        isNullable: a.isNullable && b.isNullable, unitsMin: Saturating.sum(a.unitsMin, b.unitsMin),
        unitsMax: Saturating.sum(a.unitsMax, b.unitsMax), height: max(a.height + 1, b.height),
        width: Saturating.sum(Saturating.sum(a.width, 1), a.isNullable ? b.width : 0)))
  }

  /// Joins two adjacent repetitions of one language, and returns the joined repetition and the rest after it; nil when
  /// the two cannot be joined.
  private func joined(_ first: Language, _ rest: Language) -> (Language, Language)? {
    var (next, after) = (rest, emptyText)
    if case .sequence(let head, let tail) = self[rest] { (next, after) = (head, tail) }
    guard case .repeated(let part, let least, let most) = self[first],
      case .repeated(part, let nextLeast, let nextMost) = self[next]
    else { return nil }
    let sum = repeated(part, atLeast: Saturating.sum(least, nextLeast), atMost: Saturating.sum(most, nextMost))
    return (sum, after)
  }

  /// Returns the concatenations of the given number of texts of a language; unbounded when there is no maximum.
  package func repeated(_ part: Language, atLeast least: Int, atMost most: Int?) -> Language {
    if let most, most < least { return none }
    if most == 0 || part == emptyText { return emptyText }
    if part == opaque { return opaque }
    if part == none { return least == 0 ? emptyText : none }
    if least == 1, most == 1 { return part }
    let inner = facts(of: part)
    // A repetition of a language with the empty text has no effective minimum.
    let least = inner.isNullable ? 0 : least
    if case .repeated(let inside, 0, let insideMost) = self[part], least == 0 {
      return repeated(
        inside, atLeast: 0, atMost: most.flatMap { most in insideMost.map { Saturating.product(most, $0) } })
    }
    return intern(
      .repeated(part, atLeast: least, atMost: most),
      LanguageFacts(
        isNullable: least == 0, unitsMin: Saturating.product(least, inner.unitsMin),
        unitsMax: most.flatMap { most in inner.unitsMax.map { Saturating.product(most, $0) } },
        height: inner.height + 1, width: Saturating.sum(inner.width, 1)))
  }

  /// Returns the union of the languages.
  package func union(_ languages: [Language]) -> Language {
    if languages.count < 2 { return languages.first ?? none }
    var members: Set<Language> = []
    var units: [ClosedRange<UInt16>] = []
    var bytesMax: Int?
    for language in flat(languages, \.options) {
      switch self[language] {
      case .opaque: return opaque
      case .none: break
      case .units(let set): units += sets.ranges[Int(set)]
      case .bytes(let most): bytesMax = max(bytesMax ?? most, most)
      default: members.insert(language)
      }
    }
    if !units.isEmpty { members.insert(self.units(units)) }
    if let bytesMax { members.insert(bytes(atMost: bytesMax)) }
    if members.contains(any) || members.contains(where: { isComplement($0, in: members) }) { return any }
    dropShorterCounts(&members)
    if members.contains(emptyText), members.contains(where: { $0 != emptyText && facts(of: $0).isNullable }) {
      members.remove(emptyText)
    }
    guard members.count > 1 else { return members.first ?? none }
    let list = members.sorted { $0.index < $1.index }
    let all = list.map { facts(of: $0) }
    return intern(
      .union(list),
      LanguageFacts(
        isNullable: all.contains(where: \.isNullable), unitsMin: all.map(\.unitsMin).min() ?? 0,
        unitsMax: all.reduce(0) { most, next in most.flatMap { a in next.unitsMax.map { max(a, $0) } } },
        height: (all.map(\.height).max() ?? 0) + 1, width: all.reduce(1) { Saturating.sum($0, $1.width) }))
  }

  /// Returns the intersection of the languages.
  package func intersection(_ languages: [Language]) -> Language {
    if languages.count < 2 { return languages.first ?? any }
    var members: Set<Language> = []
    var units: [ClosedRange<UInt16>]?
    var bytesMax: Int?
    var isOpaque = false
    for language in flat(languages, \.conditions) where language != any {
      switch self[language] {
      case .none: return none
      case .opaque: isOpaque = true
      case .units(let set):
        let ranges = sets.ranges[Int(set)]
        let outside = units.map { RegexUnits.complement($0) + RegexUnits.complement(ranges) }
        units = outside.map { RegexUnits.complement(RegexUnits.merged($0)) } ?? ranges
      case .bytes(let most): bytesMax = min(bytesMax ?? most, most)
      default: members.insert(language)
      }
    }
    if let units {
      guard !units.isEmpty else { return none }
      members.insert(self.units(units))
    }
    if let bytesMax { members.insert(bytes(atMost: bytesMax)) }
    joinCounts(&members)
    if members.contains(none) || members.contains(where: { isComplement($0, in: members) }) { return none }
    if isOpaque { return opaque }
    guard members.count > 1 else { return members.first ?? any }
    let list = members.sorted { $0.index < $1.index }
    let all = list.map { facts(of: $0) }
    let (unitsMin, unitsMax) = (all.map(\.unitsMin).max() ?? 0, all.compactMap(\.unitsMax).min())
    let isNullable = all.allSatisfy(\.isNullable)
    if let unitsMax, unitsMax < unitsMin { return none }
    if unitsMax == 0 { return isNullable ? emptyText : none }
    return intern(
      .intersection(list),
      LanguageFacts(
        isNullable: isNullable, unitsMin: unitsMin, unitsMax: unitsMax, height: (all.map(\.height).max() ?? 0) + 1,
        width: all.reduce(1) { Saturating.sum($0, $1.width) }))
  }

  /// Returns the texts that are not in the language.
  package func complement(_ language: Language) -> Language {
    if language == any { return none }
    if language == none { return any }
    switch self[language] {
    case .opaque: return opaque
    case .complement(let inner): return inner
    case .emptyText: return repeated(anyUnit, atLeast: 1, atMost: nil)
    case .repeated(anyUnit, let least, let most):
      let longer = most.map { repeated(anyUnit, atLeast: Saturating.sum($0, 1), atMost: nil) } ?? none
      return least == 0 ? longer : union([repeated(anyUnit, atLeast: 0, atMost: least - 1), longer])
    case .union(let options): return intersection(options.map { complement($0) })
    case .intersection(let conditions): return union(conditions.map { complement($0) })
    default:
      let inner = facts(of: language)
      return intern(
        .complement(language),
        LanguageFacts(
          isNullable: !inner.isNullable, unitsMin: inner.isNullable ? 1 : 0, unitsMax: nil, height: inner.height + 1,
          width: Saturating.sum(inner.width, 1)))
    }
  }

  /// Returns the texts of at most the given number of bytes in UTF-8.
  package func bytes(atMost most: Int) -> Language {
    guard most >= 0 else { return none }
    guard most > 0 else { return emptyText }
    return intern(
      .bytes(atMost: most), LanguageFacts(isNullable: true, unitsMin: 0, unitsMax: most, height: 1, width: 1))
  }

  // MARK: Normal form

  private func flat(_ languages: [Language], _ members: (LanguageNode) -> [Language]?) -> [Language] {
    languages.flatMap { members(self[$0]) ?? [$0] }
  }

  private func isComplement(_ language: Language, in members: Set<Language>) -> Bool {
    if case .complement(let inner) = self[language] { return members.contains(inner) }
    return false
  }

  /// Drops redundant repetitions: of `x{0,3}y` and `x{0,5}y` in a union, the first adds nothing. Derivatives of counted
  /// repetitions result in such pairs.
  private func dropShorterCounts(_ members: inout Set<Language>) {
    struct Shape: Hashable {
      var part: Language
      var rest: Language
    }
    var longest: [Shape: (language: Language, most: Int?)] = [:]
    for member in members {
      var (head, rest) = (member, emptyText)
      if case .sequence(let first, let tail) = self[member] { (head, rest) = (first, tail) }
      guard case .repeated(let part, 0, let most) = self[head] else { continue }
      let shape = Shape(part: part, rest: rest)
      guard let known = longest[shape] else {
        longest[shape] = (member, most)
        continue
      }
      let isLonger = known.most.map { mostKnown in most.map { $0 > mostKnown } ?? true } ?? false
      members.remove(isLonger ? known.language : member)
      if isLonger { longest[shape] = (member, most) }
    }
  }

  /// Joins bounds on the length in an intersection.
  private func joinCounts(_ members: inout Set<Language>) {
    var (least, most, count) = (0, nil as Int?, 0)
    for member in members {
      guard case .repeated(anyUnit, let atLeast, let atMost) = self[member] else { continue }
      least = max(least, atLeast)
      most = atMost.map { min(most ?? $0, $0) } ?? most
      count += 1
      members.remove(member)
    }
    if count > 0 { members.insert(repeated(anyUnit, atLeast: least, atMost: most)) }
  }
}

extension LanguageNode {
  fileprivate var options: [Language]? { if case .union(let options) = self { options } else { nil } }

  fileprivate var conditions: [Language]? { if case .intersection(let conditions) = self { conditions } else { nil } }
}
