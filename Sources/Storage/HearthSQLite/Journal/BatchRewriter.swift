import GRDB
import HearthJournal
import HearthRows

extension SQLiteJournal {
  public func rewrite(through position: Int64, _ body: (JournalBatch) throws -> BatchRewrite) throws {
    try BatchRewriter(journal: self).run(through: position, body)
    emptyLog()
  }
}

/// The rewriting of kept batches' content, with seams after them: see ``SeamRows``.
struct BatchRewriter {
  let journal: SQLiteJournal

  /// A rewritten batch before it is stored.
  private struct Change {
    var found: BatchRow
    var payload: [UInt8]
    var runningHash: RunningHash
  }

  func run(through position: Int64, _ body: (JournalBatch) throws -> BatchRewrite) throws {
    let current = try journal.currentSnapshot()?.position ?? 0
    guard position <= current else {
      throw JournalError(
        .positionMismatch, "a restart reads what comes after position \(current)",
        at: JournalError.Place(file: journal.path, position: position))
    }
    var (end, changes): (Int64, [Change]) = (try journal.oldestPosition(), [])
    while end < position {
      let rows = try rows(after: end, through: position)
      guard !rows.isEmpty else { break }
      for (found, before) in rows {
        let rewrite = try body(found.batch)
        if let payload = rewrite.payload {
          var batch = found.batch
          batch.payload = payload
          let hash = before.appending(batch, epoch: found.epoch)
          changes.append(Change(found: found, payload: payload, runningHash: hash))
        }
        end = found.last
        guard rewrite.isComplete, !changes.isEmpty else { continue }
        try apply(changes)
        changes = []
      }
    }
  }

  /// Returns batches that match their running hashes, each with the hash before it.
  private func rows(
    after position: Int64, through last: Int64
  ) throws(JournalError) -> [(row: BatchRow, before: RunningHash)] {
    try journal.reading("reading batches") { database in
      let seams = try SeamRows(database)
      let cursor = try Row.fetchCursor(
        database,
        sql: """
          SELECT \(BatchRow.columns) FROM batch WHERE first_position > ?1 AND first_position <= ?2 AND last_position <= ?2
          ORDER BY first_position LIMIT \(SQLiteLimits.pruneStepRows)
          """, arguments: [position, last])
      var (rows, sizeBytes, previous): ([(row: BatchRow, before: RunningHash)], Int, BatchRow?) = ([], 0, nil)
      while sizeBytes < SQLiteLimits.pruneStepBytes, let row = try cursor.next() {
        guard let found = BatchRow(row), found.payload.count == Int(found.sizeBytes), found.last >= found.first,
          found.first - 1 == previous?.last ?? position
        else {
          throw JournalError(
            .corrupt, "the batch cannot be read, or does not follow the one before it",
            at: JournalError.Place(file: journal.path, position: row.integer(0) ?? previous?.last ?? position))
        }
        let before =
          try seams.hash(at: found.first - 1) ?? previous?.runningHash
          ?? BatchRows(database: database, path: journal.path).runningHash(before: found)
        _ = try found.verified(after: before, path: journal.path)
        rows.append((found, before))
        sizeBytes += found.payload.count
        previous = found
      }
      return rows
    }
  }

  /// Writes batches in one transaction.
  private func apply(_ changes: [Change]) throws(JournalError) {
    try journal.writing("writing batches anew") { database in
      try SeamRows.make(database)
      let seams = try SeamRows(database)
      for change in changes {
        try database.execute(
          sql: """
            UPDATE batch SET payload = ?, size_bytes = ?, running_hash = ? WHERE first_position = ? AND running_hash = ?
            """,
          arguments: [
            DatabaseValue.blob(change.payload), change.payload.count, Int64(bitPattern: change.runningHash.rawValue),
            change.found.first, Int64(bitPattern: change.found.runningHash.rawValue),
          ])
        guard database.changesCount == 1 else {
          throw JournalError(
            .corrupt, "the batch was changed meanwhile",
            at: JournalError.Place(file: journal.path, position: change.found.first))
        }
        try seams.keep(change.found.runningHash, at: change.found.last)
      }
    }
    journal.noteWritten(changes.reduce(0) { $0 + $1.payload.count })
  }
}
