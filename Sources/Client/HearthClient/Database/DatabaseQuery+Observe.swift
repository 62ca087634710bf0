import HearthSync
import HearthTree

/// Observers. Blocks are called on the database's ``Database/callbackQueue``, in the order of the events, and never
/// after a call that removes the observer has returned on that queue. They need not be `@Sendable`: a block that is
/// isolated to an actor is called on that actor, and one that is isolated to the main actor on the main queue.
extension DatabaseQuery {
  /// Returns the snapshot of an event.
  func snapshot(of event: DataEvent) -> DataSnapshot {
    guard let key = event.key else { return DataSnapshot(ref, event.node, order: order) }
    return DataSnapshot(ref.below(Path([key])), event.node)
  }

  /// Observes events of a type: at first the existing data, then its changes.
  ///
  /// - Parameters:
  /// - block: Receives the value, or the child.
  /// - cancelBlock: Called at most once, when the server revokes the permission, after which no event follows.
  /// - Returns: The handle for ``removeObserver(withHandle:)``.
  @discardableResult
  public func observe(
    _ eventType: DataEventType, with block: @escaping @isolated(any) (DataSnapshot) -> Void,
    withCancel cancelBlock: (@isolated(any) (any Error) -> Void)? = nil
  ) -> DatabaseHandle {
    observe(eventType, isOnce: false, Callback(block).mapped { $0.0 }, cancelBlock)
  }

  /// Observes events of a type, with the key of the preceding child in the order of the query for children that were
  /// added, changed or moved; nil for the first.
  @discardableResult
  public func observe(
    _ eventType: DataEventType,
    andPreviousSiblingKeyWith block: @escaping @isolated(any) (DataSnapshot, String?) -> Void,
    withCancel cancelBlock: (@isolated(any) (any Error) -> Void)? = nil
  ) -> DatabaseHandle {
    observe(eventType, isOnce: false, Callback(block), cancelBlock)
  }

  /// Observes only the first event of a type.
  ///
  /// Cached data is used if there is any, which may be older than the server's. ``getData()`` requests it from the
  /// server.
  public func observeSingleEvent(
    of eventType: DataEventType, with block: @escaping @isolated(any) (DataSnapshot) -> Void,
    withCancel cancelBlock: (@isolated(any) (any Error) -> Void)? = nil
  ) {
    observe(eventType, isOnce: true, Callback(block).mapped { $0.0 }, cancelBlock)
  }

  /// Observes only the first event of a type, with the key of the preceding child.
  public func observeSingleEvent(
    of eventType: DataEventType,
    andPreviousSiblingKeyWith block: @escaping @isolated(any) (DataSnapshot, String?) -> Void,
    withCancel cancelBlock: (@isolated(any) (any Error) -> Void)? = nil
  ) {
    observe(eventType, isOnce: true, Callback(block), cancelBlock)
  }

  @discardableResult
  private func observe(
    _ eventType: DataEventType, isOnce: Bool, _ callback: Callback<(DataSnapshot, String?)>,
    _ cancelBlock: (@isolated(any) (any Error) -> Void)?
  ) -> DatabaseHandle {
    observe(eventType, isOnce: isOnce, callback, cancel: cancelBlock.map { Callback($0) })
  }

  /// Observes the events of a type, or only the first one.
  @discardableResult
  package func observe(
    _ eventType: DataEventType, isOnce: Bool, _ callback: Callback<(DataSnapshot, String?)>,
    cancel: Callback<any Error>?
  ) -> DatabaseHandle {
    let repository = database.repository
    let id = repository.nextRegistration()
    let observer = Observer(
      spec: spec, types: eventType.eventType, isOnce: isOnce,
      onEvent: callback.mapped { [self] event in (snapshot(of: event), event.previousKey?.text) },
      onCancel: cancel.map { $0.mapped { (error: DatabaseError) in error } } ?? Callback(plain: { _ in }))
    repository.observe(id, observer)
    return DatabaseHandle(id.number)
  }

  /// Removes an observer of this query; when called on a reference, also an observer of a query of the same location.
  /// Does nothing when there is none.
  public func removeObserver(withHandle handle: DatabaseHandle) {
    guard let number = Int(exactly: handle) else { return }
    database.repository.remove(RegistrationID(number), from: spec)
  }

  /// Removes all observers of this query; when called on a reference, also those of queries of the same location.
  /// Observers of locations below stay.
  public func removeAllObservers() { database.repository.removeAll(from: spec) }

  /// Keeps the data in sync and on disk without an observer. Calls are not counted: one `false` ends it.
  public func keepSynced(_ keepSynced: Bool) {
    precondition(path.keys.first != Validation.infoKey, "Can't keep queries on .info synced.")
    database.repository.keepSynced(spec, keepSynced)
  }
}
