/// The rewriting of retained batches, as rows of a storage engine: see ``Journal/rewrite(through:_:)``.
package protocol BatchRewriting {
  /// A batch as it is stored.
  associatedtype Stored
  /// A rewritten batch before it is stored.
  associatedtype Change

  /// Returns the oldest position, and that of the current snapshot or checkpoint.
  func bounds() throws(JournalError) -> (oldest: Int64, current: Int64)

  /// Reads batches that match their running hashes, in order, from the first one after a position to the last one that
  /// ends at or before another.
  ///
  /// - Returns: Some of them; empty when there are none.
  func rows(after position: Int64, through last: Int64) throws(JournalError) -> [(batch: JournalBatch, row: Stored)]

  /// Returns the change that replaces a batch's payload.
  func change(_ row: Stored, to payload: [UInt8]) -> Change

  /// Stores changes in one transaction.
  func apply(_ changes: [Change]) throws(JournalError)
}

extension BatchRewriting {
  /// Rewrites the batches up to a position, in groups that end with a complete batch.
  package func rewrite(
    through position: Int64, file: String?, _ body: (JournalBatch) throws -> BatchRewrite
  ) throws {
    let (oldest, current) = try bounds()
    guard position <= current else {
      throw JournalError(
        .positionMismatch, "a restart needs the batches after position \(current)",
        at: JournalError.Place(file: file, position: position))
    }
    var (end, changes): (Int64, [Change]) = (oldest, [])
    while end < position {
      let rows = try rows(after: end, through: position)
      guard !rows.isEmpty else { return }
      for (batch, row) in rows {
        let rewrite = try body(batch)
        if let payload = rewrite.payload { changes.append(change(row, to: payload)) }
        end = batch.lastPosition
        guard rewrite.isComplete, !changes.isEmpty else { continue }
        try apply(changes)
        changes = []
      }
    }
  }
}
