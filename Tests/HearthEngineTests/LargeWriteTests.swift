import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

/// Tests of writes that are decided in the background: the outcome equals that of a decision at the time of settling.
@Suite struct LargeWriteTests {
  private static let instant = Instant(wallMilliseconds: 7, monotonicMilliseconds: 7)
  private static let user = Principal(auth: .object([JSON.Member("uid", .string("u"))]))

  /// Rules that read data above, beside, before and after the write.
  private static let rules = """
    {"rules": {
      ".read": true,
      "gate": {".write": true}, "list": {".write": true},
      "a": {
        ".write": "root.child('gate').val() != 'shut'",
        ".validate": "newData.hasChildren() || data.child('x').exists()",
        "$k": {".validate": "newData.val() != root.child('list/' + $k).val() && newData.parent().parent().child('b').getPriority() != 2"}
      },
      "b": {
        ".write": "data.parent().child('a').hasChildren() || newData.child('p').exists()",
        "$k": {".write": true, ".validate": "!newData.parent().parent().child('a').child($k).isString()"}
      }
    }}
    """

  private static func engine(_ root: Node = .empty, rules: String = rules, placesMax: Int = 1_024) throws -> Engine {
    var limits = EngineLimits()
    (limits.largeWriteBytes, limits.largeWriteLocationsMax) = (0, placesMax)
    return Engine(state: DatabaseState(root: root, rules: try RuleSet.compile(rules), position: 0), limits: limits)
  }

  private static func command(_ change: WriteOperation.Change, hash: String? = nil) -> Command {
    Command(
      connection: ConnectionID(rawValue: 1), request: 1, principal: user,
      action: .write(WriteOperation(change, expectedHash: hash)))
  }

  private static func put(_ path: String, _ node: Node) -> WriteOperation.Change {
    .put(Location(path: Path(path)), WriteValue(node))
  }

  // MARK: Random writes

  @Test(arguments: [1, 3, 1_024])
  func `random writes in slices have the result of whole ones under interleaved commands`(placesMax: Int) throws {
    var random = SeededRandom(seed: UInt64(placesMax))
    var (settledCount, againCount, deniedCount, commitCount) = (0, 0, 0, 0)
    for _ in 0..<Torture.count(sample: 300, full: 10_000) {
      let root = Self.value(&random, depth: 3)
      var (engine, plain) = (try Self.engine(root, placesMax: placesMax), try Self.engine(root))
      let listen = Command(connection: ConnectionID(rawValue: 5), request: 1, action: .listen(ListenRequest(.root)))
      for command in [Command(connection: listen.connection, action: .connect), listen] {
        _ = engine.decide([command], at: Self.instant)
        _ = plain.decide([command], at: Self.instant)
      }
      let hash = random.isOne(in: 8) ? engine.state.root[Path("a")].simpleHash() : nil
      let large = Self.command(Self.change(&random), hash: hash)
      let aside = engine.decide([large], at: Self.instant, settingAside: true)
      var write = try #require(aside.setAside)
      for _ in 0..<random.below(3) {
        let other = Self.command(Self.change(&random))
        let (batch, expected) = (engine.decide([other], at: Self.instant), plain.decide([other], at: Self.instant))
        #expect(batch.effects.flatMap { $0.scenarioLines() } == expected.effects.flatMap { $0.scenarioLines() })
      }
      var batch = engine.settle(write.decided(), at: Self.instant)
      if let again = batch.setAside {
        againCount += 1
        write = again
        batch = engine.settle(write.decided(), at: Self.instant)
        try #require(batch.setAside == nil)
      } else {
        settledCount += 1
      }
      let expected = plain.decide([large], at: Self.instant)
      // The reported rule is the one that refuses with the data at the time of its decision.
      try #require(Self.told(batch) == Self.told(expected))
      try #require(engine.state.root == plain.state.root)
      try #require(engine.state.position == plain.state.position)
      try #require(batch.payload == expected.payload)
      if batch.hasCommits { commitCount += 1 } else { deniedCount += 1 }
    }
    #expect(settledCount > 60 && againCount > 10 && deniedCount > 10 && commitCount > 60)
  }

  private static func told(_ batch: Batch) -> [String] {
    batch.effects.filter { if case .denied = $0 { false } else { true } }.flatMap { $0.scenarioLines() }
  }

  private static func change(_ random: inout SeededRandom) -> WriteOperation.Change {
    let places = ["a", "a/x", "a/k0", "a/k1", "b", "b/p", "b/k0", "gate", "list/k0", "list/k1", "a/x/y", "b/k1/z"]
    if random.isOne(in: 2) { return put(random.pick(places), value(&random, depth: 2)) }
    var writes: [Write] = []
    for place in places where random.isOne(in: 4) {
      let isPriority = random.isOne(in: 6)
      let location = Location(path: Path(place), isPriority: isPriority)
      let isFree = writes.allSatisfy { other in
        !other.location.path.contains(location.path) && !location.path.contains(other.location.path)
      }
      guard isFree else { continue }
      let node = isPriority ? Node(.int(Int64(random.below(3)))) : value(&random, depth: 1)
      writes.append(Write(location: location, value: WriteValue(node)))
    }
    writes.sort { !$0.location.isPriority && $1.location.isPriority }
    return writes.isEmpty ? put("gate", value(&random, depth: 0)) : .merge(.root, writes)
  }

  private static func value(_ random: inout SeededRandom, depth: Int) -> Node {
    let priority: Scalar? = random.isOne(in: 5) ? .int(Int64(random.below(3))) : nil
    switch random.below(depth > 0 ? 8 : 4) {
    case 0: return .empty
    case 1: return Node(.string(random.pick(["shut", "open"])), priority: priority)
    case 2, 3: return Node(.int(Int64(random.below(3))), priority: priority)
    default:
      var node = Node.empty
      for key in ["a", "b", "x", "k0", "k1", "p", "gate", "list"] where random.isOne(in: 3) {
        node = node.replacing(Path(key), with: value(&random, depth: depth - 1))
      }
      return node.with(priority: priority)
    }
  }

  // MARK: Case by case

  /// Begins `large` in the background, decides `others`, and settles; returns nil when it must be decided again.
  private static func settle(
    _ engine: inout Engine, _ large: WriteOperation.Change, after others: [WriteOperation.Change]
  ) throws -> [String]? {
    let aside = engine.decide([command(large)], at: instant, settingAside: true)
    let write = try #require(aside.setAside)
    for other in others { _ = engine.decide([command(other)], at: instant) }
    let batch = engine.settle(write.decided(), at: instant)
    return batch.setAside == nil ? told(batch) : nil
  }

  private static let big = Node.empty.replacing(Path("k0"), with: Node(.int(5)))

  @Test func `data that a large write did not read may change`() throws {
    var engine = try Self.engine()
    let others = [Self.put("b/k7", Node(.int(1))), Self.put("list/k9", Node(.int(1)))]
    let told = try Self.settle(&engine, Self.put("a", Self.big), after: others)
    #expect(told == ["1 written {\"k0\":5}"])
    #expect(engine.state.root[Path("b/k7")].scalar == .int(1))
    #expect(engine.state.position == 3)
  }

  @Test(arguments: ["gate", "list/k0", "a", "a/z"])
  func `data that a large write read or replaces may not change`(path: String) throws {
    var engine = try Self.engine()
    let told = try Self.settle(&engine, Self.put("a", Self.big), after: [Self.put(path, Self.big)])
    #expect(told == nil)
  }

  @Test func `after other rules or another identity the write is decided again`() throws {
    var engine = try Self.engine()
    let aside = engine.decide([Self.command(Self.put("a", Self.big))], at: Self.instant, settingAside: true)
    let write = try #require(aside.setAside)
    let deploy = Command(
      connection: ConnectionID(rawValue: 1), principal: .administrator, action: .deployRules(.denyAll))
    _ = engine.decide([deploy], at: Self.instant)
    let refused = engine.settle(write.decided(), at: Self.instant)
    let again = try #require(refused.setAside)
    let batch = engine.settle(again.decided(), at: Self.instant)
    #expect(Self.told(batch) == ["1 permission-denied"])
  }

  @Test func `a credential that expires while its write is decided is no longer valid for it`() throws {
    var engine = try Self.engine(rules: #"{"rules": {".write": "auth != null"}}"#)
    let connection = ConnectionID(rawValue: 3)
    let principal = Principal(auth: Self.user.auth, deadlineMonotonicMilliseconds: 10)
    let before = [
      Command(connection: connection, action: .connect),
      Command(connection: connection, action: .authenticate(principal)),
    ]
    _ = engine.decide(before[...], at: Self.instant)
    guard case .write(let operation) = Self.command(Self.put("a", Self.big)).action else { return }
    let command = Command(connection: connection, request: 1, action: .write(operation))
    let aside = engine.decide([command], at: Self.instant, settingAside: true)
    let write = try #require(aside.setAside)
    let later = Instant(wallMilliseconds: 20, monotonicMilliseconds: 20)
    let refused = engine.settle(write.decided(), at: later)
    let again = try #require(refused.setAside)
    let batch = engine.settle(again.decided(), at: later)
    #expect(Self.told(batch) == ["3 permission-denied"])
    #expect(engine.state.root.isEmpty)
  }

  @Test func `a small write with expensive rules is deferred, and leaves no state`() throws {
    let sum = Array(repeating: "root.child('x').val() != 1", count: 40).joined(separator: " && ")
    var engine = try Self.engine(rules: "{\"rules\": {\".write\": \"\(sum)\"}}")
    var limits = EngineLimits()
    limits.largeWriteSteps = 50
    engine = Engine(state: engine.state, limits: limits)
    let batch = engine.decide([Self.command(Self.put("a", Self.big))], at: Self.instant, settingAside: true)
    #expect(batch.effects.isEmpty && batch.commandCount == 1)
    let write = try #require(batch.setAside)
    let settled = engine.settle(write.decided(), at: Self.instant)
    #expect(Self.told(settled) == ["1 written {\"k0\":5}"])
    // The write is decided at once when the caller does not support the background.
    let inLine = engine.decide([Self.command(Self.put("b", Self.big))], at: Self.instant)
    #expect(Self.told(inLine).count == 1 && inLine.setAside == nil)
  }

  @Test func `rules that read more locations than the limit lock all data below a common parent`() throws {
    let rules =
      #"{"rules": {"list": {".write": true}, "b": {".write": true}, "a": {".write": true, "$k": {".validate": "!root.child('list/' + $k).exists()"}}}}"#
    var many = Node.empty
    for i in 0..<RulesLimits.writeReadsMax + 10 { many = many.replacing(Path("k\(i)"), with: Node(.int(1))) }
    var engine = try Self.engine(rules: rules)
    let apart = try Self.settle(&engine, Self.put("a", many), after: [Self.put("b/x", Self.big)])
    let noted = try Self.settle(&engine, Self.put("a", Self.big), after: [Self.put("list/other", Self.big)])
    let below = try Self.settle(&engine, Self.put("a", many), after: [Self.put("list/more", Self.big)])
    #expect(apart != nil && noted != nil && below == nil)
  }
}
