import HearthRules
import HearthTree

/// The facts that follow from the statements on one branch of a search.
///
/// Terms that have the same value are one class, which has a set of types and at most one constant. Every derived fact
/// holds in every request in which the statements hold; the reason for each rule is stated in its comment. So when a
/// class has no possible type left, or two different constants are in one class, no such request exists. The reverse
/// does not hold: statements that no request satisfies may stay unrefuted.
///
/// It is a value type: when a branch splits, the facts are copied, and facts are never removed.
struct Facts {
  let table: TermTable
  let change: FactChange
  private(set) var isRefuted = false
  var changed = false

  // The entries by term; a class is identified by its first term.
  private var entries: [Entry] = []

  /// The facts about a term, in one array, so that a branch copies only one buffer.
  private struct Entry {
    /// The next term on the way to the first term of the class (union-find); the term itself when it is the first.
    var parent: Int32
    // The class's constant, stored at the class's first term; -1 for none.
    var constant: Int32 = -1
    var wildcard: Int32 = -1
    var types: TypeSet = []
    var mayBeNaN = false
    var isActive = false
  }

  /// The terms in the statements, and their arguments.
  private(set) var active: [TermID] = []
  private(set) var unequal: [(TermID, TermID)] = []
  var orders: [(a: TermID, b: TermID, isStrict: Bool)] = []
  var noOrders: [(a: TermID, b: TermID, isStrict: Bool)] = []
  var textOrders: [(a: TermID, b: TermID, isStrict: Bool)] = []
  var patterns: [(term: TermID, pattern: Int, isPositive: Bool)] = []
  var relations: [(relation: TextRelation, text: TermID, part: TermID, isPositive: Bool)] = []
  /// The bounds of the numbers in each class, from the last derivation of orders.
  var bounds: [TermID: NumberBounds] = [:]

  init(_ table: TermTable, _ change: FactChange) {
    self.table = table
    self.change = change
  }

  // MARK: Classes

  func root(_ term: TermID) -> TermID {
    guard term < entries.count else { return term }
    var term = term
    while true {
      let parent = Int(entries[term].parent)
      if parent == term { return term }
      term = parent
    }
  }

  func types(_ term: TermID) -> TypeSet {
    let root = root(term)
    return root < entries.count && entries[root].isActive ? entries[root].types : table.types(term)
  }

  /// Returns the constant to which a term is known to be equal; nil when none is known.
  func constant(_ term: TermID) -> TermID? {
    let root = root(term)
    if root < entries.count, entries[root].constant >= 0 { return Int(entries[root].constant) }
    return table.isConstant(term) ? term : nil
  }

  func constantText(_ term: TermID) -> String? {
    guard let constant = constant(term), case .text(let key) = table[constant] else { return nil }
    return key.text
  }

  func constantNumber(_ term: TermID) -> Double? {
    guard let constant = constant(term), case .number(let value) = table[constant] else { return nil }
    return value
  }

  /// Returns the term that represents the class in other terms: the constant, or the wildcard, or the first.
  func representative(_ term: TermID) -> TermID {
    let root = root(term)
    guard root < entries.count else { return root }
    if entries[root].constant >= 0 { return Int(entries[root].constant) }
    return entries[root].wildcard >= 0 ? Int(entries[root].wildcard) : root
  }

  func wildcard(_ term: TermID) -> TermID? {
    let root = root(term)
    return root < entries.count && entries[root].wildcard >= 0 ? Int(entries[root].wildcard) : nil
  }

  func mayBeNaN(_ term: TermID) -> Bool {
    let root = root(term)
    return root < entries.count && entries[root].isActive ? entries[root].mayBeNaN : Self.mayBeNaN(table[term])
  }

  /// Returns true when a term may be NaN. Only arithmetic results in NaN: data, claims and queries cannot contain it.
  private static func mayBeNaN(_ term: Term) -> Bool {
    switch term {
    case .arithmetic, .negative: true
    case .applied(let function, _): function.descriptor.type != .boolean && function.descriptor.type != .string
    case .null, .bool, .number, .text, .now, .wildcard, .value, .priority, .claim, .computedClaim, .claimLength, .query,
      .joined, .length:
      false
    }
  }

  mutating func activate(_ term: TermID) {
    if term < entries.count, entries[term].isActive { return }
    while entries.count <= term { entries.append(Entry(parent: Int32(entries.count))) }
    let content = table[term]
    active.append(term)
    // A term that no statement has used yet has its own class.
    entries[term].isActive = true
    entries[term].types = table.types(term)
    if content.constant != nil { entries[term].constant = Int32(term) }
    if case .wildcard = content { entries[term].wildcard = Int32(term) }
    entries[term].mayBeNaN = Self.mayBeNaN(content)
    changed = true
    for argument in content.arguments { activate(argument) }
    switch content {
    case .value(_, let place), .priority(_, let place):
      for segment in table.places[place].segments {
        switch segment {
        case .key(let key), .part(let key), .whole(let key): activate(key)
        case .above: break
        }
      }
      if case .priority(let side, _) = content { activate(table.intern(.value(side, place))) }
    case .claim: if let owner = table.owner(of: term) { activate(owner) }
    default: break
    }
  }

  mutating func refute() { isRefuted = true }

  mutating func restrict(_ term: TermID, _ types: TypeSet) {
    activate(term)
    let root = root(term)
    let left = entries[root].types.intersection(types)
    guard left != entries[root].types else { return }
    entries[root].types = left
    changed = true
    if left.isEmpty { refute() }
  }

  /// States that two terms have one value. (A true `==` also states that the value is neither an object nor NaN.)
  mutating func unite(_ a: TermID, _ b: TermID) {
    activate(a)
    activate(b)
    let (first, second) = (min(root(a), root(b)), max(root(a), root(b)))
    guard first != second else { return }
    changed = true
    let other = entries[second]
    entries[second].parent = Int32(first)
    entries[first].types.formIntersection(other.types)
    entries[first].mayBeNaN = entries[first].mayBeNaN && other.mayBeNaN
    if entries[first].constant < 0 {
      entries[first].constant = other.constant
    } else if other.constant >= 0 {
      // Constants are interned by value, so two different constants have different values.
      refute()
    }
    if entries[first].wildcard < 0 { entries[first].wildcard = other.wildcard }
    if entries[first].types.isEmpty { refute() }
  }

  /// States that a term is not NaN.
  mutating func forbidNaN(_ term: TermID) {
    activate(term)
    entries[root(term)].mayBeNaN = false
  }

  // MARK: Statements

  mutating func assert(_ literal: Literal) {
    changed = true
    switch literal {
    case .types(let term, let types): restrict(term, types)
    case .equal(let a, let b, true):
      // Neither an object nor NaN is equal to anything.
      restrict(a, TypeSet.object.others)
      restrict(b, TypeSet.object.others)
      forbidNaN(a)
      forbidNaN(b)
      unite(a, b)
    case .equal(let a, let b, false):
      activate(a)
      activate(b)
      unequal.append((a, b))
    case .order(let a, let b, let isStrict):
      restrict(a, .number)
      restrict(b, .number)
      // Every comparison with NaN is false.
      forbidNaN(a)
      forbidNaN(b)
      orders.append((a, b, isStrict))
    case .noOrder(let a, let b, let isStrict):
      restrict(a, .number)
      restrict(b, .number)
      noOrders.append((a, b, isStrict))
    case .textOrder(let a, let b, let isStrict):
      restrict(a, .text)
      restrict(b, .text)
      textOrders.append((a, b, isStrict))
    case .fits(let term, let pattern, let isPositive):
      restrict(term, .text)
      patterns.append((term, pattern, isPositive))
    case .relates(let method, let text, let part, let isPositive):
      restrict(text, .text)
      restrict(part, .text)
      relations.append((method, text, part, isPositive))
    }
  }

  /// Returns false when a statement certainly contradicts the facts: it need not be tried then.
  func isPossible(_ literal: Literal) -> Bool {
    switch literal {
    case .types(let term, let wanted): return !types(term).isDisjoint(with: wanted)
    case .equal(let a, let b, true):
      if types(a).intersection(types(b)).isDisjoint(with: TypeSet.object.others) { return false }
      if let first = constant(a), let second = constant(b) { return first == second }
      return true
    case .equal(let a, let b, false):
      guard root(a) == root(b) else { return true }
      return types(a).contains(.object) || mayBeNaN(a)
    case .order(let a, let b, _), .noOrder(let a, let b, _):
      return types(a).contains(.number) && types(b).contains(.number)
    case .textOrder(let a, let b, _): return types(a).contains(.text) && types(b).contains(.text)
    case .fits(let term, let pattern, let isPositive):
      if let text = constantText(term) { return table.patterns[pattern].accepts(text) == isPositive }
      return types(term).contains(.text)
    case .relates(_, let text, let part, _): return types(text).contains(.text) && types(part).contains(.text)
    }
  }

  /// Returns true when two keys are certainly different.
  func differ(_ a: TermID, _ b: TermID) -> Bool {
    let (first, second) = (root(a), root(b))
    if first == second { return false }
    let (x, y) = (constantText(a), constantText(b))
    if let x, let y { return !Text.areEqual(x, y) }
    if let x, let wildcard = wildcard(b), excludes(wildcard, x) { return true }
    if let y, let wildcard = wildcard(a), excludes(wildcard, y) { return true }
    return unequal.contains { pair in
      let (p, q) = (root(pair.0), root(pair.1))
      return (p == first && q == second) || (p == second && q == first)
    }
  }

  /// Returns true when a wildcard cannot match a text: it matches valid keys only, and none that the file names next to
  /// it.
  func excludes(_ wildcard: TermID, _ text: String) -> Bool {
    guard case .wildcard(let number) = table[wildcard] else { return false }
    return Key(text).problem != nil || table.wildcards[number].excluded.contains { Text.areEqual($0, text) }
  }
}

/// The known bounds of a number.
struct NumberBounds {
  var low = -Double.infinity
  var isLowStrict = false
  var high = Double.infinity
  var isHighStrict = false
}
