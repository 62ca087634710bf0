import Foundation
import HearthClient

extension Firebase {
  /// The completion of a write: the server's error, or nil.
  public typealias WriteCompletion = @isolated(any) (NSError?, Firebase) -> Void

  /// Begins an operation that reports its outcome to the block.
  private func begin(
    _ block: @escaping WriteCompletion, _ operation: (DatabaseReference.Completion) throws -> Void
  ) {
    DatabaseArgumentError.trapping {
      try operation(Callback(block).mapped { [reference] error in (error, Firebase(reference)) })
    }
  }

  /// Replaces the data and removes its priority.
  public func setValue(_ value: Any?) { reference.setValue(value) }

  /// Replaces the data, and calls a block when the server has answered.
  public func setValue(_ value: Any?, withCompletionBlock block: @escaping WriteCompletion) {
    begin(block) { try reference.set(value, from: "setValue:withCompletionBlock:", $0) }
  }

  /// Replaces the data and its priority.
  public func setValue(_ value: Any?, andPriority priority: Any?) {
    reference.setValue(value, andPriority: priority)
  }

  /// Replaces the data and its priority, and calls a block when the server has answered.
  public func setValue(
    _ value: Any?, andPriority priority: Any?, withCompletionBlock block: @escaping WriteCompletion
  ) {
    begin(block) { try reference.set(value, priority, from: "setValue:andPriority:withCompletionBlock:", $0) }
  }

  /// Removes the data.
  public func removeValue() { reference.removeValue() }

  /// Removes the data, and calls a block when the server has answered.
  public func removeValueWithCompletionBlock(_ block: @escaping WriteCompletion) {
    begin(block) { try reference.set(nil, from: "removeValueWithCompletionBlock:", $0) }
  }

  /// Sets the priority of existing data.
  public func setPriority(_ priority: Any?) { reference.setPriority(priority) }

  /// Sets the priority of existing data, and calls a block when the server has answered.
  public func setPriority(_ priority: Any?, withCompletionBlock block: @escaping WriteCompletion) {
    begin(block) { try reference.set(priority: priority, from: "setPriority:withCompletionBlock:", $0) }
  }

  /// Replaces some children.
  public func updateChildValues(_ values: [AnyHashable: Any]) { reference.updateChildValues(values) }

  /// Replaces some children, and calls a block when the server has answered.
  public func updateChildValues(
    _ values: [AnyHashable: Any], withCompletionBlock block: @escaping WriteCompletion
  ) {
    begin(block) { try reference.update(values, from: "updateChildValues:withCompletionBlock:", $0) }
  }

  // MARK: Disconnects

  /// Registers a value that the server sets when this client disconnects.
  public func onDisconnectSetValue(_ value: Any?) { reference.onDisconnectSetValue(value) }

  /// Registers a value that the server sets when this client disconnects, and calls a block when the server has
  /// answered.
  public func onDisconnectSetValue(_ value: Any?, withCompletionBlock block: @escaping WriteCompletion) {
    begin(block) { try reference.onDisconnectSet(value, from: "onDisconnectSetValue:withCompletionBlock:", $0) }
  }

  /// Registers a value and priority that the server sets when this client disconnects.
  public func onDisconnectSetValue(_ value: Any?, andPriority priority: Any?) {
    reference.onDisconnectSetValue(value, andPriority: priority)
  }

  /// Registers a value and priority that the server sets when this client disconnects, and calls a block when the
  /// server has answered.
  public func onDisconnectSetValue(
    _ value: Any?, andPriority priority: Any?, withCompletionBlock block: @escaping WriteCompletion
  ) {
    begin(block) {
      try reference.onDisconnectSet(value, priority, from: "onDisconnectSetValue:andPriority:withCompletionBlock:", $0)
    }
  }

  /// Registers a removal that the server performs when this client disconnects.
  public func onDisconnectRemoveValue() { reference.onDisconnectRemoveValue() }

  /// Registers a removal that the server performs when this client disconnects, and calls a block when the server has
  /// answered.
  public func onDisconnectRemoveValueWithCompletionBlock(_ block: @escaping WriteCompletion) {
    begin(block) { try reference.onDisconnectSet(nil, from: "onDisconnectRemoveValueWithCompletionBlock:", $0) }
  }

  /// Registers an update of children that the server performs when this client disconnects.
  public func onDisconnectUpdateChildValues(_ values: [AnyHashable: Any]) {
    reference.onDisconnectUpdateChildValues(values)
  }

  /// Registers an update of children that the server performs when this client disconnects, and calls a block when the
  /// server has answered.
  public func onDisconnectUpdateChildValues(
    _ values: [AnyHashable: Any], withCompletionBlock block: @escaping WriteCompletion
  ) {
    begin(block) {
      try reference.onDisconnectUpdate(values, from: "onDisconnectUpdateChildValues:withCompletionBlock:", $0)
    }
  }

  /// Cancels the registered onDisconnect writes.
  public func cancelDisconnectOperations() { reference.cancelDisconnectOperations() }

  /// Cancels the registered onDisconnect writes, and calls a block when the server has answered.
  public func cancelDisconnectOperationsWithCompletionBlock(_ block: @escaping WriteCompletion) {
    begin(block) { reference.onDisconnectCancel($0) }
  }

  // MARK: Transactions

  /// Runs a transaction: the block is called again when the server's data has changed meanwhile.
  public func runTransactionBlock(_ block: @escaping @Sendable (FMutableData) -> FTransactionResult) {
    reference.runTransactionBlock { block(FMutableData($0)).result }
  }

  /// Runs a transaction, and calls a block with its outcome.
  public func runTransactionBlock(
    _ block: @escaping @Sendable (FMutableData) -> FTransactionResult,
    andCompletionBlock completionBlock: @escaping @isolated(any) (NSError?, Bool, FDataSnapshot?) -> Void
  ) {
    runTransactionBlock(block, andCompletionBlock: completionBlock, withLocalEvents: true)
  }

  /// Runs a transaction; without local events observers see only its outcome.
  public func runTransactionBlock(
    _ block: @escaping @Sendable (FMutableData) -> FTransactionResult,
    andCompletionBlock completionBlock: @escaping @isolated(any) (NSError?, Bool, FDataSnapshot?) -> Void,
    withLocalEvents localEvents: Bool
  ) {
    let completion: DatabaseReference.TransactionCompletion = Callback(completionBlock).mapped { [reference] outcome in
      (outcome.error, outcome.isCommitted, outcome.node.map { FDataSnapshot(DataSnapshot(reference, $0)) })
    }
    reference.run(
      { block(FMutableData($0)).result }, from: "runTransactionBlock:andCompletionBlock:withLocalEvents:",
      showsLocally: localEvents, completion)
  }
}
