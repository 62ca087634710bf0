import GRDB
import HearthJournal

extension SQLiteJournal {
  /// Counts what went into SQLite's log, and has it moved into the database file when it is enough.
  func noteWritten(_ sizeBytes: Int) {
    // A row costs a page or two beside its payload.
    let sizeBytes = sizeBytes + 8_192
    let isDue = state.withLock { state in
      state.bytesSinceCheckpoint += sizeBytes
      guard state.bytesSinceCheckpoint >= options.checkpointBytes, !state.isCheckpointing, !state.isClosed else {
        return false
      }
      state.isCheckpointing = true
      state.bytesSinceCheckpoint = 0
      return true
    }
    guard isDue else { return }
    checkpointQueue.async { [weak self] in self?.checkpoint() }
  }

  /// Moves the log into the database file: most of it on a connection of its own while appends go on, and what they
  /// added meanwhile on the writer's, so that the next append begins the log anew. With the first step alone the log
  /// would never be empty under a steady load, and grow.
  private func checkpoint() {
    defer { state.withLock { $0.isCheckpointing = false } }
    let (action, path) = ("moving the log into the database file", path)
    @Sendable func move(_ database: GRDB.Database) throws {
      try JournalError.tellingFullDisks(action, path: path) {
        _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(PASSIVE)")
      }
    }
    do {
      try JournalError.mapping(action, path: path) {
        try checkpointer.writeWithoutTransaction(move)
        try pool.writeWithoutTransaction(move)
      }
    } catch {
      // Without space the log simply stays; a failed sync is a reason to stop, here as for an append.
      if error.leavesOutcomeUnknown { state.withLock { $0.failure = $0.failure ?? error } }
    }
  }
}
