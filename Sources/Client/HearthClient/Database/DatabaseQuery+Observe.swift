import HearthSync
import HearthTree

/// Blocks are called on the database's ``Database/callbackQueue``, in the order of what they tell, and never after a removal
/// returned on that queue. They need not be `@Sendable`: on the main queue they are the main actor's.
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
    _ eventType: DataEventType, with block: @escaping (DataSnapshot) -> Void,
    withCancel cancelBlock: ((any Error) -> Void)? = nil
  ) -> DatabaseHandle {
    observe(eventType, isOnce: false, { snapshot, _ in block(snapshot) }, cancelBlock)
  }

  /// The same with the key of the child before it in the order of the query, for children that were added, changed or moved;
  /// nil for the first.
  @discardableResult
  public func observe(
    _ eventType: DataEventType, andPreviousSiblingKeyWith block: @escaping (DataSnapshot, String?) -> Void,
    withCancel cancelBlock: ((any Error) -> Void)? = nil
  ) -> DatabaseHandle {
    observe(eventType, isOnce: false, block, cancelBlock)
  }

  /// Calls a block with the first event of a type and then no more.
  ///
  /// What is in memory or on disk counts: it may be older than what the server has. ``getData()`` asks the server.
  public func observeSingleEvent(
    of eventType: DataEventType, with block: @escaping (DataSnapshot) -> Void,
    withCancel cancelBlock: ((any Error) -> Void)? = nil
  ) {
    observe(eventType, isOnce: true, { snapshot, _ in block(snapshot) }, cancelBlock)
  }

  /// The same with the key of the child before it.
  public func observeSingleEvent(
    of eventType: DataEventType, andPreviousSiblingKeyWith block: @escaping (DataSnapshot, String?) -> Void,
    withCancel cancelBlock: ((any Error) -> Void)? = nil
  ) {
    observe(eventType, isOnce: true, block, cancelBlock)
  }

  @discardableResult
  private func observe(
    _ eventType: DataEventType, isOnce: Bool, _ block: @escaping (DataSnapshot, String?) -> Void,
    _ cancelBlock: ((any Error) -> Void)?
  ) -> DatabaseHandle {
    let (repository, blocks) = (database.repository, HandedOver((block, cancelBlock)))
    let id = repository.nextRegistration()
    let observer = Observer(spec: spec, types: eventType.eventType, isOnce: isOnce) { [self] event in
      blocks.value.0(snapshot(of: event), event.previousKey?.text)
    } onCancel: { error in
      blocks.value.1?(error)
    }
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
