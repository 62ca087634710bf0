import HearthJournal

extension PostgresJournal {
  /// The log's last row, and the owner's epoch.
  struct End {
    var firstPosition: Int64
    var lastPosition: Int64
    var rowEpoch: Int64
    var runningHash: RunningHash
    var epoch: Int64

    var isClaim: Bool { lastPosition < firstPosition }
  }

  /// Makes the caller the owner, in two separately committed steps.
  ///
  /// - Throws: Beside the protocol's errors, `.staleEpoch` when another server became the owner meanwhile.
  public func acquire() throws(JournalError) -> JournalHead {
    let known = state.withLock { $0.head }
    let raised = try run("taking ownership", [statement(BatchSQL.raiseEpoch)], isWriting: true)
    guard let epoch = raised[0].integer(0, 0) else {
      throw JournalError(
        .corrupt, "the journal was removed, or its epoch cannot grow any more", at: place())
    }
    while true {
      let end = try readEnd()
      if let known, let end, end.lastPosition < known.position { throw lost(known, end) }
      if let end, end.epoch != epoch { throw stale(epoch, end.epoch) }
      let hash = end?.runningHash ?? .empty
      let position = end?.lastPosition ?? 0
      guard position >= 0, position < .max else {
        throw JournalError(.corrupt, "the log cannot go on after its last row", at: place(position))
      }
      let claim: PostgresStatement =
        if let end, end.isClaim {
          statement(BatchSQL.takeClaim, .integer(end.firstPosition), .integer(epoch))
        } else {
          statement(BatchSQL.claim, .integer(position + 1), .integer(epoch), .hash(hash))
        }
      let claimed = try run("taking ownership", [claim], isWriting: true)
      guard claimed[0].count == 1 else {
        // An append of the previous owner was in flight, or there is a newer owner.
        try requireEpoch(epoch)
        continue
      }
      let head = JournalHead(epoch: epoch, position: position, runningHash: hash)
      state.withLock { state in
        state.head = head
        state.tail = Tail(firstPosition: position + 1, isClaim: true)
      }
      return head
    }
  }

  /// Returns the end of the log; nil when it never had an owner.
  func readEnd() throws(JournalError) -> End? {
    let found = try run("looking for the log's end", [statement(BatchSQL.tail)])[0]
    guard !found.rows.isEmpty else { return nil }
    guard let first = found.integer(0, 0), let last = found.integer(0, 1), let rowEpoch = found.integer(0, 2),
      let hash = found.integer(0, 3), let epoch = found.integer(0, 4)
    else { throw JournalError(.corrupt, "the log's last row cannot be read", at: place()) }
    return End(
      firstPosition: first, lastPosition: last, rowEpoch: rowEpoch, runningHash: RunningHash(stored: hash), epoch: epoch
    )
  }

  private func requireEpoch(_ epoch: Int64) throws(JournalError) {
    let found = try run("looking for the owner", [statement(BatchSQL.epoch)])[0].integer(0, 0)
    guard found == epoch else { throw stale(epoch, found ?? 0) }
  }

  func stale(_ epoch: Int64, _ current: Int64) -> JournalError {
    JournalError(.staleEpoch, "epoch \(epoch) no longer owns the journal, epoch \(current) does", at: place())
  }

  /// Returns the error for a loss of acknowledged commits in PostgreSQL.
  func lost(_ head: JournalHead, _ end: End?) -> JournalError {
    JournalError(
      .corrupt,
      "the log ends at position \(end?.lastPosition ?? 0) under epoch \(end?.epoch ?? 0), and what was written up to "
        + "position \(head.position) under epoch \(head.epoch) had been acknowledged: PostgreSQL lost it, as in a failover "
        + "to a standby that was behind",
      at: place(end?.lastPosition))
  }
}
