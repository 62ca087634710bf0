import HearthEngine
import HearthTree

/// Generators of listens and reads in a ``Simulation``, with queries and without.
extension Simulation {
  mutating func readPath() -> Path {
    switch random.below(10) {
    case 0: .root
    case 1: Path("rooms/\(room())/notes/n\(random.below(3))")
    case 2, 3: Path("rooms/\(room())/notes")
    case 4: Path("rooms/\(room())/m\(random.below(3))")
    case 5: Path("banned")
    default: Path("rooms/\(room())")
    }
  }

  mutating func randomHash() -> String { engine.state.root[readPath()].simpleHash() }

  mutating func listenRequest() -> ListenRequest {
    let path = isWriteHeavy && !random.isOne(in: 4) ? Path("rooms/r\(random.below(2))") : readPath()
    if random.isOne(in: isWriteHeavy ? 5 : 2) {
      return ListenRequest(path, hash: random.isOne(in: 3) ? randomHash() : "")
    }
    let query = randomQuery()
    let hash = random.isOne(in: 3) ? QueryResult(query, of: engine.state.root[path]).node.simpleHash() : ""
    return ListenRequest(path, hash: hash, query: query, tag: randomTag())
  }

  mutating func unlisten() -> Command.Action {
    switch random.below(3) {
    case 0: .unlisten(readPath())
    case 1: .unlisten(readPath(), query: randomQuery(), tag: randomTag())
    default: .unlisten(readPath(), query: randomQuery())
    }
  }

  mutating func randomTag() -> Int32 { Int32(1 + random.below(5)) }

  /// Returns one of a few queries, so that several connections send the same one.
  mutating func randomQuery() -> Query {
    let orders: [Query.Order?] = [
      nil, .key, .priority, .value, .child(Path("m0")), .child(Path("notes/n0")), .child(Path("open")),
    ]
    let order = random.pick(orders)
    var query = Query(order: order)
    if random.isOne(in: 3) { query.start = randomBound(order) }
    if random.isOne(in: 3) { query.end = randomBound(order) }
    if !random.isOne(in: 3) {
      let count = 1 + random.below(3)
      query.limit = random.isOne(in: 2) ? .first(count) : .last(count)
    }
    return query
  }

  private mutating func randomBound(_ order: Query.Order?) -> Query.Bound {
    let keys = ["m0", "m1", "n1", "notes", "open", "u0"]
    if order == .key { return Query.Bound(value: .string(random.pick(keys)), isInclusive: random.isOne(in: 2)) }
    let values: [Scalar?] = [nil, .bool(true), .int(0), .int(1), .double(1.5), .string("open"), .string("text")]
    let places: [Query.BoundKey?] = [nil, nil, .lowest, .highest, .key(Key(random.pick(keys)))]
    return Query.Bound(value: random.pick(values), key: random.pick(places), isInclusive: !random.isOne(in: 3))
  }
}
