import GRDB
import HearthJournal

/// The snapshots of a journal.
struct SQLiteSnapshotStore {
  let file: JournalFile
  let checkpointer: LogCheckpointer

  // MARK: Writing

  /// Starts a snapshot of the state after a position.
  func begin(at position: Int64) throws(JournalError) -> SnapshotTicket {
    file.state.withLock { $0.snapshot.end() }
    try removeUnfinished()
    return try file.writing("starting a snapshot") { database in
      let hash = try BatchRows(database: database, path: file.path).runningHash(at: position)
      try database.execute(
        sql: """
          INSERT INTO snapshot (position, running_hash, chunk_count, size_bytes, is_complete) VALUES (?, ?, 0, 0, 0)
          """, arguments: [position, hash.stored])
      let ticket = SnapshotTicket(identifier: database.lastInsertedRowID, position: position)
      file.state.withLock { $0.snapshot.begin(ticket, hash) }
      return ticket
    }
  }

  func append(_ chunk: [UInt8], to ticket: SnapshotTicket) throws(JournalError) {
    try SnapshotProgress.validate(chunk, of: ticket, file: file.path)
    do {
      try file.writing("writing a snapshot") { database in
        let open = try requireOpen(ticket)
        try SnapshotRows(database: database, path: file.path).add(chunk, open.chunkCount, to: ticket.identifier)
        file.state.withLock { $0.snapshot.add(chunk, to: ticket) }
      }
    } catch {
      // The counted and the written size may differ now.
      file.state.withLock { $0.snapshot.end(ticket) }
      throw error
    }
    checkpointer.noteWritten(chunk.count)
  }

  func complete(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotInfo {
    let open = try requireOpen(ticket)
    try file.writing("completing a snapshot") { database in
      try database.execute(
        sql: "UPDATE snapshot SET chunk_count = ?, size_bytes = ?, is_complete = 1 WHERE id = ? AND is_complete = 0",
        arguments: [open.chunkCount, open.sizeBytes, ticket.identifier])
      guard database.changesCount == 1 else { throw JournalError.abandoned(ticket.position, file: file.path) }
    }
    file.state.withLock { state in
      state.snapshot.end()
      state.startPosition = max(state.startPosition, ticket.position)
    }
    return open.info
  }

  func abandon(_ ticket: SnapshotTicket) throws(JournalError) {
    file.state.withLock { $0.snapshot.end(ticket) }
    // A snapshot that a failed chunk ended is no longer open, and on a full disk its chunks occupy the space.
    let isUnfinished = try file.reading("looking for a snapshot") { database in
      try Bool.fetchOne(
        database, sql: "SELECT count(*) > 0 FROM snapshot WHERE id = ? AND is_complete = 0",
        arguments: [ticket.identifier])
    }
    if isUnfinished == true { try remove(ticket.identifier) }
  }

  private func requireOpen(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotProgress.Open {
    try file.state.withLock { (state) throws(JournalError) in
      try state.snapshot.require(ticket, file: file.path)
    }
  }

  // MARK: Reading

  func current() throws(JournalError) -> SnapshotInfo? {
    try file.reading("looking for a snapshot") { database in
      let current = try SnapshotRows(database: database, path: file.path).current()
      if current?.isCheckpoint == true { throw JournalError.unsupported("loading a snapshot", file: file.path) }
      return current
    }
  }

  func all() throws(JournalError) -> [SnapshotInfo] {
    try starts().filter { !$0.isCheckpoint }
  }

  /// Returns the retained snapshots and checkpoints, oldest first.
  func starts() throws(JournalError) -> [SnapshotInfo] {
    try file.reading("looking for snapshots") { database in
      let rows = SnapshotRows(database: database, path: file.path)
      return try Row.fetchAll(database, sql: SQLiteSchema.snapshots).map(rows.snapshot)
    }
  }

  func chunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    try file.reading("reading a snapshot") {
      try SnapshotRows(database: $0, path: file.path).chunk(index, of: snapshot)
    }
  }

  // MARK: Removing

  /// Removes a snapshot that is not the current one.
  func remove(_ snapshot: SnapshotInfo) throws(JournalError) {
    guard try starts().last?.identifier != snapshot.identifier else {
      throw JournalError.currentStart(at: snapshot.position, file: file.path)
    }
    try remove(snapshot.identifier)
  }

  /// Removes the snapshots and checkpoints at or before the position of another one.
  func removeOlder(than oldest: SnapshotInfo) throws(JournalError) {
    let older = try file.reading("looking for old snapshots") { database in
      try Int64.fetchAll(
        database, sql: "SELECT id FROM snapshot WHERE is_complete = 1 AND id <> ? AND position <= ?",
        arguments: [oldest.identifier, oldest.position])
    }
    for identifier in older {
      try remove(identifier)
    }
  }

  /// Removes the remains of a failed or replaced snapshot; the only writer of snapshots is about to begin a new one.
  private func removeUnfinished() throws(JournalError) {
    let unfinished = try file.reading("looking for unfinished snapshots") { database in
      try Int64.fetchAll(database, sql: "SELECT id FROM snapshot WHERE is_complete = 0")
    }
    for identifier in unfinished {
      try remove(identifier)
    }
  }

  /// Deletes a snapshot in small steps. From the first one on it is incomplete, so that readers ignore it and the next
  /// start removes the remains of an interruption.
  private func remove(_ identifier: Int64) throws(JournalError) {
    var isMore = true
    while isMore {
      isMore = try file.writing("removing a snapshot") { database in
        try SnapshotRows(database: database, path: file.path).removeStep(identifier)
      }
      checkpointer.noteWritten(SQLiteLimits.pruneStepBytes)
    }
  }
}
