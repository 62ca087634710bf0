import Foundation
import GRDB
import HearthJournal
import HearthTestKit
import Testing

@testable import HearthSQLite

/// Tests of the recovered and the reported missing parts of a damaged journal.
@Suite struct JournalSalvageTests {
  /// Returns a closed journal with a number of batches, and snapshots at the given positions.
  private func folder(_ count: Int, snapshots: [Int64] = []) throws -> JournalFolder {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    var head = try journal.acquire()
    for _ in 0..<count {
      head = try journal.append(.following(head), after: head)
      guard snapshots.contains(head.position) else { continue }
      let ticket = try journal.beginSnapshot(at: head.position)
      try journal.appendSnapshotChunk([UInt8](repeating: UInt8(head.position), count: 1_000), to: ticket)
      _ = try journal.completeSnapshot(ticket)
    }
    try journal.close()
    return folder
  }

  private func change(_ folder: JournalFolder, _ sql: String) throws {
    let queue = try DatabaseQueue(path: folder.file())
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: sql)
      _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try queue.close()
  }

  /// Salvages into a subfolder of the folder, and opens the result.
  private func saved(_ folder: JournalFolder, _ report: SalvageReport) throws -> Int64 {
    let kept = folder.file("kept")
    try #require(mkdir(kept, 0o700) == 0)
    try replace(folder, report, keepingIn: kept)
    let journal = try SQLiteJournal(path: folder.file())
    defer { try? journal.close() }
    #expect(journal.recovery.damages.isEmpty)
    #expect(try PosixFile.sizeBytes(of: kept + "/main.journal") != nil)
    return try journal.acquire().position
  }

  /// Replaces the journal; the lock ends with the salvage.
  private func replace(_ folder: JournalFolder, _ report: SalvageReport, keepingIn kept: String) throws {
    try JournalSalvage(path: folder.file(), StubCheckpoints()).replace(report, keepingIn: kept)
  }

  private func examine(_ folder: JournalFolder) throws -> SalvageReport {
    try JournalSalvage(path: folder.file(), StubCheckpoints()).examine()
  }

  @Test("an intact journal has no findings, and an open one is not changed")
  func whole() throws {
    let folder = try folder(5, snapshots: [3])
    let report = try examine(folder)
    #expect(report.isWhole && report.headPosition == 5 && report.lostPositions == nil && report.base?.position == 3)
    let journal = try SQLiteJournal(path: folder.file())
    #expect(throws: JournalError(.inUse, "")) { try JournalSalvage(path: folder.file(), StubCheckpoints()) }
    try journal.close()
  }

  @Test("a changed batch ends the saved part; it and later ones are reported as missing")
  func damagedBatch() throws {
    let folder = try folder(6)
    try change(folder, "UPDATE batch SET payload = zeroblob(100) WHERE first_position = 4")
    let report = try examine(folder)
    #expect(report.damages.first?.place.position == 4 && report.damages.first?.place.file == folder.file())
    #expect(report.headPosition == 3 && report.lostPositions == 4...6 && report.lastLostBatch?.lastPosition == 6)
    #expect(try saved(folder, report) == 3)
  }

  @Test("missing batches in the middle are a gap, and a later snapshot saves the rest")
  func gap() throws {
    let folder = try folder(6)
    try change(folder, "DELETE FROM batch WHERE first_position = 2")
    let report = try examine(folder)
    #expect(report.headPosition == 1 && report.lostPositions == 2...6)
    let other = try self.folder(6, snapshots: [4])
    try change(other, "DELETE FROM batch WHERE first_position = 2")
    let whole = try examine(other)
    #expect(whole.headPosition == 6 && whole.isWhole)
    #expect(whole.lostPast.map(\.damage.place.position) == [2] && whole.lostPast.map(\.lastPosition) == [4])
  }

  @Test("damaged history is reported by the snapshots around it, and does not prevent a start")
  func past() throws {
    let folder = try folder(9, snapshots: [2, 5, 7])
    #expect(try examine(folder).lostPast.isEmpty)
    try change(folder, "UPDATE batch SET payload = zeroblob(100) WHERE first_position IN (1, 6)")
    let report = try examine(folder)
    #expect(report.isWhole && report.headPosition == 9 && report.base?.position == 7)
    #expect(report.lostPast.map(\.damage.place.position) == [1, 6] && report.lostPast.map(\.lastPosition) == [2, 7])
    // Pruned batches are not missing.
    try change(folder, "DELETE FROM batch WHERE first_position < 3")
    #expect(try examine(folder).lostPast.map(\.lastPosition) == [7])
    // Nor are they missing when a crash interrupted the pruning.
    try change(folder, "DELETE FROM snapshot WHERE position < 7")
    #expect(try examine(folder).lostPast.isEmpty)
  }

  @Test("when a snapshot has a damaged chunk, the one before it or the log's beginning is used")
  func damagedSnapshot() throws {
    let folder = try folder(6, snapshots: [2, 4])
    try change(
      folder,
      "UPDATE snapshot_chunk SET payload = zeroblob(1000) WHERE snapshot_id = (SELECT max(id) FROM snapshot)")
    let report = try examine(folder)
    #expect(!report.isWhole && report.base?.position == 2 && report.headPosition == 6 && report.lostPositions == nil)
    #expect(try saved(folder, report) == 6)
  }

  @Test("a log that ends before its mark is reported as truncated, and opens after salvage")
  func shortLog() throws {
    let folder = try folder(6)
    try change(folder, "DELETE FROM batch WHERE first_position > 4")
    let report = try examine(folder)
    #expect(report.headPosition == 4 && report.lostPositions == 5...6)
    #expect(try saved(folder, report) == 4)
  }

  @Test("a file without its first page cannot be salvaged")
  func lost() throws {
    let folder = try folder(3)
    try PosixFile(folder.file(), flags: O_RDWR).write([UInt8](repeating: 0, count: 4_096)[...], at: 0)
    let report = try examine(folder)
    #expect(report.isLost && !report.isWhole && report.damages.first?.place.file == folder.file())
  }
}
