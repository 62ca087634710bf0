import HearthTree

/// A pending transaction.
final class SyncTransaction {
  /// The progress of a transaction.
  enum State {
    /// The function has run, and its output is not sent yet.
    case run
    /// The output was sent.
    case sent
    /// The output was sent and overwritten since: the transaction does not run again when the server refuses it.
    case sentNeedsAbort
    /// The transaction is to be aborted.
    case needsAbort(SyncFailure)
    /// The transaction is settled.
    case completed
  }

  let path: Path
  let operation: OperationID
  /// The rank among all transactions, in the order of their creation.
  let order: Int
  let showsLocally: Bool
  let update: (Node) -> WriteValue?
  /// The hidden registration that keeps the path's data in sync.
  let watch: RegistrationID

  var state = State.run
  /// The number of times that its output was sent.
  var sendCount = 0
  /// The id of the write that shows its output.
  var writeID = 0
  var input = Node.empty
  var output = WriteValue(.empty)
  var resolvedOutput = Node.empty
  /// The base that the server called stale, and the number of times in a row that it did.
  var stale: (hash: String, count: Int)?
  /// The wall-clock time of the next attempt with the same base.
  var notBeforeMilliseconds: Int64?

  init(
    path: Path, operation: OperationID, order: Int, showsLocally: Bool, watch: RegistrationID,
    update: @escaping (Node) -> WriteValue?
  ) {
    self.path = path
    self.operation = operation
    self.order = order
    self.showsLocally = showsLocally
    self.watch = watch
    self.update = update
  }

  var isRun: Bool { if case .run = state { true } else { false } }
  var isCompleted: Bool { if case .completed = state { true } else { false } }
  var isSent: Bool { if case .sent = state { true } else { false } }
}
