import HearthTree
import RandomTestKit

/// A reference implementation of queries: sorts all children, keeps those within the bounds, and applies the limit.
struct QueryModel {
  let query: Query

  /// A sort position for values of all kinds.
  private enum Value {
    case missing
    case bool(Bool)
    case number(Double)
    case text(String)
    case interior

    init(_ scalar: Scalar?) {
      switch scalar {
      case nil: self = .missing
      case .bool(let value)?: self = .bool(value)
      case .string(let text)?: self = .text(text)
      case .int(let value)?: self = .number(Double(value))
      case .double(let value)?: self = .number(value)
      }
    }

    init(_ model: TreeModel) { self = model.children.isEmpty ? Value(model.scalar) : .interior }

    private var kind: Int {
      switch self {
      case .missing: 0
      case .bool(false): 1
      case .bool(true): 2
      case .number: 3
      case .text: 4
      case .interior: 5
      }
    }

    func isBefore(_ other: Value) -> Bool {
      switch (self, other) {
      case (.number(let a), .number(let b)): a < b
      case (.text(let a), .text(let b)): a.utf16.lexicographicallyPrecedes(b.utf16)
      default: kind < other.kind
      }
    }
  }

  private func value(_ child: TreeModel) -> Value {
    switch query.order {
    case .key?: .missing
    case .value?: Value(child)
    case .child(let path)?: Value(child[path.keys[...]])
    case nil, .priority?: Value(child.priority)
    }
  }

  /// Returns a negative number for a child before the bound, and a positive one for a child after it.
  private func position(_ key: Key, _ child: TreeModel, to bound: Query.Bound, isStart: Bool) -> Int {
    if query.order == .key {
      guard case .string(let text)? = bound.value else { return 1 }
      return position(key, to: Query.BoundKey(text))
    }
    let (value, other) = (value(child), Value(bound.value))
    if value.isBefore(other) { return -1 }
    if other.isBefore(value) { return 1 }
    return position(key, to: bound.key ?? (isStart ? .lowest : .highest))
  }

  private func position(_ key: Key, to bound: Query.BoundKey) -> Int {
    switch bound {
    case .lowest: 1
    case .highest: -1
    case .key(let other): key == other ? 0 : TreeModel.isBefore(key.text, other.text) ? -1 : 1
    }
  }

  private func isIncluded(_ key: Key, _ child: TreeModel) -> Bool {
    if let start = query.start {
      let position = position(key, child, to: start, isStart: true)
      guard position > 0 || position == 0 && start.isInclusive else { return false }
    }
    if let end = query.end {
      let position = position(key, child, to: end, isStart: false)
      guard position < 0 || position == 0 && end.isInclusive else { return false }
    }
    return true
  }

  /// Returns the selected children in the query's order.
  func keys(_ parent: TreeModel) -> [Key] { keys(parent.sortedKeys.map { ($0, parent.children[$0] ?? TreeModel()) }) }

  /// Returns the selected children of a list in key order.
  func keys(_ children: [(key: Key, child: TreeModel)]) -> [Key] {
    let places = children.enumerated().filter { isIncluded($0.element.key, $0.element.child) }
      .map { (number: $0.offset, value: value($0.element.child)) }
    let sorted = places.sorted { a, b in
      if a.value.isBefore(b.value) { return true }
      return !b.value.isBefore(a.value) && a.number < b.number
    }.map { children[$0.number].key }
    switch query.limit {
    case nil: return sorted
    case .first(let count)?: return Array(sorted.prefix(count))
    case .last(let count)?: return Array(sorted.suffix(count))
    }
  }

  func result(_ parent: TreeModel) -> TreeModel {
    var result = TreeModel()
    for key in keys(parent) { result.children[key] = parent.children[key] }
    return result
  }
}

extension SeededRandom {
  private static let long = String(repeating: "x", count: 253)

  /// A small set of values, so that equal ones are frequent.
  private static let texts = [
    "", "\0", "\u{1}", "\u{2}", "\u{3}", "\0\0", "a", "a\0", "a\u{1}", "a\u{1}\u{1}", "a\u{2}", "a\u{3}", "ab", "0",
    "10", "9", "é", "e\u{301}", "\u{7F}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "x\u{E000}",
    "x\u{10000}", "[MIN_NAME]", "[MAX_KEY]", long, long + "xx", long + "xxx", long + "xxx\0", long + "xxxx",
    long + "xxxy", long + "\u{10000}", long + "\u{10000}a", long + "\u{E000}", long + "\u{E000}b", long + "xx\u{E000}",
    long + "xx\u{10000}", long + "é", String(repeating: "long ", count: 2000),
    String(repeating: "long ", count: 2000) + "!", String(repeating: "\0", count: 300),
    String(repeating: "\0", count: 301), String(repeating: "\u{10000}", count: 65),
  ]

  private static let numbers: [Scalar] = [
    .int(0), .int(1), .double(1.5), .int(-1), .double(-1.5), .int(2), .double(1e300), .double(-1e300),
    .double(.leastNonzeroMagnitude), .int(.max), .int(.min),
    .int(1 << 53), .int(1 << 53 + 1), .double(9_007_199_254_740_992),
  ]

  mutating func queryScalar() -> Scalar {
    switch below(10) {
    case 0: .bool(chance(50))
    case 1...3: Self.numbers[below(Self.numbers.count)]
    case 4...5: .int(Int64(below(20)))
    default: .string(Self.texts[below(Self.texts.count)])
    }
  }

  private mutating func queryPriority(percent: Int) -> Scalar? {
    guard chance(percent) else { return nil }
    let scalar = queryScalar()
    if case .bool = scalar { return nil }
    return scalar
  }

  /// Returns a child with a value by which queries order it, or an empty one.
  mutating func queryChild(priorityPercent: Int) -> TreeModel {
    var child = TreeModel(priority: queryPriority(percent: priorityPercent))
    switch below(8) {
    case 0: return TreeModel()
    case 1: child.scalar = queryScalar()
    case 2:
      child.children["n"] = TreeModel(children: ["deep": TreeModel(scalar: queryScalar(), priority: .int(1))])
    case 3:
      child.children["other"] = TreeModel(scalar: queryScalar())
    default:
      child.children["n"] = TreeModel(scalar: queryScalar())
      child.children["other"] = TreeModel(scalar: .int(Int64(below(1000))))
    }
    return child
  }

  mutating func queryOrder() -> Query.Order? {
    let orders: [Query.Order?] = [
      nil, .priority, .key, .value, .child(Path("n")), .child(Path("n/deep")), .child(Path("n")), .child(Path("none")),
    ]
    return orders[below(orders.count)]
  }

  private mutating func queryBound(_ order: Query.Order?, keys: [Key]) -> Query.Bound? {
    if chance(60) { return nil }
    func anyKey() -> Key { keys.isEmpty || chance(30) ? key(of: 400) : keys[below(keys.count)] }
    let boundKeys: [Query.BoundKey?] = [nil, nil, .lowest, .highest, .key(anyKey()), .key(anyKey())]
    let isInclusive = chance(60)
    if order == .key {
      return Query.Bound(
        value: .string(chance(5) ? "[MIN_NAME]" : chance(5) ? "[MAX_NAME]" : anyKey().text), isInclusive: isInclusive)
    }
    return Query.Bound(
      value: chance(15) ? nil : queryScalar(), key: boundKeys[below(boundKeys.count)], isInclusive: isInclusive)
  }

  /// Returns a random query.
  ///
  /// - Parameter keys: The keys of the queried node, among which the bounds are chosen.
  mutating func query(keys: [Key]) -> Query {
    let order = queryOrder()
    var query = Query(order: order)
    query.start = queryBound(order, keys: keys)
    query.end = chance(20) ? query.start : queryBound(order, keys: keys)
    let count = chance(10) ? 100_000 : 1 + below(chance(50) ? 5 : 60)
    if chance(70) { query.limit = chance(50) ? .first(count) : .last(count) }
    return query
  }
}
