import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of past states, compared with the states that were recorded while they were current.
@Suite struct DatabaseHistoryTests {
  private static let open = "{\"rules\": {\".read\": true, \".write\": true}}"

  /// Limits with a snapshot every few writes and unlimited history.
  private static func limits(
    everyBytes: Int = 400, _ history: HistoryRetention = HistoryRetention(ageMilliseconds: .max)
  ) -> DatabaseLimits {
    var limits = DatabaseLimits()
    limits.snapshotIntervalBytes = everyBytes
    limits.history = history
    limits.engine.recordsAuthors = true
    return limits
  }

  /// Waits until all commits are stored and old ones pruned.
  private func finish(_ host: DatabaseHost, _ database: Database) {
    host.finish(database)
    database.snapshots.queue.sync {}
  }

  private static func write(_ random: inout SeededRandom) -> Command.Action {
    func path(_ random: inout SeededRandom) -> Path {
      Path((0...random.below(3)).map { _ in Key(random.pick(["a", "b", "c"])) })
    }
    func value(_ random: inout SeededRandom) -> Node {
      switch random.below(5) {
      case 0: .empty
      case 1: Node(.string(String(repeating: "x", count: random.below(60))), priority: .int(Int64(random.below(4))))
      default: Node(.int(Int64(random.below(1_000))))
      }
    }
    let place = path(&random)
    if random.isOne(in: 4) {
      let parts = ["d", "e"].map {
        Write(location: Location(path: Path([Key($0)])), value: WriteValue(value(&random)))
      }
      return .write(WriteOperation(.merge(place, parts)))
    }
    let isPriority = random.isOne(in: 6)
    return .write(
      WriteOperation(
        .put(
          Location(path: place, isPriority: isPriority), WriteValue(isPriority ? Node(.int(5)) : value(&random)))))
  }

  @Test(arguments: 0..<6)
  func `the state at each position agrees with the recorded one, across snapshots and restarts`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let host = DatabaseHost()
    var journal = MemoryJournal()
    var database = try host.database(journal, rules: Self.open, limits: Self.limits())
    var states: [Int64: (root: Node, rules: String?, time: Int64)] = [0: (.empty, nil, 0)]
    var time: Int64 = 0
    for step in 1...150 {
      time += Int64(random.below(20))
      host.advance(to: time)
      if random.isOne(in: 40) {
        let rules = "{\"rules\": {\".read\": true, \".write\": true, \"x\(step)\": {}}}"
        host.send(database, [.deployRules(try RuleSet.compile(rules))])
      } else {
        host.send(database, [Self.write(&random)])
      }
      finish(host, database)
      let state = database.published
      if states[state.position] == nil { states[state.position] = (state.root, state.storedRules, time) }
      if random.isOne(in: 50) {
        database.close()
        journal = journal.crash()
        database = try host.database(journal, rules: Self.open, limits: Self.limits())
      }
    }
    #expect(try journal.historyStarts().count > 3)
    let history = database.history
    #expect(try history.oldestPosition() == 0)
    for position in states.keys.shuffled(using: &random) {
      let known = try #require(states[position])
      let whole = try history.state(at: position)
      #expect(whole.node == known.root && whole.storedRules == known.rules, "position \(position)")
      #expect(whole.wallMilliseconds == (position == 0 ? nil : known.time))
      let path = Path((0..<random.below(3)).map { _ in Key(random.pick(["a", "b", "c"])) })
      #expect(try history.state(at: position, of: path).node == known.root[path], "\(path) at \(position)")
    }
    // By time: the last state at or before it.
    for time in stride(from: -1, through: time + 1, by: 7) {
      let expected = states.filter { $0.key == 0 || $0.value.time <= time }.keys.max()
      #expect(try history.position(atMilliseconds: time) == expected)
    }
    try checkChanges(history, states.mapValues { $0.root }, &random)
    database.close()
  }

  /// Expects the changes at locations, page by page, to be the differences between the recorded states.
  private func checkChanges(
    _ history: DatabaseHistory, _ states: [Int64: Node], _ random: inout SeededRandom
  ) throws {
    let positions = states.keys.sorted()
    for path in [Path.root, Path("a"), Path("b/d"), Path("nowhere")] {
      let expected = zip(positions, positions.dropFirst()).filter { states[$0]?[path] != states[$1]?[path] }
        .map { $0.1 }.reversed()
      var (found, before): ([HistoryChange], Int64?) = ([], nil)
      repeat {
        let page = try history.changes(of: path, before: before, countMax: 1 + random.below(9))
        found += page.changes
        before = page.before
      } while before != nil
      #expect(found.map(\.position) == Array(expected), "\(path)")
      for change in found {
        #expect(change.to == states[change.position]?[path] && change.from == states[change.position - 1]?[path])
        #expect(change.author?.isAdministrator == true)
      }
    }
  }

  @Test func `a recently read state is cached, and later ones are derived from it`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open, limits: Self.limits(everyBytes: 1 << 20))
    for i in 1...9 { host.send(database, [.put("a/n\(i)", Int64(i))]) }
    finish(host, database)
    var warm = PastStateCache(HistoryLimits())
    let state = try database.history.state(at: 4, of: Path("a"))
    warm.keep(state, of: 0)
    #expect(warm.nearest(Path("a/n4"), from: 0, to: 8)?.node == Node(.int(4)))
    #expect(warm.nearest(Path("a"), from: 5, to: 8) == nil && warm.nearest(.root, from: 0, to: 8) == nil)
    #expect(warm.nearest(Path("a"), from: 0, to: 3) == nil)
    #expect(try database.history.state(at: 7, of: Path("a")).node.childCount == 7)
    database.close()
  }

  @Test func `the cache of states is small, and no cached state is larger than its limit`() {
    var limits = HistoryLimits()
    (limits.cachedStatesMax, limits.cachedStateBytesMax) = (2, 10_000)
    var warm = PastStateCache(limits)
    for position in 1...3 as ClosedRange<Int64> {
      warm.keep(PastState(path: .root, node: Node(.int(position)), position: position), of: 0)
    }
    #expect(warm.states.map(\.position) == [3, 2])
    // The most recently used state stays in the cache.
    _ = warm.nearest(.root, from: 2, to: 2)
    warm.keep(PastState(path: .root, node: Node(.string(String(repeating: "x", count: 20_000))), position: 4), of: 0)
    warm.keep(PastState(path: .root, node: Node(.int(5)), position: 5), of: 0)
    #expect(warm.states.map(\.position) == [5, 2])
  }

  @Test func `the configured age bounds the history, and older states cannot be read`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let limits = Self.limits(everyBytes: 50, HistoryRetention(ageMilliseconds: 1_000))
    let database = try host.database(journal, rules: Self.open, limits: limits)
    for i in 1...40 as ClosedRange<Int64> {
      host.advance(to: i * 100)
      host.send(database, [.put("a/n", i)])
      finish(host, database)
    }
    let oldest = try database.history.oldestPosition()
    // At clock time 4,000 the state at 3,000 must be available, and little before it.
    #expect((24...29).contains(oldest))
    #expect(try database.history.position(atMilliseconds: 3_000) == 30)
    #expect(try database.history.state(at: 30).node[Path("a/n")] == Node(.int(30)))
    #expect(throws: HistoryError.notRetained(oldestPosition: oldest)) { try database.history.state(at: oldest - 1) }
    #expect(throws: HistoryError.notRetained(oldestPosition: oldest)) {
      try database.history.position(atMilliseconds: 100)
    }
    #expect(throws: HistoryError.notReached(lastPosition: 40)) { try database.history.state(at: 41) }
    database.close()
  }

  @Test(.disabled(if: DatabaseHost.isPaged))
  func `without history no state before a snapshot can be read`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open, limits: Self.limits(everyBytes: 50, .none))
    for i in 1...10 as ClosedRange<Int64> {
      host.send(database, [.put("n\(i)", i)])
      finish(host, database)
    }
    let current = try #require(try journal.currentSnapshot())
    #expect(try journal.snapshots() == [current])
    #expect(try database.history.oldestPosition() == current.position)
    #expect(try database.history.state(at: 10).node.childCount == 10)
    database.close()
  }

  @Test func `history beyond the limit of bytes is removed despite its age, and the operator is notified once`() throws
  {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let retention = HistoryRetention(ageMilliseconds: 1_000_000, sizeBytesMax: 3_000)
    let database = try host.database(journal, rules: Self.open, limits: Self.limits(everyBytes: 300, retention))
    for i in 1...200 as ClosedRange<Int64> {
      host.advance(to: i)
      host.send(database, [.put("n", i)])
      finish(host, database)
    }
    let snapshots = try journal.snapshots()
    let current = try #require(snapshots.last)
    let kept =
      snapshots.dropLast().reduce(0) { $0 + $1.sizeBytes }
      + (try journal.logBytes(after: database.history.oldestPosition(), through: current.position))
    #expect((1_500...3_000).contains(kept))
    #expect(host.notices.filter { $0.hasPrefix("history from") }.count == 1)
    database.close()
  }

  @Test(.disabled(if: DatabaseHost.isPaged))
  func `history in use is not removed`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open, limits: Self.limits(everyBytes: 50, .none))
    func write(_ numbers: ClosedRange<Int64>) {
      for i in numbers {
        host.send(database, [.put("n", i)])
        finish(host, database)
      }
    }
    write(1...5)
    let position = database.published.position
    let hold = database.holdHistory(from: position)
    write(6...20)
    #expect(try database.history.state(at: position).node[Path("n")] == Node(.int(5)))
    hold.end()
    write(21...30)
    #expect(try database.history.oldestPosition() > position)
    database.close()
  }

  @Test func `a record in pieces is counted with its last piece`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    var limits = Self.limits(everyBytes: 1 << 20)
    limits.engine.largeWriteBytes = 200
    limits.recordPieceBytes = 100
    let database = try host.database(journal, rules: Self.open, limits: limits)
    host.send(database, [.put("a", 1)])
    finish(host, database)
    let text = Node(.string(String(repeating: "x", count: 1_000)))
    host.send(database, [.write(WriteOperation(.put(Location(path: Path("big")), WriteValue(text))))])
    host.waitUntil { database.published.root[Path("big")] == text }
    host.send(database, [.put("a", 2)])
    finish(host, database)
    let last = database.published.position
    #expect(last > 8)
    let page = try database.history.changes(of: Path("big"), countMax: 10)
    #expect(page.changes.map(\.position) == [last - 1] && page.changes.first?.to == text)
    #expect(page.changes.first?.author?.isAdministrator == true)
    // In ascending order, so that each read can continue from the one before.
    for position in 1..<last {
      let state = try database.history.state(at: position)
      #expect(state.node[Path("a")] == Node(.int(1)))
      #expect(state.node[Path("big")] == (position == last - 1 ? text : .empty))
    }
    database.close()
  }

  @Test func `a read stops when its caller no longer waits`() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open, limits: Self.limits())
    for i in 1...3 as ClosedRange<Int64> { host.send(database, [.put("n", i)]) }
    finish(host, database)
    #expect(throws: HistoryError.cancelled) { try database.history.state(at: 2, isCancelled: { true }) }
    #expect(throws: HistoryError.cancelled) {
      try database.history.changes(of: .root, countMax: 5, isCancelled: { true })
    }
    database.close()
  }

  @Test func `a search that takes too long returns the position to continue at`() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open, limits: Self.limits(everyBytes: 50))
    for i in 1...20 as ClosedRange<Int64> {
      host.send(database, [.put("n", i)])
      finish(host, database)
    }
    var (positions, before, pageCount): ([Int64], Int64?, Int) = ([], nil, 0)
    repeat {
      let page = try database.history.changes(of: .root, before: before, countMax: 100, isLate: { true })
      positions += page.changes.map(\.position)
      (before, pageCount) = (page.before, pageCount + 1)
    } while before != nil && pageCount < 100
    #expect(positions == Array((1...20).reversed()))
    #expect(pageCount > 2)
    database.close()
  }
}
