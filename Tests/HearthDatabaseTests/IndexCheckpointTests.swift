import Foundation
import HearthJournal
import HearthPages
import HearthRules
import HearthTestKit
import RandomTestKit
import Testing

@testable import HearthDatabase
@testable import HearthEngine
@testable import HearthTree

/// Tests of databases whose checkpoints have indexes.
@Suite struct IndexCheckpointTests {
  private static let rules = #"""
    {"rules": {".read": true, ".write": true, "list": {".indexOn": ["n", "name"]}}}
    """#
  private static let order = Query.Order.child(Path("n"))

  /// A database with a list of children, their index, and a checkpoint of both.
  private struct Fixture {
    let host = DatabaseHost()
    var journal = MemoryJournal()
    var database: Database
    var random = SeededRandom(seed: 5)

    init(count: Int) throws {
      database = try host.database(journal, rules: IndexCheckpointTests.rules, limits: Self.limits, isPaged: true)
      let children = (0..<count).map { (Path("c\($0)"), Self.child($0, of: count)) }
      write("list", Node.empty.replacing(children))
      checkpoint()
      #expect(get(.last(3)) == expected(.last(3)))
      checkpoint()
    }

    static var limits: DatabaseLimits {
      var limits = DatabaseLimits()
      (limits.cleanedBytesMin, limits.cleaningGraceMilliseconds) = (.max / 4, 0)
      return limits
    }

    /// Returns a child whose place in the order is far from that of its key.
    static func child(_ number: Int, of count: Int) -> Node {
      Node.empty.replacing([
        (Path("n"), Node(.int(Int64(number * 7_919 % count)))), (Path("name"), Node(.string("child \(number)"))),
      ])
    }

    var folder: String { host.pageFolder(of: journal) ?? "" }
    var storage: PagedStorage? { database.snapshots.pagedStorage }
    var indexes: StoredIndexes { database.published.indexes }

    func write(_ path: String, _ node: Node) {
      let count = host.lines.count
      host.send(database, [.write(WriteOperation(.put(Location(path: Path(path)), WriteValue(node))))])
      host.waitUntil { host.lines.count > count }
    }

    /// Makes random changes of children.
    mutating func change(_ count: Int) {
      for _ in 0..<count {
        let number = random.below(4_000)
        let node = random.chance(30) ? Node.empty : Self.child(random.below(9_000), of: 9_001)
        write("list/c\(number)", node)
      }
    }

    func checkpoint() {
      host.finish(database)
      host.waitUntil { database.snapshots.schedule.withLock { $0.begin() } }
      database.snapshots.queue.sync { database.snapshots.write(database.published) }
    }

    /// Opens the database as after a crash, unless it is closed.
    mutating func reopen(rules: String = IndexCheckpointTests.rules, isClosed: Bool = false) throws {
      let again = journal.crash()
      if !isClosed { database.close() }
      journal = again
      database = try host.database(journal, rules: rules, limits: Self.limits, isPaged: true)
    }

    /// Returns the answer to a query by the number of the children, or by another child.
    func get(_ limit: Query.Limit, by child: String = "n") -> String {
      let count = host.lines.count
      let query = Query(order: .child(Path(child)), limit: limit)
      database.submit([
        Command(
          connection: ConnectionID(rawValue: 1), request: 1, principal: .administrator,
          action: .get(Path("list"), query))
      ])
      host.waitUntil { host.lines.count > count }
      host.finish(database)
      return host.lines.last ?? ""
    }

    /// Returns the answer that the data gives without an index.
    func expected(_ limit: Query.Limit) -> String {
      let query = Query(order: IndexCheckpointTests.order, limit: limit)
      let node = QueryResult(query, of: database.published.root.child("list")).node
      return Effect.reply(ConnectionID(rawValue: 1), request: 1, .value(node)).scenarioLines().first ?? ""
    }

    /// Changes a byte of the record that contains a text, in the last checkpoint.
    func damage(_ text: [UInt8]) throws {
      let file = URL(filePath: folder + "/00000000.seg")
      var data = try Data(contentsOf: file)
      let place = try #require(data.range(of: Data(text), options: .backwards))
      data[place.lowerBound] ^= 1
      try data.write(to: file)
    }
  }

  /// The bytes of an entry in the order of the number.
  private static func entry(_ number: Int, key: String) -> [UInt8] {
    IndexKey(.number(Double(number))).bytes + [2] + Array(key.utf8)
  }

  @Test(
    "after a start a query reads the pages of its result, however many children there are", arguments: [2_500, 20_000])
  func start(count: Int) throws {
    var fixture = try Fixture(count: count)
    let start = try #require(fixture.storage?.counts.loadCount)
    try fixture.reopen()
    #expect(fixture.database.recovery.replayedCommitCount == 0 && fixture.indexes.names.count == 1)
    // The files are the same, so that the numbers continue.
    let before = try #require(fixture.storage?.counts.loadCount)
    #expect(before - start < 6, "opening the indexes reads no entries")
    let answer = fixture.get(.last(100))
    let loaded = try #require(fixture.storage?.counts.loadCount) - before
    // A page of the data and a branch for each child, and the pages of their entries.
    #expect(loaded < 260, "\(loaded)")
    #expect(answer == fixture.expected(.last(100)))
    fixture.database.close()
  }

  @Test("indexes follow the log after the checkpoint", arguments: 1...3)
  func replay(seed: UInt64) throws {
    var fixture = try Fixture(count: 3_000)
    fixture.random = SeededRandom(seed: seed)
    for _ in 0..<3 {
      fixture.change(60)
      fixture.write("list/c1/n", Node(.int(-1)))
      fixture.write("list/c2/.priority", Node(.int(1)))
      fixture.write("other", Node(.int(1)))
      try fixture.reopen()
      #expect(fixture.indexes.names.count == 1)
      for limit in [Query.Limit.last(50), .first(50), .last(9_999)] {
        #expect(fixture.get(limit) == fixture.expected(limit))
      }
      if seed == 2 { fixture.checkpoint() }
    }
    // A new value of the whole list has no index until it is needed.
    fixture.write("list", Node.empty.replacing((0..<500).map { (Path("d\($0)"), Fixture.child($0, of: 500)) }))
    try fixture.reopen()
    #expect(fixture.indexes.isEmpty && fixture.get(.last(5)) == fixture.expected(.last(5)))
    #expect(fixture.indexes.names.count == 1)
    fixture.database.close()
  }

  @Test("an index that was built on a quiet database is stored when it is quiet, and when the server stops")
  func quiet() throws {
    var fixture = try Fixture(count: 3_000)
    fixture.host.advance(to: 200_000)
    fixture.database.snapshots.queue.sync {}
    let position = try fixture.journal.currentCheckpoint()?.position
    _ = fixture.get(.last(1), by: "name")
    #expect(fixture.indexes.names.count == 2)
    fixture.database.close(snapshotsEnd: .max)
    try fixture.reopen(isClosed: true)
    #expect(try fixture.journal.currentCheckpoint()?.position == position)
    #expect(fixture.indexes.names.count == 2)
    fixture.database.close()
  }

  @Test("indexes that the rules do not declare, and those of another position, are left out")
  func leftOut() throws {
    var fixture = try Fixture(count: 3_000)
    let old = try PageCheckpoint(try #require(try fixture.journal.currentCheckpoint()).payload)
    try fixture.reopen(rules: PagedDatabaseTests.open)
    #expect(fixture.indexes.isEmpty)
    fixture.write("list/c1/n", Node(.int(99_999)))
    fixture.checkpoint()
    // An older program keeps the settings of the checkpoint that it has opened.
    let current = try #require(try fixture.journal.currentCheckpoint())
    var checkpoint = try PageCheckpoint(current.payload)
    checkpoint.settings = old.settings
    _ = try fixture.journal.completeCheckpoint(at: current.position, payload: checkpoint.bytes)
    try fixture.reopen()
    #expect(fixture.indexes.isEmpty && fixture.get(.last(2)) == fixture.expected(.last(2)))
    fixture.database.close()
  }

  @Test("an index with a page that cannot be read is built again, and its damage is no loss of data")
  func damaged() throws {
    var fixture = try Fixture(count: 3_000)
    let place = 1_234 * 7_919 % 3_000
    fixture.write("list/c1234/n", Node(.int(0)))
    try fixture.damage(Self.entry(place, key: "c1234"))
    let checkpoint = try #require(try fixture.journal.currentCheckpoint())
    let (damages, found) = PageCheckpointReader().examine(checkpoint, in: fixture.folder)
    #expect(found == 1 && damages.first?.finding.hasPrefix("the index of /list by /n cannot be read (no data") == true)
    var copy = SnapshotReader()
    try PageCheckpointReader().forEachChunk(of: checkpoint, in: fixture.folder, skipsUnreadable: false) {
      try copy.read($0)
    }
    #expect(copy.root?.child("list").childCount == 3_000)
    // The log changes the entry.
    try fixture.reopen()
    #expect(fixture.indexes.isEmpty && fixture.get(.last(9)) == fixture.expected(.last(9)))
    #expect(fixture.database.published.root.child("list").child("c1234").child("n").scalar == .int(0))
    fixture.database.close()
  }

  @Test("a commit that meets an unreadable page of an unused index removes the index, and stays")
  func damagedBesideCommits() throws {
    var fixture = try Fixture(count: 3_000)
    try fixture.damage(Self.entry(1_234 * 7_919 % 3_000, key: "c1234"))
    try fixture.reopen()
    #expect(fixture.indexes.names.count == 1)
    fixture.write("list/c1234/n", Node(.int(5_000)))
    #expect(fixture.indexes.isEmpty && fixture.database.status == .running)
    #expect(fixture.get(.last(1)) == fixture.expected(.last(1)))
    fixture.database.close()
  }

  @Test("cleanings move the pages of indexes", arguments: 1...2)
  func cleans(seed: UInt64) throws {
    var fixture = try Fixture(count: 3_000)
    fixture.random = SeededRandom(seed: seed)
    for _ in 0..<3 {
      fixture.change(100)
      fixture.checkpoint()
    }
    _ = try fixture.database.cleaner.clean(.all) { false }
    #expect(!FileManager.default.fileExists(atPath: fixture.folder + "/00000000.seg"))
    #expect(fixture.get(.first(60)) == fixture.expected(.first(60)))
    fixture.change(40)
    try fixture.reopen()
    #expect(fixture.indexes.names.count == 1)
    #expect(fixture.get(.last(9_999)) == fixture.expected(.last(9_999)))
    fixture.database.close()
  }

  @Test("after an erasure no file has the values that indexes had", arguments: [false, true])
  func erases(isUsed: Bool) throws {
    var fixture = try Fixture(count: 3_000)
    let query = Query(order: .child(Path("name")), limit: .last(2))
    if isUsed {
      fixture.host.send(
        fixture.database, [.connect, .listen(ListenRequest(Path("list"), query: query, tag: 1))])
      fixture.host.finish(fixture.database)
    }
    // Every entry's text is the first one of some page, and with it in a branch.
    for number in 0..<60 { fixture.write("list/s\(number)/name", Node(.string("secret \(number * 37 % 60)"))) }
    _ = fixture.get(.last(2), by: "name")
    fixture.checkpoint()
    for number in 0..<60 { fixture.write("list/s\(number)", .empty) }
    fixture.checkpoint()
    _ = try fixture.database.erase(uid: nil, places: (0..<60).map { Path("list/s\($0)") })
    for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder) where name.hasSuffix(".seg") {
      let bytes = try Data(contentsOf: URL(filePath: fixture.folder + "/" + name))
      #expect(bytes.range(of: Data("Esecret".utf8)) == nil)
    }
    #expect(fixture.get(.last(20)) == fixture.expected(.last(20)))
    try fixture.reopen()
    #expect(fixture.get(.last(20)) == fixture.expected(.last(20)))
    fixture.database.close()
  }

  @Test("the pages of an index leave memory")
  func evicts() throws {
    let fixture = try Fixture(count: 50_000)
    func residentBytes() -> Int { fixture.storage?.counts.residentBytes ?? .max }
    fixture.host.waitUntil {
      fixture.host.send(fixture.database, [.tick])
      fixture.host.finish(fixture.database)
      return residentBytes() < 400_000
    }
    // Excesses of less than a quarter of a megabyte are left.
    #expect(residentBytes() < 400_000 && fixture.indexes.tree.heldBytes() > 800_000, "\(residentBytes())")
    #expect(fixture.get(.first(9)) == fixture.expected(.first(9)))
    fixture.database.close()
  }
}
