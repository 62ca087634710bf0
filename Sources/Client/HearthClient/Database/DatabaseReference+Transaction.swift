import HearthSync
import HearthTree

/// A transaction works on what is there: its block gets the data, changes it, and is called again when the server has other
/// data by then, at most 25 times.
///
/// The first time the block may get nothing although there is data, because it is not known here yet; it must then return
/// success with what it would write, and is called again with the data. It runs on the database's own queue, which waits
/// for it, and is therefore `@Sendable`: state of the main actor is changed in the completion block.
extension DatabaseReference {
  /// The callback for the outcome of a transaction.
  package typealias Ended = Callback<(error: DatabaseError?, isCommitted: Bool, node: Node?)>

  /// Changes the data at the place by a block that is given it.
  public func runTransactionBlock(_ block: @escaping @Sendable (MutableData) -> TransactionResult) {
    run(block, from: "runTransactionBlock:", showsLocally: true, Ended(plain: { _ in }))
  }

  /// The same, and calls another block with the outcome: an error; whether the data was written, which it was not when the
  /// first block gave it up; and the data.
  public func runTransactionBlock(
    _ block: @escaping @Sendable (MutableData) -> TransactionResult,
    andCompletionBlock completionBlock: @escaping @isolated(any) ((any Error)?, Bool, DataSnapshot?) -> Void
  ) {
    runTransactionBlock(block, andCompletionBlock: completionBlock, withLocalEvents: true)
  }

  /// The same; without local events, observers see nothing of it before the server has taken it.
  public func runTransactionBlock(
    _ block: @escaping @Sendable (MutableData) -> TransactionResult,
    andCompletionBlock completionBlock: (@isolated(any) ((any Error)?, Bool, DataSnapshot?) -> Void)?,
    withLocalEvents localEvents: Bool
  ) {
    let (reference, completion) = (self, completionBlock.map { Callback($0) })
    run(
      block, from: "runTransactionBlock:andCompletionBlock:withLocalEvents:", showsLocally: localEvents,
      completion?.mapped { ($0.error, $0.isCommitted, $0.node.map { DataSnapshot(reference, $0) }) }
        ?? Ended(plain: { _ in }))
  }

  /// The same, and waits for the outcome: whether the data was written, and the data.
  ///
  /// - Throws: ``DatabaseError``.
  @discardableResult
  public nonisolated(nonsending) func runTransactionBlock(
    _ block: @escaping @Sendable (MutableData) -> TransactionResult
  ) async throws -> (Bool, DataSnapshot) {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<(Bool, DataSnapshot), any Error>) in
      let reference = self
      let ended = Ended(plain: { error, isCommitted, node in
        if let error { return continuation.resume(throwing: error) }
        continuation.resume(returning: (isCommitted, DataSnapshot(reference, node ?? .empty)))
      })
      run(block, from: "runTransactionBlock:", showsLocally: true, ended)
    }
  }

  /// Runs a transaction.
  ///
  /// - Parameter ended: Is told the outcome.
  package func run(
    _ block: @escaping @Sendable (MutableData) -> TransactionResult, from function: String, showsLocally: Bool,
    _ ended: Ended
  ) {
    let path = path
    DatabaseArgumentError.trapping { try Validation.writable(path, from: function) }
    let outcome = Repository.Outcome.transaction(
      ended.mapped { outcome in
        switch outcome {
        case .committed(let node): (nil, true, node)
        case .aborted(let node): (nil, false, node)
        case .failed(let failure, let node): (DatabaseError(failure), false, node)
        }
      })
    database.repository.perform(outcome) { core, operation in
      core.transaction(path, operation: operation, showsLocally: showsLocally) { node in
        block(MutableData(node, at: path)).data?.result
      }
    }
  }
}
