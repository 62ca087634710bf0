import HearthJournal

/// The rewriting of kept batches' content. Their rows keep the running hash, which the next batch continues, and get
/// one of the new content beside it.
extension PostgresJournal {
  /// Replaces the content of batches that no restart reads.
  ///
  /// PostgreSQL removes the old content from its files when it vacuums the table, and from its log and the standbys'
  /// when those are recycled.
  public func rewrite(through position: Int64, _ body: (JournalBatch) throws -> BatchRewrite) throws {
    let current = try currentSnapshot()?.position ?? 0
    guard position <= current else {
      throw JournalError(
        .positionMismatch, "a restart reads what comes after position \(current)", at: place(position))
    }
    var (end, changes): (Int64, [PostgresStatement]) = (try oldestPosition(), [])
    while end < position {
      let found = try rows(after: end, sizeBytesMax: JournalLimits.readBytes)
      for row in found {
        guard row.batch.lastPosition <= position else { return }
        let rewrite = try body(row.batch)
        if let payload = rewrite.payload { changes += statements(row, payload) }
        end = row.batch.lastPosition
        guard rewrite.isComplete, !changes.isEmpty else { continue }
        try apply(changes)
        changes = []
      }
      if found.isEmpty { return }
    }
  }

  private func statements(_ row: BatchRow, _ payload: [UInt8]) -> [PostgresStatement] {
    let first = row.batch.firstPosition
    let batch = JournalBatch(firstPosition: first, lastPosition: row.batch.lastPosition, payload: payload)
    let pieces = Self.pieces(of: payload)
    return [
      statement(
        BatchSQL.rewrite, .integer(first), .hash(row.runningHash),
        .hash(RunningHash.empty.appending(batch, epoch: row.epoch)), .integer(Int64(payload.count)),
        .integer(Int64(pieces.count - 1)), .bytes(pieces[0])),
      statement(BatchSQL.removeParts, .integer(first)),
    ]
      + pieces.enumerated().dropFirst().map { number, piece in
        statement(
          BatchSQL.addPart.unprepared, .integer(first), .integer(row.epoch), .hash(row.runningHash),
          .integer(Int64(number)), .bytes(piece))
      }
  }

  /// Writes batches in one transaction.
  private func apply(_ changes: [PostgresStatement]) throws(JournalError) {
    let answers = try run("writing batches anew", changes, isWriting: false)
    for (statement, answer) in zip(changes, answers) where statement.sql.text == BatchSQL.rewrite.text {
      guard answer.count == 1 else {
        throw JournalError(.corrupt, "a batch was removed while it was written anew", at: place())
      }
    }
  }

  /// Removes a snapshot that is not the current one.
  public func removeSnapshot(_ snapshot: SnapshotInfo) throws(JournalError) {
    try requireOpen(forWriting: true)
    let all = try snapshots()
    guard snapshot.identifier != all.last?.identifier else {
      throw JournalError(.positionMismatch, "a restart loads this snapshot", at: place(snapshot.position))
    }
    if all.contains(where: { $0.identifier == snapshot.identifier }) { try removeSnapshot(snapshot.identifier) }
  }
}
