import GRDB
import HearthJournal

extension SQLiteJournal {
  public func beginSnapshot(at position: Int64) throws(JournalError) -> SnapshotTicket {
    state.withLock { $0.openSnapshot = nil }
    try removeUnfinishedSnapshots()
    return try writing("starting a snapshot") { database in
      let hash = try BatchRows(database: database, path: path).runningHash(at: position)
      try database.execute(
        sql: """
          INSERT INTO snapshot (position, running_hash, chunk_count, size_bytes, is_complete) VALUES (?, ?, 0, 0, 0)
          """, arguments: [position, Int64(bitPattern: hash.rawValue)])
      let ticket = SnapshotTicket(identifier: database.lastInsertedRowID, position: position)
      state.withLock { $0.openSnapshot = JournalState.OpenSnapshot(ticket: ticket, runningHash: hash) }
      return ticket
    }
  }

  public func appendSnapshotChunk(_ chunk: [UInt8], to ticket: SnapshotTicket) throws(JournalError) {
    guard chunk.count <= JournalLimits.snapshotChunkBytesMax else {
      throw JournalError(
        .tooLarge, "a chunk of \(chunk.count) bytes is over the limit of \(JournalLimits.snapshotChunkBytesMax)",
        at: JournalError.Place(file: path, position: ticket.position))
    }
    do {
      try writing("writing a snapshot") { database in
        let open = try requireOpenSnapshot(ticket)
        try SnapshotRows(database: database, path: path).add(chunk, open.chunkCount, to: ticket.identifier)
        state.withLock { state in
          state.openSnapshot?.chunkCount += 1
          state.openSnapshot?.sizeBytes += chunk.count
        }
      }
    } catch {
      // The counted and the written size may differ now.
      state.withLock { state in
        if state.openSnapshot?.ticket == ticket { state.openSnapshot = nil }
      }
      throw error
    }
    noteWritten(chunk.count)
  }

  public func completeSnapshot(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotInfo {
    let open = try requireOpenSnapshot(ticket)
    try writing("completing a snapshot") { database in
      try database.execute(
        sql: "UPDATE snapshot SET chunk_count = ?, size_bytes = ?, is_complete = 1 WHERE id = ? AND is_complete = 0",
        arguments: [open.chunkCount, open.sizeBytes, ticket.identifier])
      guard database.changesCount == 1 else { throw JournalError.abandoned(ticket.position, path: path) }
    }
    state.withLock { state in
      state.openSnapshot = nil
      state.snapshotPosition = max(state.snapshotPosition, ticket.position)
    }
    return SnapshotInfo(
      identifier: ticket.identifier, position: ticket.position, runningHash: open.runningHash,
      chunkCount: open.chunkCount, sizeBytes: open.sizeBytes)
  }

  public func abandonSnapshot(_ ticket: SnapshotTicket) throws(JournalError) {
    state.withLock { state in
      if state.openSnapshot?.ticket == ticket { state.openSnapshot = nil }
    }
    // A snapshot that a failed chunk ended is no longer open, and on a full disk its chunks occupy the space.
    let isUnfinished = try reading("looking for a snapshot") { database in
      try Bool.fetchOne(
        database, sql: "SELECT count(*) > 0 FROM snapshot WHERE id = ? AND is_complete = 0",
        arguments: [ticket.identifier])
    }
    if isUnfinished == true { try removeSnapshot(ticket.identifier) }
  }

  private func requireOpenSnapshot(_ ticket: SnapshotTicket) throws(JournalError) -> JournalState.OpenSnapshot {
    guard let open = state.withLock({ $0.openSnapshot }), open.ticket == ticket else {
      throw JournalError.abandoned(ticket.position, path: path)
    }
    return open
  }
}
