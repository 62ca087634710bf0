import HearthCluster
import HearthJournal

extension OwnerRecord {
  /// Reads the first columns of ``ClusterSQL/owner``; nil when the journal was removed.
  init?(_ answer: PostgresAnswer) {
    guard let epoch = answer.integer(0, 0), epoch >= 0 else { return nil }
    var owner: Incarnation?
    if let name = answer.text(0, 1), let number = answer.integer(0, 2) {
      owner = Incarnation(node: NodeID(name), number: number)
    }
    self.init(epoch: epoch, owner: owner, isLapsed: owner != nil && answer.integer(0, 3) != 0)
  }
}

extension LogReading {
  /// Reads the answers of ``ClusterSQL/position`` and ``ClusterSQL/rows``.
  ///
  /// - Throws: `.pruned` when the rows after the position were pruned: a reader cannot continue without them.
  ///   `.corrupt` for unreadable rows.
  init(_ found: PostgresAnswer, _ rows: PostgresAnswer, after position: Int64) throws(JournalError) {
    guard let owner = OwnerRecord(found) else {
      throw JournalError(.inputOutput, "the journal of a database was removed")
    }
    let end = try LogReading.head(found, (4, 5, 6)) ?? .empty
    let start: JournalHead? =
      if position == 0 {
        .empty
      } else if end.position == position {
        end
      } else if let epoch = found.integer(0, 7), let hash = found.integer(0, 8) {
        JournalHead(epoch: epoch, position: position, runningHash: RunningHash(stored: hash))
      } else {
        nil
      }
    let oldest = found.integer(0, 9) ?? 1
    guard oldest <= max(1, position) || end.position <= position else { throw Self.pruned(position) }
    guard start != nil else {
      self.init(start: nil, rows: [], end: end, owner: owner)
      return
    }
    var read: [LogRow] = []
    for index in rows.rows.indices {
      let row = try Self.row(rows, index)
      guard row.batch.firstPosition - 1 == read.last?.batch.lastPosition ?? position else {
        throw Self.pruned(position)
      }
      read.append(row)
    }
    self.init(start: start, rows: read, end: end, owner: owner)
  }

  private static func head(
    _ found: PostgresAnswer, _ columns: (Int, Int, Int)
  ) throws(JournalError) -> JournalHead? {
    guard let epoch = found.integer(0, columns.0), let position = found.integer(0, columns.1),
      let hash = found.integer(0, columns.2)
    else { return nil }
    guard epoch >= 0, position >= 0, position < .max else {
      throw JournalError(.corrupt, "the log's last row has the invalid position \(position) or epoch \(epoch)")
    }
    // A log whose last row is a claim before the first commit is empty.
    if position == 0 { return nil }
    return JournalHead(epoch: epoch, position: position, runningHash: RunningHash(stored: hash))
  }

  private static func row(_ rows: PostgresAnswer, _ index: Int) throws(JournalError) -> LogRow {
    guard let first = rows.integer(index, 0), let last = rows.integer(index, 1), let epoch = rows.integer(index, 2),
      let hash = rows.integer(index, 3), let size = rows.integer(index, 5), first > 0, last >= first, last < .max,
      epoch >= 0
    else { throw JournalError(.corrupt, "a row of the log cannot be read") }
    guard let payload = rows.bytes(index, 6) else { throw pruned(first - 1) }
    guard Int64(payload.count) == size else {
      throw JournalError(.corrupt, "the row at \(first) has \(payload.count) bytes and was written with \(size)")
    }
    guard rows.integer(index, 4) == nil else {
      throw JournalError(.corrupt, "the row at \(first) was rewritten: nodes must restart after it, from a snapshot")
    }
    let batch = JournalBatch(firstPosition: first, lastPosition: last, payload: payload)
    return LogRow(epoch: epoch, batch: batch, hash: RunningHash(stored: hash))
  }

  private static func pruned(_ position: Int64) -> JournalError {
    JournalError(.pruned, "the log after position \(position) was pruned; a snapshot replaces it")
  }
}
