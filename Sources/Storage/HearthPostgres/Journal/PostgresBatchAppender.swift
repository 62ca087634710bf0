import HearthJournal
import Synchronization

/// The writer of batches for the log's owner: knows the end of the log, and determines the outcome of an append that
/// got no answer.
final class PostgresBatchAppender: Sendable {
  private struct State {
    var head: JournalHead?
    var tail = LogTail(firstPosition: 0, isClaim: false)
    /// The head after the last append if its outcome is unknown, with the reason; nil otherwise.
    var unknownOutcome: (next: JournalHead, text: String)?
  }

  private let handle: JournalHandle
  private let log: PostgresLogReader
  private let state = Mutex(State())

  init(_ handle: JournalHandle, _ log: PostgresLogReader) { (self.handle, self.log) = (handle, log) }

  /// The epoch of the last acquisition; 0 before the first.
  var epoch: Int64 { state.withLock { $0.head?.epoch ?? 0 } }

  /// Makes the caller the owner.
  ///
  /// - Throws: The errors of ``OwnershipClaim/take(after:)``.
  func acquire() throws(JournalError) -> JournalHead {
    let known = state.withLock { $0.head }
    let (head, tail) = try OwnershipClaim(handle: handle, log: log).take(after: known)
    state.withLock { ($0.head, $0.tail) = (head, tail) }
    return head
  }

  func append(
    _ batch: JournalBatch, with entries: [OutboxEntry], after head: JournalHead
  ) throws(JournalError) -> JournalHead {
    try batch.validate(after: head)
    try handle.requireOpen(forWriting: true)
    let tail = try requireCurrent(head)
    let next = JournalHead(
      epoch: head.epoch, position: batch.lastPosition,
      runningHash: head.runningHash.appending(batch, epoch: head.epoch))
    let statements =
      statements(of: batch, next, after: head, tail)
      + OutboxSQL.adding(entries, to: batch, next, .integer(handle.identifier))
    do throws(JournalError) { try write(statements, next, after: head) } catch {
      var error = error
      error.place = error.place.file == nil ? handle.place(batch.firstPosition) : error.place
      // The same batch may be appended again, to find out the outcome.
      if error.leavesOutcomeUnknown, !error.isTransient { handle.fail(error) }
      throw error
    }
    state.withLock { state in
      state.head = next
      state.unknownOutcome = nil
      state.tail = LogTail(firstPosition: batch.firstPosition, isClaim: false)
    }
    return next
  }

  /// Throws an error when the head is not the end of this journal.
  private func requireCurrent(_ head: JournalHead) throws(JournalError) -> LogTail {
    let (current, tail) = state.withLock { ($0.head, $0.tail) }
    guard let current else { throw .staleEpoch(head.epoch, current: head.epoch, file: handle.file) }
    guard current != head else { return tail }
    if head.epoch < current.epoch { throw .staleEpoch(head.epoch, current: current.epoch, file: handle.file) }
    throw .positionMismatch(head, current: current, file: handle.file)
  }

  /// Returns the statements of an append, the row itself first.
  func statements(
    of batch: JournalBatch, _ next: JournalHead, after head: JournalHead, _ tail: LogTail
  ) -> [PostgresStatement] {
    let pieces = PostgresBatchRow.pieces(of: batch.payload)
    let row: [PostgresStatement.Parameter] = [
      .integer(handle.identifier), .integer(batch.firstPosition), .integer(batch.lastPosition), .integer(head.epoch),
      .hash(next.runningHash), .integer(Int64(batch.payload.count)), .integer(Int64(pieces.count - 1)),
      .bytes(pieces[0]),
    ]
    let first =
      tail.isClaim
      ? PostgresStatement(BatchSQL.replaceClaim, row + [.hash(head.runningHash)])
      : PostgresStatement(BatchSQL.append, row + [.integer(tail.firstPosition), .hash(head.runningHash)])
    return [first]
      + pieces.enumerated().dropFirst().map { number, piece in
        handle.statement(
          BatchSQL.addPart, .integer(batch.firstPosition), .integer(head.epoch), .hash(next.runningHash),
          .integer(Int64(number)), .bytes(piece))
      }
  }

  /// Writes a batch and determines the outcome.
  ///
  /// When there is no answer, the same statement is sent again, which writes the same row or finds it. The row cannot
  /// come from another server; a new owner would have written a claim in its place.
  private func write(
    _ statements: [PostgresStatement], _ next: JournalHead, after head: JournalHead
  ) throws(JournalError) {
    let (action, engine) = ("appending a batch", handle.engine)
    let deadline = engine.deadline
    var unknownOutcome = try unknownOutcome(about: next)
    for attempt in 0... {
      let error: JournalError
      let answerDeadline = engine.answerDeadline(for: statements, deadline: deadline)
      switch engine.append(handle.identifier, statements, deadline: answerDeadline).wait() {
      case .done(let answers):
        if answers[0].count == 1 { return }
        guard unknownOutcome != nil else { throw try refusal(of: head) }
        if try isDurable(next, batchAt: head.position + 1, deadline: deadline, &unknownOutcome) { return }
        error = .unreachable(action, engine.address, unknownOutcome ?? "")
      case .refused(let fault):
        error =
          fault.isTransient
          ? .unreachable(action, engine.address, fault.description)
          : JournalError(fault, action: action, engine.address)
        guard fault.isTransient else {
          guard unknownOutcome == nil else { throw unknown(action, "\(unknownOutcome ?? ""); \(fault)") }
          throw error
        }
      case .unsent(let text): error = .unreachable(action, engine.address, unknownOutcome ?? text)
      case .unknown(let text):
        unknownOutcome = text
        error = .unreachable(action, engine.address, text)
      }
      guard PostgresWorker.now < deadline else {
        state.withLock { $0.unknownOutcome = unknownOutcome.map { (next, $0) } }
        throw error
      }
      PostgresEngine.pause(after: attempt)
    }
  }

  /// Returns the reason that the outcome of an earlier append of this batch is unknown; nil when it is known.
  ///
  /// - Throws: An error when the pending append is of another batch, because nothing may follow an append with an
  ///   unknown outcome.
  private func unknownOutcome(about next: JournalHead) throws(JournalError) -> String? {
    guard let unknownOutcome = state.withLock({ $0.unknownOutcome }) else { return nil }
    guard unknownOutcome.next == next else {
      throw JournalError(
        .failed, "the outcome of another batch is still unknown; that batch must be appended first",
        at: handle.place(next.position), cause: unknownOutcome.text)
    }
    return unknownOutcome.text
  }

  /// Returns the error for an append whose outcome this process can no longer determine.
  private func unknown(_ action: String, _ text: String) -> JournalError {
    JournalError(.inputOutput, "\(action) failed with an unknown outcome", at: handle.place(), cause: text)
  }

  /// Returns the reason that an append wrote no row, when it is known that it did not.
  private func refusal(of head: JournalHead) throws(JournalError) -> JournalError {
    guard let end = try log.end() else { return .lost(head, nil, file: handle.file) }
    if end.epoch > head.epoch { return .staleEpoch(head.epoch, current: end.epoch, file: handle.file) }
    if end.epoch < head.epoch || end.lastPosition < head.position { return .lost(head, end, file: handle.file) }
    return .positionMismatch(head, current: end.head, file: handle.file)
  }

  /// Returns true when a batch whose append got no answer is durable. When the wait for a standby was interrupted, a
  /// visible row may exist on the primary alone; a later write that is replicated proves that the row is replicated as
  /// well.
  ///
  /// - Throws: An error when the row is missing and it can no longer be determined whether it will appear.
  private func isDurable(
    _ next: JournalHead, batchAt firstPosition: Int64, deadline: UInt64, _ unknownOutcome: inout String?
  ) throws(JournalError) -> Bool {
    let look = [
      handle.statement(BatchSQL.confirm, .integer(next.epoch), .integer(next.position)),
      handle.statement(BatchSQL.findComplete, .integer(firstPosition), .integer(next.epoch), .hash(next.runningHash)),
    ]
    let answerDeadline = handle.engine.answerDeadline(for: look, deadline: deadline)
    switch handle.engine.append(handle.identifier, look, deadline: answerDeadline).wait() {
    case .done(let answers):
      if answers[1].integer(0, 0) == 1, answers[0].count == 1 { return true }
      let end = try log.end()
      guard let end, end.epoch == next.epoch else {
        throw unknown(
          "appending a batch", "\(unknownOutcome ?? ""); there is a newer owner, which knows the outcome")
      }
      if end.lastPosition < firstPosition - 1 {
        throw .lost(
          JournalHead(epoch: next.epoch, position: firstPosition - 1, runningHash: next.runningHash), end,
          file: handle.file)
      }
      unknownOutcome = "\(unknownOutcome ?? ""); it is not stored yet"
      return false
    case .refused(let fault): unknownOutcome = fault.description
    case .unsent(let text), .unknown(let text): unknownOutcome = text
    }
    return false
  }
}
