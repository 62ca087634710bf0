import HearthRules
import HearthTree

extension Facts {
  /// Derives facts until there are no new ones, or until the limit of rounds is reached; further facts are not derived.
  mutating func saturate(_ texts: TextSolver) {
    for _ in 0..<ExposureLimits.propagationRoundsMax {
      settle()
      if isRefuted { return }
      changed = false
      settleOrders()
      if isRefuted { return }
      if !changed { texts.settle(&self) }
      if isRefuted || !changed { return }
    }
  }

  private mutating func settle() {
    for _ in 0..<ExposureLimits.propagationRoundsMax {
      changed = false
      var index = 0
      while index < active.count {
        propagate(active[index])
        if isRefuted { return }
        index += 1
      }
      settleInequalities()
      if isRefuted || !changed { return }
    }
  }

  private mutating func propagate(_ term: TermID) {
    let content = table[term]
    switch content {
    case .null, .bool, .number, .text, .now: return
    case .wildcard(let number):
      // A key that matches a wildcard is a valid key, and different from the names next to the wildcard in the file.
      if let text = constantText(term), excludes(table.intern(.wildcard(number)), text) { refute() }
    case .value(let side, let place): propagateValue(term, side, place)
    case .priority(let side, let place): propagatePriority(term, side, place)
    case .claim: if let owner = table.owner(of: term) { bindOwner(term, owner) }
    case .query(let field): propagateQuery(term, field)
    case .computedClaim, .claimLength, .joined, .length, .applied, .arithmetic, .negative:
      propagateFunction(term, content)
    }
    // Null is the only value of its type.
    if types(term) == .null { unite(term, TermTable.null) }
  }

  private mutating func settleInequalities() {
    for (a, b) in unequal {
      if root(a) == root(b) {
        // `x != x` holds for a node with children, which equals nothing, and for NaN.
        restrict(a, mayBeNaN(a) ? [.object, .number] : .object)
        if table.faults.contains(.unequalRefutes) { refute() }
      } else if let constant = constant(a), types(b) == .bool, types(constant) == .bool {
        // There are two booleans: a Boolean term that is not one of them is the other.
        unite(b, constant == TermTable.yes ? TermTable.no : TermTable.yes)
      } else if let constant = constant(b), types(a) == .bool, types(constant) == .bool {
        unite(a, constant == TermTable.yes ? TermTable.no : TermTable.yes)
      } else if constant(b) == TermTable.null {
        restrict(a, .present)
      } else if constant(a) == TermTable.null {
        restrict(b, .present)
      }
      if isRefuted { return }
    }
  }

  // MARK: Functions

  private mutating func propagateFunction(_ term: TermID, _ content: Term) {
    // Equal arguments give equal results: the evaluator's functions depend only on their arguments.
    var same = term
    if content.hasArguments(where: { representative($0) != $0 }) {
      let canonical = content.mapArguments { representative($0) }
      if let value = fold(canonical) { return unite(term, value) }
      same = table.intern(canonical)
      if same != term { unite(term, same) }
    } else if let value = fold(content) {
      return unite(term, value)
    }
    switch table[same] {
    case .joined(let parts):
      // A join of a single text is that text.
      if parts.count == 1, types(parts[0]) == .text { unite(term, parts[0]) }
    case .computedClaim(let owner, let name):
      if constant(owner) == TermTable.null { return restrict(term, .null) }
      if case .claim(let names) = table[owner], let constant = constant(name) {
        switch table[constant] {
        case .text(let text): unite(term, table.intern(.claim(names + [text])))
        case .number(let value): unite(term, table.intern(.claim(names + [Key(NumberText.of(value))])))
        default: break
        }
      }
      bindOwner(term, owner)
    default: break
    }
  }

  /// Returns the value of a function whose arguments are constants, computed like the evaluator; nil otherwise.
  private func fold(_ term: Term) -> TermID? {
    func text(_ term: TermID) -> String? { if case .text(let key) = table[term] { key.text } else { nil } }
    func number(_ term: TermID) -> Double? { if case .number(let value) = table[term] { value } else { nil } }
    switch term {
    case .length(let a): return text(a).flatMap { table.constant(.number(Double(Text.length($0)))) }
    case .applied(let function, let arguments):
      return function.result(for: arguments.compactMap(text), limitBytes: ExposureLimits.textBytesMax)
        .flatMap { table.constant($0) }
    case .negative(let a): return number(a).flatMap { table.constant(.number(-$0)) }
    case .arithmetic(let binary, let a, let b):
      guard let x = number(a), let y = number(b) else { return nil }
      // NaN is not treated as a constant, because it is not equal to itself.
      return Self.compute(binary, x, y).flatMap { table.constant(.number($0)) }
    case .null, .bool, .number, .text, .now, .wildcard, .value, .priority, .claim, .computedClaim, .claimLength, .query,
      .joined:
      return nil
    }
  }

  /// Returns the result of arithmetic, computed like the evaluator; nil for a comparison.
  static func compute(_ binary: BinaryOperator, _ x: Double, _ y: Double) -> Double? {
    switch binary {
    case .add: x + y
    case .subtract: x - y
    case .multiply: x * y
    case .divide: y == 0 ? .nan : x / y
    case .remainder: x.truncatingRemainder(dividingBy: y)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: nil
    }
  }

  // MARK: Claims and queries

  /// Relates a property to its owner: a property that exists requires an object; a property of any other value is null.
  private mutating func bindOwner(_ term: TermID, _ owner: TermID) {
    activate(owner)
    if !types(term).contains(.null) { restrict(owner, .object) }
    if !types(owner).contains(.object) { restrict(term, .null) }
  }

  private mutating func propagateQuery(_ term: TermID, _ field: QueryField) {
    guard change.kind == .none else {
      // In a write, every `query` field has the same value as in a read without a query.
      return unite(term, field.type == .boolean ? TermTable.no : TermTable.null)
    }
    // A query has one order and one limit.
    let rivals: [QueryField]
    switch field {
    case .orderByKey, .orderByValue, .orderByPriority:
      guard constant(term) == TermTable.yes else { return }
      rivals = [.orderByKey, .orderByValue, .orderByPriority, .orderByChild]
    case .orderByChild:
      guard !types(term).contains(.null) else { return }
      rivals = [.orderByKey, .orderByValue, .orderByPriority]
    case .limitToFirst, .limitToLast:
      guard !types(term).contains(.null) else { return }
      rivals = [.limitToFirst, .limitToLast]
    default: return
    }
    for rival in rivals where rival != field {
      unite(table.intern(.query(rival)), rival.type == .boolean ? TermTable.no : TermTable.null)
    }
  }
}
