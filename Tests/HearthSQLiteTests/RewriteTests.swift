import Foundation
import GRDB
import HearthJournal
import HearthTestKit
import Testing

@testable import HearthSQLite

/// Tests of rewritten batches in the file.
@Suite struct RewriteTests {
  private static let secret = Array("what was to be forgotten".utf8)

  /// Returns a journal of ten batches with snapshots after the third and the eighth; the second, the fifth and the
  /// sixth contain a secret.
  private func makeJournal(_ folder: JournalFolder) throws -> SQLiteJournal {
    let journal = try SQLiteJournal(path: folder.file())
    var head = try journal.acquire()
    for position in 1...10 {
      var batch = JournalBatch.following(head, sizeBytes: 6_000)
      if [2, 5, 6].contains(position) { batch.payload += Self.secret }
      head = try journal.append(batch, after: head)
    }
    for position in [Int64(3), 8] {
      let ticket = try journal.beginSnapshot(at: position)
      try journal.appendSnapshotChunk([UInt8](repeating: UInt8(position), count: 1_000), to: ticket)
      _ = try journal.completeSnapshot(ticket)
    }
    return journal
  }

  private func forget(_ journal: SQLiteJournal) throws {
    try journal.rewrite(through: 8) { batch in
      BatchRewrite(payload: batch.payload.count > 6_000 ? [UInt8(batch.firstPosition)] : nil)
    }
  }

  private func version(_ folder: JournalFolder) throws -> Int64? { try JournalHeader(path: folder.file()).format }

  private func holdsSecret(_ folder: JournalFolder) throws -> Bool {
    for name in ["main.journal", "main.journal-wal"] where folder.exists(name) {
      let bytes = try folder.bytes(name)
      let starts = bytes.indices.dropLast(Self.secret.count).filter { bytes[$0] == Self.secret[0] }
      if starts.contains(where: { bytes[$0..<$0 + Self.secret.count].elementsEqual(Self.secret) }) { return true }
    }
    return false
  }

  @Test("erased data is in no file, neither while the journal is open nor later")
  func overwritten() throws {
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    #expect(try holdsSecret(folder))
    try forget(journal)
    #expect(try !holdsSecret(folder))
    let head = try journal.acquire()
    _ = try journal.append(.following(head), after: head)
    try journal.close()
    #expect(try !holdsSecret(folder))
  }

  @Test("the file has the newer format from the first rewrite on")
  func format() throws {
    let folder = try JournalFolder()
    var journal = try makeJournal(folder)
    try journal.rewrite(through: 8) { _ in BatchRewrite() }
    try journal.close()
    #expect(try version(folder) == SQLiteSchema.version)
    journal = try SQLiteJournal(path: folder.file())
    try forget(journal)
    let head = try journal.acquire()
    let entry = OutboxEntry(
      queue: "q", place: OutboxPlace(position: 11, ordinal: 0), lane: "l", milliseconds: 1, content: [1])
    _ = try journal.append(.following(head), with: [entry], after: head)
    try journal.close()
    #expect(try version(folder) == SeamRows.version)
    journal = try SQLiteJournal(path: folder.file())
    #expect(try journal.allBatches().count == 11 && journal.outboxFigures(of: "q").waitingCount == 1)
    try journal.close()
  }

  @Test("damage in a rewritten batch is found")
  func damage() throws {
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    try forget(journal)
    try journal.file.pool.write { try $0.execute(sql: "UPDATE batch SET payload = x'00' WHERE first_position = 5") }
    try journal.close()
    let again = try SQLiteJournal(path: folder.file())
    let error = #expect(throws: JournalError.self) { try again.batches(after: 3, sizeBytesMax: 1 << 20) }
    #expect(error?.code == .corrupt && error?.place.position == 5)
    let other = #expect(throws: JournalError.self) { try forget(again) }
    #expect(other?.code == .corrupt && other?.place.position == 5)
    try again.close()
  }

  @Test("batches after rewritten ones are salvaged from a damaged journal, as one chain")
  func salvage() throws {
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    try forget(journal)
    let wanted = try journal.allBatches()
    try journal.file.pool.write { database in
      try database.execute(sql: "UPDATE snapshot_chunk SET payload = zeroblob(1000) WHERE snapshot_id > 0")
    }
    try journal.close()
    let report = try JournalSalvage(path: folder.file(), StubCheckpoints()).examine()
    #expect(report.base == nil && report.headPosition == 10 && report.lostPositions == nil)
    try FileManager.default.createDirectory(atPath: folder.file("kept"), withIntermediateDirectories: false)
    try JournalSalvage(path: folder.file(), StubCheckpoints()).replace(report, keepingIn: folder.file("kept"))
    #expect(try version(folder) == SQLiteSchema.version)
    let again = try SQLiteJournal(path: folder.file())
    #expect(try again.recovery.damages.isEmpty && again.allBatches() == wanted)
    try again.close()
  }
}
