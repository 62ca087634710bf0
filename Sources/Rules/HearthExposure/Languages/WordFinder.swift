/// A best-first search (A*) for the best word of a language. The estimate is the cost of the beginning of a word plus
/// the fewest units that are still needed.
///
/// The work is counted as if no earlier results were cached, so that an answer does not depend on the order of the
/// questions.
struct WordFinder {
  /// The preference among words.
  enum Preference: Hashable {
    /// Words of few units.
    case short
    /// Words of few units, preferably letters and digits.
    case readable
  }

  private struct Open {
    /// The cost so far, plus the lowest remaining cost.
    var estimate: Int
    /// The order of insertion: of states with equal estimates, the latest is visited first, because it is the closest
    /// to a word.
    var turn: Int
    var cost: Int
    var language: Language
  }

  private struct Step {
    var from: Language
    var units: [ClosedRange<UInt16>]
    var cost: Int
  }

  private let languages: Languages
  private let preference: Preference
  private var heap: [Open] = []
  private var turn = 0
  /// The cheapest known step to each state.
  private var steps: [Language: Step] = [:]
  private var closed: Set<Language> = []
  private var workLeft = ExposureLimits.languageWorkMax
  private var isCut = false

  init(_ languages: Languages, _ preference: Preference) {
    self.languages = languages
    self.preference = preference
  }

  mutating func search(_ language: Language) -> WordSearch {
    let start = languages.intersection([language, languages.wellFormed])
    push(start, cost: 0)
    while let next = pop() {
      guard closed.insert(next.language).inserted else { continue }
      if next.language == languages.opaque {
        isCut = true
        continue
      }
      if languages.facts(of: next.language).isNullable { return .word(word(from: start, to: next.language)) }
      guard closed.count <= ExposureLimits.languageStatesMax, expand(next) else { return .unknown }
    }
    return isCut ? .unknown : .empty
  }

  /// Adds the successors of a state.
  ///
  /// - Returns: False when the limit of work would be exceeded.
  private mutating func expand(_ state: Open) -> Bool {
    let width = languages.facts(of: state.language).width
    guard width <= workLeft else { return false }
    var sets: Set<Int32> = []
    languages.addFirstSets(of: state.language, to: &sets)
    let partition = languages.sets.partition(by: sets)
    workLeft -= Saturating.sum(partition.work, Saturating.product(width, partition.classes.count))
    guard workLeft >= 0 else { return false }
    // The best class is pushed last.
    let classes = partition.classes.map { (units: $0, rank: UnitPreference.rank(of: $0)) }
    for (units, rank) in classes.sorted(by: { ($0.rank, $0.units[0].lowerBound) > ($1.rank, $1.units[0].lowerBound) }) {
      let next = languages.derivative(of: state.language, byFirstOf: units)
      guard next != languages.none, !closed.contains(next) else { continue }
      let cost = Saturating.sum(state.cost, preference == .short ? 1 : UnitPreference.cost(ofRank: rank))
      if let known = steps[next], known.cost <= cost { continue }
      steps[next] = Step(from: state.language, units: units, cost: cost)
      push(next, cost: cost)
    }
    return true
  }

  private func word(from start: Language, to end: Language) -> String {
    var classes: [[ClosedRange<UInt16>]] = []
    var place = end
    while place != start, let step = steps[place] {
      classes.append(step.units)
      place = step.from
    }
    let units = classes.reversed().enumerated().map { UnitPreference.choose(from: $1, position: $0) }
    return String(decoding: units, as: UTF16.self)
  }

  // MARK: The heap

  private mutating func push(_ language: Language, cost: Int) {
    turn += 1
    let estimate = Saturating.sum(cost, languages.facts(of: language).unitsMin)
    heap.append(Open(estimate: estimate, turn: turn, cost: cost, language: language))
    var index = heap.count - 1
    while index > 0, isBefore(index, (index - 1) / 2) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func pop() -> Open? {
    guard let top = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return top }
    heap[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count && isBefore(child, least) { least = child }
      guard least != index else { return top }
      heap.swapAt(index, least)
      index = least
    }
  }

  private func isBefore(_ a: Int, _ b: Int) -> Bool {
    (heap[a].estimate, -heap[a].turn) < (heap[b].estimate, -heap[b].turn)
  }
}

/// The preference among units, by readability.
enum UnitPreference {
  /// The units by rank, from the best to the worst.
  private static let ranks: [[ClosedRange<UInt16>]] = [
    [0x61...0x7A], [0x30...0x39, 0x41...0x5A], [0x2D...0x2D, 0x5F...0x5F], [0x21...0x7E], [0x20...0x20],
    [0xC0...0x24F, 0x391...0x3C9, 0x400...0x45F], [0xA1...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFEF],
    [0xD800...0xDFFF], [0...0xFFFF],
  ]
  private static let costs = [1, 1, 2, 3, 3, 4, 6, 6, 20]

  /// Returns the rank of the best unit of a class.
  static func rank(of units: [ClosedRange<UInt16>]) -> Int {
    ranks.firstIndex { wanted in units.contains { range in wanted.contains { $0.overlaps(range) } } } ?? 0
  }

  /// Returns the cost of a unit of the rank in a readable word. It is at least 1, because estimates contain the fewest
  /// remaining units.
  static func cost(ofRank rank: Int) -> Int { costs[rank] }

  /// Returns one of the best units of a class, such that adjacent units of a word differ if possible.
  static func choose(from units: [ClosedRange<UInt16>], position: Int) -> UInt16 {
    for wanted in ranks {
      var found: [ClosedRange<UInt16>] = []
      for want in wanted { found += units.filter { want.overlaps($0) }.map { $0.clamped(to: want) } }
      let count = found.reduce(0) { $0 + $1.count }
      guard count > 0 else { continue }
      var index = position % min(count, 26)
      for range in found {
        if index < range.count { return range.lowerBound + UInt16(index) }
        index -= range.count
      }
    }
    return units[0].lowerBound
  }
}
