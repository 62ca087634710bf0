import HearthJournal

/// The rewriting of retained batches' content. Their rows keep the running hash, which the next batch continues, and
/// get a separate hash of the new content.
///
/// PostgreSQL removes the old content from its files when it vacuums the table, and from the write-ahead logs of the
/// primary and the standbys when it recycles those.
struct PostgresBatchRewriter: BatchRewriting {
  let handle: JournalHandle
  let log: PostgresLogReader
  let snapshots: PostgresSnapshotStore

  func bounds() throws(JournalError) -> (oldest: Int64, current: Int64) {
    (try log.oldestPosition(), try snapshots.all().last?.position ?? 0)
  }

  func rows(after position: Int64, through last: Int64) throws(JournalError) -> [(
    batch: JournalBatch, row: PostgresBatchRow
  )] {
    try log.rows(after: position, sizeBytesMax: JournalLimits.readBytes).prefix { $0.batch.lastPosition <= last }
      .map { ($0.batch, $0) }
  }

  func change(_ row: PostgresBatchRow, to payload: [UInt8]) -> [PostgresStatement] {
    let first = row.batch.firstPosition
    let batch = JournalBatch(firstPosition: first, lastPosition: row.batch.lastPosition, payload: payload)
    let pieces = PostgresBatchRow.pieces(of: payload)
    return [
      handle.statement(
        BatchSQL.rewrite, .integer(first), .hash(row.runningHash),
        .hash(RunningHash.empty.appending(batch, epoch: row.epoch)), .integer(Int64(payload.count)),
        .integer(Int64(pieces.count - 1)), .bytes(pieces[0])),
      handle.statement(BatchSQL.removeParts, .integer(first)),
    ]
      + pieces.enumerated().dropFirst().map { number, piece in
        handle.statement(
          BatchSQL.addPart.unprepared, .integer(first), .integer(row.epoch), .hash(row.runningHash),
          .integer(Int64(number)), .bytes(piece))
      }
  }

  func apply(_ changes: [[PostgresStatement]]) throws(JournalError) {
    let statements = changes.flatMap(\.self)
    let answers = try handle.run("rewriting batches", statements)
    for (statement, answer) in zip(statements, answers) where statement.sql.text == BatchSQL.rewrite.text {
      guard answer.count == 1 else {
        throw JournalError(.corrupt, "a batch was removed while it was rewritten", at: handle.place())
      }
    }
  }
}
