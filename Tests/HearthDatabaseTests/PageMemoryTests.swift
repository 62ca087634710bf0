import Foundation
import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of the memory of databases with pages.
@Suite struct PageMemoryTests {
  private func write(_ host: DatabaseHost, _ database: Database, rooms: Int, messages: Int) {
    PagedDatabaseTests().write(host, database, rooms: rooms, messages: messages)
  }

  private func checkpoint(_ database: Database) { PagedDatabaseTests().checkpoint(database) }

  /// Opens a database of any size whose pages are in a cache.
  static func database(
    _ journal: MemoryJournal, _ host: DatabaseHost, _ cache: PageCache
  ) throws -> Database {
    var (environment, limits) = (host.environment, DatabaseLimits())
    (environment.pages, limits.pagedBytesMin) = (cache, 0)
    return try Database(
      name: "test", journals: SingleJournalFactory(journal, pages: host.pageFolder(of: journal)),
      initialRules: try RuleSet.compile(PagedDatabaseTests.open), environment: environment, limits: limits)
  }

  /// Opens a database after a checkpoint of a small room.
  private func stored(_ journal: MemoryJournal, _ host: DatabaseHost, _ cache: PageCache) throws -> Database {
    let database = try Self.database(journal, host, cache)
    write(host, database, rooms: 1, messages: 10)
    checkpoint(database)
    return database
  }

  /// Waits until no more pages are evicted.
  private func settle(_ host: DatabaseHost, _ database: Database) {
    database.submit([Command(connection: ConnectionID(rawValue: 0), action: .tick)])
    host.finish(database)
  }

  @Test("pages beyond the size of the cache are evicted from a quiet database, and read again when they are needed")
  func eviction() throws {
    let (host, journal, cache) = (DatabaseHost(), MemoryJournal(), PageCache(sizeBytes: 100_000))
    let database = try Self.database(journal, host, cache)
    write(host, database, rooms: 10, messages: 2_000)
    let text = database.published.root.json(.export)
    #expect(cache.residentBytes == 0, "nothing is stored")
    checkpoint(database)
    // The checkpoint causes evictions although there is no further command.
    host.waitUntil { cache.residentBytes < 120_000 }
    #expect((1...120_000).contains(cache.residentBytes))
    #expect(database.published.root.json(.export) == text)
    // Reading has put pages into the version, and causes evictions although nothing is written.
    host.waitUntil { cache.residentBytes < 400_000 }
    #expect(cache.residentBytes < 400_000)
    // The read pages are used once more.
    settle(host, database)
    #expect(cache.residentBytes < 120_000)
    let figures = try #require(database.figures().pages)
    #expect(figures.loadCount > 100 && figures.residentBytes == cache.residentBytes)
    host.send(database, [.put("rooms/r1/m5", 1)])
    host.finish(database)
    #expect(database.published.root[Path("rooms/r1/m5")] == Node(.int(1)))
    database.close()
    #expect(cache.residentBytes == 0)
  }

  @Test("a version that a reader keeps does not cause all pages to be evicted from the next ones")
  func heldVersion() throws {
    let (host, journal, cache) = (DatabaseHost(), MemoryJournal(), PageCache(sizeBytes: 250_000))
    let database = try Self.database(journal, host, cache)
    write(host, database, rooms: 10, messages: 2_000)
    var held: DatabaseState? = database.published
    checkpoint(database)
    let before = cache.residentBytes
    settle(host, database)
    // The next version has about as much in memory as the cache allows.
    let loads = FaultScope.run(.stream) { database.published.root.json(.export) }.faults
    #expect(cache.residentBytes >= before && loads.bytes < before - 150_000 && loads.count > 0)
    #expect(held?.position == 10)
    held = nil
    settle(host, database)
    #expect(cache.residentBytes < 300_000)
    database.close()
  }

  // MARK: Pages that are not stored

  /// A cache with memory for 800 KB of pages that are not stored.
  private static var smallCache: PageCache { PageCache(sizeBytes: 0, dirtyBytesMin: 400_000) }

  /// Writes values of 5 KB.
  private func writeTexts(_ host: DatabaseHost, _ database: Database, _ numbers: Range<Int>) {
    for number in numbers {
      let text = Node(.string(String(repeating: "\(number % 10)", count: 5_000)))
      let change = WriteOperation.Change.put(Location(path: Path("texts/t\(number)")), WriteValue(text))
      host.send(database, [.write(WriteOperation(change))])
    }
    host.finish(database)
    database.snapshots.queue.sync {}
  }

  @Test("versions that the engine keeps for later hashes and results do not keep evicted pages in memory")
  func enginesVersions() throws {
    let (host, journal, cache) = (DatabaseHost(), MemoryJournal(), PageCache(sizeBytes: 100_000))
    let database = try Self.database(journal, host, cache)
    write(host, database, rooms: 10, messages: 2_500)
    host.finish(database)
    let hash = database.published.root[Path("rooms")].simpleHash()
    host.send(database, [.connect, .listen(ListenRequest(Path("rooms"), hash: hash))])
    // The comparison runs beside the deciding queue.
    database.decider.finish()
    host.finish(database)
    #expect(host.lines.suffix(2) == ["1 ok", "1 ok"], "the client holds the data")
    checkpoint(database)
    settle(host, database)
    #expect(cache.residentBytes < 150_000)
    database.close()
  }

  @Test("many pages that are not stored cause a checkpoint that is not due, and commands wait for it")
  func dirtyPages() throws {
    let (host, cache) = (DatabaseHost(), Self.smallCache)
    let database = try stored(MemoryJournal(), host, cache)
    writeTexts(host, database, 0..<27)
    #expect(host.notices == ["checkpoint"] && cache.dirtyBytes > 350_000)
    writeTexts(host, database, 27..<31)
    #expect(host.notices == ["checkpoint", "checkpoint"] && cache.dirtyBytes < 100_000)
    // The journal holds them up, and no checkpoint is possible.
    writeTexts(host, database, 31..<300)
    #expect(!host.lines.contains { $0.contains("unavailable") })
    #expect(database.published.root.child("texts").childCount == 300)
    database.close()
  }

  @Test("without room for checkpoints commands are refused before pages fill the memory, until there is room")
  func noRoom() throws {
    let (host, cache) = (DatabaseHost(), Self.smallCache)
    let database = try stored(MemoryJournal(), host, cache)
    database.setSnapshotRoom(10_000)
    for start in stride(from: 0, to: 200, by: 10) { writeTexts(host, database, start..<start + 10) }
    let count = database.published.root.child("texts").childCount
    #expect((50...70).contains(count))
    #expect(host.lines.last == "1 no-space")
    #expect(host.notices == ["checkpoint", "snapshot over 10000"])
    database.setSnapshotRoom(.max)
    database.snapshots.queue.sync {}
    writeTexts(host, database, 200..<202)
    #expect(database.published.root.child("texts").childCount == count + 2)
    database.close()
  }

  @Test("a replay of more log than the cache has memory for stores and evicts pages")
  func replay() throws {
    let (host, cache) = (DatabaseHost(), Self.smallCache)
    var journal = MemoryJournal()
    var database = try stored(journal, host, cache)
    database.setSnapshotRoom(0)
    writeTexts(host, database, 0..<50)
    let text = database.published.root.json(.export)
    database.close()
    for _ in 0..<2 {
      journal = journal.crash()
      database = try Self.database(journal, host, cache)
      #expect(database.recovery.replayedCommitCount == 50)
      #expect(cache.residentBytes + cache.dirtyBytes < 600_000)
      #expect(database.published.root.json(.export) == text)
      // Without a checkpoint, the pages that the replay has stored are lost.
      database.setSnapshotRoom(0)
      database.close()
    }
    journal = journal.crash()
    database = try Self.database(journal, host, cache)
    checkpoint(database)
    database.close()
    database = try Self.database(journal.crash(), host, cache)
    #expect(database.published.root.json(.export) == text)
    database.close()
  }

  // MARK: Stores

  @Test("files that are opened as they were closed continue their store, and others have another one")
  func reopening() throws {
    let (host, cache) = (DatabaseHost(), PageCache(sizeBytes: 1 << 20))
    var journal = MemoryJournal()
    var database = try Self.database(journal, host, cache)
    write(host, database, rooms: 10, messages: 200)
    checkpoint(database)
    let held = database.published.root
    database.close()
    let number = try #require(database.snapshots.pagedStorage?.storeNumber)
    for _ in 0..<3 {
      journal = journal.crash()
      database = try Self.database(journal, host, cache)
      #expect(database.snapshots.pagedStorage?.storeNumber == number)
      #expect(database.published.root == held, "a version that was held is readable again")
      database.close()
    }
    // What a checkpoint without a row has stored is lost at the next opening.
    journal = journal.crash()
    database = try Self.database(journal, host, cache)
    host.send(database, [.put("rooms/r1/m5", 1)])
    host.finish(database)
    var log = SnapshotSchedule.Log(bytes: 1 << 30)
    var (root, indexes) = (database.published.root, StoredIndexes())
    try database.snapshots.pagedStorage?.relieve(&root, .empty, &indexes, &log)
    #expect(log == SnapshotSchedule.Log())
    database.close()
    database = try Self.database(journal.crash(), host, cache)
    #expect(database.snapshots.pagedStorage?.storeNumber != number)
    #expect(FaultScope.run(.install) { held.child("rooms").child("r9") }.faults.failed == 0)
    database.close()
  }
}
