import GRDB
import HearthJournal

/// The rewriting of retained batches' content; a seam row after each group stores the original running hash: see
/// ``SeamRows``.
struct SQLiteBatchRewriter: BatchRewriting {
  /// A batch, and the running hash before it.
  struct Kept {
    var row: SQLiteBatchRow
    var before: RunningHash
  }

  /// A rewritten batch before it is stored.
  struct Change {
    var row: SQLiteBatchRow
    var payload: [UInt8]
    var runningHash: RunningHash
  }

  let file: JournalFile
  let checkpointer: LogCheckpointer
  let log: SQLiteLogReader
  let snapshots: SQLiteSnapshotStore

  func bounds() throws(JournalError) -> (oldest: Int64, current: Int64) {
    (try log.oldestPosition(), try snapshots.starts().last?.position ?? 0)
  }

  func change(_ kept: Kept, to payload: [UInt8]) -> Change {
    var batch = kept.row.batch
    batch.payload = payload
    let hash = kept.before.appending(batch, epoch: kept.row.epoch)
    return Change(row: kept.row, payload: payload, runningHash: hash)
  }

  func rows(after position: Int64, through last: Int64) throws(JournalError) -> [(batch: JournalBatch, row: Kept)] {
    try file.reading("reading batches") { database in
      let seams = try SeamRows(database)
      let cursor = try Row.fetchCursor(
        database,
        sql: """
          SELECT \(SQLiteBatchRow.columns) FROM batch WHERE first_position > ?1 AND first_position <= ?2 AND last_position <= ?2
          ORDER BY first_position LIMIT \(SQLiteLimits.pruneStepRows)
          """, arguments: [position, last])
      var (rows, sizeBytes, previous): ([(batch: JournalBatch, row: Kept)], Int, SQLiteBatchRow?) = ([], 0, nil)
      while sizeBytes < SQLiteLimits.pruneStepBytes, let row = try cursor.next() {
        guard let found = SQLiteBatchRow(row), found.payload.count == Int(found.sizeBytes), found.last >= found.first,
          found.first - 1 == previous?.last ?? position
        else {
          throw JournalError(
            .corrupt, "the batch cannot be read, or does not continue the one before it",
            at: JournalError.Place(file: file.path, position: row.integer(0) ?? previous?.last ?? position))
        }
        let before =
          try seams.hash(at: found.first - 1) ?? previous?.runningHash
          ?? BatchRows(database: database, path: file.path).runningHash(before: found)
        _ = try found.verified(after: before, path: file.path)
        rows.append((found.batch, Kept(row: found, before: before)))
        sizeBytes += found.payload.count
        previous = found
      }
      return rows
    }
  }

  func apply(_ changes: [Change]) throws(JournalError) {
    try file.writing("rewriting batches") { database in
      try SeamRows.make(database)
      let seams = try SeamRows(database)
      for change in changes {
        try database.execute(
          sql: """
            UPDATE batch SET payload = ?, size_bytes = ?, running_hash = ? WHERE first_position = ? AND running_hash = ?
            """,
          arguments: [
            DatabaseValue.blob(change.payload), change.payload.count, change.runningHash.stored,
            change.row.first, change.row.runningHash.stored,
          ])
        guard database.changesCount == 1 else {
          throw JournalError(
            .corrupt, "the batch was changed in the meantime",
            at: JournalError.Place(file: file.path, position: change.row.first))
        }
        try seams.keep(change.row.runningHash, at: change.row.last)
      }
    }
    checkpointer.noteWritten(changes.reduce(0) { $0 + $1.payload.count })
  }
}
