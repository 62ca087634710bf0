import HearthTree

/// A slow reference implementation of a query: it sorts all children and applies the limit.
struct SimulationQuery {
  var query: Query

  init(_ query: Query) { self.query = query }

  /// Returns the children that the query selects, under a node without a priority.
  func result(of tree: SimulationTree) -> SimulationTree {
    var places = tree.children.map { Place(value: value($0.key, $0.value), key: $0.key) }
      .filter { isAfterStart($0) && isBeforeEnd($0) }.sorted { compare($0, $1) < 0 }
    switch query.limit {
    case .first(let count)?: places = Array(places.prefix(count))
    case .last(let count)?: places = Array(places.suffix(count))
    case nil: break
    }
    var result = SimulationTree()
    for place in places { result.children[place.key] = tree.children[place.key] }
    return result
  }

  /// A child's position in the order of the query.
  private struct Place {
    var value: Value
    var key: String
  }

  /// A value in the order of queries: missing, false and true, numbers, strings, nodes with children.
  private struct Value {
    var rank: Int
    var number = 0.0
    var text = ""

    init(_ scalar: Scalar?) {
      switch scalar {
      case nil: rank = 0
      case .bool(let value)?: rank = value ? 2 : 1
      case .int(let value)?: (rank, number) = (3, Double(value))
      case .double(let value)?: (rank, number) = (3, value)
      case .string(let value)?: (rank, text) = (4, value)
      }
    }

    init(_ tree: SimulationTree) {
      self.init(tree.scalar)
      if !tree.children.isEmpty { rank = 5 }
    }
  }

  private func value(_ key: String, _ tree: SimulationTree) -> Value {
    switch query.order {
    case .key?: Value(.string(key))
    case .value?: Value(tree)
    case .child(let path)?: Value(tree[path.keys.map(\.text)])
    case .priority?, nil: Value(tree.priority)
    }
  }

  private func isAfterStart(_ place: Place) -> Bool {
    guard let bound = query.start else { return true }
    let order = compare(place, with: bound, endOfKeys: -1)
    return order > 0 || order == 0 && bound.isInclusive
  }

  private func isBeforeEnd(_ place: Place) -> Bool {
    guard let bound = query.end else { return true }
    let order = compare(place, with: bound, endOfKeys: 1)
    return order < 0 || order == 0 && bound.isInclusive
  }

  /// Compares a child with a bound.
  ///
  /// - Parameter endOfKeys: The position of a bound without a key: before all keys, or after them.
  private func compare(_ place: Place, with bound: Query.Bound, endOfKeys: Int) -> Int {
    let order = compare(place.value, Value(bound.value))
    if order != 0 || query.order == .key { return order }
    switch bound.key {
    case .lowest?: return 1
    case .highest?: return -1
    case .key(let key)?: return Self.compareKeys(place.key, key.text)
    case nil: return -endOfKeys
    }
  }

  private func compare(_ a: Place, _ b: Place) -> Int {
    let order = compare(a.value, b.value)
    return order != 0 ? order : Self.compareKeys(a.key, b.key)
  }

  private func compare(_ a: Value, _ b: Value) -> Int {
    if query.order == .key { return Self.compareKeys(a.text, b.text) }
    if a.rank != b.rank { return a.rank < b.rank ? -1 : 1 }
    if a.number != b.number { return a.number < b.number ? -1 : 1 }
    return Self.compareTexts(a.text, b.text)
  }

  static func compareKeys(_ a: String, _ b: String) -> Int {
    switch (Int32(a), Int32(b)) {
    case (let x?, let y?): return x != y ? (x < y ? -1 : 1) : a.count - b.count
    case (nil, nil): return compareTexts(a, b)
    case (let x, _): return x != nil ? -1 : 1
    }
  }

  private static func compareTexts(_ a: String, _ b: String) -> Int {
    if a.utf16.elementsEqual(b.utf16) { return 0 }
    return a.utf16.lexicographicallyPrecedes(b.utf16) ? -1 : 1
  }
}
