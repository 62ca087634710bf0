import Foundation
import HearthJournal
import HearthTestKit
import Testing

@testable import HearthSQLite

/// Tests of a journal on a disk that fails once, or for a while: a temporary fault does not end writing, and after a
/// failed sync nothing is acknowledged before the file was read back.
@Suite(.serialized) struct SyncFaultTests {
  /// A journal with two batches on a disk with faults on command.
  private final class JournalSession {
    let folder: DiskFolder
    let disk: WatchedDisk
    var journal: SQLiteJournal
    var head: JournalHead
    var path: String { folder.path + "/j.sqlite" }

    init(_ folder: DiskFolder, _ disk: WatchedDisk) throws {
      (self.folder, self.disk) = (folder, disk)
      journal = try SQLiteJournal(path: folder.path + "/j.sqlite")
      head = try journal.appendBatches(2, after: try journal.acquire(), sizeBytes: 9_000)
    }

    func append() throws { head = try journal.append(.following(head, sizeBytes: 9_000), after: head) }

    func code() -> JournalError.Code? {
      do { try append() } catch { return (error as? JournalError)?.code }
      return nil
    }

    /// Returns true when a start finds exactly the acknowledged batches.
    func isThere(at position: Int64) throws -> Bool {
      try journal.close()
      let again = try SQLiteJournal(path: path)
      defer { try? again.close() }
      return try again.recovery.headPosition == position && again.allBatches().count == Int(position)
    }
  }

  private func withSession(_ body: (JournalSession) throws -> Void) throws {
    let folder = try DiskFolder()
    _ = try WatchedDisk.watch(folder.path) { disk in try body(try JournalSession(folder, disk)) }
  }

  @Test("a write or read that fails once is tried again on the open journal", arguments: [true, false])
  func passingFault(_ isWrite: Bool) throws {
    try withSession { (session: JournalSession) throws in
      if isWrite {
        session.disk.fail(.failedWrite, of: "-wal")
      } else {
        // The next transaction rereads the file's pages.
        try session.journal.file.pool.writeWithoutTransaction { database in
          database.releaseMemory()
          try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        session.disk.fail(.failedRead, of: "j.sqlite")
      }
      #expect(session.code() == .diskFault && session.disk.didHappen)
      #expect(session.journal.file.state.withLock { $0.fault == nil })
      #expect(session.code() == nil && session.code() == nil)
      #expect(try session.isThere(at: 4))
    }
  }

  @Test(
    "after a failed sync the log is written again, synced and read back before the same append is acknowledged, once")
  func syncFailsOnce() throws {
    try withSession { (session: JournalSession) throws in
      session.disk.fail(.failedSync, of: "-wal")
      #expect(session.code() == .diskFault && session.disk.didHappen)
      let count = session.disk.events.count
      #expect(throws: JournalError(.diskFault, "")) { try session.journal.beginSnapshot(at: 2) }
      #expect(session.disk.events.count == count, "nothing is written by others before that")
      #expect(session.code() == nil)
      let events = session.disk.events[count...]
      let rewritten = events.firstIndex {
        if case .write(let path, 0, _) = $0 { path.hasSuffix("-wal") } else { false }
      }
      let synced = events.firstIndex { if case .sync(let path) = $0 { path.hasSuffix("-wal") } else { false } }
      let (first, second) = (try #require(rewritten), try #require(synced))
      #expect(first < second)
      #expect(session.code() == nil)
      #expect(try session.isThere(at: 4))
    }
  }

  @Test("while syncs fail no write is acknowledged, and the first successful one ends the outage")
  func syncFailsAgain() throws {
    try withSession { (session: JournalSession) throws in
      session.disk.fail(.failedSync, of: "-wal", times: 3)
      for _ in 0..<3 { #expect(session.code() == .diskFault) }
      #expect(session.head.position == 2)
      #expect(session.code() == nil)
      #expect(try session.isThere(at: 3))
    }
  }

  @Test("a page that is lost with a failed sync stops writing for good, and the error has the position and the remedy")
  func lostPage() throws {
    try withSession { (session: JournalSession) throws in
      session.disk.fail(.failedSync, of: "-wal")
      #expect(session.code() == .diskFault)
      // As on a file system that shows the disk's data: the second batch's pages have their former content.
      let log = session.path + "-wal"
      let commits = try WriteAheadLog(databasePath: session.path).commitCount
      #expect(commits >= 2)
      let file = try #require(FileHandle(forUpdatingAtPath: log))
      try file.truncate(atOffset: try end(ofCommit: commits - 2, log))
      try file.close()
      let error = #expect(throws: JournalError.self) { try session.append() }
      #expect(error?.code == .corrupt && error?.isTransient == false)
      #expect(
        error?.message.contains("up to position 2, but can be read back only up to position 1") == true,
        "\(error as Any)")
      #expect(error?.message.contains("hearth repair --apply") == true)
      #expect(session.code() == .failed)
      #expect(throws: JournalError(.failed, "")) { try session.journal.beginSnapshot(at: 0) }
      try session.journal.close()
      #expect(throws: JournalError(.corrupt, "")) { try SQLiteJournal(path: session.path) }
    }
  }

  /// Returns the offset at which a commit, counted from 1, ends in the log.
  private func end(ofCommit number: Int, _ path: String) throws -> UInt64 {
    let bytes = try Data(contentsOf: URL(filePath: path))
    var (offset, count) = (WriteAheadLog.headerBytes, 0)
    while offset < bytes.count, count < number {
      if bytes[offset + 4..<offset + 8].contains(where: { $0 != 0 }) { count += 1 }
      offset += WriteAheadLog.frameHeaderBytes + 4_096
    }
    return UInt64(offset)
  }

  @Test(
    "a failed sync beside appends (as of the database file) is reported by the next append, whose repetition succeeds")
  func syncFailsBeside() throws {
    try withSession { (session: JournalSession) throws in
      session.disk.fail(.failedSync, of: "j.sqlite")
      session.journal.checkpointer.emptyLog()
      #expect(session.disk.didHappen)
      #expect(session.code() == .diskFault)
      #expect(session.code() == nil)
      #expect(try session.isThere(at: 3))
    }
  }

  @Test("the journal is not reopened beside another connection with a possibly wrong WAL index")
  func anotherReader() throws {
    try withSession { (session: JournalSession) throws in
      let view = try SQLiteJournals(folder: session.folder.path).view("j")
      session.disk.fail(.failedSync, of: "-wal")
      for _ in 0..<3 { #expect(session.code() == .diskFault) }
      view.close()
      #expect(session.code() == nil)
      #expect(try session.isThere(at: 3))
    }
  }

  @Test("a snapshot whose sync fails is given up, and the next one is complete")
  func snapshotFails() throws {
    try withSession { (session: JournalSession) throws in
      let ticket = try session.journal.beginSnapshot(at: 2)
      session.disk.fail(.failedSync, of: "-wal")
      #expect(throws: JournalError(.diskFault, "")) { try session.journal.appendSnapshotChunk([1], to: ticket) }
      #expect(session.code() == .diskFault)
      #expect(session.code() == nil)
      #expect(throws: JournalError(.snapshotAbandoned, "")) { try session.journal.appendSnapshotChunk([1], to: ticket) }
      try session.journal.takeSnapshot(at: 3)
      #expect(try session.journal.currentSnapshot()?.position == 3)
      #expect(try session.isThere(at: 3))
    }
  }

  @Test("a checkpoint whose sync fails is refused until the next append has read the journal back, then completed")
  func checkpointFails() throws {
    try withSession { (session: JournalSession) throws in
      session.disk.fail(.failedSync, of: "-wal")
      for _ in 0..<2 {
        #expect(throws: JournalError(.diskFault, "")) { try session.journal.completeCheckpoint(at: 2, payload: [1]) }
      }
      #expect(session.code() == .diskFault)
      #expect(session.code() == nil)
      let checkpoint = try session.journal.completeCheckpoint(at: 2, payload: [2])
      #expect(try session.journal.currentCheckpoint() == checkpoint)
      #expect(try session.isThere(at: 3))
    }
  }
}
