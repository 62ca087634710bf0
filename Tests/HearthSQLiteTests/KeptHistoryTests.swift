import GRDB
import HearthJournal
import HearthTestKit
import Testing

@testable import HearthSQLite

/// Tests of snapshots and batches that are retained although no restart needs them.
@Suite struct KeptHistoryTests {
  /// Returns a journal of twenty batches with snapshots after the fifth and the fifteenth.
  private func makeJournal(_ folder: JournalFolder) throws -> SQLiteJournal {
    let journal = try SQLiteJournal(path: folder.file())
    _ = try journal.appendBatches(20, after: try journal.acquire())
    for position in [Int64(5), 15] {
      let ticket = try journal.beginSnapshot(at: position)
      try journal.appendSnapshotChunk([UInt8(position)], to: ticket)
      _ = try journal.completeSnapshot(ticket)
    }
    return journal
  }

  @Test("a start reads no data before the newest snapshot")
  func start() throws {
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    try journal.file.pool.write {
      try $0.execute(sql: "UPDATE batch SET payload = zeroblob(100) WHERE first_position < 16")
    }
    try journal.close()
    let again = try SQLiteJournal(path: folder.file())
    #expect(
      again.recovery == JournalRecovery(snapshotPosition: 15, headPosition: 20, batchCount: 5, damages: []))
    let plan = try again.file.pool.read { database in
      try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + SQLiteSchema.batchesAfter, arguments: [15])
        .map { $0["detail"] as String? ?? "" }
    }
    #expect(plan.allSatisfy { !$0.hasPrefix("SCAN") }, "\(plan)")
  }

  @Test("damaged history is reported when it is read, with its position")
  func damage() throws {
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    try journal.file.pool.write {
      try $0.execute(sql: "UPDATE batch SET payload = zeroblob(100) WHERE first_position = 8")
    }
    try journal.close()
    let again = try SQLiteJournal(path: folder.file())
    #expect(try again.batches(after: 5, sizeBytesMax: 200).map(\.firstPosition) == [6, 7])
    let error = #expect(throws: JournalError.self) { try again.batches(after: 5, sizeBytesMax: 1_000) }
    #expect(error?.code == .corrupt && error?.place.position == 8)
    // The batches after it are still valid.
    #expect(try again.batches(after: 8, sizeBytesMax: 0).map(\.firstPosition) == [9])
  }

  @Test("pruning interrupted at any step leaves the history intact, and is completed by the next")
  func interruptedPruning() throws {
    // In the order of SQLite's transactions: the snapshot is removed, then batches, the oldest first.
    for removedCount in 0...15 {
      let folder = try JournalFolder()
      let journal = try makeJournal(folder)
      try journal.file.pool.write { database in
        try database.execute(
          sql: "UPDATE snapshot SET is_complete = 0 WHERE position = 5; DELETE FROM batch WHERE first_position <= ?",
          arguments: [removedCount])
      }
      try journal.close()
      let again = try SQLiteJournal(path: folder.file())
      #expect(again.recovery.damages.isEmpty && again.recovery.batchCount == 5)
      #expect(try again.snapshots().map(\.position) == [15])
      #expect(try again.oldestPosition() == (removedCount == 0 ? 0 : 15))
      if (1..<14).contains(removedCount) {
        // No batch before the first remaining one confirms it.
        #expect(throws: JournalError(.pruned, "")) {
          try again.batches(after: Int64(removedCount), sizeBytesMax: 1 << 20)
        }
      }
      try again.prune(keepingFrom: 17)
      #expect(try again.oldestPosition() == 15)
      #expect(try again.file.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM batch") } == 5)
      #expect(try again.allBatches(after: 15).count == 5)
      try again.close()
    }
  }
}
