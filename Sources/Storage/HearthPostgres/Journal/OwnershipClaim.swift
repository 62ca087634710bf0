import HearthJournal

/// The acquisition of a log by a new owner.
struct OwnershipClaim {
  let handle: JournalHandle
  let log: PostgresLogReader

  /// Makes the caller the owner, in two separately committed steps: raises the epoch, and writes a claim row at the end
  /// of the log.
  ///
  /// - Parameter known: The end of the log that this process last saw acknowledged; nil when there is none.
  /// - Throws: The errors of `Journal.acquire()`; `.staleEpoch` when another server became the owner meanwhile.
  func take(after known: JournalHead?) throws(JournalError) -> (head: JournalHead, tail: LogTail) {
    let raised = try handle.run("taking ownership", [handle.statement(BatchSQL.raiseEpoch)], isWriting: true)
    guard let epoch = raised[0].integer(0, 0) else {
      throw JournalError(
        .corrupt, "the journal was removed, or its epoch cannot grow further", at: handle.place())
    }
    while true {
      let end = try log.end()
      if let known, let end, end.lastPosition < known.position { throw .lost(known, end, file: handle.file) }
      if let end, end.epoch != epoch { throw .staleEpoch(epoch, current: end.epoch, file: handle.file) }
      let hash = end?.runningHash ?? .empty
      let position = end?.lastPosition ?? 0
      guard position >= 0, position < .max else {
        throw JournalError(.corrupt, "the log cannot continue after its last row", at: handle.place(position))
      }
      let claim: PostgresStatement =
        if let end, end.isClaim {
          handle.statement(BatchSQL.takeClaim, .integer(end.firstPosition), .integer(epoch))
        } else {
          handle.statement(BatchSQL.claim, .integer(position + 1), .integer(epoch), .hash(hash))
        }
      let claimed = try handle.run("taking ownership", [claim], isWriting: true)
      guard claimed[0].count == 1 else {
        // An append of the previous owner was in flight, or there is a newer owner: reads the end of the log again.
        try requireEpoch(epoch)
        continue
      }
      return (
        JournalHead(epoch: epoch, position: position, runningHash: hash),
        LogTail(firstPosition: position + 1, isClaim: true)
      )
    }
  }

  private func requireEpoch(_ epoch: Int64) throws(JournalError) {
    let found = try handle.run("reading the owner", [handle.statement(BatchSQL.epoch)])[0].integer(0, 0)
    guard found == epoch else { throw .staleEpoch(epoch, current: found ?? 0, file: handle.file) }
  }
}
