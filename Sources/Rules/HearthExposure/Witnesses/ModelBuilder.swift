import HearthRules
import HearthTree

/// A builder that chooses a value for every term of a branch, one after another. Each choice is added as a statement,
/// so that its consequences are derived before the next choice, and a contradictory choice is undone immediately.
///
/// Proofs do not depend on it: its result is a candidate, which the evaluator confirms or rejects.
struct ModelBuilder {
  private(set) var facts: Facts
  private let table: TermTable
  private let texts: TextSolver
  private let preference: Preference
  private let nowMilliseconds: Int64
  private var namesUsed: [String] = []

  /// A preference for the order in which types and numbers are tried.
  struct Preference {
    var types: [TypeSet]
    var numbers: [Double]

    static let all = [
      Preference(types: [.null, .bool, .number, .text, .object], numbers: [1, 0, 2, -1]),
      Preference(types: [.null, .text, .number, .bool, .object], numbers: [0, 1, 100, -1]),
      Preference(types: [.number, .text, .bool, .null, .object], numbers: [2, 1, 0, 7]),
      Preference(types: [.text, .number, .object, .bool, .null], numbers: [100, 1, 0, 3]),
    ]
  }

  init(_ facts: Facts, _ texts: TextSolver, _ preference: Preference, nowMilliseconds: Int64) {
    self.facts = facts
    self.table = facts.table
    self.texts = texts
    self.preference = preference
    self.nowMilliseconds = nowMilliseconds
  }

  /// Chooses all values.
  ///
  /// - Returns: False when no value was possible for some term.
  mutating func build() -> Bool {
    chooseTypes()
    chooseKeys()
    chooseTexts()
    chooseNumbers()
    chooseTexts()
    chooseBooleans()
    chooseTypes()
    return !facts.isRefuted
  }

  // MARK: Choosing

  /// Adds the literals to the facts; returns false, without a change, when the facts contradict them.
  private mutating func choose(_ literals: [Literal]) -> Bool {
    var next = facts
    for literal in literals { next.assert(literal) }
    next.saturate(texts)
    guard !next.isRefuted else { return false }
    facts = next
    return true
  }

  private mutating func choose(_ term: TermID, _ value: Value) -> Bool {
    guard let constant = table.constant(value) else { return false }
    return choose([.equal(term, constant, true)])
  }

  private var openTerms: [TermID] {
    facts.active.filter { facts.root($0) == $0 && facts.constant($0) == nil && facts.types($0) != .object }
  }

  // MARK: Types

  private mutating func chooseTypes() {
    // A text that is used as a path below a place is a key, unless it must be empty.
    for term in facts.active {
      guard case .value(let side, let place) = table[term], !facts.types(term).contains(.null),
        case .part = table.places[place].segments.last, let parent = table.places[place].parent
      else { continue }
      _ = choose([.types(table.intern(.value(side, parent)), .object)])
    }
    if preference.types[0] == .null {
      let nullable = openTerms.filter { facts.types($0).contains(.null) }
      _ = nullable.isEmpty || choose(nullable.map { .types($0, .null) })
    }
    for term in openTerms {
      for type in preference.types where facts.types(term).contains(type) && facts.types(term) != type {
        if choose([.types(term, type)]) { break }
      }
    }
  }

  private mutating func chooseBooleans() {
    for term in openTerms where facts.types(term) == .bool {
      _ = choose(term, .bool(true)) || choose(term, .bool(false))
    }
  }

  // MARK: Texts

  /// Chooses the uid and the keys of the path, with names that are easy to distinguish.
  private mutating func chooseKeys() {
    let uid = table.intern(.claim([Key("uid")]))
    for term in facts.active {
      let isUID = facts.root(term) == facts.root(uid) && facts.types(uid) == .text
      guard case .wildcard(let number) = table[term] else {
        if isUID, term == facts.root(uid), facts.constant(uid) == nil, facts.wildcard(uid) == nil {
          chooseText(uid, ["bob", "carl", "dora"])
        }
        continue
      }
      guard facts.constant(term) == nil else { continue }
      let name = table.wildcards[number].name.drop { $0 == "$" }
      let initial = String(name.first.map { String($0).lowercased() } ?? "k")
      chooseText(
        term, isUID || isUser(term) ? ["ann", "eve", "fay", "gus"] : ["1", "2", "3", "4"].map { initial + $0 })
    }
  }

  /// Returns true for a key that is compared with the uid.
  private func isUser(_ term: TermID) -> Bool {
    let uid = facts.root(table.intern(.claim([Key("uid")])))
    return facts.unequal.contains { pair in
      let (a, b) = (facts.root(pair.0), facts.root(pair.1))
      return (a == uid && b == facts.root(term)) || (b == uid && a == facts.root(term))
    }
  }

  private mutating func chooseTexts() {
    // The texts that are searched for in other texts are chosen first.
    let parts = facts.relations.map { facts.root($0.part) }
    let fitted = facts.patterns.map { facts.root($0.term) }
    let order = parts + fitted + openTerms
    for term in order where facts.constant(term) == nil && facts.types(term) == .text {
      chooseText(facts.root(term), parts.contains(term) ? ["x", ""] : ["text", "x", "a", ""])
      solve()
    }
  }

  /// Chooses the first unused text of the given ones, or a word of the text's language.
  private mutating func chooseText(_ term: TermID, _ names: [String]) {
    for name in names where !namesUsed.contains(name) && choose(term, .string(name)) {
      namesUsed.append(name)
      return
    }
    let language = texts.language(of: facts.root(term), facts)
    for word in texts.languages.words(of: language, count: 4) {
      if choose(term, .string(word)) { return }
      // A text that must be longer than the words that a search can find is padded.
      let length = facts.bounds[facts.root(table.intern(.length(term)))]?.low ?? 0
      if length > Double(ExposureLimits.lengthMax), length < Double(ExposureLimits.paddingMax),
        choose(term, .string(word + String(repeating: "a", count: Int(length) + 1 - word.utf16.count)))
      {
        return
      }
    }
    for name in names where choose(term, .string(name)) { return }
  }

  // MARK: Numbers

  private mutating func chooseNumbers() {
    if facts.active.contains(table.intern(.now)) { chooseNumber(table.intern(.now), [Double(nowMilliseconds)]) }
    solve()
    // The result of a sum that has a condition is chosen before the last operand, which is then computed.
    for term in facts.active {
      guard case .arithmetic(let binary, let a, let b) = table[term], facts.constant(term) == nil else { continue }
      if facts.constant(a) == nil, facts.constant(b) == nil { chooseNumber(b, preference.numbers) }
      if binary == .remainder { chooseRemainder(term, a, b) } else { chooseNumber(term, preference.numbers) }
      solve()
    }
    for term in openTerms where facts.types(term) == .number && facts.constant(term) == nil {
      guard !isLength(term) else { continue }
      chooseNumber(term, preference.numbers)
      solve()
    }
  }

  /// Chooses the remainder of a division, together with the dividend: for some remainders, no dividend is within its
  /// bounds.
  private mutating func chooseRemainder(_ term: TermID, _ dividend: TermID, _ divisor: TermID) {
    guard let size = facts.constantNumber(divisor)?.magnitude else { return chooseNumber(term, preference.numbers) }
    // For a divisor of 1, a dividend that is not an integer has the remainder 0.5.
    for rest in preference.numbers.filter({ $0.magnitude < size }) + [size / 2, -size / 2] {
      let before = facts
      guard choose(term, .number(rest)) else { continue }
      solve(.remainder, dividend, divisor, rest)
      if facts.constant(dividend) != nil { return }
      facts = before
    }
  }

  private func isLength(_ root: TermID) -> Bool {
    facts.active.contains { if case .length = table[$0] { facts.root($0) == root } else { false } }
  }

  private mutating func chooseNumber(_ term: TermID, _ preferred: [Double]) {
    guard facts.constant(term) == nil, facts.types(term).contains(.number) else { return }
    let bounds = facts.bounds[facts.root(term)] ?? NumberBounds()
    var candidates: [Double] = []
    let middle = bounds.low / 2 + bounds.high / 2
    for number in preferred + [bounds.low, bounds.low + 1, bounds.high, bounds.high - 1, middle, bounds.low + 2] {
      guard number.isFinite, bounds.allows(number), !candidates.contains(number) else { continue }
      candidates.append(number)
    }
    for candidate in candidates {
      if choose(term, .number(candidate)) { return }
    }
  }

  // MARK: Inverses

  /// Finds the last operand when a result and all other operands are known.
  private mutating func solve() {
    for term in facts.active {
      guard let result = facts.constant(term), let value = table[result].constant else { continue }
      switch (table[term], value) {
      case (.joined(let parts), .string(let text)): solve(parts, text)
      case (.applied(_, let arguments), .string(let text)):
        if facts.constant(arguments[0]) == nil { _ = choose(arguments[0], .string(text)) }
      case (.negative(let a), .number(let number)):
        if facts.constant(a) == nil { _ = choose(a, .number(-number)) }
      case (.arithmetic(let binary, let a, let b), .number(let number)): solve(binary, a, b, number)
      default: break
      }
    }
  }

  private mutating func solve(_ parts: [TermID], _ text: String) {
    let unknown = parts.indices.filter { facts.constant(parts[$0]) == nil }
    guard unknown.count == 1 else { return }
    func known(_ parts: ArraySlice<TermID>) -> String {
      parts.map { facts.constantText($0) ?? facts.constantNumber($0).map(NumberText.of) ?? "" }.joined()
    }
    let (before, after) = (known(parts[..<unknown[0]]), known(parts[(unknown[0] + 1)...]))
    guard text.utf8.count >= before.utf8.count + after.utf8.count, Text.begins(text, with: before),
      Text.ends(text, with: after)
    else { return }
    let middle = String(
      decoding: Array(text.utf8.dropFirst(before.utf8.count).dropLast(after.utf8.count)), as: UTF8.self)
    let part = parts[unknown[0]]
    if facts.types(part).contains(.text), choose(part, .string(middle)) { return }
    if let number = Double(middle) { _ = choose(part, .number(number)) }
  }

  private mutating func solve(_ binary: BinaryOperator, _ a: TermID, _ b: TermID, _ result: Double) {
    switch (facts.constantNumber(a), facts.constantNumber(b)) {
    case (nil, let y?) where binary == .remainder:
      // The smallest number with this remainder that the bounds allow, or the remainder itself.
      let low = facts.bounds[facts.root(a)]?.low ?? -.infinity
      let least = result + ((low - result) / y.magnitude).rounded(.up) * y.magnitude
      for x in [result, least, least + y.magnitude] where x.isFinite {
        if choose(a, .number(x)) { return }
      }
    case (nil, let y?):
      let x: Double =
        switch binary {
        case .add: result - y
        case .subtract: result + y
        case .multiply: result / y
        case .divide: result * y
        case .remainder, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: result
        }
      if x.isFinite { _ = choose(a, .number(x)) }
    case (let x?, nil):
      let y: Double =
        switch binary {
        case .add: result - x
        case .subtract: x - result
        case .multiply: result / x
        case .divide: x / result
        // A divisor that is greater than the remainder.
        case .remainder: result + 1
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: result
        }
      if y.isFinite { _ = choose(b, .number(y)) }
    default: break
    }
  }
}

extension NumberBounds {
  func allows(_ number: Double) -> Bool {
    (isLowStrict ? number > low : number >= low) && (isHighStrict ? number < high : number <= high)
  }
}
