import GRDB
import HearthJournal

extension JournalFile {
  /// The kind of a write.
  enum Writer {
    /// An append of the owner, which is repeated until it is stored.
    case owner
    /// A write of a snapshot, of pruning or of the outbox.
    case other
  }

  /// The connections of the writer and the readers.
  ///
  /// - Throws: `.closed` while there are none.
  var pool: DatabasePool { get throws(JournalError) { try openConnections().pool } }

  /// The connection for checkpoints.
  ///
  /// - Throws: `.closed` while there is none.
  var checkpointer: DatabaseQueue { get throws(JournalError) { try openConnections().checkpointer } }

  private func openConnections() throws(JournalError) -> SQLiteConnections {
    guard let open = connections.withLock(\.self) else { throw closedError }
    return open
  }

  /// Refuses writes to a journal that is closed or failed. After a fault with an unknown outcome, reopens the journal
  /// for its owner, and refuses all other writers.
  func requireWritable(as writer: Writer) throws(JournalError) {
    let (isClosed, fault) = state.withLock { state in
      defer {
        if case .unverified(let cause, false) = state.fault, writer == .owner {
          state.fault = .unverified(cause, isReported: true)
        }
      }
      return (state.isClosed, state.fault)
    }
    if isClosed { throw closedError }
    switch fault {
    case nil: return
    case .failed(let cause): throw failedError(cause)
    case .unverified(let cause, let isReported):
      guard writer == .owner, isReported else { throw unverifiedError(cause) }
      try reopening.withLock { _ throws(JournalError) in try reopen() }
    }
  }

  /// Records the consequence of a transaction's error for later writes.
  ///
  /// - Returns: The error to throw.
  func noted(_ error: JournalError, of writer: Writer) -> JournalError {
    switch error.code {
    case .inputOutput:
      noteFault(error, isReported: writer == .owner)
      return unverifiedError(error)
    case .corrupt, .notAJournal:
      state.withLock { $0.fault = .failed(error) }
      return error
    default: return beingReopened(error)
    }
  }

  /// Refuses writes until the journal has been reopened.
  func noteFault(_ error: JournalError, isReported: Bool) {
    state.withLock { state in
      switch state.fault {
      case nil: state.fault = .unverified(error, isReported: isReported)
      case .unverified(let cause, false): state.fault = .unverified(cause, isReported: isReported)
      case .unverified, .failed: break
      }
    }
  }

  /// Returns the error for a call that found the connections closed: a transient fault while the journal is reopened.
  func beingReopened(_ error: JournalError) -> JournalError {
    let (isClosed, fault) = state.withLock { ($0.isClosed, $0.fault) }
    guard error.code == .closed, !isClosed else { return error }
    if case .failed(let cause) = fault { return failedError(cause) }
    return JournalError(
      .diskFault, "the journal is being reopened after a disk fault", at: JournalError.Place(file: path))
  }

  private func failedError(_ cause: JournalError) -> JournalError {
    JournalError(
      .failed,
      "the file lacks acknowledged commits; no more writes are accepted, restart the server to check the journal: "
        + JournalRecovery.remedy(path), at: JournalError.Place(file: path), cause: cause.description)
  }

  func unverifiedError(_ cause: JournalError) -> JournalError {
    JournalError(
      .diskFault,
      "a sync failed, and its effect on the disk is unknown; no write is acknowledged until the journal "
        + "has been opened again and read back", at: JournalError.Place(file: path), cause: cause.description)
  }
}
