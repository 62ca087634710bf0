import GRDB
import HearthJournal

/// The removal of batches, snapshots and checkpoints that are needed only for states before a position.
struct SQLiteLogPruner {
  let file: JournalFile
  let checkpointer: LogCheckpointer
  let snapshots: SQLiteSnapshotStore

  func prune(keepingFrom position: Int64, batchesThrough last: Int64) throws(JournalError) {
    guard let oldest = try snapshots.starts().last(where: { $0.position <= position }) else { return }
    try snapshots.removeOlder(than: oldest)
    let last = min(last, oldest.position)
    while try pruneStep(through: last) {}
    try file.writing("pruning") { try SeamRows($0).remove(before: last) }
  }

  /// Deletes some of the batches that end at or before `position`, oldest first.
  ///
  /// - Returns: True when there may be more.
  private func pruneStep(through position: Int64) throws(JournalError) -> Bool {
    let removedBytes = try file.writing("pruning") { database in
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
    if let removedBytes { checkpointer.noteWritten(removedBytes) }
    return removedBytes != nil
  }
}
