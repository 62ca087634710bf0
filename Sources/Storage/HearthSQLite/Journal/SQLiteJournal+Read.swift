import GRDB
import HearthJournal
import HearthRows

extension SQLiteJournal {
  public func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch] {
    try reading("reading batches") { database in
      let rows = try Row.fetchCursor(database, sql: SQLiteSchema.batchesAfter, arguments: [position])
      var batches: [JournalBatch] = []
      var sizeBytes = 0
      // The log after the snapshot that was current at the opening was verified then, or written since.
      let isKept = position < recovery.snapshotPosition
      let seams = isKept ? try SeamRows(database) : nil
      var hash: RunningHash?
      while let row = try rows.next() {
        guard let found = BatchRow(row), found.payload.count == Int(found.sizeBytes), found.last >= found.first else {
          throw JournalError(
            .corrupt, "the batch cannot be read",
            at: JournalError.Place(file: path, position: row.integer(0) ?? batches.last?.lastPosition ?? position))
        }
        try requireContinuous(found, after: batches.last?.lastPosition, wanted: position)
        sizeBytes += found.payload.count
        if !batches.isEmpty, sizeBytes > sizeBytesMax { break }
        if isKept {
          let before = try seams?.hash(at: found.first - 1) ?? hash ?? runningHash(before: found, database)
          hash = try found.verified(after: before, path: path)
        }
        batches.append(found.batch)
      }
      if batches.isEmpty { try requireEnd(position, database) }
      return batches
    }
  }

  /// Returns the running hash before a batch.
  ///
  /// - Throws: `.pruned` when the batch is about to be pruned.
  func runningHash(before found: BatchRow, _ database: Database) throws -> RunningHash {
    let position = found.first - 1
    let stored = try Int64.fetchOne(database, sql: SQLiteSchema.runningHash, arguments: [position])
    if let stored { return RunningHash(rawValue: UInt64(bitPattern: stored)) }
    guard position == 0 else { throw JournalError.pruned(position, path: path) }
    return .empty
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

  /// Checks that a missing row is at the end of the log and not before it.
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

  public func snapshots() throws(JournalError) -> [SnapshotInfo] {
    try reading("looking for snapshots") { database in
      try Row.fetchAll(database, sql: SQLiteSchema.snapshots).map { row in
        guard let snapshot = SnapshotInfo(row) else {
          throw JournalError.damagedSnapshot("its description cannot be read", path: path, position: row.integer(1))
        }
        return snapshot
      }
    }
  }

  public func oldestPosition() throws(JournalError) -> Int64 {
    try reading("looking for the oldest position") { database in
      if try Int64.fetchOne(database, sql: "SELECT min(first_position) FROM batch") == 1 { return 0 }
      return try Int64.fetchOne(database, sql: "SELECT min(position) FROM snapshot WHERE is_complete = 1") ?? 0
    }
  }

  public func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int {
    try reading("measuring the log") { database in
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT coalesce(sum(size_bytes), 0), count(*) FROM batch
          WHERE first_position > ?1 AND first_position <= ?2 AND last_position <= ?2
          """, arguments: [position, last])
      let (bytes, count) = (row?.integer(0) ?? 0, row?.integer(1) ?? 0)
      return Int(clamping: max(0, bytes)) + Int(clamping: count) * SQLiteLimits.batchRowBytes
    }
  }

  public func snapshotChunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    try reading("reading a snapshot") { try SnapshotRows(database: $0, path: path).chunk(index, of: snapshot) }
  }
}
