import HearthRules
import HearthTree

@testable import HearthExposure

/// One request with a value for every term of a table, which checks statements about all requests.
struct TermEnvironment {
  let table: TermTable
  let unfolding: Unfolding
  let attempt: Attempt
  /// The texts of the table's wildcards.
  let wildcards: [String]
  private let after: Node

  init(_ table: TermTable, _ attempt: Attempt, wildcards: [String]) {
    self.table = table
    self.attempt = attempt
    self.wildcards = wildcards
    unfolding = Unfolding(table: table)
    after = attempt.after
  }

  // MARK: Goals

  /// Returns the literals of an alternative whose goals all hold, or nil when there is none.
  func holds(
    _ sense: Sense, _ expression: TypedExpression, _ scope: ScopeID
  ) throws(Unfolding.TooMany) -> [Literal]? {
    for alternative in try unfolding.alternatives(sense, expression, scope) {
      if let literals = try holds(alternative) { return literals }
    }
    return nil
  }

  func holds(_ goals: [Goal]) throws(Unfolding.TooMany) -> [Literal]? {
    var used: [Literal] = []
    for goal in goals {
      switch goal {
      case .literal(let literal):
        guard holds(literal) else { return nil }
        used.append(literal)
      case .formula(let sense, let expression, let scope):
        guard let inner = try holds(sense, expression, scope) else { return nil }
        used += inner
      case .either(let alternatives):
        var found: [Literal]?
        for alternative in alternatives where found == nil { found = try holds(alternative) }
        guard let found else { return nil }
        used += found
      }
    }
    return used
  }

  func holds(_ literal: Literal) -> Bool {
    switch literal {
    case .types(let term, let types): return value(term).map { types.contains(Self.type(of: $0)) } ?? false
    case .equal(let a, let b, let outcome):
      guard let x = value(a), let y = value(b) else { return false }
      return Value.areEqual(x, y) == outcome
    case .order(let a, let b, let isStrict):
      guard case .number(let x)? = value(a), case .number(let y)? = value(b) else { return false }
      return isStrict ? x < y : x <= y
    case .noOrder(let a, let b, let isStrict):
      guard case .number(let x)? = value(a), case .number(let y)? = value(b) else { return false }
      return isStrict ? !(x < y) : !(x <= y)
    case .textOrder(let a, let b, let isStrict):
      guard case .string(let x)? = value(a), case .string(let y)? = value(b) else { return false }
      return isStrict ? Text.precedes(x, y) : !Text.precedes(y, x)
    case .fits(let term, let pattern, let outcome):
      guard case .string(let text)? = value(term) else { return false }
      return table.patterns[pattern].accepts(text) == outcome
    case .relates(let method, let a, let b, let outcome):
      guard case .string(let text)? = value(a), case .string(let part)? = value(b) else { return false }
      switch method {
      case .beginsWith: return text.utf8.starts(with: part.utf8) == outcome
      case .endsWith: return text.utf8.reversed().starts(with: part.utf8.reversed()) == outcome
      default: return Text.contains(text, part) == outcome
      }
    }
  }

  private static func type(of value: Value) -> TypeSet {
    switch value {
    case .null: .null
    case .bool: .bool
    case .number: .number
    case .string: .text
    case .container: .object
    }
  }

  // MARK: Terms

  /// Returns a term's value; nil for a term without one, such as a function of values outside its domain.
  func value(_ term: TermID) -> Value? {
    switch table[term] {
    case .null, .bool, .number, .text: return table[term].constant
    case .wildcard(let number): return .string(wildcards[number])
    case .claim, .computedClaim: return claim(term).map(Self.value)
    case .claimLength(let owner):
      guard let claim = claim(owner) else { return nil }
      if case .array(let elements) = claim { return .number(Double(elements.count)) }
      return Self.value(Self.member(claim, "length"))
    case .now: return .number(Double(attempt.nowMilliseconds))
    case .query(let field): return query(field)
    case .value(let side, let place):
      guard let node = node(side, place) else { return nil }
      return node.isInterior ? .container : node.scalar.map(Self.value) ?? .null
    case .priority(let side, let place): return node(side, place).map { $0.priority.map(Self.value) ?? .null }
    case .joined(let parts):
      var text = ""
      for part in parts {
        switch value(part) {
        case .string(let piece)?: text += piece
        case .number(let number)?: text += NumberText.of(number)
        default: return nil
        }
      }
      return .string(text)
    case .length(let a): return text(a).map { .number(Double($0.utf16.count)) }
    case .applied(let function, let arguments):
      return function.result(for: arguments.compactMap(text), limitBytes: 1 << 20)
    case .arithmetic(let binary, let a, let b):
      guard case .number(let x)? = value(a), case .number(let y)? = value(b) else { return nil }
      switch binary {
      case .add: return .number(x + y)
      case .subtract: return .number(x - y)
      case .multiply: return .number(x * y)
      case .divide: return .number(y == 0 ? .nan : x / y)
      default: return .number(x.truncatingRemainder(dividingBy: y))
      }
    case .negative(let a):
      guard case .number(let x)? = value(a) else { return nil }
      return .number(-x)
    }
  }

  private func text(_ term: TermID) -> String? {
    if case .string(let text)? = value(term) { text } else { nil }
  }

  private static func value(_ scalar: Scalar) -> Value {
    switch scalar {
    case .bool(let value): .bool(value)
    case .int(let value): .number(Double(value))
    case .double(let value): .number(value)
    case .string(let text): .string(text)
    }
  }

  // MARK: Claims and queries

  private func claim(_ term: TermID) -> JSON? {
    switch table[term] {
    case .claim(let names): return names.reduce(attempt.auth ?? .null) { Self.member($0, $1.text) }
    case .computedClaim(let owner, let name):
      guard let inner = claim(owner) else { return nil }
      switch value(name) {
      case .string(let text)?: return Self.member(inner, text)
      case .number(let number)?: return Self.member(inner, NumberText.of(number))
      default: return nil
      }
    default: return nil
    }
  }

  private static func member(_ claim: JSON, _ name: String) -> JSON {
    switch claim {
    case .object(let members): return members.last { $0.name.utf8.elementsEqual(name.utf8) }?.value ?? .null
    case .array(let elements):
      if let index = Int(name), elements.indices.contains(index), String(index) == name { return elements[index] }
      return .null
    default: return .null
    }
  }

  private static func value(_ claim: JSON) -> Value {
    switch claim {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .number(Double(value))
    case .double(let value): .number(value)
    case .string(let text): .string(text)
    case .array, .object: .container
    }
  }

  private func query(_ field: QueryField) -> Value {
    let query = attempt.writes.isEmpty ? attempt.query?.canonical : nil
    let isBare = query?.start == nil && query?.end == nil && query?.limit == nil
    switch field {
    case .orderByKey: return .bool(query?.order == .key || query != nil && query?.order == nil && !isBare)
    case .orderByValue: return .bool(query?.order == .value)
    case .orderByPriority: return .bool(query?.order == .priority)
    case .orderByChild:
      guard case .child(let path)? = query?.order else { return .null }
      return .string(path.keys.map(\.text).joined(separator: "/"))
    case .startAt: return query?.start?.value.map(Self.value) ?? .null
    case .endAt: return query?.end?.value.map(Self.value) ?? .null
    case .equalTo:
      guard let start = query?.start, let end = query?.end, start == end, start.isInclusive else { return .null }
      return start.value.map(Self.value) ?? .null
    case .limitToFirst:
      if case .first(let count)? = query?.limit { return .number(Double(count)) } else { return .null }
    case .limitToLast: if case .last(let count)? = query?.limit { return .number(Double(count)) } else { return .null }
    }
  }

  // MARK: Locations

  /// Returns the node at a location; nil for one above the root, or with a path that is not a text.
  private func node(_ side: Side, _ place: PlaceID) -> Node? {
    guard let keys = keys(place) else { return nil }
    return (side == .old ? attempt.data : after)[Path(keys)]
  }

  func keys(_ place: PlaceID) -> [Key]? {
    var keys: [Key] = []
    for segment in table.places[place].segments {
      switch segment {
      case .key(let term):
        guard let text = text(term) else { return nil }
        keys.append(Key(text))
      case .part(let term):
        guard let text = partText(term) else { return nil }
        keys += Path(text).keys
      case .whole(let term):
        guard let text = text(term) else { return nil }
        let more = Path(text).keys
        keys += more.isEmpty ? [Key("")] : more
      case .above(let inner):
        guard var found = self.keys(inner), !found.isEmpty else { return nil }
        found.removeLast()
        keys = found
      }
    }
    return keys
  }

  private func partText(_ term: TermID) -> String? {
    switch value(term) {
    case .string(let text)?: text
    case .number(let number)?: NumberText.of(number)
    default: nil
    }
  }
}
