import Dispatch
import GRDB
import HearthJournal

/// The checkpointer, which moves SQLite's WAL into the database file in parallel to appends.
final class LogCheckpointer: Sendable {
  private let file: JournalFile
  let queue = DispatchQueue(label: "hearth.journal.checkpoint")

  init(_ file: JournalFile) { self.file = file }

  /// Waits for a running checkpoint.
  func wait() { queue.sync {} }

  /// Counts bytes written to SQLite's WAL, and starts a checkpoint at the limit.
  func noteWritten(_ sizeBytes: Int) {
    // A row takes a page or two in addition to its payload.
    let sizeBytes = sizeBytes + 8_192
    let isDue = file.state.withLock { state in
      state.bytesSinceCheckpoint += sizeBytes
      guard state.bytesSinceCheckpoint >= file.options.checkpointBytes, !state.isCheckpointing, !state.isClosed else {
        return false
      }
      state.isCheckpointing = true
      state.bytesSinceCheckpoint = 0
      return true
    }
    guard isDue else { return }
    queue.async { [weak self] in self?.checkpoint() }
  }

  /// Moves the WAL into the database file and truncates it, so that removed data is in neither. While a reader such as
  /// a backup uses the WAL, it stays until the journal is closed. Blocks; appends wait only briefly.
  func emptyLog() {
    queue.sync {
      checkpoint()
      noteFailures {
        try file.pool.writeWithoutTransaction { database in
          _ = try Int.fetchOne(database, sql: "PRAGMA busy_timeout = 0")
          defer { _ = try? Int.fetchOne(database, sql: "PRAGMA busy_timeout = \(SQLiteLimits.busyMilliseconds)") }
          try move(database, "TRUNCATE")
        }
      }
    }
  }

  /// Moves the WAL into the database file: first on a separate connection while appends continue, then their additions
  /// on the writer's connection, so that the next append restarts the WAL. With the first step alone, the WAL would
  /// never be empty under a steady load, and would grow.
  private func checkpoint() {
    defer { file.state.withLock { $0.isCheckpointing = false } }
    noteFailures {
      try file.checkpointer.writeWithoutTransaction { try move($0, "PASSIVE") }
      try file.pool.writeWithoutTransaction { try move($0, "PASSIVE") }
    }
  }

  private static var checkpointing: String { "moving the log into the database file" }

  private func move(_ database: GRDB.Database, _ mode: String) throws {
    try JournalError.reportingFullDisk(Self.checkpointing, path: file.path) {
      _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(\(mode))")
    }
  }

  private func noteFailures(_ body: () throws -> Void) {
    // After a fault the WAL is kept: see `JournalFile.emptyLogBeforeClosing(_:)`.
    guard file.state.withLock({ $0.fault == nil }) else { return }
    do {
      try JournalError.mapping(Self.checkpointing, path: file.path, body)
    } catch {
      // Without disk space the WAL simply stays. Another failure may have been a failed sync of pages that SQLite then
      // considers durable: the next append reports it, and reopens the journal.
      if error.leavesOutcomeUnknown { file.noteFault(error, isReported: false) }
    }
  }
}
