import HearthSync
import HearthTree

/// Writes that the server performs when this client's connection ends, however it ends. The server keeps them, so they
/// work when the client has crashed or lost its network. They are performed once, and must be registered again after a
/// reconnect, which `.info/connected` reports.
extension DatabaseReference {
  /// Replaces all data at the location when the connection ends.
  public func onDisconnectSetValue(_ value: Any?) {
    DatabaseArgumentError.trapping { try onDisconnectSet(value, from: "onDisconnectSetValue:") }
  }

  /// Replaces all data at the location when the connection ends, and reports the registration's outcome.
  public func onDisconnectSetValue(
    _ value: Any?, withCompletionBlock block: @escaping @isolated(any) ((any Error)?, DatabaseReference) -> Void
  ) {
    DatabaseArgumentError.trapping {
      try onDisconnectSet(value, from: "onDisconnectSetValue:withCompletionBlock:", completion(block))
    }
  }

  /// Replaces all data at the location when the connection ends, and waits for the registration's outcome.
  @discardableResult
  public nonisolated(nonsending) func onDisconnectSetValue(_ value: Any?) async throws -> DatabaseReference {
    try await outcome { try onDisconnectSet(value, from: "onDisconnectSetValue:", $0) }
  }

  /// Replaces all data at the location, with a priority, when the connection ends.
  public func onDisconnectSetValue(_ value: Any?, andPriority priority: Any?) {
    DatabaseArgumentError.trapping { try onDisconnectSet(value, priority, from: "onDisconnectSetValue:andPriority:") }
  }

  /// Replaces all data at the location, with a priority, when the connection ends, and reports the registration's
  /// outcome.
  public func onDisconnectSetValue(
    _ value: Any?, andPriority priority: Any?,
    withCompletionBlock block: @escaping @isolated(any) ((any Error)?, DatabaseReference) -> Void
  ) {
    DatabaseArgumentError.trapping {
      try onDisconnectSet(
        value, priority, from: "onDisconnectSetValue:andPriority:withCompletionBlock:", completion(block))
    }
  }

  /// Replaces all data at the location, with a priority, when the connection ends, and waits for the registration's
  /// outcome.
  @discardableResult
  public nonisolated(nonsending) func onDisconnectSetValue(_ value: Any?, andPriority priority: Any?) async throws
    -> DatabaseReference
  {
    try await outcome { try onDisconnectSet(value, priority, from: "onDisconnectSetValue:andPriority:", $0) }
  }

  /// Deletes all data at the location when the connection ends.
  public func onDisconnectRemoveValue() {
    DatabaseArgumentError.trapping { try onDisconnectSet(nil, from: "onDisconnectRemoveValue:") }
  }

  /// Deletes all data at the location when the connection ends, and reports the registration's outcome.
  public func onDisconnectRemoveValue(
    completionBlock block: @escaping @isolated(any) ((any Error)?, DatabaseReference) -> Void
  ) {
    DatabaseArgumentError.trapping {
      try onDisconnectSet(nil, from: "onDisconnectRemoveValueWithCompletionBlock:", completion(block))
    }
  }

  /// Deletes all data at the location when the connection ends, and waits for the registration's outcome.
  @discardableResult
  public nonisolated(nonsending) func onDisconnectRemoveValue() async throws -> DatabaseReference {
    try await outcome { try onDisconnectSet(nil, from: "onDisconnectRemoveValue:", $0) }
  }

  /// Replaces the data at some paths below, all at once, when the connection ends.
  public func onDisconnectUpdateChildValues(_ values: [AnyHashable: Any]) {
    DatabaseArgumentError.trapping { try onDisconnectUpdate(values, from: "onDisconnectUpdateChildValues:") }
  }

  /// Replaces the data at some paths below when the connection ends, and reports the registration's outcome.
  public func onDisconnectUpdateChildValues(
    _ values: [AnyHashable: Any],
    withCompletionBlock block: @escaping @isolated(any) ((any Error)?, DatabaseReference) -> Void
  ) {
    DatabaseArgumentError.trapping {
      try onDisconnectUpdate(values, from: "onDisconnectUpdateChildValues:withCompletionBlock:", completion(block))
    }
  }

  /// Replaces the data at some paths below when the connection ends, and waits for the registration's outcome.
  @discardableResult
  public nonisolated(nonsending) func onDisconnectUpdateChildValues(_ values: [AnyHashable: Any]) async throws
    -> DatabaseReference
  {
    try await outcome { try onDisconnectUpdate(values, from: "onDisconnectUpdateChildValues:", $0) }
  }

  /// Cancels the registered writes at the location and below.
  public func cancelDisconnectOperations() { onDisconnectCancel(nil) }

  /// Cancels the registered writes at the location and below, and reports the outcome.
  public func cancelDisconnectOperations(
    completionBlock block: (@isolated(any) ((any Error)?, DatabaseReference) -> Void)?
  ) {
    onDisconnectCancel(block.map { completion($0) })
  }

  /// Cancels the registered writes at the location and below, and waits for the outcome.
  @discardableResult
  public nonisolated(nonsending) func cancelDisconnectOperations() async throws -> DatabaseReference {
    try await outcome { onDisconnectCancel($0) }
  }
}

// The shared implementation of the forms above.
extension DatabaseReference {
  /// Replaces all data at the location when the connection ends.
  package func onDisconnectSet(
    _ value: Any?, from function: String, _ completion: Completion? = nil
  ) throws(DatabaseArgumentError) {
    try Validation.writable(path, from: function)
    onDisconnect(try ValueReader.value(value, at: path, from: function), completion)
  }

  /// Replaces all data at the location, with a priority, when the connection ends.
  package func onDisconnectSet(
    _ value: Any?, _ priority: Any?, from function: String, _ completion: Completion? = nil
  ) throws(DatabaseArgumentError) {
    try Validation.writable(path, from: function)
    onDisconnect(try ValueReader.value(value, priority: priority, at: path, from: function), completion)
  }

  /// Replaces the data at some paths below when the connection ends.
  package func onDisconnectUpdate(
    _ values: [AnyHashable: Any], from function: String, _ completion: Completion? = nil
  ) throws(DatabaseArgumentError) {
    try Validation.writable(path, from: function)
    let (path, writes) = (path, try ValueReader.update(values, at: path, from: function))
    database.repository.perform(completion.map { .write($0) }) { core, operation in
      core.onDisconnectUpdate(path, writes, operation: operation)
    }
  }

  private func onDisconnect(_ value: WriteValue, _ completion: Completion?) {
    let location = Location(path: path)
    database.repository.perform(completion.map { .write($0) }) { core, operation in
      core.onDisconnectSet(location, value, operation: operation)
    }
  }

  /// Cancels the registered writes at the location and below.
  package func onDisconnectCancel(_ completion: Completion?) {
    let path = path
    database.repository.perform(completion.map { .write($0) }) { core, operation in
      core.onDisconnectCancel(path, operation: operation)
    }
  }
}
