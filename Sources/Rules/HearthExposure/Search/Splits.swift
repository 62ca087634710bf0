import HearthRules

/// The cases into which a branch without a request is split. Each split is exhaustive.
struct Splits {
  private let facts: Facts
  private let texts: TextSolver

  init(_ facts: Facts, _ texts: TextSolver) {
    self.facts = facts
    self.texts = texts
  }

  func next() -> [[Goal]]? { keys ?? nulls }

  /// A split into the cases that two unknown keys below one place are equal, or different, which decides whether two
  /// places are the same.
  private var keys: [[Goal]]? {
    let table = facts.table
    var steps: [PlaceID: [TermID]] = [:]
    for term in facts.active {
      guard case .value(_, let place) = table[term] else { continue }
      var at = facts.canonical(place)
      while let last = table.places[at].segments.last, let parent = table.places[at].parent {
        let key: TermID? =
          switch last {
          case .key(let key): key
          // A text without a slash is one key. The case in which the text is equal to a key decides whether it has a
          // slash.
          case .part(let text), .whole(let text): facts.types(text) == .text ? text : nil
          case .above: nil
          }
        if let key { steps[parent, default: []].append(key) }
        at = parent
      }
    }
    let written = facts.canonical(facts.change.place)
    let segments = table.places[written].segments
    for key in segments.indices {
      let parent = segments[..<key].compactMap(\.key).reduce(TermTable.root) { table.place($0, .key($1)) }
      if let own = segments[key].key { steps[parent, default: []].append(own) }
    }
    for (_, keys) in steps.sorted(by: { $0.key < $1.key }) {
      var distinct: [TermID] = []
      for key in keys where !distinct.contains(where: { facts.root($0) == facts.root(key) }) { distinct.append(key) }
      for (index, a) in distinct.enumerated() {
        for b in distinct[(index + 1)...] where !facts.differ(a, b) {
          return [[.literal(.equal(a, b, true))], [.literal(.equal(a, b, false))]]
        }
      }
    }
    return nil
  }

  /// A split into the cases that one of two different values is null, or not.
  private var nulls: [[Goal]]? {
    for (a, b) in facts.unequal {
      for term in [a, b] {
        let types = facts.types(term)
        guard types.contains(.null), types != .null else { continue }
        return [[.literal(.types(term, .null))], [.literal(.types(term, .present))]]
      }
    }
    return nil
  }
}
