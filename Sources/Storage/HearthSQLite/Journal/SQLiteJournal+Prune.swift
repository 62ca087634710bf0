import GRDB
import HearthJournal
import HearthRows

extension SQLiteJournal {
  public func prune(keepingFrom position: Int64) throws(JournalError) {
    guard let oldest = try snapshots().last(where: { $0.position <= position }) else { return }
    try removeOlderSnapshots(than: oldest)
    while try pruneStep(through: oldest.position) {}
    try writing("pruning") { try SeamRows($0).remove(before: oldest.position) }
  }

  public func removeSnapshot(_ snapshot: SnapshotInfo) throws(JournalError) {
    guard try currentSnapshot()?.identifier != snapshot.identifier else {
      throw JournalError(
        .positionMismatch, "a restart reads the current snapshot",
        at: JournalError.Place(file: path, position: snapshot.position))
    }
    try removeSnapshot(snapshot.identifier)
  }

  public func reusableBytes() throws(JournalError) -> Int {
    try reading("counting free pages") { database in
      let count = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
      let (bytes, overflows) = try (Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        .multipliedReportingOverflow(by: count)
      return overflows ? 0 : bytes
    }
  }

  /// Deletes some of the batches that end at or before `position`, oldest first.
  ///
  /// - Returns: True when there may be more.
  private func pruneStep(through position: Int64) throws(JournalError) -> Bool {
    let removedBytes = try writing("pruning") { database in
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT first_position, size_bytes FROM batch WHERE first_position <= ?1 AND last_position <= ?1
          ORDER BY first_position LIMIT \(SQLiteLimits.pruneStepRows)
          """, arguments: [position])
      var last: Int64?
      var sizeBytes: Int64 = 0
      while let row = try rows.next(), sizeBytes < SQLiteLimits.pruneStepBytes {
        last = row.integer(0)
        sizeBytes = sizeBytes.addingReportingOverflow(max(0, row.integer(1) ?? 0)).partialValue
      }
      guard let last else { return Int?.none }
      try database.execute(sql: "DELETE FROM batch WHERE first_position <= ?", arguments: [last])
      return Int(clamping: sizeBytes)
    }
    // SQLite writes zeros over removed data, through its log, which without this would grow by all that is pruned.
    if let removedBytes { noteWritten(removedBytes) }
    return removedBytes != nil
  }

  private func removeOlderSnapshots(than oldest: SnapshotInfo) throws(JournalError) {
    let older = try reading("looking for old snapshots") { database in
      try Int64.fetchAll(
        database, sql: "SELECT id FROM snapshot WHERE is_complete = 1 AND id <> ? AND position <= ?",
        arguments: [oldest.identifier, oldest.position])
    }
    for identifier in older {
      try removeSnapshot(identifier)
    }
  }

  /// Removes the remains of a failed or replaced snapshot; the only writer of snapshots is about to begin a new one.
  func removeUnfinishedSnapshots() throws(JournalError) {
    let unfinished = try reading("looking for unfinished snapshots") { database in
      try Int64.fetchAll(database, sql: "SELECT id FROM snapshot WHERE is_complete = 0")
    }
    for identifier in unfinished {
      try removeSnapshot(identifier)
    }
  }

  /// Deletes a snapshot in small steps. From the first one on it is incomplete, so that readers ignore it and the next
  /// start removes the remains of an interruption.
  func removeSnapshot(_ identifier: Int64) throws(JournalError) {
    var isMore = true
    while isMore {
      isMore = try writing("removing a snapshot") { database in
        try SnapshotRows(database: database, path: path).removeStep(identifier)
      }
      noteWritten(SQLiteLimits.pruneStepBytes)
    }
  }
}
