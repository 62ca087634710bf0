import Foundation
import HearthClient

extension Firebase {
  /// Called when the server has answered: with an error or without.
  public typealias WriteCompletion = (NSError?, Firebase) -> Void

  private func modern(_ block: @escaping WriteCompletion) -> ((any Error)?, DatabaseReference) -> Void {
    { error, ref in block(error.map { $0 as NSError }, Firebase(ref)) }
  }

  /// Replaces the data; its priority goes.
  public func setValue(_ value: Any?) { reference.setValue(value) }

  /// The same, and tells when the server has answered.
  public func setValue(_ value: Any?, withCompletionBlock block: @escaping WriteCompletion) {
    reference.setValue(value, withCompletionBlock: modern(block))
  }

  /// Replaces the data and its priority.
  public func setValue(_ value: Any?, andPriority priority: Any?) {
    reference.setValue(value, andPriority: priority)
  }

  /// The same, and tells when the server has answered.
  public func setValue(
    _ value: Any?, andPriority priority: Any?, withCompletionBlock block: @escaping WriteCompletion
  ) {
    reference.setValue(value, andPriority: priority, withCompletionBlock: modern(block))
  }

  /// Removes the data.
  public func removeValue() { reference.removeValue() }

  /// The same, and tells when the server has answered.
  public func removeValueWithCompletionBlock(_ block: @escaping WriteCompletion) {
    reference.removeValue(completionBlock: modern(block))
  }

  /// Sets the priority of data that is there.
  public func setPriority(_ priority: Any?) { reference.setPriority(priority) }

  /// The same, and tells when the server has answered.
  public func setPriority(_ priority: Any?, withCompletionBlock block: @escaping WriteCompletion) {
    reference.setPriority(priority, withCompletionBlock: modern(block))
  }

  /// Replaces some children.
  public func updateChildValues(_ values: [AnyHashable: Any]) { reference.updateChildValues(values) }

  /// The same, and tells when the server has answered.
  public func updateChildValues(
    _ values: [AnyHashable: Any], withCompletionBlock block: @escaping WriteCompletion
  ) {
    reference.updateChildValues(values, withCompletionBlock: modern(block))
  }

  // MARK: When the connection is lost

  /// Has the server set the value when this client is gone.
  public func onDisconnectSetValue(_ value: Any?) { reference.onDisconnectSetValue(value) }

  /// The same, and tells when the server has answered.
  public func onDisconnectSetValue(_ value: Any?, withCompletionBlock block: @escaping WriteCompletion) {
    reference.onDisconnectSetValue(value, withCompletionBlock: modern(block))
  }

  /// Has the server set value and priority when this client is gone.
  public func onDisconnectSetValue(_ value: Any?, andPriority priority: Any?) {
    reference.onDisconnectSetValue(value, andPriority: priority)
  }

  /// The same, and tells when the server has answered.
  public func onDisconnectSetValue(
    _ value: Any?, andPriority priority: Any?, withCompletionBlock block: @escaping WriteCompletion
  ) {
    reference.onDisconnectSetValue(value, andPriority: priority, withCompletionBlock: modern(block))
  }

  /// Has the server remove the data when this client is gone.
  public func onDisconnectRemoveValue() { reference.onDisconnectRemoveValue() }

  /// The same, and tells when the server has answered.
  public func onDisconnectRemoveValueWithCompletionBlock(_ block: @escaping WriteCompletion) {
    reference.onDisconnectRemoveValue(completionBlock: modern(block))
  }

  /// Has the server replace some children when this client is gone.
  public func onDisconnectUpdateChildValues(_ values: [AnyHashable: Any]) {
    reference.onDisconnectUpdateChildValues(values)
  }

  /// The same, and tells when the server has answered.
  public func onDisconnectUpdateChildValues(
    _ values: [AnyHashable: Any], withCompletionBlock block: @escaping WriteCompletion
  ) {
    reference.onDisconnectUpdateChildValues(values, withCompletionBlock: modern(block))
  }

  /// Takes back what the server was to do.
  public func cancelDisconnectOperations() { reference.cancelDisconnectOperations() }

  /// The same, and tells when the server has answered.
  public func cancelDisconnectOperationsWithCompletionBlock(_ block: @escaping WriteCompletion) {
    reference.cancelDisconnectOperations(completionBlock: modern(block))
  }

  // MARK: Transactions

  /// Changes data by what it is: the block is called again when it was something else.
  public func runTransactionBlock(_ block: @escaping @Sendable (FMutableData) -> FTransactionResult) {
    reference.runTransactionBlock { block(FMutableData($0)).result }
  }

  /// The same, and tells how it ended.
  public func runTransactionBlock(
    _ block: @escaping @Sendable (FMutableData) -> FTransactionResult,
    andCompletionBlock completionBlock: @escaping (NSError?, Bool, FDataSnapshot?) -> Void
  ) {
    runTransactionBlock(block, andCompletionBlock: completionBlock, withLocalEvents: true)
  }

  /// The same; without local events observers see the end only.
  public func runTransactionBlock(
    _ block: @escaping @Sendable (FMutableData) -> FTransactionResult,
    andCompletionBlock completionBlock: @escaping (NSError?, Bool, FDataSnapshot?) -> Void,
    withLocalEvents localEvents: Bool
  ) {
    reference.runTransactionBlock(
      { block(FMutableData($0)).result },
      andCompletionBlock: { error, committed, snapshot in
        completionBlock(error.map { $0 as NSError }, committed, snapshot.map { FDataSnapshot($0) })
      }, withLocalEvents: localEvents)
  }
}
