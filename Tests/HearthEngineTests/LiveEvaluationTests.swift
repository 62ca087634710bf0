import HearthRules
import HearthTestKit
import HearthTree
import Testing

@testable import HearthEngine

/// Tests of live queries that are evaluated in the background after their location was replaced.
@Suite struct LiveEvaluationTests {
  private static let instant = Instant(wallMilliseconds: 7, monotonicMilliseconds: 7)
  private static let query = Query(order: .key, limit: .last(100))

  /// An engine with `/a` of 200 children, and a live query of connections 1 and 2 there.
  private static func engine(
    children count: Int = 200, evaluatesInBackground: Bool = true,
    changing change: (inout EngineLimits) -> Void = { _ in }
  )
    throws -> Engine
  {
    var limits = EngineLimits()
    (limits.inlineQueriedChildrenMax, limits.inlineRedecisionStepsMax, limits.evaluatesInBackground) = (
      20, 50, evaluatesInBackground
    )
    change(&limits)
    let rules = try RuleSet.compile(#"{"rules": {".read": true, ".write": true}}"#)
    let root = Node.empty.replacing(Path("a"), with: children(count, value: 0))
    var engine = Engine(state: DatabaseState(root: root, rules: rules, position: 0), limits: limits)
    for number in 1...3 { _ = engine.decide([command(number, .connect)], at: instant) }
    for number in 1...2 {
      _ = engine.decide([command(number, .listen(ListenRequest(Path("a"), query: query, tag: 1)))], at: instant)
    }
    return engine
  }

  private static func children(_ count: Int = 200, value: Int64) -> Node {
    (0..<count).reduce(Node.empty) { $0.replacing(Path("k\($1)"), with: Node(.int(value))) }
  }

  private static func command(_ connection: Int, _ action: Command.Action) -> Command {
    Command(connection: ConnectionID(rawValue: UInt64(connection)), request: 1, action: action)
  }

  private static func put(_ path: String, _ node: Node) -> Command.Action {
    .write(WriteOperation(.put(Location(path: Path(path)), WriteValue(node))))
  }

  /// Returns the events of a batch: the receiving connections, and the children of the delivered value.
  private static func events(_ batch: Batch) -> [(connections: [UInt64], node: Node)] {
    batch.effects.compactMap { effect in
      guard case .queryEvent(let event, let recipients) = effect, case .put(let node) = event.change else { return nil }
      return (recipients.map(\.connection.rawValue).sorted(), node)
    }
  }

  @Test("a replaced location's live query is evaluated in the background, and the event has the newest value")
  func replaced() throws {
    var engine = try Self.engine()
    var batch = engine.decide([Self.command(3, Self.put("a", Self.children(value: 1)))], at: Self.instant)
    let evaluation = try #require(batch.liveQuery)
    #expect(Self.events(batch).isEmpty && !engine.hasPendingRedecisions, "others go on, and nothing is left to do")
    batch = engine.decide([Self.command(3, Self.put("a/k99", Node(.int(2))))], at: Self.instant)
    #expect(Self.events(batch).isEmpty && batch.liveQuery == nil, "one evaluation at a time")
    batch = engine.settle(evaluated: evaluation.evaluated(), at: Self.instant)
    let events = Self.events(batch)
    #expect(events.map(\.connections) == [[1, 2]] && events[0].node.childCount == 100)
    #expect(events[0].node.child(Key("k99")) == Node(.int(2)))
    batch = engine.decide([Self.command(3, Self.put("a/k98", Node(.int(3))))], at: Self.instant)
    #expect(!batch.effects.isEmpty && batch.liveQuery == nil && engine.queries.outdated.isEmpty)
  }

  @Test("the result equals that of an immediate evaluation")
  func equal() throws {
    var (beside, inLine) = (try Self.engine(), try Self.engine(evaluatesInBackground: false))
    let put = Self.command(3, Self.put("a", Self.children(value: 1).replacing(Path("k199"), with: .empty)))
    let evaluation = try #require(beside.decide([put], at: Self.instant).liveQuery)
    let batch = inLine.decide([put], at: Self.instant)
    let expected = Self.events(batch)
    #expect(batch.liveQuery == nil && expected.count == 1)
    let settled = Self.events(beside.settle(evaluated: evaluation.evaluated(), at: Self.instant))
    #expect(settled.map(\.node) == expected.map(\.node) && settled.map(\.connections) == expected.map(\.connections))
  }

  @Test("a location that is replaced repeatedly is evaluated immediately in the end")
  func outrun() throws {
    // More children than an evaluation tracks as changes.
    let count = 1_100
    var engine = try Self.engine(children: count)
    func put(_ value: Int64) -> Command { Self.command(3, Self.put("a", Self.children(count, value: value))) }
    var (batch, rounds) = (engine.decide([put(1)], at: Self.instant), 0)
    while let evaluation = batch.liveQuery, rounds < 10 {
      rounds += 1
      _ = engine.decide([put(Int64(rounds + 1))], at: Self.instant)
      batch = engine.settle(evaluated: evaluation.evaluated(), at: Self.instant)
    }
    #expect(rounds == LiveEvaluations.invalidatedMax && Self.events(batch).map(\.connections) == [[1, 2]])
  }

  @Test("a listener that ends meanwhile receives no event")
  func ended() throws {
    var engine = try Self.engine()
    let batch = engine.decide([Self.command(3, Self.put("a", Self.children(value: 1)))], at: Self.instant)
    for number in 1...2 { _ = engine.decide([Self.command(number, .disconnect)], at: Self.instant) }
    let settled = engine.settle(evaluated: try #require(batch.liveQuery).evaluated(), at: Self.instant)
    #expect(settled.effects.isEmpty && engine.queries.outdated.isEmpty && engine.queries.evaluations.waiting.isEmpty)
  }

  @Test("the writer's own event precedes the answer to its large write")
  func ownEvent() throws {
    var engine = try Self.engine { $0.largeWriteBytes = 64 }
    var batch = engine.decide(
      [Self.command(1, Self.put("a", Self.children(value: 1)))], at: Self.instant, settingAside: true)
    batch = engine.settle(try #require(batch.setAside).decided(), at: Self.instant)
    #expect(batch.liveQuery == nil && Self.events(batch).map(\.connections) == [[1, 2]])
    guard case .reply(_, _, .written)? = batch.effects.last else {
      Issue.record("the answer comes last")
      return
    }
  }
}
