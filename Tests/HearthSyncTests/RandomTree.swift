import HearthTree
import RandomTestKit

/// Random data and queries over few keys, so that they overlap.
extension SeededRandom {
  static let keys: [Key] = ["a", "b", "c", "1", "10"]

  /// Creates the generator of one seed among consecutive ones: its state is the first number of the seed's own
  /// generator, so that the sequences of consecutive seeds are unrelated.
  init(scattered seed: Int) {
    self.init(seed: UInt64(truncatingIfNeeded: seed))
    self.init(seed: next())
  }

  mutating func path(upTo depth: Int) -> Path {
    Path((0..<Int.random(in: 0...depth, using: &self)).map { _ in pick(Self.keys) })
  }

  mutating func scalar() -> Scalar {
    switch Int.random(in: 0..<5, using: &self) {
    case 0: .bool(Bool.random(using: &self))
    case 1: .string(["x", "y", ""][Int.random(in: 0..<3, using: &self)])
    case 2: .double(Double(Int.random(in: 0..<6, using: &self)) / 2)
    default: .int(Int64.random(in: -2..<5, using: &self))
    }
  }

  mutating func priority() -> Scalar? {
    switch Int.random(in: 0..<6, using: &self) {
    case 0: .int(Int64.random(in: 0..<3, using: &self))
    case 1: .string("p")
    default: nil
    }
  }

  mutating func node(depth: Int) -> Node {
    if isOne(in: 6) { return .empty }
    if depth == 0 || isOne(in: 3) { return Node(scalar(), priority: priority()) }
    var node = Node.empty
    for key in Self.keys where !isOne(in: 3) { node = node.replacing(key, with: self.node(depth: depth - 1)) }
    return node.with(priority: priority())
  }

  mutating func query() -> Query {
    if isOne(in: 3) { return Query() }
    var query = Query()
    switch Int.random(in: 0..<5, using: &self) {
    case 0: query.order = .key
    case 1: query.order = .value
    case 2: query.order = .child(["a"])
    case 3: query.order = .child(Path("b/a"))
    default: break
    }
    func bound(_ random: inout SeededRandom) -> Query.Bound {
      var value: Scalar? = random.scalar()
      if query.order == .key { value = .string(random.pick(Self.keys).text) }
      if query.order == nil { value = random.priority() }
      let key: Query.BoundKey? = query.order != .key && random.isOne(in: 3) ? .key(random.pick(Self.keys)) : nil
      return Query.Bound(value: value, key: key, isInclusive: !random.isOne(in: 4))
    }
    if isOne(in: 3) { query.start = bound(&self) }
    if isOne(in: 3) { query.end = bound(&self) }
    if isOne(in: 2) {
      let count = Int.random(in: 1...3, using: &self)
      query.limit = Bool.random(using: &self) ? .first(count) : .last(count)
    }
    return query
  }
}

extension Path: ExpressibleByArrayLiteral {
  public init(arrayLiteral keys: Key...) { self.init(keys) }
}
