import Foundation
import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of snapshots that are streamed into page files at a start.
@Suite struct SnapshotConversionTests {
  /// Returns a journal with a snapshot of rooms, an open connection's write and rules, a number of commits after it,
  /// and the data of all that.
  private func stored(_ host: DatabaseHost) throws -> (journal: MemoryJournal, text: [UInt8]) {
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: PagedDatabaseTests.open, isPaged: false)
    PagedDatabaseTests().write(host, database, rooms: 20, messages: 300)
    let rules = try RuleSet.compile(#"{"rules": {".read": "auth == null", ".write": true}}"#)
    let offline = WriteOperation.Change.put(Location(path: Path("rooms/r1/m5")), WriteValue(Node(.int(9))))
    host.send(database, [.deployRules(rules), .connect, .onDisconnect(offline)])
    PagedDatabaseTests().checkpoint(database)
    host.finish(database)
    PagedDatabaseTests().checkpoint(database)
    host.send(database, [.put("rooms/r2/m7", 2), .put("rooms/new", 3)])
    host.finish(database)
    let text = database.published.root.replacing(Path("rooms/r1/m5"), with: Node(.int(9))).json(.export)
    #expect(host.notices == ["snapshot", "snapshot"])
    database.close()
    return (journal.crash(), Array(text))
  }

  private func open(
    _ journal: MemoryJournal, _ host: DatabaseHost, cacheBytes: Int = 0, ageMilliseconds: Int64 = 0
  ) throws -> Database {
    var (environment, limits) = (host.environment, DatabaseLimits())
    (environment.pages, limits.pagedBytesMin) = (PageCache(sizeBytes: cacheBytes), 10_000)
    limits.history.ageMilliseconds = ageMilliseconds
    return try Database(
      name: "test", journals: SingleJournalFactory(journal, pages: host.pageFolder(of: journal)),
      initialRules: .denyAll, environment: environment, limits: limits)
  }

  @Test("a snapshot that is large beside the cache becomes a checkpoint at a start, with its rules and sessions")
  func conversion() throws {
    let host = DatabaseHost()
    var (journal, text) = try stored(host)
    for start in 0..<2 {
      let database = try open(journal, host)
      #expect(Array(database.published.root.json(.export)) == text)
      #expect(database.published.rules.source.contains("auth == null") && database.recovery.snapshotPosition == 22)
      #expect(database.recovery.openSessionCount == (start == 0 ? 1 : 0) || start == 1)
      #expect(database.isPaged && host.notices == ["snapshot", "snapshot", "conversion"])
      database.snapshots.queue.sync {}
      #expect(throws: JournalError(.unsupported, "")) { try journal.currentSnapshot() }
      database.close()
      journal = journal.crash()
    }
  }

  @Test("a snapshot that fits in the cache is loaded, and another one is converted also with a history")
  func loading() throws {
    let host = DatabaseHost()
    var (journal, text) = try stored(host)
    for (cacheBytes, age) in [(10 << 20, 0), (0, 1)] {
      let database = try open(journal, host, cacheBytes: cacheBytes, ageMilliseconds: Int64(age))
      #expect(Array(database.published.root.json(.export)) == text && database.isPaged == (age == 1))
      database.close()
      journal = journal.crash()
    }
    #expect(host.notices == ["snapshot", "snapshot", "conversion"])
  }

  @Test("an interrupted conversion begins again, and what it has left is removed")
  func interruption() throws {
    let host = DatabaseHost()
    let (journal, text) = try stored(host)
    let folder = try #require(host.pageFolder(of: journal))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in 0..<3 { try Data("left".utf8).write(to: URL(filePath: folder + "/0000000\(number).seg")) }
    let database = try open(journal, host)
    #expect(Array(database.published.root.json(.export)) == text && database.isPaged)
    database.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["00000000.seg"])
  }
}
