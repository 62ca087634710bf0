import GRDB
import HearthJournal

/// The writer of batches for the log's owner. A commit syncs the file: see `SQLiteConnections`.
struct SQLiteBatchAppender {
  let file: JournalFile
  let checkpointer: LogCheckpointer
  let outbox: SQLiteOutboxStore

  func acquire() throws(JournalError) -> JournalHead {
    try file.writing("taking ownership", as: .owner) { database in
      var head = file.state.withLock { $0.head }
      let epoch = try Int64.fetchOne(database, sql: "SELECT epoch FROM ownership") ?? 0
      guard epoch < .max else {
        throw JournalError(.corrupt, "the stored epoch cannot grow further", at: JournalError.Place(file: file.path))
      }
      head.epoch = epoch + 1
      try database.execute(sql: "UPDATE ownership SET epoch = ?", arguments: [head.epoch])
      try outbox.dropEntries(after: head.position, database)
      return head
    } committed: { head in
      file.state.withLock { $0.head = head }
    }
  }

  func append(
    _ batch: JournalBatch, with entries: [OutboxEntry], after head: JournalHead
  ) throws(JournalError) -> JournalHead {
    try batch.validate(after: head)
    let hash = head.runningHash.appending(batch, epoch: head.epoch)
    let next = JournalHead(epoch: head.epoch, position: batch.lastPosition, runningHash: hash)
    try file.requireWritable(as: .owner)
    if file.state.withLock({ $0.takeFound(next, hasEntries: !entries.isEmpty) }) {
      file.note(next.position)
      return next
    }
    try write(batch, with: entries, from: head, to: next)
    checkpointer.noteWritten(entries.reduce(batch.payload.count) { $0 + $1.content.count })
    return next
  }

  private func write(
    _ batch: JournalBatch, with entries: [OutboxEntry], from head: JournalHead, to next: JournalHead
  ) throws(JournalError) {
    let payload = DatabaseValue.blob(batch.payload)
    let hash = next.runningHash
    do {
      try file.writing("appending a batch", as: .owner) { database in
        try requireCurrent(head)
        let statement = try database.cachedStatement(sql: SQLiteSchema.append)
        try statement.execute(arguments: [
          batch.firstPosition, batch.lastPosition, head.epoch, hash.stored, batch.payload.count,
          payload, head.position,
        ])
        guard database.changesCount == 1 else { throw try refusal(of: head, database) }
        if !entries.isEmpty { try outbox.add(entries, database) }
      } committed: { _ in
        file.state.withLock { state in
          (state.head, state.unknownHead) = (next, nil)
          if !entries.isEmpty { state.hasOutbox = true }
        }
        file.note(next.position)
      }
    } catch {
      if error.leavesOutcomeUnknown { file.state.withLock { $0.unknownHead = next } }
      throw error
    }
  }

  /// Throws an error when the head is not the end of this journal.
  private func requireCurrent(_ head: JournalHead) throws(JournalError) {
    let current = file.state.withLock { $0.head }
    guard current != head else { return }
    if head.epoch < current.epoch { throw .staleEpoch(head.epoch, current: current.epoch, file: file.path) }
    throw .positionMismatch(head, current: current, file: file.path)
  }

  /// Returns the error that explains why the log refused an append.
  private func refusal(of head: JournalHead, _ database: Database) throws -> JournalError {
    let epoch = try Int64.fetchOne(database, sql: "SELECT epoch FROM ownership") ?? 0
    if epoch != head.epoch { return .staleEpoch(head.epoch, current: epoch, file: file.path) }
    let position = try Int64.fetchOne(database, sql: SQLiteSchema.tail) ?? 0
    return .positionMismatch(
      head, current: JournalHead(epoch: epoch, position: position, runningHash: head.runningHash), file: file.path)
  }
}
