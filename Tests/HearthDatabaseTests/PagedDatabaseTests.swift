import Foundation
import HearthJournal
import HearthPages
import HearthRules
import HearthTestKit
import HearthTree
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of databases with pages: their checkpoints, openings from them, and pages that cannot be read.
@Suite struct PagedDatabaseTests {
  static let open = "{\"rules\": {\".read\": true, \".write\": true}}"

  /// Limits with a snapshot or checkpoint after every tenth commit.
  static var limits: DatabaseLimits {
    var limits = DatabaseLimits()
    (limits.snapshotIntervalBytes, limits.replayBytesPerBatch) = (20_000, 2_000)
    (limits.coldReplayBytesPerCommit, limits.cleaningGraceMilliseconds) = (2_000, 0)
    return limits
  }

  /// Waits for the checkpoints that are due.
  private func finish(_ host: DatabaseHost, _ database: Database) {
    host.finish(database)
    database.snapshots.queue.sync {}
  }

  /// Writes a checkpoint that is not due.
  func checkpoint(_ database: Database) {
    #expect(database.snapshots.schedule.withLock { $0.begin() })
    database.snapshots.queue.sync { database.snapshots.write(database.published) }
  }

  func write(_ host: DatabaseHost, _ database: Database, rooms: Int, messages: Int) {
    for room in 0..<rooms {
      let children = (0..<messages).map { message in
        (Path("m\(message)"), Node(.string("room \(room), message \(message)")))
      }
      let action = WriteOperation.Change.put(
        Location(path: Path("rooms/r\(room)")), WriteValue(Node.empty.replacing(children)))
      host.send(database, [.write(WriteOperation(action))])
    }
    finish(host, database)
  }

  // MARK: Checkpoints

  @Test("data becomes paged from a size on, if there is memory for pages and a folder for them, also with a history")
  func becomesPaged() throws {
    func notices(
      _ change: (inout DatabaseLimits) -> Void, hasCache: Bool = true, hasFolder: Bool = true
    ) throws -> [String] {
      let (host, journal) = (DatabaseHost(), MemoryJournal())
      var (environment, limits) = (host.environment, DatabaseLimits())
      limits.pagedBytesMin = 10_000
      if hasCache { environment.pages = PageCache(sizeBytes: 1 << 20) }
      change(&limits)
      let database = try Database(
        name: "test", journals: SingleJournalFactory(journal, pages: hasFolder ? host.pageFolder(of: journal) : nil),
        initialRules: try RuleSet.compile(Self.open), environment: environment, limits: limits)
      write(host, database, rooms: 10, messages: 100)
      checkpoint(database)
      database.close()
      return host.notices
    }
    #expect(try notices { _ in } == ["checkpoint"])
    #expect(try notices { $0.pagedBytesMin = 1 << 20 } == ["snapshot"])
    #expect(try notices { $0.history.ageMilliseconds = 1 } == ["checkpoint"])
    #expect(try notices({ _ in }, hasCache: false) == ["snapshot"])
    #expect(try notices({ _ in }, hasFolder: false) == ["snapshot"])
  }

  @Test("a database with a checkpoint stays paged without memory for pages, and with history, and prunes its log")
  func staysPaged() throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    var database = try host.database(journal, rules: Self.open, isPaged: true)
    write(host, database, rooms: 10, messages: 20)
    checkpoint(database)
    let rules = try RuleSet.compile(#"{"rules": {".read": "auth == null", ".write": true}}"#)
    host.send(database, [.deployRules(rules)])
    host.finish(database)
    let text = database.published.root.json(.export)
    database.close(snapshotsEnd: .max)
    #expect(host.notices == ["checkpoint", "checkpoint"], "the last one is made when the server stops")
    var limits = Self.limits
    limits.history.ageMilliseconds = 1_000
    let again = journal.crash()
    database = try host.database(again, rules: Self.open, limits: limits, isPaged: false)
    #expect(database.recovery.snapshotPosition == 11 && database.recovery.replayedCommitCount == 0)
    #expect(database.published.root.json(.export) == text && database.published.rules.source == rules.source)
    write(host, database, rooms: 11, messages: 3)
    #expect(host.notices == ["checkpoint", "checkpoint", "checkpoint"])
    // The log before a checkpoint stays for backups.
    #expect(try again.oldestPosition() == 0)
    #expect(throws: JournalError(.unsupported, "")) { try again.currentSnapshot() }
    let past = try database.history.state(at: 11)
    #expect(past.node.json(.export) == text && past.storedRules == rules.source)
    database.close()
  }

  @Test("the log before a checkpoint stays for backups, within its limit, also after a start")
  func keptLog() throws {
    let host = DatabaseHost()
    var journal = MemoryJournal()
    var database = try host.database(journal, rules: Self.open, limits: Self.limits, isPaged: true)
    var (writtenBytes, shortest) = (0, Int.max)
    for round in 1...120 {
      if round == 60 {
        database.close()
        journal = journal.crash()
        database = try host.database(journal, rules: Self.open, limits: Self.limits, isPaged: true)
      }
      write(host, database, rooms: 1, messages: 20 + round % 7)
      writtenBytes += try #require(journal.storedBatches.last).payload.count
      checkpoint(database)
      let covered = try #require(try journal.currentCheckpoint()).position
      let batches = journal.storedBatches
      let keptBytes = batches.filter { $0.lastPosition <= covered }.reduce(0) { $0 + $1.payload.count }
      let storage = try #require(database.snapshots.pagedStorage)
      let limit = max(Self.limits.snapshotIntervalBytes, storage.counts.fileBytes / 8)
      #expect(keptBytes >= min(writtenBytes, Self.limits.snapshotIntervalBytes) && keptBytes <= limit * 9 / 4)
      #expect(zip(batches, batches.dropFirst()).allSatisfy { $0.lastPosition + 1 == $1.firstPosition })
      if round > 100 { shortest = min(shortest, batches.count) }
    }
    #expect(shortest < 100, "the log is pruned")
    database.close()
  }

  @Test("a checkpoint stores only what has changed")
  func changes() throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    let database = try host.database(journal, rules: Self.open, isPaged: true)
    write(host, database, rooms: 10, messages: 2_000)
    checkpoint(database)
    let folder = try #require(host.pageFolder(of: journal))
    func sizeBytes() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, name in
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
        return sum + (attributes[.size] as? Int ?? 0)
      }
    }
    let first = try sizeBytes()
    #expect(first > 500_000)
    var figures = try #require(database.figures().pages)
    #expect(figures.fileBytes == first && figures.dirtyBytes == 0)
    #expect((500_000...first).contains(figures.checkpointBytes))
    for number in 0..<10 { host.send(database, [.put("rooms/r1/m\(number)", 1)]) }
    finish(host, database)
    checkpoint(database)
    #expect(host.notices == ["checkpoint", "checkpoint"])
    #expect(try sizeBytes() - first < 40_000)
    figures = try #require(database.figures().pages)
    #expect((1...40_000).contains(figures.checkpointBytes) && figures.failedLoadCount == 0)
    database.close()
  }

  @Test("a checkpoint without room ends early, leaves nothing behind, and is written when there is room")
  func noRoom() throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    let database = try host.database(journal, rules: Self.open, isPaged: true)
    database.setSnapshotRoom(1_000_000)
    write(host, database, rooms: 10, messages: 6_000)
    checkpoint(database)
    #expect(host.notices == ["snapshot over 1000000"])
    #expect(try journal.currentCheckpoint() == nil)
    let folder = try #require(host.pageFolder(of: journal))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    database.setSnapshotRoom(100_000_000)
    database.snapshots.queue.sync {}
    #expect(host.notices.last == "checkpoint")
    let text = database.published.root.json(.export)
    database.close()
    let again = try host.database(journal.crash(), rules: Self.open, isPaged: false)
    #expect(again.published.root.json(.export) == text)
    again.close()
  }

  @Test("a quiet database has a checkpoint soon after many commits, and in a minute after few")
  func quiet() throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    var limits = DatabaseLimits()
    limits.quietCheckpointCommitsMin = 5
    let database = try host.database(journal, rules: Self.open, limits: limits, isPaged: true)
    write(host, database, rooms: 10, messages: 20)
    checkpoint(database)
    #expect(host.timers == [] && host.notices == ["checkpoint"])
    func put(_ count: Int) {
      for number in 0..<count { host.send(database, [.put("n\(number)", Int64(count))]) }
      host.finish(database)
    }
    func advance(to time: Int64) {
      host.advance(to: time)
      database.snapshots.queue.sync {}
    }
    put(5)
    advance(to: 999)
    #expect(host.notices.count == 1)
    advance(to: 1_000)
    #expect(host.notices.count == 2)
    put(4)
    advance(to: 60_999)
    #expect(host.notices.count == 2)
    advance(to: 61_000)
    #expect(host.notices.count == 3 && host.timers == [])
    #expect(try journal.currentCheckpoint()?.position == 19)
    database.close()
  }

  // MARK: Pages that cannot be read

  /// Returns a host with a journal after a checkpoint of rooms of 200 messages, and a number of commits after it.
  private func stored(commits: [Command.Action] = []) throws -> (host: DatabaseHost, journal: MemoryJournal) {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    let database = try host.database(journal, rules: Self.open, isPaged: true)
    write(host, database, rooms: 10, messages: 200)
    checkpoint(database)
    #expect(host.notices == ["checkpoint"])
    for commit in commits { host.send(database, [commit]) }
    host.finish(database)
    database.close()
    return (host, journal.crash())
  }

  /// Changes a text in the files of pages.
  private func damage(_ text: String, _ host: DatabaseHost, _ journal: MemoryJournal) throws {
    let file = URL(filePath: try #require(host.pageFolder(of: journal)) + "/00000000.seg")
    var data = try Data(contentsOf: file)
    let place = try #require(data.range(of: Data(text.utf8)))
    data[place.lowerBound] ^= 1
    try data.write(to: file)
  }

  @Test("a database whose log changes a damaged page is not opened, and the error names the file")
  func damagedPageAtOpening() throws {
    let (host, journal) = try stored(commits: [.put("rooms/r3/m77", 1)])
    try damage("room 3, message 77", host, journal)
    let error = #expect(throws: JournalError.self) { try host.database(journal, rules: Self.open) }
    #expect(error?.code == .corrupt && error?.place.file == host.pageFolder(of: journal).map { $0 + "/00000000.seg" })
  }

  @Test("a database without one of its files is not opened, and one without its checkpoint's format neither")
  func missingFile() throws {
    let (host, journal) = try stored()
    let folder = try #require(host.pageFolder(of: journal))
    try FileManager.default.moveItem(atPath: folder + "/00000000.seg", toPath: folder + "/moved")
    var error = #expect(throws: JournalError.self) { try host.database(journal, rules: Self.open) }
    #expect(error?.code == .corrupt && error?.place.file == folder + "/00000000.seg")
    try FileManager.default.moveItem(atPath: folder + "/moved", toPath: folder + "/00000000.seg")
    _ = try journal.completeCheckpoint(at: 10, payload: [99])
    error = #expect(throws: JournalError.self) { try host.database(journal, rules: Self.open) }
    #expect(error?.code == .unsupported)
  }

  @Test("pages that a crash before the first checkpoint has left are removed")
  func leftovers() throws {
    let (host, journal) = try stored()
    let folder = try #require(host.pageFolder(of: journal))
    let empty = MemoryJournal()
    let other = try #require(host.pageFolder(of: empty))
    try FileManager.default.copyItem(atPath: folder, toPath: other)
    try host.database(empty, rules: Self.open, isPaged: false).close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: other) == [])
    try host.database(journal, rules: Self.open, isPaged: false).close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["00000000.seg"])
  }
}
