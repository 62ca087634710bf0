import HearthSync
import HearthTree

/// Transactions. A transaction's block receives the current data and changes it. It is called again when the server's
/// data has changed meanwhile, at most 25 times.
///
/// In its first call the block may receive no data although there is some, because this client does not know it yet. It
/// must then return success with the value that it would write, and is called again with the data. It runs on the
/// database's own queue, which waits for it, and is therefore `@Sendable`: state of the main actor is changed in the
/// completion block.
extension DatabaseReference {
  /// The callback for the outcome of a transaction.
  package typealias TransactionCompletion = Callback<(error: DatabaseError?, isCommitted: Bool, node: Node?)>

  /// Runs a transaction at the location.
  public func runTransactionBlock(_ block: @escaping @Sendable (MutableData) -> TransactionResult) {
    run(block, from: "runTransactionBlock:", showsLocally: true, TransactionCompletion(plain: { _ in }))
  }

  /// Runs a transaction at the location, and calls another block with the outcome: an error; true when the data was
  /// written, false when the first block aborted; and the data.
  public func runTransactionBlock(
    _ block: @escaping @Sendable (MutableData) -> TransactionResult,
    andCompletionBlock completionBlock: @escaping @isolated(any) ((any Error)?, Bool, DataSnapshot?) -> Void
  ) {
    runTransactionBlock(block, andCompletionBlock: completionBlock, withLocalEvents: true)
  }

  /// Runs a transaction at the location; without local events, observers do not see its result before the server has
  /// accepted it.
  public func runTransactionBlock(
    _ block: @escaping @Sendable (MutableData) -> TransactionResult,
    andCompletionBlock completionBlock: (@isolated(any) ((any Error)?, Bool, DataSnapshot?) -> Void)?,
    withLocalEvents localEvents: Bool
  ) {
    let (reference, completion) = (self, completionBlock.map { Callback($0) })
    run(
      block, from: "runTransactionBlock:andCompletionBlock:withLocalEvents:", showsLocally: localEvents,
      completion?.mapped { ($0.error, $0.isCommitted, $0.node.map { DataSnapshot(reference, $0) }) }
        ?? TransactionCompletion(plain: { _ in }))
  }

  /// Runs a transaction at the location, and returns whether the data was written, and the data.
  ///
  /// - Throws: ``DatabaseError``.
  @discardableResult
  public nonisolated(nonsending) func runTransactionBlock(
    _ block: @escaping @Sendable (MutableData) -> TransactionResult
  ) async throws -> (Bool, DataSnapshot) {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<(Bool, DataSnapshot), any Error>) in
      let reference = self
      let completion = TransactionCompletion(plain: { error, isCommitted, node in
        if let error { return continuation.resume(throwing: error) }
        continuation.resume(returning: (isCommitted, DataSnapshot(reference, node ?? .empty)))
      })
      run(block, from: "runTransactionBlock:", showsLocally: true, completion)
    }
  }

  /// Runs a transaction.
  ///
  /// - Parameter completion: Receives the outcome.
  package func run(
    _ block: @escaping @Sendable (MutableData) -> TransactionResult, from function: String, showsLocally: Bool,
    _ completion: TransactionCompletion
  ) {
    let path = path
    DatabaseArgumentError.trapping { try Validation.writable(path, from: function) }
    let outcome = Repository.Outcome.transaction(
      completion.mapped { outcome in
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
