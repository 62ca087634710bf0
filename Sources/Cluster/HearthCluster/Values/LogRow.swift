import HearthJournal

/// A row of a database's log: one group commit, the owner's epoch, and the running hash after it.
package struct LogRow: Sendable, Equatable {
  /// The ownership under which the row was written.
  package var epoch: Int64
  /// The positions and their records.
  package var batch: JournalBatch
  /// The running hash of the log up to and with this row.
  package var hash: RunningHash

  /// A row as it was read or received; nothing is checked.
  package init(epoch: Int64, batch: JournalBatch, hash: RunningHash) {
    self.epoch = epoch
    self.batch = batch
    self.hash = hash
  }

  /// The place where the log stands after the row.
  package var head: JournalHead {
    JournalHead(epoch: epoch, position: batch.lastPosition, runningHash: hash)
  }

  /// Returns true when this is the next row after `head`: its position, an epoch that does not fall, and the hash that its
  /// bytes and all before them come to.
  package func follows(_ head: JournalHead) -> Bool {
    epoch >= head.epoch && head.position < .max && batch.firstPosition == head.position + 1
      && batch.lastPosition >= batch.firstPosition && hash == head.runningHash.appending(batch, epoch: epoch)
  }
}

extension JournalHead {
  /// The end of a log that holds nothing.
  package static let empty = JournalHead(epoch: 0, position: 0, runningHash: .empty)
}
