import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

/// Tests of the cost of live queries and indexes, by counters, and of the release of their memory.
@Suite struct QueryCostTests {
  private static let rules = """
    {"rules": {".read": true, ".write": true, "m": {".indexOn": "n"}}}
    """

  /// Returns an engine with children `k000000…` of `/m`, each with its index under `n`.
  private static func host(childCount: Int, rules: String = rules, limits: EngineLimits = EngineLimits()) throws
    -> EngineHost
  {
    var builder = NodeBuilder()
    builder.open()
    for i in 0..<childCount {
      builder.key(key(i))
      builder.open()
      builder.key("n")
      builder.leaf(.int(Int64(i)))
      builder.close()
    }
    builder.close()
    let root = Node.empty.replacing("m", with: builder.finish())
    let state = DatabaseState(root: root, rules: try RuleSet.compile(rules), position: 0)
    return EngineHost(engine: Engine(state: state, limits: limits))
  }

  private static func key(_ i: Int) -> Key { Key("k" + String("\(1_000_000 + i)".dropFirst())) }

  private static let last100 = Query(order: .child(Path("n")), limit: .last(100))

  @Test func `a write to 200,000 children costs a live query a few entries, for any number of listeners`() throws {
    var host = try Self.host(childCount: 200_000)
    for connection in 1...1_000 {
      host.perform(connection, .connect)
      let cost = host.cost {
        $0.perform(connection, .listen(ListenRequest(Path("m"), query: Self.last100, tag: Int32(connection))))
      }
      if connection > 1 { #expect(cost == QueryCost(), "a listen to the same query works something out again") }
    }
    var random = SeededRandom(seed: 1)
    var eventCount = 0
    for _ in 0..<200 {
      // Most writes are below the window, some in it, and some above it.
      let (i, n) = (
        random.below(200_100), Int64(random.isOne(in: 2) ? 199_850 + random.below(400) : random.below(200_000))
      )
      let location = Location(path: Path([Key("m"), Self.key(i), Key("n")]))
      let isRemoval = random.isOne(in: 4)
      let value = WriteValue(isRemoval ? .empty : Node(.int(n)))
      let cost = host.cost { $0.perform(1, .write(WriteOperation(.put(location, value)))) }
      #expect(cost.entriesRead + cost.entriesWritten <= 40 && cost.childrenScanned == 0, "\(cost)")
      let events = host.effects.compactMap { effect in
        if case .queryEvent(_, let recipients) = effect { recipients.count } else { nil }
      }
      #expect(events.allSatisfy { $0 == 1_000 } && events.count <= 1)
      eventCount += events.count
    }
    #expect(eventCount > 50)
    #expect(host.result(Self.last100) == host.replica(of: 1_002, Self.last100))
  }

  @Test func `a declared index is made at its first use, and then read`() throws {
    var host = try Self.host(childCount: 20_000)
    var query = Self.last100
    #expect(host.cost { $0.read(query) }.childrenScanned >= 20_000)
    query.limit = .first(3)
    #expect(host.cost { $0.read(query) } == QueryCost())
    let location = Location(path: Path([Key("m"), Self.key(5), Key("n")]))
    host.perform(1, .write(WriteOperation(.put(location, WriteValue(Node(.int(-1)))))))
    var cost = QueryCost()
    let found = host.readResult(query).node(cost: &cost)
    #expect(found.children.map(\.key) == [Self.key(0), Self.key(1), Self.key(5)])
    #expect(cost.childrenScanned == 0 && cost.entriesRead <= 10)
  }

  @Test func `a query over few children makes no index, also after many were removed`() throws {
    var host = try Self.host(childCount: 255)
    host.read(Self.last100)
    #expect(host.engine.listens.isIdle)
    host.put(Self.key(300), 1)
    host.read(Self.last100)
    #expect(host.engine.listens.queriedLocationCount == 1)
    host.perform(1, .write(WriteOperation(.put(Location(path: Path("m")), WriteValue(Node(.int(1)))))))
    #expect(host.engine.listens.isIdle)
    #expect(host.engine.listens.root.children.isEmpty)
  }

  @Test func `an unused index is dropped as its children are removed`() throws {
    var host = try Self.host(childCount: 300)
    host.read(Self.last100)
    #expect(host.engine.listens.queriedLocationCount == 1)
    for i in 0..<300 {
      let location = Location(path: Path([Key("m"), Self.key(i)]))
      host.perform(1, .write(WriteOperation(.put(location, WriteValue(.empty)))))
    }
    #expect(host.engine.listens.isIdle && host.engine.listens.root.children.isEmpty)
  }

  @Test func `results are shared by many queries that match nearly everything`() throws {
    var host = try Self.host(childCount: 300)
    host.perform(1, .connect)
    for i in 1...50 {
      let query = Query(order: .key, limit: .last(200 + i))
      host.perform(1, .listen(ListenRequest(Path("m"), query: query, tag: Int32(i))))
      #expect(host.engine.listens.results.count <= RecentResults.countMax)
    }
    #expect(host.engine.listens.results.count == RecentResults.countMax)
    host.perform(1, .disconnect)
    #expect(host.engine.listens.results.count == 0)
  }

  @Test func `a write outside all windows in key order is not followed, and stores no result`() throws {
    var host = try Self.host(childCount: 300)
    host.perform(1, .connect)
    func followed(_ host: EngineHost, _ content: WriteOperation.Change) throws -> [[Key]] {
      let state = host.engine.state
      let candidate = try Candidate(WriteOperation(content), on: state.root, nowMilliseconds: 1, limits: EngineLimits())
      return FanOut(candidate.commit(after: state), to: host.engine.listens).queryChanges.map { queryChange in
        guard case .children(let children) = queryChange.change else { return [] }
        return children.entries.map(\.name)
      }
    }
    func put(_ i: Int) -> WriteOperation.Change {
      .put(Location(path: Path([Key("m"), Self.key(i), Key("n")])), WriteValue(Node(.int(-5))))
    }
    let bounded = Query(order: .key, end: Query.Bound(value: .string(Self.key(9).text)))
    host.perform(1, .listen(ListenRequest(Path("m"), query: bounded, tag: 1)))
    #expect(host.engine.listens.results.count == 1)
    #expect(try followed(host, put(200)) == [[Self.key(200)]], "its result is of the version before")
    host.perform(1, .write(WriteOperation(put(201))))
    #expect(host.engine.listens.results.count == 0)
    #expect(try followed(host, put(200)).isEmpty)
    #expect(try followed(host, put(9)) == [[Self.key(9)]])
    host.perform(1, .listen(ListenRequest(Path("m"), query: Query(order: .key, limit: .last(5)), tag: 2)))
    host.perform(1, .write(WriteOperation(put(299))))
    #expect(try followed(host, put(200)).isEmpty)
    #expect(try followed(host, put(295)) == [[Self.key(295)]])
    #expect(try followed(host, put(400)) == [[Self.key(400)]])
    host.perform(1, .listen(ListenRequest(Path("m"), query: Self.last100, tag: 3)))
    host.perform(1, .write(WriteOperation(put(298))))
    #expect(try followed(host, put(200)) == [[Self.key(200)]], "another order is kept up to date by every write")
  }

  @Test func `the last listener's end removes its window and an undeclared index`() throws {
    var host = try Self.host(childCount: 1_000)
    let queries = [
      Self.last100, Query(order: .child(Path("x")), limit: .first(2)), Query(order: .value, limit: .last(1)),
      Query(order: .key, start: Query.Bound(value: .string("k5"))), Query(limit: .first(7)),
    ]
    for connection in 1...2 {
      host.perform(connection, .connect)
      for (i, query) in queries.enumerated() {
        host.perform(connection, .listen(ListenRequest(Path("m"), query: query, tag: Int32(i))))
      }
    }
    #expect(host.engine.listenCount == 10)
    #expect(host.engine.listens.undeclaredEntries > 1_000)
    let locationQueries = try #require(host.engine.listens.node(at: Path("m"))?.locationQueries)
    #expect(locationQueries.groups.count == 5 && locationQueries.indexes.count == 4)
    host.perform(2, .disconnect)
    #expect(locationQueries.groups.count == 5)
    for (i, query) in queries.enumerated() {
      host.perform(1, .unlisten(Path("m"), query: query, tag: Int32(i)))
    }
    #expect(host.engine.listens.undeclaredEntries == 0)
    #expect(locationQueries.groups.isEmpty)
    #expect(Set(locationQueries.indexes.map(\.index.order)) == [.child(Path("n")), .priority])
    host.perform(1, .deployRules(try RuleSet.compile(#"{"rules": {".read": true, ".write": true}}"#)))
    #expect(locationQueries.indexes.map(\.index.order) == [.priority])
    host.perform(1, .write(WriteOperation(.put(Location(path: .root), WriteValue(.empty)))))
    #expect(host.engine.listens.isIdle && host.engine.listens.root.children.isEmpty)
  }

  @Test func `undeclared indexes stay within their budget, also when the location grows`() throws {
    var limits = EngineLimits()
    limits.undeclaredIndexEntriesMax = 5_000
    var host = try Self.host(childCount: 500, limits: limits)
    host.perform(1, .connect)
    for i in 0..<50 {
      // Ordered by a value that most children have, so that each has an entry.
      let query = Query(order: i == 0 ? .value : .child(Path("n")), limit: .last(i + 1))
      host.perform(1, .listen(ListenRequest(Path("m"), query: query, tag: Int32(i))))
    }
    for i in 0..<200 {
      let query = Query(order: .child(Path("x\(i)")), limit: .last(1))
      host.perform(1, .listen(ListenRequest(Path("m"), query: query, tag: Int32(100 + i))))
      #expect(host.engine.listens.undeclaredEntries <= limits.undeclaredIndexEntriesMax)
    }
    for i in 600..<700 {
      host.put(Self.key(i), 1)
      #expect(host.engine.listens.undeclaredEntries <= limits.undeclaredIndexEntriesMax)
    }
  }

  @Test func `a live query that may not be evaluated is sent all children`() throws {
    var limits = EngineLimits()
    limits.undeclaredChildrenMax = 100
    var host = try Self.host(childCount: 101, limits: limits)
    host.perform(1, .connect)
    let bound = Query.Bound(value: .int(5))
    for (order, count) in [(Query.Order.child(Path("n")), 6), (.child(Path("x")), 101), (.value, 101), (.key, 6)] {
      let end = order == .key ? Query.Bound(value: .string(Self.key(5).text)) : bound
      let query = Query(order: order, end: end)
      let scanned = host.cost { $0.perform(1, .listen(ListenRequest(Path("m"), query: query, tag: 1))) }.childrenScanned
      #expect(host.firstValue?.childCount == count, "\(order)")
      #expect(count < 101 || scanned == 0, "\(order)")
    }
  }

  @Test func `a hash is compared with the result of the query`() throws {
    var host = try Self.host(childCount: 300)
    host.perform(1, .connect)
    let hash = host.result(Self.last100).simpleHash()
    host.perform(1, .listen(ListenRequest(Path("m"), hash: hash, query: Self.last100, tag: 9)))
    #expect(host.firstValue == nil)
    host.perform(1, .listen(ListenRequest(Path("m"), hash: "", query: Self.last100, tag: 9)))
    #expect(host.firstValue?.childCount == 100)
  }

  @Test func `the error of a missing index names path and order in the form that clients look for`() throws {
    var host = try Self.host(childCount: 1, rules: #"{"rules": {".read": true}}"#)
    let texts: [(Query.Order, String, String)] = [
      (.child(Path("a/b")), "m", "a/b\", for path \"/m\""), (.value, "m/k", ".value\", for path \"/m/k\""),
      (.child(Path("x")), "", "x\", for path \"/\""),
    ]
    for (order, path, text) in texts {
      host.perform(1, .get(Path(path), Query(order: order)))
      guard case .reply(_, _, .failure(let failure))? = host.effects.last else {
        Issue.record("no refusal")
        continue
      }
      #expect(failure.code == .indexNotDefined)
      #expect(failure.message == "Index not defined, add \".indexOn\": \"\(text), to the rules")
    }
    var limits = EngineLimits()
    limits.requiresIndexForGets = false
    var free = try Self.host(childCount: 5, rules: #"{"rules": {".read": true}}"#, limits: limits)
    #expect(free.readResult(Query(order: .child(Path("n")), limit: .last(2))).node.childCount == 2)
  }
}
