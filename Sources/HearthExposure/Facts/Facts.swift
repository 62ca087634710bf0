import HearthRules
import HearthTree

/// What follows from the statements on one branch of a search.
///
/// Terms that have the same value are one class, which has a set of types and at most one constant. Everything that is
/// derived holds in every request in which the statements hold; each rule says beside it why. So when a class is left
/// without a type, or two constants meet in one, no such request exists. The reverse is not claimed: statements that no
/// request satisfies may stand here unrefuted.
///
/// A value: a branch that splits is copied, and nothing is ever taken back.
struct Facts {
  let table: TermTable
  let change: Change
  private(set) var isRefuted = false
  var changed = false

  // By term; a class is known by its first term.
  private var parents: [TermID] = []
  private var classTypes: [TypeSet] = []
  private var constants: [TermID] = []
  private var wildcards: [TermID] = []
  private var nan: [Bool] = []
  private var isActive: [Bool] = []

  /// The terms that the statements speak of, and those that these are made of.
  private(set) var active: [TermID] = []
  private(set) var unequal: [(TermID, TermID)] = []
  var orders: [(a: TermID, b: TermID, isStrict: Bool)] = []
  var noOrders: [(a: TermID, b: TermID, isStrict: Bool)] = []
  var textOrders: [(a: TermID, b: TermID, isStrict: Bool)] = []
  var patterns: [(term: TermID, pattern: Int, isPositive: Bool)] = []
  var relations: [(method: TextMethod, text: TermID, part: TermID, isPositive: Bool)] = []
  /// What is known of the numbers in a class, since the last look at orders.
  var bounds: [TermID: NumberBounds] = [:]

  init(_ table: TermTable, _ change: Change) {
    self.table = table
    self.change = change
  }

  // MARK: Classes

  func root(_ term: TermID) -> TermID {
    var term = term
    while term < parents.count, parents[term] != term { term = parents[term] }
    return term
  }

  func types(_ term: TermID) -> TypeSet {
    let root = root(term)
    return root < isActive.count && isActive[root] ? classTypes[root] : table.types(term)
  }

  /// The constant that a term is known to be.
  func constant(_ term: TermID) -> TermID? {
    let root = root(term)
    if root < constants.count, constants[root] >= 0 { return constants[root] }
    return table[term].constant == nil ? nil : term
  }

  func constantText(_ term: TermID) -> String? {
    guard let constant = constant(term), case .text(let key) = table[constant] else { return nil }
    return key.text
  }

  func constantNumber(_ term: TermID) -> Double? {
    guard let constant = constant(term), case .number(let value) = table[constant] else { return nil }
    return value
  }

  /// A term that stands for the class in other terms: the constant, or the wildcard, or the first.
  func representative(_ term: TermID) -> TermID {
    let root = root(term)
    guard root < constants.count else { return root }
    if constants[root] >= 0 { return constants[root] }
    return wildcards[root] >= 0 ? wildcards[root] : root
  }

  func wildcard(_ term: TermID) -> TermID? {
    let root = root(term)
    return root < wildcards.count && wildcards[root] >= 0 ? wildcards[root] : nil
  }

  func mayBeNaN(_ term: TermID) -> Bool {
    let root = root(term)
    return root < nan.count && isActive[root] ? nan[root] : Self.mayBeNaN(table[term])
  }

  /// Only arithmetic makes NaN: neither data nor claims nor queries can hold it.
  private static func mayBeNaN(_ term: Term) -> Bool {
    switch term {
    case .arithmetic, .negative: true
    default: false
    }
  }

  mutating func activate(_ term: TermID) {
    if term < isActive.count, isActive[term] { return }
    while parents.count <= term {
      parents.append(parents.count)
      classTypes.append([])
      constants.append(-1)
      wildcards.append(-1)
      nan.append(false)
      isActive.append(false)
    }
    let content = table[term]
    isActive[term] = true
    active.append(term)
    classTypes[term] = table.types(term)
    if content.constant != nil { constants[term] = term }
    if case .wildcard = content { wildcards[term] = term }
    nan[term] = Self.mayBeNaN(content)
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
    case .claim(let names) where !names.isEmpty: activate(table.intern(.claim(Array(names.dropLast()))))
    default: break
    }
  }

  mutating func refute() { isRefuted = true }

  mutating func restrict(_ term: TermID, _ types: TypeSet) {
    activate(term)
    let root = root(term)
    let left = classTypes[root].intersection(types)
    guard left != classTypes[root] else { return }
    classTypes[root] = left
    changed = true
    if left.isEmpty { refute() }
  }

  /// The two have one value. (`==` says more: that it is no object, and a number that is equal to itself.)
  mutating func unite(_ a: TermID, _ b: TermID) {
    activate(a)
    activate(b)
    let (first, second) = (min(root(a), root(b)), max(root(a), root(b)))
    guard first != second else { return }
    changed = true
    parents[second] = first
    classTypes[first].formIntersection(classTypes[second])
    nan[first] = nan[first] && nan[second]
    if constants[first] < 0 {
      constants[first] = constants[second]
    } else if constants[second] >= 0 {
      // Constants are interned by value, so two of them are two values.
      refute()
    }
    if wildcards[first] < 0 { wildcards[first] = wildcards[second] }
    if classTypes[first].isEmpty { refute() }
  }

  /// One that cannot be told from itself by `==` although it may be NaN otherwise.
  mutating func forbidNaN(_ term: TermID) {
    activate(term)
    nan[root(term)] = false
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

  /// False when a statement surely contradicts what is known: it need not be tried.
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

  /// True when two keys are surely not the same.
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

  /// A wildcard is no key that stands beside it in the file, and always a legal key.
  func excludes(_ wildcard: TermID, _ text: String) -> Bool {
    guard case .wildcard(let number) = table[wildcard] else { return false }
    return Key(text).problem != nil || table.wildcards[number].excluded.contains { Text.areEqual($0, text) }
  }
}

/// What is known of a number.
struct NumberBounds {
  var low = -Double.infinity
  var isLowStrict = false
  var high = Double.infinity
  var isHighStrict = false
}
