import HearthSync
import HearthTree

/// Blocks are called on the database's ``Database/callbackQueue``, in the order of what they tell, and never after a removal
/// returned on that queue. They need not be `@Sendable`: a block that is written in the context of an actor and belongs to it
/// is called on that actor, for the main actor on the main queue.
extension DatabaseQuery {
  /// The snapshot that an event brings.
  func snapshot(of event: DataEvent) -> DataSnapshot {
    guard let key = event.key else { return DataSnapshot(ref, event.node, order: order) }
    return DataSnapshot(ref.below(Path([key])), event.node)
  }

  /// Calls a block with each event of a type: at first with what is there, then with what changes.
  ///
  /// - Parameters:
  ///   - block: Is given the value, or the child.
  ///   - cancelBlock: Is called at most once: when the server takes the permission away, after which nothing more comes.
  /// - Returns: What ``removeObserver(withHandle:)`` takes.
  @discardableResult
  public func observe(
    _ eventType: DataEventType, with block: @escaping @isolated(any) (DataSnapshot) -> Void,
    withCancel cancelBlock: (@isolated(any) (any Error) -> Void)? = nil
  ) -> DatabaseHandle {
    observe(eventType, isOnce: false, Callback(block).mapped { $0.0 }, cancelBlock)
  }

  /// The same with the key of the child before it in the order of the query, for children that were added, changed or moved;
  /// nil for the first.
  @discardableResult
  public func observe(
    _ eventType: DataEventType,
    andPreviousSiblingKeyWith block: @escaping @isolated(any) (DataSnapshot, String?) -> Void,
    withCancel cancelBlock: (@isolated(any) (any Error) -> Void)? = nil
  ) -> DatabaseHandle {
    observe(eventType, isOnce: false, Callback(block), cancelBlock)
  }

  /// Calls a block with the first event of a type and then no more.
  ///
  /// What is in memory or on disk counts: it may be older than what the server has. ``getData()`` asks the server.
  public func observeSingleEvent(
    of eventType: DataEventType, with block: @escaping @isolated(any) (DataSnapshot) -> Void,
    withCancel cancelBlock: (@isolated(any) (any Error) -> Void)? = nil
  ) {
    observe(eventType, isOnce: true, Callback(block).mapped { $0.0 }, cancelBlock)
  }

  /// The same with the key of the child before it.
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

  /// Calls a block with the events of a type, or with the first one.
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

  /// Ends the calls of an observer of this query. At a reference, also of one of a query of the same place. Nothing happens
  /// when there is none.
  public func removeObserver(withHandle handle: DatabaseHandle) {
    guard let number = Int(exactly: handle) else { return }
    database.repository.remove(RegistrationID(number), from: spec)
  }

  /// Ends the calls of all observers of this query; at a reference, also of those of queries of the same place. Observers
  /// further down stay.
  public func removeAllObservers() { database.repository.removeAll(from: spec) }

  /// Keeps the data in sync without an observer, and on disk. It does not count how often it is asked: one `false` ends it.
  public func keepSynced(_ keepSynced: Bool) {
    precondition(path.keys.first != Validation.infoKey, "Can't keep queries on .info synced.")
    database.repository.keepSynced(spec, keepSynced)
  }
}
