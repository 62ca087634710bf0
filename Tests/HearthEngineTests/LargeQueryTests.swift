import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

/// Tests of queries over many children: they are evaluated in the background, and decided as if they had arrived at its
/// end.
@Suite struct LargeQueryTests {
  private static let instant = Instant(wallMilliseconds: 7, monotonicMilliseconds: 7)
  private static let rules = #"{"rules": {".read": true, ".write": true, "a": {".indexOn": ["ts"]}}}"#

  private static func engine(_ root: Node, rules: String = rules, inLine: Int = 20) throws -> Engine {
    var limits = EngineLimits()
    limits.inlineQueriedChildrenMax = inLine
    limits.indexedChildrenMin = 4
    var engine = Engine(
      state: DatabaseState(root: root, rules: try RuleSet.compile(rules), position: 0), limits: limits)
    for number in 1...3 { _ = engine.decide([command(number, .connect)], at: instant) }
    return engine
  }

  private static func command(_ connection: Int, _ action: Command.Action) -> Command {
    Command(connection: ConnectionID(rawValue: UInt64(connection)), request: 1, action: action)
  }

  private static func put(_ path: String, _ node: Node) -> Command.Action {
    .write(WriteOperation(.put(Location(path: Path(path)), WriteValue(node))))
  }

  private static func listen(_ query: Query, hash: String = "", tag: Int32 = 1) -> Command.Action {
    .listen(ListenRequest(Path("a"), hash: hash, query: query, tag: tag))
  }

  private struct MissingReply: Error {}

  private static func told(_ batch: Batch) -> [String] { batch.effects.flatMap { $0.scenarioLines() } }

  private static func decide(_ engine: inout Engine, _ connection: Int, _ action: Command.Action) -> Batch {
    engine.decide([command(connection, action)], at: instant, settingAside: true)
  }

  /// Settles until no command is in the background, without other commands in between.
  private static func settle(_ engine: inout Engine, _ large: LargeCommand) throws -> Batch {
    var (batch, count) = (try settleOnce(&engine, large), 0)
    while let again = batch.largeCommand {
      batch = try settleOnce(&engine, again)
      count += 1
      try #require(count < 4)
    }
    return batch
  }

  private static func settleOnce(
    _ engine: inout Engine, _ large: LargeCommand, isLast: Bool = false
  ) throws -> Batch {
    switch large {
    case .query(let query): return engine.settle(query.evaluated(), at: instant, isLast: isLast)
    case .comparison(let comparison): return engine.settle(comparison.compared(), at: instant, isLast: isLast)
    case .write(let write): return engine.settle(write.decided(), at: instant)
    }
  }

  private static func child(_ number: Int) -> Node {
    Node.empty.replacing(Path("ts"), with: Node(.int(Int64(number)))).replacing(
      Path("other"), with: Node(.int(Int64(1_000 - number))))
  }

  private static func children(_ count: Int) -> Node {
    (0..<count).reduce(Node.empty) { $0.replacing(Path("k\($1)"), with: child($1)) }
  }

  private static let byOther = Query.Order.child(Path("other"))
  private static let byTime = Query.Order.child(Path("ts"))

  @Test func `a turn evaluates no query over many children`() throws {
    let root = Node.empty.replacing(Path("a"), with: Self.children(200))
    let queries = [
      Query(order: Self.byOther, limit: .last(2)), Query(order: Self.byTime, limit: .first(2)),
      Query(order: Self.byOther, start: Query.Bound(value: .int(990))), Query(order: .key, limit: .last(100)),
      Query(order: .value, limit: .first(1)), Query(order: .priority, start: Query.Bound(value: .int(1))),
    ]
    for query in queries {
      var (engine, plain) = (try Self.engine(root), try Self.engine(root, inLine: .max))
      let aside = Self.decide(&engine, 1, Self.listen(query))
      let large = try #require(aside.query, "\(query)")
      #expect(aside.effects.isEmpty && aside.commandCount == 1 && engine.listens.count == 0)
      #expect(Self.told(Self.decide(&engine, 2, Self.put("small", Node(.int(1))))) == ["2 written 1"])
      let settled = engine.settle(large.evaluated(), at: Self.instant, isLast: false)
      #expect(settled.query == nil)
      #expect(Self.told(settled) == Self.told(Self.decide(&plain, 1, Self.listen(query))))
      // Further listens with the same query need no evaluation.
      #expect(Self.decide(&engine, 2, Self.listen(query)).query == nil)
    }
  }

  @Test func `a query whose index is stored, and one over few children, start at once`() throws {
    let root = Node.empty.replacing(Path("a"), with: Self.children(200)).replacing(
      Path("few"), with: Self.children(10))
    var engine = try Self.engine(root)
    let first = try #require(Self.decide(&engine, 1, Self.listen(Query(order: Self.byOther, limit: .last(2)))).query)
    _ = engine.settle(first.evaluated(), at: Self.instant, isLast: false)
    #expect(Self.decide(&engine, 2, Self.listen(Query(order: Self.byOther, limit: .last(9)))).query == nil)
    #expect(Self.decide(&engine, 2, Self.listen(Query(order: .key, limit: .first(5)), tag: 2)).query == nil)
    let few = ListenRequest(Path("few"), query: Query(order: Self.byOther, limit: .last(2)), tag: 3)
    #expect(Self.decide(&engine, 2, .listen(few)).query == nil)
  }

  @Test func `a get makes the index that the rules declare, and reads by it`() throws {
    var engine = try Self.engine(Node.empty.replacing(Path("a"), with: Self.children(200)))
    let query = Query(order: Self.byTime, limit: .last(2))
    let aside = Self.decide(&engine, 1, .get(Path("a"), query))
    let found = try #require(aside.query).evaluated()
    #expect(aside.effects.isEmpty && found.shown == nil)
    let settled = engine.settle(found, at: Self.instant, isLast: false)
    guard case .reply(_, _, .result(let result))? = settled.effects.last else { throw MissingReply() }
    #expect(result.childrenReadMax == 2 && result.node.childCount == 2)
    #expect(Self.decide(&engine, 2, .get(Path("a"), query)).query == nil)
    let undeclared = Self.decide(&engine, 2, .get(Path("a"), Query(order: Self.byOther, limit: .last(2))))
    #expect(undeclared.query == nil && Self.told(undeclared).count == 1)
  }

  @Test func `a client without read permission is refused before the query runs`() throws {
    var engine = try Self.engine(
      Node.empty.replacing(Path("a"), with: Self.children(200)), rules: #"{"rules": {".write": true}}"#)
    let batch = Self.decide(&engine, 1, Self.listen(Query(order: Self.byOther, limit: .last(2))))
    #expect(batch.query == nil && Self.told(batch).last == "1 permission-denied")
  }

  @Test func `a query whose location was replaced meanwhile is evaluated again, up to its last attempt`() throws {
    var engine = try Self.engine(Node.empty.replacing(Path("a"), with: Self.children(3_000)))
    let query = Query(order: Self.byOther, limit: .last(1))
    let first = try #require(Self.decide(&engine, 1, Self.listen(query)).query)
    let others = (0..<3_000).reduce(Node.empty) { $0.replacing(Path("k\($1)"), with: Self.child($1 + 1)) }
    let write = Self.decide(&engine, 2, Self.put("a", others))
    if let large = write.largeCommand { _ = try Self.settle(&engine, large) }
    #expect(engine.state.root[Path("a/k0/ts")] == Node(.int(1)))
    let again = engine.settle(first.evaluated(), at: Self.instant, isLast: false)
    #expect(again.effects.isEmpty && again.query != nil)
    let last = engine.settle(first.evaluated(), at: Self.instant, isLast: true)
    #expect(last.query == nil && Self.told(last).contains("1 ok no_index"), "\(Self.told(last))")
    // The listener receives all children, and none was examined before other commands.
    #expect(Self.told(last).first?.contains("k2999") == true)
    #expect(last.work.allSatisfy { $0.steps < 3_000 })
  }

  @Test func `the requesting client is charged for the query, on the owner and on followers`() throws {
    let root = Node.empty.replacing(Path("a"), with: Self.children(3_000))
    var engine = try Self.engine(root)
    let aside = Self.decide(&engine, 1, Self.listen(Query(order: Self.byOther, limit: .last(2))))
    let settled = engine.settle(try #require(aside.query).evaluated(), at: Self.instant, isLast: false)
    let payer = WorkPayer(ConnectionID(rawValue: 1))
    #expect(settled.backgroundWork.first { $0.payer == payer }.map { $0.steps >= 3_000 } == true)
    var plain = try Self.engine(root, inLine: .max)
    let batch = Self.decide(&plain, 1, Self.listen(Query(order: Self.byOther, limit: .last(2))))
    #expect(batch.work.first { $0.payer == payer }.map { $0.steps >= 3_000 } == true)
  }

  @Test func `random queries in slices have the same result as whole ones, with interleaved commands`() throws {
    var random = SeededRandom(seed: 5)
    var (asideCount, followedCount) = (0, 0)
    for _ in 0..<Torture.count(sample: 300, full: 10_000) {
      let root = Node.empty.replacing(Path("a"), with: Self.value(&random))
      var (engine, plain) = (try Self.engine(root, inLine: 2), try Self.engine(root, inLine: .max))
      for tag in 1...Int32(2) {
        let query = Self.query(&random)
        let hash = random.isOne(in: 3) ? QueryResult(query, of: root[Path("a")]).node.simpleHash() : ""
        let action = Self.listen(query, hash: hash, tag: tag)
        let aside = Self.decide(&engine, 1, action)
        if aside.largeCommand == nil {
          try #require(Self.told(aside) == Self.told(Self.decide(&plain, 1, action)), "\(query)")
        }
        for _ in 0..<random.below(3) {
          let path = random.pick(["a", "a/k1", "a/k2/other", "a/k9", "b"])
          let other = Self.put(path, path == "a" ? Self.value(&random) : Self.child(random.below(9)))
          var mine = Self.decide(&engine, 2, other)
          if let large = mine.largeCommand { mine = try Self.settle(&engine, large) }
          try #require(Self.told(mine) == Self.told(Self.decide(&plain, 2, other)))
          followedCount += aside.largeCommand == nil ? 0 : 1
        }
        guard let large = aside.largeCommand else { continue }
        asideCount += 1
        let settled = try Self.settle(&engine, large)
        try #require(Self.told(settled) == Self.told(Self.decide(&plain, 1, action)), "\(query)")
      }
      for number in 0..<4 {
        let after = Self.put("a/k\(random.below(8))", random.isOne(in: 4) ? .empty : Self.child(number + 3))
        try #require(Self.told(Self.decide(&engine, 3, after)) == Self.told(Self.decide(&plain, 3, after)))
      }
    }
    #expect(asideCount > 100 && followedCount > 50)
  }

  private static func query(_ random: inout SeededRandom) -> Query {
    var query = Query(order: random.pick([byOther, byTime, .key, .value, .priority]))
    if random.isOne(in: 2) { query.limit = random.pick([.first(1), .last(2), .first(4)]) }
    if random.isOne(in: 2), query.order != .key {
      query.start = Query.Bound(value: .int(Int64(random.pick([2, 990, 996]))))
    }
    return query
  }

  private static func value(_ random: inout SeededRandom) -> Node {
    (0..<random.below(9)).reduce(Node.empty) { node, _ in
      node.replacing(Path("k\(random.below(8))"), with: random.isOne(in: 4) ? Node(.int(3)) : child(random.below(9)))
    }
  }
}
