import HearthTree

/// A pending transaction.
final class SyncTransaction {
  /// The progress of a transaction.
  enum State {
    /// The function has run, and its output is not sent yet.
    case run
    /// The output was sent, and the reply is outstanding.
    case sent
    /// The output was sent, and a later local write has overwritten it: the transaction does not run again when the
    /// server refuses it.
    case sentNeedsAbort
    /// The transaction is not sent any more, and is to be aborted with the error.
    case needsAbort(SyncFailure)
    /// The transaction has its outcome.
    case completed
  }

  let path: Path
  let operation: OperationID
  /// The number of the transaction, in the order of creation.
  let order: Int
  /// True when listeners see unconfirmed outputs.
  let showsLocally: Bool
  /// The function of the app; it returns nil to abort.
  let update: (Node) -> WriteValue?
  /// The internal listener that keeps the path's data in sync.
  let watch: RegistrationID

  var state = State.run
  /// The number of times that its output was sent.
  var sendCount = 0
  /// The ID of the pending local write that makes its output visible.
  var writeID = 0
  var input = Node.empty
  var output = WriteValue(.empty)
  var resolvedOutput = Node.empty
  /// The hash of the input that the server rejected as stale, and the number of consecutive rejections.
  var stale: (hash: String, count: Int)?
  /// The wall-clock time before which the same input is not sent again.
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
