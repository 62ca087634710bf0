import CSQLite
import GRDB
import HearthJournal

/// The read-back of a journal: moves its WAL into its file, and reads the content from the disk, while no other
/// connection has it open.
struct JournalReadBack {
  /// The end of a journal's content.
  struct Content {
    var head: JournalHead
    /// The position of the current snapshot or checkpoint; 0 without one.
    var startPosition: Int64
  }

  let path: String

  /// - Throws: `.inUse` when another connection is open; `.corrupt`; `.inputOutput`, `.diskFault`, `.noSpace`.
  func run() throws(JournalError) -> Content {
    try withExclusiveConnection("moving the log into the database file", moveWholeLog)
    PosixFile.forgetCached(path)
    return try withExclusiveConnection("reading the journal back", content)
  }

  /// Runs `body` on a connection with exclusive access. SQLite then determines the WAL's content from the WAL itself,
  /// and ignores the shared-memory state that records how much of it was moved.
  private func withExclusiveConnection<Value>(
    _ action: String, _ body: (Database) throws -> Value
  ) throws(JournalError) -> Value {
    try JournalError.mapping(action, path: path) {
      var configuration = Configuration()
      configuration.label = "hearth.journal.reopen"
      configuration.busyMode = .immediateError
      configuration.prepareDatabase { _ = try Row.fetchOne($0, sql: "PRAGMA locking_mode = EXCLUSIVE") }
      configuration.reportFirstReadError(action, path: path)
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction { database in
        try JournalError.mapping(action, path: path) {
          try SQLiteConnections.setUp(database)
          // The WAL stays when the connection is closed before all of it was moved; it is rewritten before the next
          // attempt.
          _ = hearth_sqlite_keep_log(database.sqliteConnection)
          return try body(database)
        }
      }
    }
  }

  private func moveWholeLog(_ database: Database) throws {
    let row = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    guard row?.integer(0) == 0 else {
      throw JournalError(.inUse, "another connection reads the journal", at: JournalError.Place(file: path))
    }
  }

  /// Reads every page, the current snapshot or checkpoint, and the log after it.
  private func content(_ database: Database) throws -> Content {
    let finding = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "nothing"
    guard finding == "ok" else {
      throw JournalError(
        .corrupt, "the file's pages are inconsistent: \(finding)", at: JournalError.Place(file: path))
    }
    let rows = SnapshotRows(database: database, path: path)
    let snapshot = try rows.current()
    if let snapshot {
      try rows.verify(snapshot)
      for index in 0..<snapshot.chunkCount { _ = try rows.chunk(index, of: snapshot) }
    }
    var chain = BatchChain(after: snapshot, path: path)
    if let finding = try chain.verify(database) {
      throw JournalError(
        .corrupt, finding.text,
        at: JournalError.Place(file: path, position: finding.firstPosition, byteOffset: finding.byteOffset))
    }
    let epoch = try Int64.fetchOne(database, sql: "SELECT epoch FROM ownership") ?? 0
    let head = JournalHead(epoch: epoch, position: chain.position, runningHash: chain.runningHash)
    return Content(head: head, startPosition: snapshot?.position ?? 0)
  }
}
