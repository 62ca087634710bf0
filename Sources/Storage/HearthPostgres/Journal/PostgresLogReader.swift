import HearthJournal
import Synchronization

/// The reader of a log's batches; it verifies them with their running hashes.
final class PostgresLogReader: Sendable {
  private let handle: JournalHandle
  /// The end of the last read, with the running hash there.
  private let readUpTo = Mutex<(position: Int64, hash: RunningHash)?>(nil)

  init(_ handle: JournalHandle) { self.handle = handle }

  /// Returns the end of the log; nil when it never had an owner.
  func end() throws(JournalError) -> LogEnd? {
    let found = try handle.run("reading the log's end", [handle.statement(BatchSQL.tail)])[0]
    guard !found.rows.isEmpty else { return nil }
    guard let first = found.integer(0, 0), let last = found.integer(0, 1), let rowEpoch = found.integer(0, 2),
      let hash = found.integer(0, 3), let epoch = found.integer(0, 4)
    else { throw JournalError(.corrupt, "the log's last row cannot be read", at: handle.place()) }
    return LogEnd(
      firstPosition: first, lastPosition: last, rowEpoch: rowEpoch, runningHash: RunningHash(stored: hash), epoch: epoch
    )
  }

  /// Returns batches as `Journal.batches(after:sizeBytesMax:)` does, with the other columns of their rows.
  func rows(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [PostgresBatchRow] {
    let found = try handle.run(
      "reading batches", [handle.statement(BatchSQL.after, .integer(position), .integer(Int64(clamping: sizeBytesMax)))]
    )[0]
    var rows: [PostgresBatchRow] = []
    var end: (position: Int64, hash: RunningHash)?
    for index in found.rows.indices {
      let known = rows.last?.batch.lastPosition ?? position
      guard var row = PostgresBatchRow(found, index) else {
        throw JournalError(.corrupt, "a batch after position \(known) cannot be read", at: handle.place(known))
      }
      if let end {
        guard row.batch.firstPosition - 1 == end.position else {
          throw JournalError(
            .corrupt, "batches are missing after position \(end.position)", at: handle.place(end.position))
        }
      } else if row.batch.firstPosition - 1 > position {
        throw .pruned(position, file: handle.file)
      }
      let first = row.batch.firstPosition
      try row.addParts { (part) throws(JournalError) in
        try handle.run("reading a batch", [handle.statement(BatchSQL.part, .integer(first), .integer(part))])[0].bytes(
          0, 0)
      }
      let before: RunningHash = if let end { end.hash } else { try hash(before: first) }
      if let finding = row.finding(after: before) { throw JournalError(.corrupt, finding, at: handle.place(first)) }
      end = (row.batch.lastPosition, row.runningHash)
      rows.append(row)
    }
    if rows.isEmpty { try requireEnd(position) }
    if let end { readUpTo.withLock { $0 = end } }
    return rows
  }

  /// Returns the running hash before a batch.
  ///
  /// - Throws: `.pruned` when the batch is about to be pruned.
  private func hash(before first: Int64) throws(JournalError) -> RunningHash {
    if let known = readUpTo.withLock({ $0 }), known.position == first - 1 { return known.hash }
    if let stored = try storedHash(at: first - 1) { return stored }
    guard first == 1 else { throw .pruned(first - 1, file: handle.file) }
    return .empty
  }

  /// Returns the running hash at the end of a batch or at a snapshot; nil for other positions.
  func storedHash(at position: Int64) throws(JournalError) -> RunningHash? {
    try handle.run("reading a batch's hash", [handle.statement(BatchSQL.runningHash, .integer(position))])[0].integer(
      0, 0
    )
    .map { RunningHash(stored: $0) }
  }

  /// Throws an error when a row is missing before the end of the log.
  private func requireEnd(_ position: Int64) throws(JournalError) {
    guard let end = try self.end(), position < end.lastPosition else { return }
    throw .pruned(position, file: handle.file)
  }

  func oldestPosition() throws(JournalError) -> Int64 {
    let found = try handle.run("looking for the oldest position", [handle.statement(BatchSQL.oldest)])[0]
    return found.integer(0, 0) == 1 ? 0 : found.integer(0, 1) ?? 0
  }

  func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int {
    let found = try handle.run(
      "measuring the log", [handle.statement(BatchSQL.logBytes, .integer(position), .integer(last))])[0]
    let (bytes, count) = (found.integer(0, 0) ?? 0, found.integer(0, 1) ?? 0)
    return Int(clamping: max(0, bytes)) + Int(clamping: count) * PostgresLimits.batchRowBytes
  }
}
