import GRDB
import HearthJournal
import HearthRows

extension SQLiteJournal {
  public func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch] {
    try reading("reading batches") { database in
      let rows = try Row.fetchCursor(
        database, sql: "SELECT \(BatchRow.columns) FROM batch WHERE last_position > ? ORDER BY first_position",
        arguments: [position])
      var batches: [JournalBatch] = []
      var sizeBytes = 0
      while let row = try rows.next() {
        guard let found = BatchRow(row), found.payload.count == Int(found.sizeBytes), found.last >= found.first else {
          throw JournalError(
            .corrupt, "the batch cannot be read",
            at: JournalError.Place(file: path, position: row.integer(0) ?? batches.last?.lastPosition ?? position))
        }
        try requireContinuous(found, after: batches.last?.lastPosition, wanted: position)
        sizeBytes += found.payload.count
        if !batches.isEmpty, sizeBytes > sizeBytesMax { break }
        batches.append(found.batch)
      }
      if batches.isEmpty { try requireEnd(position, database) }
      return batches
    }
  }

  /// Refuses a gap between batches, and one before the first.
  private func requireContinuous(
    _ found: BatchRow, after previous: Int64?, wanted position: Int64
  ) throws(JournalError) {
    if let previous {
      guard found.first - 1 == previous else {
        throw JournalError(
          .corrupt, "batches are missing after position \(previous)",
          at: JournalError.Place(file: path, position: previous))
      }
    } else if found.first - 1 > position {
      throw JournalError.pruned(position, path: path)
    }
  }

  /// Nothing follows: right at the end, wrong before it.
  private func requireEnd(_ position: Int64, _ database: Database) throws {
    let tail = try Int64.fetchOne(database, sql: SQLiteSchema.tail) ?? 0
    guard position >= tail else { throw JournalError.pruned(position, path: path) }
  }

  public func currentSnapshot() throws(JournalError) -> SnapshotInfo? {
    try reading("looking for a snapshot") { database in
      guard let row = try Row.fetchOne(database, sql: SQLiteSchema.currentSnapshot) else { return nil }
      guard let snapshot = SnapshotInfo(row) else {
        throw JournalError.damagedSnapshot("its description cannot be read", path: path, position: nil)
      }
      return snapshot
    }
  }

  public func snapshotChunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    try reading("reading a snapshot") { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT chunk_hash, payload FROM snapshot_chunk WHERE snapshot_id = ? AND chunk_index = ?",
        arguments: [snapshot.identifier, index])
      guard let row else {
        let isThere = try Bool.fetchOne(
          database, sql: "SELECT count(*) > 0 FROM snapshot WHERE id = ? AND is_complete = 1",
          arguments: [snapshot.identifier])
        guard isThere == true else { throw JournalError.abandoned(snapshot.position, path: path) }
        throw JournalError.damagedSnapshot("chunk \(index) is missing", path: path, position: snapshot.position)
      }
      guard let hash = row.integer(0), let payload = row.blob(1),
        XXH64.hash(payload.span, seed: UInt64(bitPattern: Int64(index))) == UInt64(bitPattern: hash)
      else {
        throw JournalError.damagedSnapshot(
          "chunk \(index) is not what was written", path: path, position: snapshot.position)
      }
      return payload
    }
  }
}

extension JournalError {
  static func pruned(_ position: Int64, path: String? = nil) -> JournalError {
    JournalError(
      .pruned, "the log after position \(position) was replaced by a snapshot",
      at: Place(file: path, position: position))
  }

  static func abandoned(_ position: Int64, path: String? = nil) -> JournalError {
    JournalError(
      .snapshotAbandoned, "the snapshot at position \(position) was replaced or given up",
      at: Place(file: path, position: position))
  }
}
