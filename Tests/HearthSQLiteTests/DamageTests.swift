import Foundation
import GRDB
import HearthJournal
import HearthTestKit
import RandomTestKit
import Testing

@testable import HearthSQLite

/// Tests of damage inside the database file, and of files that are not journals.
@Suite struct DamageTests {
  /// Returns a closed journal of ten batches of 100 bytes each.
  private func makeJournal() throws -> JournalFolder {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    _ = try journal.appendBatches(10, after: try journal.acquire())
    try journal.close()
    return folder
  }

  /// Changes rows as a failing disk might.
  private func damage(_ folder: JournalFolder, _ sql: String) throws {
    let queue = try DatabaseQueue(path: folder.file())
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  private func open(
    _ folder: JournalFolder, _ mode: JournalRecovery.Mode = .truncateTornTail
  ) throws -> SQLiteJournal {
    try SQLiteJournal(path: folder.file(), options: SQLiteJournal.Options(recovery: mode))
  }

  static let rowDamage: [String] = [
    "payload = x'0102'",
    "payload = zeroblob(100)",
    "payload = CAST(payload || x'00' AS BLOB)",
    "running_hash = running_hash + 1",
    "epoch = 2",
    "epoch = 0",
    "last_position = last_position + 1",
    "last_position = first_position - 1 + 2 * (first_position % 2)",
    "size_bytes = -1",
    "size_bytes = 9223372036854775807",
  ]

  @Test("a damaged last batch is refused like any other, and cut off and set aside on request", arguments: rowDamage)
  func damagedTail(_ change: String) throws {
    let folder = try makeJournal()
    // The change applies to even or odd positions; the eighth leaves the odd ones intact.
    try damage(folder, "UPDATE batch SET \(change) WHERE first_position = 10")
    let error = #expect(throws: JournalError.self) { try open(folder) }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("hearth repair --apply \(folder.file())") == true)
    // The same in a folder of a version without a mark file.
    try folder.remove("main.journal.mark")
    #expect(throws: JournalError(.corrupt, "")) { try open(folder) }

    let journal = try open(folder, .truncateAtFirstDamage)
    #expect(journal.recovery.headPosition == 9)
    #expect(journal.recovery.batchCount == 9)
    let found = try #require(journal.recovery.damages.first)
    #expect(found.place.position == 10)
    #expect(found.place.file == folder.file())
    #expect(found.lostPositions?.lowerBound == 10)
    #expect(try journal.allBatches().count == 9)
    #expect(try journal.file.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM damaged_batch") } == 1)

    let head = try journal.acquire()
    _ = try journal.append(.following(head), after: head)
    try journal.close()
    let again = try open(folder)
    #expect(again.recovery.damages == [])
    #expect(again.recovery.headPosition == 10)
  }

  @Test("a truncated batch is reported with the byte at which it ends")
  func cutShort() throws {
    let folder = try makeJournal()
    try damage(folder, "UPDATE batch SET payload = substr(payload, 1, 37) WHERE first_position = 10")
    let found = try #require(try open(folder, .truncateAtFirstDamage).recovery.damages.first)
    #expect(found.place.byteOffset == 37)
    #expect(found.lostPositions == 10...10)
    #expect(found.description.contains("has 37 bytes, but was recorded with 100"))
    #expect(found.description.contains("positions 10 to 10 were cut off"))
  }

  @Test("damage before the last batch is refused with advice", arguments: rowDamage)
  func damagedMiddle(_ change: String) throws {
    let folder = try makeJournal()
    try damage(folder, "UPDATE batch SET \(change) WHERE first_position = 4")
    let error = #expect(throws: JournalError.self) { try open(folder) }
    #expect(error?.code == .corrupt)
    #expect(error?.place.position == 4)
    #expect(error?.message.contains("hearth repair --apply \(folder.file())") == true)
    // A refusal changes nothing: the journal can be opened again in another mode.
    #expect(throws: JournalError(.corrupt, "")) { try open(folder) }

    let journal = try open(folder, .truncateAtFirstDamage)
    #expect(journal.recovery.headPosition == 3)
    #expect(journal.recovery.damages.first?.lostPositions == 4...10)
    #expect(try journal.file.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM damaged_batch") } == 7)
    let head = try journal.acquire()
    #expect(try journal.append(.following(head), after: head).position == 4)
  }

  @Test("a batch that is missing in the middle, or swapped with another, is damage")
  func missingAndSwapped() throws {
    for change in [
      "DELETE FROM batch WHERE first_position = 4",
      "DELETE FROM batch WHERE first_position <= 2",
      """
      UPDATE batch SET payload = (SELECT payload FROM batch b WHERE b.first_position = 11 - batch.first_position)
      WHERE first_position IN (5, 6)
      """,
    ] {
      let folder = try makeJournal()
      try damage(folder, change)
      #expect(throws: JournalError(.corrupt, "")) { try open(folder) }
    }
  }

  @Test("a damaged snapshot is found for damage in any part")
  func damagedSnapshot() throws {
    for (change, isFoundAtOpening) in [
      ("DELETE FROM snapshot_chunk WHERE chunk_index = 1", true),
      ("UPDATE snapshot_chunk SET payload = x'00' WHERE chunk_index = 1", true),
      ("UPDATE snapshot SET chunk_count = -1", true),
      ("UPDATE snapshot_chunk SET payload = x'FFFF' WHERE chunk_index = 1", false),
      (
        "UPDATE snapshot_chunk SET chunk_index = -chunk_index; UPDATE snapshot_chunk SET chunk_index = 2 + chunk_index",
        false
      ),
    ] {
      let folder = try makeJournal()
      let journal = try open(folder)
      let ticket = try journal.beginSnapshot(at: 10)
      for chunk in [[1, 1], [2, 2], [3, 3]] as [[UInt8]] {
        try journal.appendSnapshotChunk(chunk, to: ticket)
      }
      _ = try journal.completeSnapshot(ticket)
      try journal.close()
      try damage(folder, change)
      #expect(throws: JournalError(.corrupt, ""), "\(change)") {
        let journal = try open(folder)
        #expect(!isFoundAtOpening)
        let info = try #require(try journal.currentSnapshot())
        try journal.forEachChunk(of: info) { _ in }
      }
    }
  }

  @Test("pages that are no longer valid SQLite pages cause an error, never a crash or wrong data")
  func damagedPages() throws {
    var generator = SeededRandom(seed: 11)
    let folder = try makeJournal()
    let whole = try folder.bytes("main.journal")
    let expected = try batches(in: folder, .truncateTornTail)
    for round in 0..<60 {
      var bytes = whole
      let start = Int.random(in: 100..<bytes.count, using: &generator)
      for index in start..<min(bytes.count, start + Int.random(in: 1...600, using: &generator)) {
        bytes[index] = UInt8.random(in: 0...255, using: &generator)
      }
      try folder.write(bytes, "main.journal")
      try? folder.remove("main.journal-wal")
      do {
        let found = try batches(in: folder, round % 2 == 0 ? .truncateTornTail : .truncateAtFirstDamage)
        #expect(found == Array(expected.prefix(found.count)), "round \(round)")
      } catch let error as JournalError {
        #expect(
          [.corrupt, .notAJournal, .unsupportedFormat, .inputOutput].contains(error.code), "round \(round): \(error)")
      }
    }
  }

  /// Opens, reads and closes, because the checkpoint may retain a journal that is only released.
  private func batches(in folder: JournalFolder, _ mode: JournalRecovery.Mode) throws -> [JournalBatch] {
    let journal = try open(folder, mode)
    defer { try? journal.close() }
    return try journal.allBatches()
  }

  @Test("a file that is not a journal is refused and not changed")
  func foreignFiles() throws {
    let folder = try JournalFolder()
    try folder.write(Array("{\"rules\": {}}".utf8), "main.journal")
    #expect(throws: JournalError(.notAJournal, "")) { try open(folder) }
    #expect(try folder.bytes("main.journal") == Array("{\"rules\": {}}".utf8))

    try folder.remove("main.journal")
    try damage(folder, "CREATE TABLE somebody_elses (id INTEGER)")
    #expect(throws: JournalError(.notAJournal, "")) { try open(folder) }

    let newer = try makeJournal()
    try damage(newer, "PRAGMA user_version = \(SQLiteSchema.versions.upperBound + 1)")
    #expect(throws: JournalError(.unsupportedFormat, "")) { try open(newer) }

    #expect(throws: JournalError(.inputOutput, "")) { try SQLiteJournal(path: folder.file("none/main.journal")) }
    try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
    #expect(throws: (any Error).self) { try SQLiteJournal(path: folder.file("folder")) }
  }

  @Test("a log whose database file is missing is not deleted")
  func missingDatabase() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    _ = try journal.appendBatches(3, after: try journal.acquire())
    let other = try JournalFolder()
    try other.write(try folder.bytes("main.journal-wal"), "main.journal-wal")
    let error = #expect(throws: JournalError.self) { try open(other) }
    #expect(error?.code == .corrupt)
    #expect(other.exists("main.journal-wal"))
  }
}
