/// The derivatives of languages.
///
/// The recursion is as deep as the term is high. Sequences and nested repetitions are visited in loops.
extension Languages {
  /// Returns the language of the texts that, preceded by `unit`, are words of the language.
  func derivative(of language: Language, by unit: UInt16) -> Language {
    switch self[language] {
    case .opaque: return opaque
    case .none, .emptyText: return none
    case .units(let set): return sets.contains(set, unit) ? emptyText : none
    case .sequence: return derivative(ofSequence: language, by: unit)
    case .union(let options): return union(options.map { derivative(of: $0, by: unit) })
    case .intersection(let conditions):
      var after: [Language] = []
      for condition in conditions {
        let next = derivative(of: condition, by: unit)
        if next == none { return none }
        after.append(next)
      }
      return intersection(after)
    case .complement(let inner): return complement(derivative(of: inner, by: unit))
    case .repeated(let part, let least, let most):
      // This also holds when the part can be the empty text: the minimum is then 0, and fewer repetitions are contained
      // in more.
      let next = derivative(of: part, by: unit)
      if next == none { return none }
      return sequence(next, repeated(part, atLeast: max(0, least - 1), atMost: most.map { $0 - 1 }))
    case .bytes(let most): return bytes(atMost: most - Self.bytes(of: unit))
    }
  }

  private func derivative(ofSequence language: Language, by unit: UInt16) -> Language {
    var options: [Language] = []
    var place = language
    while case .sequence(let first, let rest) = self[place] {
      let next = derivative(of: first, by: unit)
      if next != none { options.append(sequence(next, rest)) }
      guard facts(of: first).isNullable else { return union(options) }
      place = rest
    }
    options.append(derivative(of: place, by: unit))
    return union(options)
  }

  /// Adds the sets that distinguish the first units of a language.
  func addFirstSets(of language: Language, to found: inout Set<Int32>) {
    switch self[language] {
    case .opaque, .none, .emptyText: break
    case .units(let set): found.insert(set)
    case .sequence:
      var place = language
      while case .sequence(let first, let rest) = self[place] {
        addFirstSets(of: first, to: &found)
        guard facts(of: first).isNullable else { return }
        place = rest
      }
      addFirstSets(of: place, to: &found)
    case .union(let parts), .intersection(let parts): for part in parts { addFirstSets(of: part, to: &found) }
    case .complement(let inner), .repeated(let inner, _, _): addFirstSets(of: inner, to: &found)
    case .bytes: for set in Self.sizes { found.insert(sets.number(of: set.units)) }
    }
  }

  // MARK: UTF-8

  private static let sizes: [(units: [ClosedRange<UInt16>], bytes: Int)] = [
    ([0...0x7F], 1), ([0x80...0x7FF, 0xD800...0xDFFF], 2), ([0x800...0xD7FF, 0xE000...0xFFFF], 3),
  ]

  private static func bytes(of unit: UInt16) -> Int {
    sizes.first { $0.units.contains { $0.contains(unit) } }?.bytes ?? 0
  }
}
