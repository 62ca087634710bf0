import HearthRules
import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

/// Tests of commits to a location with many live queries: how many queries one command updates before other commands,
/// and all events in the end. The tests count work and measure no time.
@Suite struct QueryBacklogTests {
  /// An engine, and the data of its clients by connection and tag.
  private struct Fixture {
    var engine: Engine
    var replicas: [TaggedRecipient: Node] = [:]
    var effects: [Effect] = []

    init(inlineQueriesMax: Int = 256, data: Node = .empty) throws {
      let rules = #"{"rules": {".read": true, ".write": true, "m": {".indexOn": "n"}}}"#
      var limits = EngineLimits()
      limits.inlineQueriesMax = inlineQueriesMax
      engine = Engine(state: DatabaseState(root: data, rules: try RuleSet.compile(rules), position: 0), limits: limits)
    }

    @discardableResult
    mutating func perform(_ connection: UInt64, _ action: Command.Action) -> Batch {
      let command = Command(connection: ConnectionID(rawValue: connection), request: 1, action: action)
      let batch = engine.decide([command], at: Instant(wallMilliseconds: 1, monotonicMilliseconds: 1))
      effects = batch.effects
      for case .queryEvent(let event, let recipients) in batch.effects {
        for recipient in recipients { apply(event, to: recipient) }
      }
      return batch
    }

    @discardableResult
    mutating func put(_ connection: UInt64, _ path: String, _ node: Node) -> Batch {
      perform(connection, .write(WriteOperation(.put(Location(path: Path(path)), WriteValue(node)))))
    }

    mutating func listen(_ connection: UInt64, _ query: Query, tag: Int32) {
      perform(connection, .listen(ListenRequest(Path("m"), query: query, tag: tag)))
    }

    mutating func drain() -> Int {
      var count = 0
      while engine.hasPendingRedecisions {
        perform(9, .tick)
        count += 1
      }
      return count
    }

    var queryEventCount: Int { effects.filter { if case .queryEvent = $0 { true } else { false } }.count }

    private mutating func apply(_ event: Event, to recipient: TaggedRecipient) {
      let below = Path(Array(event.path.keys.dropFirst()))
      var node = replicas[recipient] ?? .empty
      switch event.change {
      case .put(let value): node = node.replacing(below, with: value)
      case .merge(let entries):
        for entry in entries { node = node.replacing(below.appending(entry.path), with: entry.node) }
      case .ranges: Issue.record("ranges without a compound hash")
      }
      replicas[recipient] = node
    }
  }

  private static func last(_ count: Int) -> Query { Query(order: .key, limit: .last(count)) }

  @Test func `live queries wait while the event loops are behind, and then receive all commits at once`() throws {
    var fixture = try Fixture(inlineQueriesMax: 2)
    for connection in [UInt64(1), 2] { fixture.perform(connection, .connect) }
    for tag in Int32(1)...5 { fixture.listen(1, Self.last(Int(tag)), tag: tag) }
    fixture.engine.setDeliveriesWaiting(EngineLimits().deliveriesWaitingMax + 1)
    for number in 0..<3 { fixture.put(2, "m/c\(number)", Node(.bool(true))) }
    #expect(fixture.queryEventCount == 0 && !fixture.engine.hasPendingRedecisions)
    #expect(fixture.engine.nextDeadlineMonotonicMilliseconds == 2, "they are tried again a millisecond later")
    fixture.engine.setDeliveriesWaiting(0)
    #expect(fixture.engine.hasPendingRedecisions)
    _ = fixture.drain()
    for tag in Int32(1)...5 {
      let recipient = TaggedRecipient(connection: ConnectionID(rawValue: 1), tag: tag)
      #expect(fixture.replicas[recipient]?.childCount == min(3, Int(tag)))
    }
    #expect(fixture.engine.nextDeadlineMonotonicMilliseconds == nil)
  }

  @Test func `a write below 2,000 queries updates one slice of them in its turn, and all in the end`() throws {
    var fixture = try Fixture()
    for connection in [UInt64(1), 2] { fixture.perform(connection, .connect) }
    for tag in 1...2_000 { fixture.listen(1, Self.last(tag), tag: Int32(tag)) }
    let limits = EngineLimits()
    let eventsMax = limits.redecisionStepsPerSlice / EngineLimits.queryEventSteps + 1
    var batch = fixture.put(2, "m/c", Node(.int(1)))
    #expect(fixture.queryEventCount <= eventsMax && fixture.queryEventCount > 0)
    // The answer does not wait for the updates.
    #expect(batch.tally[.written] == 1)
    var count = 0
    while fixture.engine.hasPendingRedecisions {
      // Further writes cost no more, and share events with the writes before.
      batch = fixture.put(2, "m/c", Node(.int(Int64(count))))
      #expect(fixture.queryEventCount <= eventsMax)
      #expect(batch.work.allSatisfy { $0.steps <= 2 * limits.redecisionStepsPerSlice })
      count += 1
      if count == 20 { break }
    }
    #expect(count == 20)
    _ = fixture.drain()
    for tag in 1...2_000 {
      let recipient = TaggedRecipient(connection: ConnectionID(rawValue: 1), tag: Int32(tag))
      #expect(fixture.replicas[recipient] == Node.empty.replacing(Path("c"), with: Node(.int(19))))
    }
  }

  @Test func `a connection with many queries pays for their updates, whichever client writes`() throws {
    var fixture = try Fixture()
    for connection in [UInt64(1), 2] { fixture.perform(connection, .connect) }
    for tag in 1...1_000 { fixture.listen(1, Self.last(tag), tag: Int32(tag)) }
    let batch = fixture.put(2, "m/c", Node(.int(1)))
    func paid(by connection: UInt64) -> Int {
      batch.work.filter { $0.payer.connection == ConnectionID(rawValue: connection) }.reduce(0) { $0 + $1.steps }
    }
    // The connection with many queries.
    #expect(paid(by: 1) >= EngineLimits().redecisionStepsPerSlice)
    #expect(paid(by: 2) < EngineLimits().redecisionStepsPerSlice)
  }

  @Test func `the writer pays for queries of connections that have few`() throws {
    var fixture = try Fixture(inlineQueriesMax: 4)
    for connection in UInt64(1)...40 { fixture.perform(connection, .connect) }
    for connection in UInt64(1)...39 {
      for tag in Int32(1)...20 { fixture.listen(connection, Self.last(Int(connection) * 20 + Int(tag)), tag: tag) }
    }
    let batch = fixture.put(40, "m/c", Node(.int(1)))
    let paid = batch.work.filter { $0.payer.connection == ConnectionID(rawValue: 40) }.reduce(0) { $0 + $1.steps }
    #expect(paid >= EngineLimits().redecisionStepsPerSlice)
  }

  @Test func `the writer's queries are updated before its response`() throws {
    var fixture = try Fixture(inlineQueriesMax: 4)
    for connection in [UInt64(1), 2] { fixture.perform(connection, .connect) }
    for tag in 1...300 { fixture.listen(1, Self.last(tag), tag: Int32(tag)) }
    fixture.listen(2, Self.last(500), tag: 7)
    fixture.put(2, "m/c", Node(.int(1)))
    let own = fixture.effects.firstIndex { effect in
      if case .queryEvent(_, let to) = effect { return to.contains { $0.connection == ConnectionID(rawValue: 2) } }
      return false
    }
    let answer = fixture.effects.firstIndex { if case .reply = $0 { true } else { false } }
    #expect(try #require(own) < #require(answer))
  }

  @Test(arguments: [0, 3, 1_000])
  func `random writes leave every query with its result, after any delay`(inlineQueriesMax: Int) throws {
    var random = SeededRandom(seed: UInt64(inlineQueriesMax + 1))
    for _ in 0..<Torture.count(sample: 12, full: 300) {
      var fixture = try Fixture(inlineQueriesMax: inlineQueriesMax)
      for connection in [UInt64(1), 2] { fixture.perform(connection, .connect) }
      var queries: [Int32: Query] = [:]
      for number in 0..<120 {
        switch random.below(8) {
        case 0:
          let tag = Int32(random.below(12))
          queries[tag] = Self.query(&random)
          fixture.replicas[TaggedRecipient(connection: ConnectionID(rawValue: 1), tag: tag)] = nil
          fixture.listen(1, queries[tag] ?? .everything, tag: tag)
          // The same query under another tag replaces the first.
          queries = queries.filter { $0.key == tag || $0.value != queries[tag] }
        case 1:
          guard let tag = queries.keys.sorted().first else { continue }
          queries[tag] = nil
          fixture.perform(1, .unlisten(Path("m"), query: nil, tag: tag))
        case 2: fixture.put(2, random.isOne(in: 4) ? "" : "m", Self.whole(&random))
        default:
          let child = random.isOne(in: 4) ? Node.empty : Self.child(&random)
          fixture.put(2, "m/k\(random.below(9))", child)
        }
        guard number % 7 == 0 else { continue }
        _ = fixture.drain()
        for (tag, query) in queries {
          let recipient = TaggedRecipient(connection: ConnectionID(rawValue: 1), tag: tag)
          let found = QueryResult(query, of: fixture.engine.state.root[Path("m")]).node
          try #require((fixture.replicas[recipient] ?? .empty) == found, "\(query)")
        }
      }
      #expect(fixture.engine.queries.outdated.isEmpty)
    }
  }

  private static func query(_ random: inout SeededRandom) -> Query {
    let order: Query.Order = random.isOne(in: 2) ? .key : .child(Path("n"))
    let limit = 1 + random.below(4)
    return Query(order: order, limit: random.isOne(in: 2) ? .first(limit) : .last(limit))
  }

  private static func child(_ random: inout SeededRandom) -> Node {
    Node.empty.replacing(Path("n"), with: Node(.int(Int64(random.below(5)))))
  }

  private static func whole(_ random: inout SeededRandom) -> Node {
    (0..<9).reduce(Node.empty) { node, number in
      random.isOne(in: 2) ? node : node.replacing(Path("k\(number)"), with: child(&random))
    }
  }
}
