import Foundation
import HearthClient

extension Firebase {
  /// Called when the server has answered: with an error or without.
  public typealias WriteCompletion = @isolated(any) (NSError?, Firebase) -> Void

  /// Begins an operation that reports its outcome to the block.
  private func begin(
    _ block: @escaping WriteCompletion, _ operation: (DatabaseReference.Completion) throws -> Void
  ) {
    DatabaseArgumentError.trapping {
      try operation(Callback(block).mapped { [reference] error in (error, Firebase(reference)) })
    }
  }

  /// Replaces the data; its priority goes.
  public func setValue(_ value: Any?) { reference.setValue(value) }

  /// The same, and tells when the server has answered.
  public func setValue(_ value: Any?, withCompletionBlock block: @escaping WriteCompletion) {
    begin(block) { try reference.set(value, from: "setValue:withCompletionBlock:", $0) }
  }

  /// Replaces the data and its priority.
  public func setValue(_ value: Any?, andPriority priority: Any?) {
    reference.setValue(value, andPriority: priority)
  }

  /// The same, and tells when the server has answered.
  public func setValue(
    _ value: Any?, andPriority priority: Any?, withCompletionBlock block: @escaping WriteCompletion
  ) {
    begin(block) { try reference.set(value, priority, from: "setValue:andPriority:withCompletionBlock:", $0) }
  }

  /// Removes the data.
  public func removeValue() { reference.removeValue() }

  /// The same, and tells when the server has answered.
  public func removeValueWithCompletionBlock(_ block: @escaping WriteCompletion) {
    begin(block) { try reference.set(nil, from: "removeValueWithCompletionBlock:", $0) }
  }

  /// Sets the priority of data that is there.
  public func setPriority(_ priority: Any?) { reference.setPriority(priority) }

  /// The same, and tells when the server has answered.
  public func setPriority(_ priority: Any?, withCompletionBlock block: @escaping WriteCompletion) {
    begin(block) { try reference.set(priority: priority, from: "setPriority:withCompletionBlock:", $0) }
  }

  /// Replaces some children.
  public func updateChildValues(_ values: [AnyHashable: Any]) { reference.updateChildValues(values) }

  /// The same, and tells when the server has answered.
  public func updateChildValues(
    _ values: [AnyHashable: Any], withCompletionBlock block: @escaping WriteCompletion
  ) {
    begin(block) { try reference.update(values, from: "updateChildValues:withCompletionBlock:", $0) }
  }

  // MARK: When the connection is lost

  /// Registers a value that the server sets when this client disconnects.
  public func onDisconnectSetValue(_ value: Any?) { reference.onDisconnectSetValue(value) }

  /// The same, and tells when the server has answered.
  public func onDisconnectSetValue(_ value: Any?, withCompletionBlock block: @escaping WriteCompletion) {
    begin(block) { try reference.onDisconnectSet(value, from: "onDisconnectSetValue:withCompletionBlock:", $0) }
  }

  /// Registers a value and priority that the server sets when this client disconnects.
  public func onDisconnectSetValue(_ value: Any?, andPriority priority: Any?) {
    reference.onDisconnectSetValue(value, andPriority: priority)
  }

  /// The same, and tells when the server has answered.
  public func onDisconnectSetValue(
    _ value: Any?, andPriority priority: Any?, withCompletionBlock block: @escaping WriteCompletion
  ) {
    begin(block) {
      try reference.onDisconnectSet(value, priority, from: "onDisconnectSetValue:andPriority:withCompletionBlock:", $0)
    }
  }

  /// Registers a removal that the server performs when this client disconnects.
  public func onDisconnectRemoveValue() { reference.onDisconnectRemoveValue() }

  /// The same, and tells when the server has answered.
  public func onDisconnectRemoveValueWithCompletionBlock(_ block: @escaping WriteCompletion) {
    begin(block) { try reference.onDisconnectSet(nil, from: "onDisconnectRemoveValueWithCompletionBlock:", $0) }
  }

  /// Registers an update of children that the server performs when this client disconnects.
  public func onDisconnectUpdateChildValues(_ values: [AnyHashable: Any]) {
    reference.onDisconnectUpdateChildValues(values)
  }

  /// The same, and tells when the server has answered.
  public func onDisconnectUpdateChildValues(
    _ values: [AnyHashable: Any], withCompletionBlock block: @escaping WriteCompletion
  ) {
    begin(block) {
      try reference.onDisconnectUpdate(values, from: "onDisconnectUpdateChildValues:withCompletionBlock:", $0)
    }
  }

  /// Takes back what the server was to do.
  public func cancelDisconnectOperations() { reference.cancelDisconnectOperations() }

  /// The same, and tells when the server has answered.
  public func cancelDisconnectOperationsWithCompletionBlock(_ block: @escaping WriteCompletion) {
    begin(block) { reference.onDisconnectCancel($0) }
  }

  // MARK: Transactions

  /// Changes data by what it is: the block is called again when it was something else.
  public func runTransactionBlock(_ block: @escaping @Sendable (FMutableData) -> FTransactionResult) {
    reference.runTransactionBlock { block(FMutableData($0)).result }
  }

  /// The same, and tells how it ended.
  public func runTransactionBlock(
    _ block: @escaping @Sendable (FMutableData) -> FTransactionResult,
    andCompletionBlock completionBlock: @escaping @isolated(any) (NSError?, Bool, FDataSnapshot?) -> Void
  ) {
    runTransactionBlock(block, andCompletionBlock: completionBlock, withLocalEvents: true)
  }

  /// The same; without local events observers see the end only.
  public func runTransactionBlock(
    _ block: @escaping @Sendable (FMutableData) -> FTransactionResult,
    andCompletionBlock completionBlock: @escaping @isolated(any) (NSError?, Bool, FDataSnapshot?) -> Void,
    withLocalEvents localEvents: Bool
  ) {
    let ended: DatabaseReference.Ended = Callback(completionBlock).mapped { [reference] outcome in
      (outcome.error, outcome.isCommitted, outcome.node.map { FDataSnapshot(DataSnapshot(reference, $0)) })
    }
    reference.run(
      { block(FMutableData($0)).result }, from: "runTransactionBlock:andCompletionBlock:withLocalEvents:",
      showsLocally: localEvents, ended)
  }
}
