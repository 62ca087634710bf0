import GRDB
import HearthJournal

/// The iteration over the log from a snapshot, or from the beginning. It reads one batch at a time, so that an
/// unreadable page ends it exactly at the damaged batch.
struct SalvageReader {
  private(set) var chain: BatchChain
  /// The last batch that matches.
  private(set) var last: JournalBatch?
  /// The damage that ended the iteration; nil at the log's end.
  private(set) var finding: JournalRecovery.Damage?
  private let path: String

  init(_ base: SnapshotInfo?, path: String) {
    chain = BatchChain(after: base, path: path)
    self.path = path
  }

  /// Iterates to a position, to the end, or to the first damage, and passes each batch on.
  mutating func run(
    _ database: Database, through end: Int64 = .max, _ body: (SQLiteBatchRow) throws -> Void
  ) rethrows {
    let seams = try? SeamRows(database)
    while finding == nil, chain.position < end {
      let position = chain.position + 1
      let row: Row?
      do {
        row = try Row.fetchOne(
          database, sql: "SELECT \(SQLiteBatchRow.columns) FROM batch WHERE first_position = ?", arguments: [position])
      } catch {
        finding = damage(position, nil, "the batch's pages cannot be read: \(error)")
        return
      }
      guard let row else { return noteGap(database, at: position) }
      // An unreadable seam makes the next batch appear not to continue the log.
      if let hash = try? seams?.hash(at: chain.position) { chain.runningHash = hash }
      if let found = chain.add(row) {
        finding = damage(found.firstPosition, found.byteOffset, found.text)
        return
      }
      guard let taken = SQLiteBatchRow(row) else { return }
      last = taken.batch
      try body(taken)
    }
  }

  /// Records the end of the log, or a gap before its continuation.
  private mutating func noteGap(_ database: Database, at position: Int64) {
    do {
      let next = try Int64.fetchOne(
        database, sql: "SELECT min(first_position) FROM batch WHERE first_position > ?", arguments: [position])
      guard let next else { return }
      finding = damage(position, nil, "batches are missing up to position \(next)")
    } catch {
      finding = damage(position, nil, "the log after position \(position - 1) cannot be read: \(error)")
    }
  }

  private func damage(_ position: Int64, _ byteOffset: Int?, _ text: String) -> JournalRecovery.Damage {
    JournalRecovery.Damage(
      place: JournalError.Place(file: path, position: position, byteOffset: byteOffset), finding: text)
  }
}
