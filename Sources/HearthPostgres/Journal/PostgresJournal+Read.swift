import HearthJournal

extension PostgresJournal {
  /// A row of a log, with its content.
  struct BatchRow {
    var batch: JournalBatch
    var epoch: Int64
    var runningHash: RunningHash
    /// What the content was written anew with.
    var contentHash: RunningHash?
    var partCount: Int64
    var sizeBytes: Int64
  }

  public func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch] {
    try rows(after: position, sizeBytesMax: sizeBytesMax).map(\.batch)
  }

  /// Batches as ``batches(after:sizeBytesMax:)`` has them, with what else is in their rows; each held against its running
  /// hash.
  func rows(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [BatchRow] {
    let found = try run(
      "reading batches", [statement(BatchSQL.after, .integer(position), .integer(Int64(clamping: sizeBytesMax)))])[0]
    var rows: [BatchRow] = []
    var end: (position: Int64, hash: RunningHash)?
    for index in found.rows.indices {
      var row = try row(found, index, after: rows.last?.batch.lastPosition ?? position)
      if let end {
        guard row.batch.firstPosition - 1 == end.position else {
          throw JournalError(.corrupt, "batches are missing after position \(end.position)", at: place(end.position))
        }
      } else if row.batch.firstPosition - 1 > position {
        throw pruned(position)
      }
      if row.partCount > 0 { try addParts(&row) }
      let before: RunningHash = if let end { end.hash } else { try hash(before: row.batch.firstPosition) }
      try verify(row, after: before)
      end = (row.batch.lastPosition, row.runningHash)
      rows.append(row)
    }
    if rows.isEmpty { try requireEnd(position) }
    state.withLock { $0.readUpTo = end ?? $0.readUpTo }
    return rows
  }

  /// A row of ``BatchSQL/after``, without the parts that are elsewhere.
  private func row(_ found: PostgresAnswer, _ index: Int, after position: Int64) throws(JournalError) -> BatchRow {
    guard let first = found.integer(index, 0), let last = found.integer(index, 1), let epoch = found.integer(index, 2),
      let hash = found.integer(index, 3), let size = found.integer(index, 5), let parts = found.integer(index, 6),
      let payload = found.bytes(index, 7), first > 0, last >= first, parts >= 0
    else { throw JournalError(.corrupt, "a batch after position \(position) cannot be read", at: place(position)) }
    return BatchRow(
      batch: JournalBatch(firstPosition: first, lastPosition: last, payload: payload), epoch: epoch,
      runningHash: RunningHash(stored: hash), contentHash: found.integer(index, 4).map { RunningHash(stored: $0) },
      partCount: parts, sizeBytes: size)
  }

  private func addParts(_ row: inout BatchRow) throws(JournalError) {
    guard row.sizeBytes <= JournalLimits.batchBytesMax, row.sizeBytes > row.batch.payload.count else { return }
    row.batch.payload.reserveCapacity(Int(row.sizeBytes))
    for part in 1...row.partCount {
      let found = try run(
        "reading a batch", [statement(BatchSQL.part, .integer(row.batch.firstPosition), .integer(part))])[0]
      // What is missing shows in the size.
      guard let bytes = found.bytes(0, 0), row.batch.payload.count + bytes.count <= row.sizeBytes else { return }
      row.batch.payload.append(contentsOf: bytes)
    }
  }

  /// Holds a batch against its running hash.
  private func verify(_ row: BatchRow, after before: RunningHash) throws(JournalError) {
    let first = row.batch.firstPosition
    guard row.batch.payload.count == row.sizeBytes else {
      throw JournalError(
        .corrupt, "the batch has \(row.batch.payload.count) bytes and was written with \(row.sizeBytes)",
        at: place(first))
    }
    let written = row.contentHash ?? row.runningHash
    let expected = (row.contentHash == nil ? before : .empty).appending(row.batch, epoch: row.epoch)
    guard expected == written else {
      throw JournalError(
        .corrupt, "the batch's running hash is \(expected) and was written as \(written)", at: place(first))
    }
  }

  /// The running hash that a batch was written after.
  ///
  /// - Throws: `.pruned` when the batch is one that pruning has not come to yet.
  private func hash(before first: Int64) throws(JournalError) -> RunningHash {
    if let known = state.withLock({ $0.readUpTo }), known.position == first - 1 { return known.hash }
    if let stored = try storedHash(at: first - 1) { return stored }
    guard first == 1 else { throw pruned(first - 1) }
    return .empty
  }

  /// The running hash where a batch ends, or a snapshot stands; nil elsewhere.
  func storedHash(at position: Int64) throws(JournalError) -> RunningHash? {
    try run("looking for a batch", [statement(BatchSQL.runningHash, .integer(position))])[0].integer(0, 0)
      .map { RunningHash(stored: $0) }
  }

  /// Nothing follows: right at the end, wrong before it.
  private func requireEnd(_ position: Int64) throws(JournalError) {
    guard let end = try readEnd(), position < end.lastPosition else { return }
    throw pruned(position)
  }

  private func pruned(_ position: Int64) -> JournalError {
    JournalError(
      .pruned, "the log after position \(position) was pruned: a snapshot stands for it", at: place(position))
  }

  public func oldestPosition() throws(JournalError) -> Int64 {
    let found = try run("looking for the oldest position", [statement(BatchSQL.oldest)])[0]
    return found.integer(0, 0) == 1 ? 0 : found.integer(0, 1) ?? 0
  }

  public func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int {
    let found = try run(
      "measuring the log", [statement(BatchSQL.logBytes, .integer(position), .integer(last))])[0]
    let (bytes, count) = (found.integer(0, 0) ?? 0, found.integer(0, 1) ?? 0)
    return Int(clamping: max(0, bytes)) + Int(clamping: count) * PostgresLimits.batchRowBytes
  }
}
