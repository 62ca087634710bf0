import HearthJournal

/// A row of a database's log: one group commit, the owner's epoch, and the running hash after it.
package struct LogRow: Sendable, Equatable {
  /// The epoch of the owner that wrote the row.
  package var epoch: Int64
  /// The range of positions with their records.
  package var batch: JournalBatch
  /// The running hash of the log up to and including this row.
  package var hash: RunningHash

  /// Creates a row of these values, without validation.
  package init(epoch: Int64, batch: JournalBatch, hash: RunningHash) {
    self.epoch = epoch
    self.batch = batch
    self.hash = hash
  }

  /// The head of the log after the row.
  package var head: JournalHead {
    JournalHead(epoch: epoch, position: batch.lastPosition, runningHash: hash)
  }

  /// Returns true when this is the next row after `head`: by its position, an epoch that is not lower, and the hash
  /// over its bytes and all before them.
  package func follows(_ head: JournalHead) -> Bool {
    epoch >= head.epoch && head.position < .max && batch.firstPosition == head.position + 1
      && batch.lastPosition >= batch.firstPosition && hash == head.runningHash.appending(batch, epoch: epoch)
  }
}

extension JournalHead {
  /// The head of an empty log.
  package static let empty = JournalHead(epoch: 0, position: 0, runningHash: .empty)
}
