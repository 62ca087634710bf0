import GRDB
import HearthJournal

/// The batches of the log, within a transaction.
struct BatchRows {
  let database: Database
  let path: String

  /// Returns the batches after a position, at most `sizeBytesMax` bytes together, but at least one batch.
  ///
  /// - Parameter snapshotPosition: The position of the snapshot that was current when the journal was opened. Earlier
  ///   batches were not verified then, and are compared with their running hashes here.
  func batches(
    after position: Int64, sizeBytesMax: Int, snapshotPosition: Int64
  ) throws -> [JournalBatch] {
    let rows = try Row.fetchCursor(database, sql: SQLiteSchema.batchesAfter, arguments: [position])
    var batches: [JournalBatch] = []
    var sizeBytes = 0
    // Later batches were verified when the journal was opened, or have been written since.
    let isKept = position < snapshotPosition
    let seams = isKept ? try SeamRows(database) : nil
    var hash: RunningHash?
    while let row = try rows.next() {
      guard let found = SQLiteBatchRow(row), found.payload.count == Int(found.sizeBytes), found.last >= found.first
      else {
        throw JournalError(
          .corrupt, "the batch cannot be read",
          at: JournalError.Place(file: path, position: row.integer(0) ?? batches.last?.lastPosition ?? position))
      }
      try requireContinuous(found, after: batches.last?.lastPosition, wanted: position)
      sizeBytes += found.payload.count
      if !batches.isEmpty, sizeBytes > sizeBytesMax { break }
      if isKept {
        let before = try seams?.hash(at: found.first - 1) ?? hash ?? runningHash(before: found)
        hash = try found.verified(after: before, path: path)
      }
      batches.append(found.batch)
    }
    if batches.isEmpty { try requireEnd(position) }
    return batches
  }

  /// Returns the running hash before a batch.
  ///
  /// - Throws: `.pruned` when the batch is about to be pruned.
  func runningHash(before found: SQLiteBatchRow) throws -> RunningHash {
    let position = found.first - 1
    let stored = try Int64.fetchOne(database, sql: SQLiteSchema.runningHash, arguments: [position])
    if let stored { return RunningHash(stored: stored) }
    guard position == 0 else { throw JournalError.pruned(position, file: path) }
    return .empty
  }

  /// Throws an error for a gap between batches or before the first one.
  private func requireContinuous(
    _ found: SQLiteBatchRow, after previous: Int64?, wanted position: Int64
  ) throws(JournalError) {
    if let previous {
      guard found.first - 1 == previous else {
        throw JournalError(
          .corrupt, "batches are missing after position \(previous)",
          at: JournalError.Place(file: path, position: previous))
      }
    } else if found.first - 1 > position {
      throw JournalError.pruned(position, file: path)
    }
  }

  /// Throws an error when a batch is missing before the end of the log.
  private func requireEnd(_ position: Int64) throws {
    let tail = try Int64.fetchOne(database, sql: SQLiteSchema.tail) ?? 0
    guard position >= tail else { throw JournalError.pruned(position, file: path) }
  }

  /// Returns the running hash at the end of the batch that ends at `position`.
  func runningHash(at position: Int64) throws -> RunningHash {
    if let hash = try SeamRows(database).hash(at: position) { return hash }
    let stored = try Int64.fetchOne(database, sql: SQLiteSchema.runningHash, arguments: [position])
    if let stored { return RunningHash(stored: stored) }
    if position == 0, try Int64.fetchOne(database, sql: SQLiteSchema.currentSnapshot) == nil { return .empty }
    throw JournalError.noState(at: position, file: path)
  }

  /// Returns the position at which the oldest kept batch, or the oldest snapshot, begins.
  func oldestPosition() throws -> Int64 {
    if try Int64.fetchOne(database, sql: "SELECT min(first_position) FROM batch") == 1 { return 0 }
    return try Int64.fetchOne(database, sql: "SELECT min(position) FROM snapshot WHERE is_complete = 1") ?? 0
  }

  /// Returns the size of the batches between two positions in bytes.
  func sizeBytes(after position: Int64, through last: Int64) throws -> Int {
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
