import GRDB
import HearthJournal

/// A journal's file in one read transaction. Its owner may be another process, this one, or none.
///
/// SQLite in WAL mode allows readers while one process writes. Until the transaction ends, the content that it sees
/// stays in the file and in the WAL. The WAL is not restarted meanwhile, so it grows with all writes.
final class SQLiteJournalView: JournalView {
  let head: JournalHead
  let snapshot: SnapshotInfo?
  let checkpoint: Checkpoint?
  private let path: String
  private let queue: DatabaseQueue

  /// Begins the transaction.
  ///
  /// - Throws: `.corrupt` when the log ends before the acknowledged position; `.notAJournal`, `.unsupportedFormat`,
  ///   `.permissionDenied`, `.inputOutput`.
  init(path: String) throws(JournalError) {
    // Read before the transaction begins, because the owner advances the mark after each append.
    let mark = try HighWaterMark.read(journalPath: path)
    self.path = path
    let action = "inspecting the journal"
    (queue, head, snapshot, checkpoint) = try JournalError.mapping(action, path: path) {
      var configuration = Configuration()
      configuration.label = "hearth.journal.view"
      configuration.readonly = true
      configuration.busyMode = .timeout(5)
      configuration.allowsUnsafeTransactions = true
      configuration.reportFirstReadError(action, path: path)
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      let (head, snapshot, checkpoint) = try queue.unsafeRead { database in
        try JournalError.mapping(action, path: path) {
          try database.beginTransaction(.deferred)
          return try Self.state(database, path: path)
        }
      }
      return (queue, head, snapshot, checkpoint)
    }
    guard case .found(let slot) = mark, head.position < slot.position else { return }
    throw JournalError(
      .corrupt,
      "the log ends at position \(head.position), but commits up to position \(slot.position) had been "
        + "acknowledged; " + JournalRecovery.remedy(path), at: JournalError.Place(file: path, position: head.position))
  }

  /// Returns the end of the log and the current snapshot or checkpoint. A file without tables is an empty log.
  private static func state(
    _ database: Database, path: String
  ) throws -> (JournalHead, SnapshotInfo?, Checkpoint?) {
    guard try SQLiteSchema.requireKnown(database, path: path) else {
      return (JournalHead(epoch: 0, position: 0, runningHash: .empty), nil, nil)
    }
    let snapshot = try SnapshotRows(database: database, path: path).current()
    let checkpoint = try snapshot.flatMap {
      $0.isCheckpoint ? try CheckpointRows(database, path: path).checkpoint($0) : nil
    }
    let epoch = try Int64.fetchOne(database, sql: "SELECT epoch FROM ownership") ?? 0
    let last = try Row.fetchOne(
      database, sql: "SELECT last_position, running_hash FROM batch ORDER BY first_position DESC LIMIT 1")
    var head = JournalHead(
      epoch: epoch, position: snapshot?.position ?? 0, runningHash: snapshot?.runningHash ?? .empty)
    if let last {
      guard let position = last.integer(0), let hash = last.integer(1) else {
        throw JournalError(.corrupt, "the last batch's columns cannot be read", at: JournalError.Place(file: path))
      }
      if position > head.position {
        head.position = position
        head.runningHash = RunningHash(stored: hash)
      }
    }
    return (head, snapshot, checkpoint)
  }

  func forEachChunk(_ body: ([UInt8]) throws -> Void) throws {
    guard let snapshot else { return }
    if checkpoint != nil { throw JournalError.unsupported("copying the journal", file: path) }
    for index in 0..<snapshot.chunkCount {
      try body(
        try JournalError.mapping("reading a snapshot", path: path) {
          try queue.unsafeRead { try SnapshotRows(database: $0, path: path).chunk(index, of: snapshot) }
        })
    }
  }

  func forEachLink(after position: Int64, _ body: (JournalLink) throws -> Bool) throws {
    let path = path
    guard position < head.position else { return }
    try queue.unsafeRead { database in
      let rows = try Row.fetchCursor(
        database, sql: "SELECT \(SQLiteBatchRow.columns) FROM batch WHERE last_position > ? ORDER BY first_position",
        arguments: [position])
      var previous: Int64?
      while let row = try rows.next() {
        guard let found = SQLiteBatchRow(row), found.payload.count == Int(found.sizeBytes), found.last >= found.first,
          previous.map({ $0 == found.first - 1 }) ?? true
        else {
          throw JournalError(
            .corrupt, "the batch cannot be read, or does not continue the one before it",
            at: JournalError.Place(file: path, position: row.integer(0) ?? previous ?? position))
        }
        previous = found.last
        guard try body(JournalLink(batch: found.batch, epoch: found.epoch, runningHash: found.runningHash)) else {
          return
        }
      }
    }
  }

  func forEachEntry(_ body: (ArchivedEntry) throws -> Void) throws {
    try queue.unsafeRead { try OutboxRows(database: $0, path: path).forEach(body) }
  }

  func close() {
    // Closing the connection ends the transaction.
    try? queue.close()
  }
}
