import HearthJournal

extension PostgresJournal {
  public func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch] {
    try rows(after: position, sizeBytesMax: sizeBytesMax).map(\.batch)
  }

  /// Returns batches as ``batches(after:sizeBytesMax:)`` does, with the other columns of their rows; each is compared
  /// with its running hash.
  func rows(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [BatchRow] {
    let found = try run(
      "reading batches", [statement(BatchSQL.after, .integer(position), .integer(Int64(clamping: sizeBytesMax)))])[0]
    var rows: [BatchRow] = []
    var end: (position: Int64, hash: RunningHash)?
    for index in found.rows.indices {
      let known = rows.last?.batch.lastPosition ?? position
      guard var row = BatchRow(found, index) else {
        throw JournalError(.corrupt, "a batch after position \(known) cannot be read", at: place(known))
      }
      if let end {
        guard row.batch.firstPosition - 1 == end.position else {
          throw JournalError(.corrupt, "batches are missing after position \(end.position)", at: place(end.position))
        }
      } else if row.batch.firstPosition - 1 > position {
        throw pruned(position)
      }
      let first = row.batch.firstPosition
      try row.addParts { (part) throws(JournalError) in
        try run("reading a batch", [statement(BatchSQL.part, .integer(first), .integer(part))])[0].bytes(0, 0)
      }
      let before: RunningHash = if let end { end.hash } else { try hash(before: first) }
      if let finding = row.finding(after: before) { throw JournalError(.corrupt, finding, at: place(first)) }
      end = (row.batch.lastPosition, row.runningHash)
      rows.append(row)
    }
    if rows.isEmpty { try requireEnd(position) }
    state.withLock { $0.readUpTo = end ?? $0.readUpTo }
    return rows
  }

  /// Returns the running hash before a batch.
  ///
  /// - Throws: `.pruned` when the batch is about to be pruned.
  private func hash(before first: Int64) throws(JournalError) -> RunningHash {
    if let known = state.withLock({ $0.readUpTo }), known.position == first - 1 { return known.hash }
    if let stored = try storedHash(at: first - 1) { return stored }
    guard first == 1 else { throw pruned(first - 1) }
    return .empty
  }

  /// Returns the running hash at the end of a batch or at a snapshot; nil for other positions.
  func storedHash(at position: Int64) throws(JournalError) -> RunningHash? {
    try run("looking for a batch", [statement(BatchSQL.runningHash, .integer(position))])[0].integer(0, 0)
      .map { RunningHash(stored: $0) }
  }

  /// Checks that a missing row is at the end of the log and not before it.
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
