import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

/// Tests of commands that compare a large value: the comparison runs in the background, and the command is decided as
/// if it had arrived at its end.
@Suite struct LargeComparisonTests {
  private static let instant = Instant(wallMilliseconds: 7, monotonicMilliseconds: 7)

  private static func engine(
    _ root: Node, rules: String = "{\"rules\": {\".read\": true, \".write\": true}}", inLine: Int? = nil
  ) throws -> Engine {
    var limits = EngineLimits()
    if let inLine { limits.inlineHashBytesMax = inLine }
    var engine = Engine(
      state: DatabaseState(root: root, rules: try RuleSet.compile(rules), position: 0), limits: limits)
    for number in 1...4 { _ = engine.decide([command(number, .connect)], at: instant) }
    return engine
  }

  private static func command(_ connection: Int, _ action: Command.Action) -> Command {
    Command(connection: ConnectionID(rawValue: UInt64(connection)), request: 1, action: action)
  }

  private static func put(_ path: String, _ node: Node, hash: String? = nil) -> Command.Action {
    .write(WriteOperation(.put(Location(path: Path(path)), WriteValue(node)), expectedHash: hash))
  }

  private static func told(_ batch: Batch) -> [String] { batch.effects.flatMap { $0.scenarioLines() } }

  private static func decide(_ engine: inout Engine, _ connection: Int, _ action: Command.Action) -> Batch {
    engine.decide([command(connection, action)], at: instant, settingAside: true)
  }

  private static func children(_ count: Int) -> Node {
    (0..<count).reduce(Node.empty) { $0.replacing(Path("k\($1)"), with: Node(.int(Int64($1)))) }
  }

  /// Settles until no command is in the background, without other commands in between.
  private static func settle(_ engine: inout Engine, _ comparison: LargeComparison) throws -> Batch {
    let batch = engine.settle(comparison.compared(), at: instant, isLast: false)
    guard let again = batch.comparison else { return batch }
    let last = engine.settle(again.compared(), at: instant, isLast: false)
    try #require(last.comparison == nil)
    return last
  }

  @Test func `a turn hashes no more than a slice, for every kind of comparison`() throws {
    let large = Node.empty.replacing(Path("large"), with: Self.children(3_000))
    let compound = CompoundHash(hashes: ["a", ""], posts: [Path("k5")])
    let actions: [Command.Action] = [
      Self.put("large", Node(.int(1)), hash: "wrong"),
      .listen(ListenRequest(Path("large"), hash: "wrong")),
      .listen(ListenRequest(Path("large"), hash: "wrong", compound: compound)),
      .listen(ListenRequest(Path("large"), hash: "wrong", query: Query(order: .key, limit: .last(2_000)), tag: 1)),
      .write(
        WriteOperation(
          .merge(Path("large"), [Write(location: Location(path: Path("k1")), value: WriteValue(Node(.int(2))))]),
          expectedHash: "wrong")),
    ]
    for action in actions {
      var engine = try Self.engine(large)
      let batch = Self.decide(&engine, 1, action)
      let comparison = try #require(batch.comparison, "\(action)")
      #expect(batch.effects.isEmpty && batch.commandCount == 1 && !batch.hasCommits)
      // Other commands are decided meanwhile.
      #expect(Self.told(Self.decide(&engine, 2, Self.put("small", Node(.int(1))))) == ["2 written 1"])
      let settled = engine.settle(comparison.compared(), at: Self.instant, isLast: false)
      #expect(settled.comparison == nil && settled.effects.count >= 1)
    }
  }

  @Test func `many ranges of a small value are compared in the background, too`() throws {
    var engine = try Self.engine(Node.empty.replacing(Path("small"), with: Self.children(10)))
    let posts = (0..<2_000).map { Path("k5/x\($0 + 1_000)") }
    let compound = CompoundHash(hashes: Array(repeating: "a", count: 2_000) + [""], posts: posts)
    let batch = Self.decide(&engine, 1, .listen(ListenRequest(Path("small"), hash: "wrong", compound: compound)))
    #expect(batch.comparison != nil)
  }

  @Test func `a small value is compared at once, and so is a large one whose hash is known`() throws {
    let large = Self.children(3_000)
    var engine = try Self.engine(Node.empty.replacing(Path("large"), with: large))
    let first = Self.decide(&engine, 1, .listen(ListenRequest(Path("large"), hash: large.simpleHash())))
    let settled = try Self.settle(&engine, try #require(first.comparison))
    #expect(Self.told(settled) == ["1 ok"])
    let second = Self.decide(&engine, 2, .listen(ListenRequest(Path("large"), hash: large.simpleHash())))
    #expect(second.comparison == nil && Self.told(second) == ["2 ok"])
    let small = Self.decide(&engine, 3, Self.put("large/k1", Node(.int(5)), hash: "wrong"))
    #expect(small.comparison == nil && Self.told(small) == ["3 stale 1"])
  }

  @Test func `a client without read permission is refused before hashing`() throws {
    let root = Node.empty.replacing(Path("large"), with: Self.children(3_000))
    var engine = try Self.engine(root, rules: "{\"rules\": {\".write\": true}}")
    let batch = Self.decide(&engine, 1, Self.put("large", .empty, hash: "wrong"))
    #expect(batch.comparison == nil && Self.told(batch).last == "1 permission-denied")
  }

  @Test
  func `a client without write permission is refused before hashing, unless the value could allow it`()
    throws
  {
    let root = Node.empty.replacing(Path("large"), with: Self.children(3_000))
    let refusing = [
      #"{"rules": {".read": true}}"#,
      #"{"rules": {".read": true, "large": {".write": "auth != null"}, "owner": {}}}"#,
      #"{"rules": {".read": true, "large": {".write": "root.child('owner').val() == 'me'"}}}"#,
      #"{"rules": {".read": true, "large": {".write": "data.child('k1').val() == 7 && newData.exists()"}}}"#,
    ]
    for rules in refusing {
      var engine = try Self.engine(root, rules: rules)
      let batch = Self.decide(&engine, 1, Self.put("large", .empty, hash: "wrong"))
      #expect(batch.comparison == nil && Self.told(batch).last == "1 permission-denied", "\(rules)")
    }
    let allowing = [
      #"{"rules": {".read": true, "large": {".write": "newData.child('k1').val() == data.child('k1').val() + 1"}}}"#,
      #"{"rules": {".read": true, ".write": true, "large": {".validate": "newData.hasChild('k2')"}}}"#,
    ]
    for rules in allowing {
      var engine = try Self.engine(root, rules: rules)
      let late = Self.decide(
        &engine, 1, Self.put("large", .empty.replacing(Path("k1"), with: Node(.int(9))), hash: "wrong"))
      let settled = try Self.settle(&engine, try #require(late.comparison, "\(rules)"))
      #expect(Self.told(settled).last?.hasPrefix("1 stale") == true, "\(rules)")
      let hash = root[Path("large")].simpleHash()
      engine = try Self.engine(root, rules: rules)
      let held = Self.decide(
        &engine, 2, Self.put("large", .empty.replacing(Path("k1"), with: Node(.int(9))), hash: hash))
      #expect(Self.told(try Self.settle(&engine, try #require(held.comparison))).last == "2 permission-denied")
    }
  }

  @Test func `a listener whose comparison is skipped receives the whole value`() throws {
    let large = Self.children(3_000)
    var engine = try Self.engine(Node.empty.replacing(Path("large"), with: large))
    let batch = Self.decide(&engine, 1, .listen(ListenRequest(Path("large"), hash: large.simpleHash())))
    let settled = engine.settle(.notMade(try #require(batch.comparison)), at: Self.instant, isLast: true)
    #expect(Self.told(settled).first?.hasPrefix("1 < put /large") == true && Self.told(settled).last == "1 ok")
    #expect(settled.backgroundWork.isEmpty)
  }

  @Test func `a write whose comparison succeeded is stale when its location has changed meanwhile`() throws {
    let large = Self.children(3_000)
    var engine = try Self.engine(Node.empty.replacing(Path("large"), with: large))
    let batch = Self.decide(&engine, 1, Self.put("large", Node(.int(1)), hash: large.simpleHash()))
    let comparison = try #require(batch.comparison)
    _ = Self.decide(&engine, 2, Self.put("large/k1", Node(.int(9))))
    let again = engine.settle(comparison.compared(), at: Self.instant, isLast: false)
    let second = try #require(again.comparison)
    #expect(again.effects.isEmpty)
    let settled = engine.settle(second.compared(), at: Self.instant, isLast: false)
    #expect(Self.told(settled).first?.hasPrefix("1 stale") == true)
    // At the last attempt any change makes the answer stale.
    let last = engine.settle(comparison.compared(), at: Self.instant, isLast: true)
    #expect(last.comparison == nil && Self.told(last).first?.hasPrefix("1 stale") == true)
    #expect(engine.state.root[Path("large")].childCount == 3_000)
  }

  @Test func `commands of a connection wait for its own write, which waits for a turn and a long comparison`() throws {
    var engine = try Self.engine(Node.empty.replacing(Path("a"), with: Self.children(3)), inLine: 0)
    let late = Self.decide(&engine, 2, Self.put("a", Node(.int(1)), hash: "wrong"))
    _ = try Self.settle(&engine, try #require(late.comparison))
    _ = Self.decide(&engine, 3, Self.put("a/k9", Node(.int(9))))
    let hash = engine.state.root[Path("a")].simpleHash()
    let waiting = Self.decide(&engine, 1, Self.put("a", Node(.int(1)), hash: hash))
    #expect(waiting.comparison == nil && waiting.effects.isEmpty)
    let next = Self.decide(&engine, 1, Self.put("a", Node(.int(2))))
    #expect(next.commandCount == 0 && next.effects.isEmpty)
    let settled = try Self.settle(&engine, try #require(next.comparison))
    #expect(Self.told(settled) == ["1 written 1"])
    #expect(Self.told(Self.decide(&engine, 1, Self.put("a", Node(.int(2))))) == ["1 written 2"])
  }

  @Test func `random comparisons in slices have the same result as whole ones, with interleaved commands`() throws {
    var random = SeededRandom(seed: 11)
    var counts: [String: Int] = [:]
    for _ in 0..<Torture.count(sample: 400, full: 10_000) {
      let root = Node.empty.replacing(Path("a"), with: Self.value(&random))
      var (engine, plain) = (try Self.engine(root, inLine: 0), try Self.engine(root))
      let action = Self.comparing(engine.state.root[Path("a")], &random)
      let aside = Self.decide(&engine, 1, action)
      for _ in 0..<random.below(3) {
        let path = random.pick(["a", "a/k1", "a/k2/x", "b"])
        let other = Self.put(path, random.isOne(in: 3) ? root[Path(path)] : Self.value(&random))
        #expect(Self.told(Self.decide(&engine, 2, other)) == Self.told(Self.decide(&plain, 2, other)))
      }
      let batch = try aside.comparison.map { try Self.settle(&engine, $0) } ?? aside
      let expected = aside.comparison == nil ? nil : plain.decide([Self.command(1, action)], at: Self.instant)
      guard let expected else { continue }
      try #require(Self.told(batch) == Self.told(expected), "\(action)")
      try #require(engine.state.root == plain.state.root)
      try #require(batch.payload == expected.payload)
      for line in Self.told(batch) { counts[String(line.prefix(5)), default: 0] += 1 }
      let after = Self.put("a/k3", Node(.int(77)))
      #expect(Self.told(Self.decide(&engine, 2, after)) == Self.told(Self.decide(&plain, 2, after)))
    }
    #expect(counts["1 sta", default: 0] > 10 && counts["1 wri", default: 0] > 10 && counts["1 ok", default: 0] > 10)
  }

  /// Returns a command that compares the value at `/a`.
  private static func comparing(_ node: Node, _ random: inout SeededRandom) -> Command.Action {
    let query: Query? = random.isOne(in: 3) ? Query(order: .key, limit: .last(2)) : nil
    let shown = query.map { QueryResult($0, of: node).node } ?? node
    let hash = random.isOne(in: 3) ? "wrong" : shown.simpleHash()
    if random.isOne(in: 2) { return put("a", value(&random), hash: random.isOne(in: 3) ? "wrong" : node.simpleHash()) }
    let compound = random.isOne(in: 2) && shown.isInterior ? shown.compoundHash() : nil
    return .listen(
      ListenRequest(Path("a"), hash: hash, query: query, tag: query == nil ? nil : 1, compound: compound))
  }

  private static func value(_ random: inout SeededRandom) -> Node {
    var node = Node.empty
    for key in ["k1", "k2/x", "k2/y", "k3", "k4"] where !random.isOne(in: 3) {
      node = node.replacing(Path(key), with: Node(.int(Int64(random.below(3)))))
    }
    return node.isEmpty ? Node(.int(1)) : node
  }
}
