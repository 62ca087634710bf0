import GRDB
import HearthJournal
import HearthTestKit
import Testing

@testable import HearthSQLite

/// Tests of a full disk or configured size: in an append, at its commit, in a snapshot.
@Suite struct FullDiskTests {
  @Test("an unwritten chunk aborts the snapshot, and the next one starts from the beginning")
  func failedChunk() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file(), options: SQLiteJournal.Options(sizeBytesMax: 400_000))
    let head = try journal.appendBatches(2, after: try journal.acquire())
    let ticket = try journal.beginSnapshot(at: 2)
    let chunk = [UInt8](repeating: 1, count: 50_000)
    #expect(throws: JournalError(.noSpace, "")) {
      while true { try journal.appendSnapshotChunk(chunk, to: ticket) }
    }
    #expect(throws: JournalError(.snapshotAbandoned, "")) { try journal.completeSnapshot(ticket) }
    let next = try journal.beginSnapshot(at: 2)
    try journal.appendSnapshotChunk(chunk, to: next)
    let info = try journal.completeSnapshot(next)
    #expect(try journal.snapshotChunk(0, of: info) == chunk)
    #expect(try journal.append(.following(head), after: head).position == 3)
  }

  @Test("a snapshot that did not fit frees its space for the log when it is abandoned")
  func abandonedOnFullDisk() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file(), options: SQLiteJournal.Options(sizeBytesMax: 400_000))
    var head = try journal.appendBatches(2, after: try journal.acquire())
    let ticket = try journal.beginSnapshot(at: 2)
    #expect(throws: JournalError(.noSpace, "")) {
      while true { try journal.appendSnapshotChunk([UInt8](repeating: 1, count: 50_000), to: ticket) }
    }
    try journal.abandonSnapshot(ticket)
    head = try journal.append(.following(head, sizeBytes: 200_000), after: head)
    #expect(head.position == 3)
  }

  /// An observer that makes one commit fail after its statements succeeded, like a disk that is full when the log is
  /// written.
  private final class FullDisk: TransactionObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { throw DatabaseError(resultCode: .SQLITE_FULL) }
    func databaseDidCommit(_ database: Database) {}
    func databaseDidRollback(_ database: Database) {}
  }

  @Test("an append whose commit found the disk full can be repeated")
  func fullAtCommit() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    let head = try journal.appendBatches(1, after: try journal.acquire())
    let disk = FullDisk()
    try journal.file.pool.add(transactionObserver: disk)
    #expect(throws: JournalError(.noSpace, "")) { try journal.append(.following(head), after: head) }
    #expect(throws: JournalError(.noSpace, "")) { try journal.acquire() }
    try journal.file.pool.remove(transactionObserver: disk)
    #expect(try journal.append(.following(head), after: head).position == 2)
  }

  @Test("a checkpoint whose commit found the disk full changes nothing, and can be repeated")
  func fullAtCheckpoint() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    let head = try journal.appendBatches(3, after: try journal.acquire())
    let snapshot = try journal.completeSnapshot(try journal.beginSnapshot(at: 2))
    let disk = FullDisk()
    try journal.file.pool.add(transactionObserver: disk)
    #expect(throws: JournalError(.noSpace, "")) { try journal.completeCheckpoint(at: 3, payload: [1]) }
    #expect(try journal.currentCheckpoint() == nil && journal.snapshots() == [snapshot])
    try journal.file.pool.remove(transactionObserver: disk)
    let checkpoint = try journal.completeCheckpoint(at: 3, payload: [1])
    #expect(try journal.currentCheckpoint() == checkpoint)
    #expect(try journal.append(.following(head), after: head).position == 4)
  }

  @Test("a full journal refuses appends, keeps its data, and continues when there is space")
  func noSpace() throws {
    let folder = try JournalFolder()
    var journal = try SQLiteJournal(path: folder.file(), options: SQLiteJournal.Options(sizeBytesMax: 400_000))
    var head = try journal.acquire()
    let error = #expect(throws: JournalError.self) {
      while true {
        head = try journal.append(.following(head, sizeBytes: 20_000), after: head)
      }
    }
    #expect(error?.code == .noSpace)
    #expect(head.position > 5)
    #expect(throws: JournalError(.noSpace, "")) {
      try journal.append(.following(head, sizeBytes: 20_000), after: head)
    }
    #expect(try journal.allBatches().count == Int(head.position))
    try journal.close()

    journal = try SQLiteJournal(path: folder.file())
    let acquired = try journal.acquire()
    #expect(acquired.runningHash == head.runningHash)
    #expect(try journal.append(.following(acquired), after: acquired).position == head.position + 1)
  }

  @Test("a full journal continues once pruning has freed pages")
  func roomAfterPruning() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file(), options: SQLiteJournal.Options(sizeBytesMax: 400_000))
    var head = try journal.acquire()
    #expect(throws: JournalError(.noSpace, "")) {
      while true {
        head = try journal.append(.following(head, sizeBytes: 20_000), after: head)
      }
    }
    _ = try journal.completeSnapshot(try journal.beginSnapshot(at: head.position))
    try journal.prune()
    head = try journal.append(.following(head, sizeBytes: 20_000), after: head)
    #expect(try journal.allBatches(after: head.position - 1).count == 1)
  }

  @Test("the chunks of an unfinished snapshot are removed in steps at the start and become free space in the file")
  func unfinishedSnapshot() throws {
    let folder = try JournalFolder()
    let path = folder.file("j.sqlite")
    let first = try SQLiteJournal(path: path)
    let head = try first.appendBatches(1, after: try first.acquire())
    let ticket = try first.beginSnapshot(at: head.position)
    for number in UInt8(0)..<20 {
      try first.appendSnapshotChunk([UInt8](repeating: number, count: 512 << 10), to: ticket)
    }
    try first.close()
    let second = try SQLiteJournal(path: path)
    #expect(try second.currentSnapshot() == nil && second.reusableBytes() >= 20 * 512 << 10)
    // SQLite may overwrite removed data with zeros, through its log.
    #expect(try PosixFile.sizeBytes(of: path + "-wal") ?? 0 < 6 << 20)
    try second.close()
  }
}
