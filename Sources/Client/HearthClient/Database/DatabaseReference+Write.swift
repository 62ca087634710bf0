import HearthSync
import HearthTree

/// Writes. The observers of this process see each write at once, and it is sent to the server, now or when there is a
/// connection again. Blocks are called, and asynchronous forms return, when the server has answered, which may be after
/// a reconnect.
///
/// In the methods that cannot throw, invalid values end the program. The asynchronous methods throw
/// ``DatabaseArgumentError``, and ``DatabaseError`` when the server refuses.
extension DatabaseReference {
  /// The callback for the outcome of an operation: nil when it succeeded.
  package typealias Completion = Callback<DatabaseError?>

  /// Returns a completion that calls the app's block with this reference.
  func completion(_ block: @escaping @isolated(any) ((any Error)?, DatabaseReference) -> Void) -> Completion {
    Callback(block).mapped { [self] error in (error, self) }
  }

  /// Waits for the outcome of an operation that `start` begins.
  nonisolated(nonsending) func outcome(_ start: (Completion) throws -> Void) async throws -> DatabaseReference {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<DatabaseReference, any Error>) in
      do {
        try start(
          Completion(plain: { [self] error in
            if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: self) }
          }))
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Replaces all data at the location, including the priority; nil deletes it.
  public func setValue(_ value: Any?) { DatabaseArgumentError.trapping { try set(value, from: "setValue:") } }

  /// Replaces all data at the location, and calls a block with the outcome.
  public func setValue(
    _ value: Any?, withCompletionBlock block: @escaping @isolated(any) ((any Error)?, DatabaseReference) -> Void
  ) {
    DatabaseArgumentError.trapping {
      try set(value, from: "setValue:withCompletionBlock:", completion(block))
    }
  }

  /// Replaces all data at the location, and waits for the outcome.
  @discardableResult
  public nonisolated(nonsending) func setValue(_ value: Any?) async throws -> DatabaseReference {
    try await outcome { try set(value, from: "setValue:", $0) }
  }

  /// Replaces all data at the location, with a priority: nil, a number or a text.
  public func setValue(_ value: Any?, andPriority priority: Any?) {
    DatabaseArgumentError.trapping { try set(value, priority, from: "setValue:andPriority:") }
  }

  /// Replaces all data at the location, with a priority, and calls a block with the outcome.
  public func setValue(
    _ value: Any?, andPriority priority: Any?,
    withCompletionBlock block: @escaping @isolated(any) ((any Error)?, DatabaseReference) -> Void
  ) {
    DatabaseArgumentError.trapping {
      try set(value, priority, from: "setValue:andPriority:withCompletionBlock:", completion(block))
    }
  }

  /// Replaces all data at the location, with a priority, and waits for the outcome.
  @discardableResult
  public nonisolated(nonsending) func setValue(_ value: Any?, andPriority priority: Any?) async throws
    -> DatabaseReference
  {
    try await outcome { try set(value, priority, from: "setValue:andPriority:", $0) }
  }

  /// Deletes all data at the location.
  public func removeValue() { DatabaseArgumentError.trapping { try set(nil, from: "removeValue:") } }

  /// Deletes all data at the location, and calls a block with the outcome.
  public func removeValue(completionBlock block: @escaping @isolated(any) ((any Error)?, DatabaseReference) -> Void) {
    DatabaseArgumentError.trapping {
      try set(nil, from: "removeValueWithCompletionBlock:", completion(block))
    }
  }

  /// Deletes all data at the location, and waits for the outcome.
  @discardableResult
  public nonisolated(nonsending) func removeValue() async throws -> DatabaseReference {
    try await outcome { try set(nil, from: "removeValue:", $0) }
  }

  /// Sets the priority of the data: nil, a number or a text. An empty location has no priority.
  public func setPriority(_ priority: Any?) {
    DatabaseArgumentError.trapping { try set(priority: priority, from: "setPriority:") }
  }

  /// Sets the priority of the data, and calls a block with the outcome.
  public func setPriority(
    _ priority: Any?, withCompletionBlock block: @escaping @isolated(any) ((any Error)?, DatabaseReference) -> Void
  ) {
    DatabaseArgumentError.trapping {
      try set(priority: priority, from: "setPriority:withCompletionBlock:", completion(block))
    }
  }

  /// Sets the priority of the data, and waits for the outcome.
  @discardableResult
  public nonisolated(nonsending) func setPriority(_ priority: Any?) async throws -> DatabaseReference {
    try await outcome { try set(priority: priority, from: "setPriority:", $0) }
  }

  /// Replaces the data at some paths below, all at once, and leaves the rest. Names may be paths; nil deletes.
  public func updateChildValues(_ values: [AnyHashable: Any]) {
    DatabaseArgumentError.trapping { try update(values, from: "updateChildValues:") }
  }

  /// Replaces the data at some paths below, and calls a block with the outcome.
  public func updateChildValues(
    _ values: [AnyHashable: Any],
    withCompletionBlock block: @escaping @isolated(any) ((any Error)?, DatabaseReference) -> Void
  ) {
    DatabaseArgumentError.trapping {
      try update(values, from: "updateChildValues:withCompletionBlock:", completion(block))
    }
  }

  /// Replaces the data at some paths below, and waits for the outcome.
  @discardableResult
  public nonisolated(nonsending) func updateChildValues(_ values: [AnyHashable: Any]) async throws -> DatabaseReference
  {
    try await outcome { try update(values, from: "updateChildValues:", $0) }
  }

  /// Replaces all data at the location with an encoded value.
  ///
  /// - Parameter completion: Called with the outcome.
  /// - Throws: `EncodingError`, or ``DatabaseArgumentError`` when the encoded value is invalid.
  public func setValue<Value: Encodable>(
    from value: Value, encoder: Database.Encoder = Database.Encoder(),
    completion: (@isolated(any) ((any Error)?) -> Void)? = nil
  ) throws {
    let completion = completion.map { Callback($0).mapped { (error: DatabaseError?) in error } }
    try set(try encoder.encode(value), from: "setValue:", completion)
  }

  /// Replaces all data at the location with an encoded value, and waits for the outcome.
  @discardableResult
  public nonisolated(nonsending) func setValue<Value: Encodable>(
    from value: Value, encoder: Database.Encoder = Database.Encoder()
  ) async throws -> DatabaseReference {
    let encoded = try encoder.encode(value)
    return try await outcome { try set(encoded, from: "setValue:", $0) }
  }
}

// The shared implementation of the forms above: it validates on the caller's thread, and passes the operation to the
// repository. Invalid values throw.
extension DatabaseReference {
  /// Replaces all data at the location.
  package func set(_ value: Any?, from function: String, _ completion: Completion? = nil) throws(DatabaseArgumentError)
  {
    try Validation.writable(path, from: function)
    write(Location(path: path), try ValueReader.value(value, at: path, from: function), completion)
  }

  /// Replaces all data at the location, with a priority.
  package func set(
    _ value: Any?, _ priority: Any?, from function: String, _ completion: Completion? = nil
  ) throws(DatabaseArgumentError) {
    try Validation.writable(path, from: function)
    let value = try ValueReader.value(value, priority: priority, at: path, from: function)
    write(Location(path: path), value, completion)
  }

  /// Sets the priority of the data at the location.
  package func set(
    priority: Any?, from function: String, _ completion: Completion? = nil
  ) throws(DatabaseArgumentError) {
    try Validation.writable(path, from: function)
    write(Location(path: path, isPriority: true), try ValueReader.priority(priority, from: function), completion)
  }

  /// Replaces the data at some paths below.
  package func update(
    _ values: [AnyHashable: Any], from function: String, _ completion: Completion? = nil
  ) throws(DatabaseArgumentError) {
    try Validation.writable(path, from: function)
    let (path, writes) = (path, try ValueReader.update(values, at: path, from: function))
    database.repository.perform(completion.map { .write($0) }) { core, operation in
      core.update(path, writes, operation: operation)
    }
  }

  private func write(_ location: Location, _ value: WriteValue, _ completion: Completion?) {
    database.repository.perform(completion.map { .write($0) }) { core, operation in
      core.set(location, value, operation: operation)
    }
  }
}
