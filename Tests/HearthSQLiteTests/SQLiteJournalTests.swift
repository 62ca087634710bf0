import Foundation
import GRDB
import HearthJournal
import HearthTestKit
import Testing

@testable import HearthSQLite

@Suite struct SQLiteJournalTests {
  @Test("each writing connection syncs every commit")
  func synchronousIsFull() throws {
    let folder = try JournalFolder()
    for _ in 0..<2 {
      let journal = try SQLiteJournal(path: folder.file())
      func pragmas(_ database: Database) throws -> [String?] {
        try ["synchronous", "journal_mode", "fullfsync", "checkpoint_fullfsync"].map {
          try String.fetchOne(database, sql: "PRAGMA \($0)")
        }
      }
      #expect(try journal.file.pool.writeWithoutTransaction(pragmas) == ["2", "wal", "1", "1"])
      #expect(try journal.file.checkpointer.writeWithoutTransaction(pragmas) == ["2", "wal", "1", "1"])
      // The settings stay after appends to both.
      var head = try journal.acquire()
      head = try journal.appendBatches(5, after: head)
      _ = try journal.completeSnapshot(try journal.beginSnapshot(at: head.position))
      try journal.prune()
      #expect(try journal.file.pool.writeWithoutTransaction(pragmas) == ["2", "wal", "1", "1"])
      try journal.close()
    }
  }

  @Test("a journal that is opened again has the same end")
  func reopening() throws {
    let folder = try JournalFolder()
    var head = JournalHead(epoch: 0, position: 0, runningHash: .empty)
    for round in 1...3 {
      let journal = try SQLiteJournal(path: folder.file())
      #expect(journal.recovery.headPosition == head.position)
      #expect(journal.recovery.damages == [])
      let acquired = try journal.acquire()
      #expect(acquired.epoch == Int64(round))
      #expect(acquired.position == head.position && acquired.runningHash == head.runningHash)
      head = try journal.appendBatches(10, after: acquired)
      try journal.close()
      let log = folder.exists("main.journal-wal") ? try folder.bytes("main.journal-wal") : []
      #expect(log.isEmpty)
    }
    let journal = try SQLiteJournal(path: folder.file())
    #expect(try journal.allBatches().count == 30)
  }

  @Test("after a snapshot and pruning only the rest of the log is replayed")
  func restartIsBounded() throws {
    let folder = try JournalFolder()
    var journal = try SQLiteJournal(path: folder.file())
    var head = try journal.appendBatches(700, after: try journal.acquire())
    let ticket = try journal.beginSnapshot(at: 690)
    try journal.appendSnapshotChunk([9], to: ticket)
    _ = try journal.completeSnapshot(ticket)
    try journal.prune()
    #expect(try journal.file.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM batch") } == 10)
    try journal.close()

    journal = try SQLiteJournal(path: folder.file())
    #expect(
      journal.recovery
        == JournalRecovery(snapshotPosition: 690, headPosition: 700, batchCount: 10, damages: []))
    head.epoch += 1
    #expect(try journal.acquire() == head)
  }

  @Test("unpruned batches that a snapshot covers are ignored")
  func unprunedRows() throws {
    let folder = try JournalFolder()
    var journal = try SQLiteJournal(path: folder.file())
    _ = try journal.appendBatches(20, after: try journal.acquire())
    _ = try journal.completeSnapshot(try journal.beginSnapshot(at: 20))
    try journal.file.pool.write { try $0.execute(sql: "UPDATE batch SET payload = x'00' WHERE first_position = 5") }
    try journal.close()
    journal = try SQLiteJournal(path: folder.file())
    #expect(journal.recovery.batchCount == 0)
    #expect(journal.recovery.damages == [])
    #expect(try journal.acquire().position == 20)
  }

  @Test("an interrupted snapshot is removed at the restart")
  func interruptedSnapshot() throws {
    let folder = try JournalFolder()
    var journal = try SQLiteJournal(path: folder.file())
    _ = try journal.appendBatches(3, after: try journal.acquire())
    let whole = try journal.beginSnapshot(at: 1)
    try journal.appendSnapshotChunk([1], to: whole)
    let info = try journal.completeSnapshot(whole)
    let partial = try journal.beginSnapshot(at: 3)
    try journal.appendSnapshotChunk([2], to: partial)
    try journal.close()

    journal = try SQLiteJournal(path: folder.file())
    #expect(try journal.currentSnapshot() == info)
    #expect(try journal.file.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM snapshot_chunk") } == 1)
    #expect(throws: JournalError(.snapshotAbandoned, "")) { try journal.appendSnapshotChunk([3], to: partial) }
    #expect(try journal.beginSnapshot(at: 3).identifier > partial.identifier)
  }

  @Test("only the owner can access the files")
  func permissions() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    _ = try journal.appendBatches(1, after: try journal.acquire())
    for name in ["main.journal", "main.journal-wal", "main.journal.lock"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test("a journal opens once, and again after closing")
  func exclusive() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: folder.file()) }
    #expect(error?.code == .inUse)
    #expect(error?.message.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
    try journal.close()
    try SQLiteJournal(path: folder.file()).close()
  }

  @Test("another process cannot take the lock")
  func otherProcess() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    func tryToLock() throws -> Int32 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [
        "flock", "--nonblock", "--conflict-exit-code", "9", folder.file("main.journal.lock"), "true",
      ]
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }
    #expect(try tryToLock() == 9)
    try journal.close()
    #expect(try tryToLock() == 0)
  }

  @Test("a journal may be released during a checkpoint")
  func releasedDuringCheckpoint() throws {
    let folder = try JournalFolder()
    for round in 0..<20 {
      let journal = try SQLiteJournal(path: folder.file("\(round)"), options: SQLiteJournal.Options(checkpointBytes: 1))
      _ = try journal.appendBatches(3, after: try journal.acquire())
    }
  }

  @Test("a released journal can be opened")
  func released() throws {
    let folder = try JournalFolder()
    do {
      let journal = try SQLiteJournal(path: folder.file())
      _ = try journal.appendBatches(1, after: try journal.acquire())
    }
    #expect(try SQLiteJournal(path: folder.file()).recovery.headPosition == 1)
  }

  @Test("snapshots are written and pruned while appends continue")
  func snapshotsBesideAppends() async throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(
      path: folder.file(), options: SQLiteJournal.Options(checkpointBytes: 200_000))
    let start = try journal.acquire()
    let appending = BlockingCall { try journal.appendBatches(600, after: start, sizeBytes: 2_000) }
    let chunk = [UInt8](repeating: 5, count: 10_000)
    for _ in 0..<5 {
      let position = try await journal.file.pool.read { try Int64.fetchOne($0, sql: SQLiteSchema.tail) } ?? 0
      let ticket = try journal.beginSnapshot(at: position)
      for _ in 0..<20 {
        try journal.appendSnapshotChunk(chunk, to: ticket)
      }
      let info = try journal.completeSnapshot(ticket)
      try journal.prune()
      #expect(try journal.currentSnapshot() == info)
      try journal.forEachChunk(of: info) { #expect($0 == chunk) }
    }
    let head = try await appending.value()
    #expect(head.position == 600)
    let snapshot = try #require(try journal.currentSnapshot())
    let rest = try journal.allBatches(after: snapshot.position)
    #expect(rest.count == 600 - Int(snapshot.position))
    try journal.close()
    #expect(try SQLiteJournal(path: folder.file()).recovery.headPosition == 600)
  }

  @Test("SQLite's log is moved into the database file and does not grow without limit")
  func logIsBounded() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(
      path: folder.file(), options: SQLiteJournal.Options(checkpointBytes: 300_000))
    var head = try journal.acquire()
    for _ in 0..<10 {
      head = try journal.appendBatches(30, after: head, sizeBytes: 10_000)
      journal.checkpointer.queue.sync {}
    }
    #expect(try folder.bytes("main.journal-wal").count < 2_000_000)
    #expect(try folder.bytes("main.journal").count > 2_000_000)
    #expect(try journal.allBatches().count == 300)
  }

  @Test("after a loss of acknowledged commits the journal refuses writes")
  func failureIsFinal() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    let head = try journal.acquire()
    journal.file.state.withLock { $0.fault = .failed(JournalError(.corrupt, "the disk is on fire")) }
    let error = #expect(throws: JournalError.self) { try journal.append(.following(head), after: head) }
    #expect(error?.code == .failed)
    #expect(error?.cause?.contains("on fire") == true)
    #expect(throws: JournalError(.failed, "")) { try journal.beginSnapshot(at: 0) }
    #expect(try journal.allBatches() == [])
    #expect(JournalError(.inputOutput, "").leavesOutcomeUnknown)
    #expect(!JournalError(.noSpace, "").leavesOutcomeUnknown)
  }

  @Test("after another connection has changed the log, an append is refused")
  func tableGuardsItself() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    let head = try journal.appendBatches(2, after: try journal.acquire())
    try journal.file.pool.write { try $0.execute(sql: "UPDATE ownership SET epoch = epoch + 1") }
    #expect(throws: JournalError(.staleEpoch, "")) { try journal.append(.following(head), after: head) }
    try journal.file.pool.write {
      try $0.execute(sql: "UPDATE ownership SET epoch = epoch - 1; DELETE FROM batch WHERE first_position = 2")
    }
    #expect(throws: JournalError(.positionMismatch, "")) { try journal.append(.following(head), after: head) }
  }
}
