import HearthTree

/// A transaction that is not settled.
final class Transaction {
  /// Where it is on its way.
  enum State {
    /// Its function has run, and its output is not with the server.
    case run
    /// The server has its output.
    case sent
    /// The same, and it was overwritten meanwhile: if the server refuses, it does not run again.
    case sentNeedsAbort
    /// It is to be given up.
    case needsAbort(Failure)
    /// It is settled.
    case completed
  }

  let path: Path
  let operation: OperationID
  /// Its place among all transactions.
  let order: Int
  let showsLocally: Bool
  let update: (Node) -> WriteValue?
  /// The hidden listener that keeps the place's data coming.
  let watch: RegistrationID

  var state = State.run
  /// How often its output was sent.
  var sendCount = 0
  /// The write that shows its output.
  var writeID = 0
  var input = Node.empty
  var output = WriteValue(.empty)
  var resolvedOutput = Node.empty
  /// The base that the server called stale, and how often in a row it was this one.
  var stale: (hash: String, count: Int)?
  /// The time when to try again with the same base; wall clock.
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
