import HearthTree

/// The unanswered writes of the current user, in the order of their creation: sets, updates, and the outputs of
/// transactions.
final class WriteQueue {
  /// An unanswered write.
  struct Entry {
    var body: SyncRequest.Body
    var owner: Owner
    /// The request that carries the write on this connection; nil while it waits for one.
    var request: RequestID?
  }

  /// The receiver of a write's outcome.
  enum Owner {
    /// A set or an update: the operation for which its outcome is reported, nil for none; and the write's ID in the
    /// tree.
    case operation(OperationID?, write: Int)
    /// The transactions at a path and below, and the hash of the data that the transaction replaces.
    case transaction(Path, hash: String)
  }

  private let cache: DataCache
  private let pendingRequests: PendingRequests
  private let events: EventRecorder
  private var entries: [Int: Entry] = [:]
  private var lastEntry = 0

  init(cache: DataCache, pendingRequests: PendingRequests, events: EventRecorder) {
    self.cache = cache
    self.pendingRequests = pendingRequests
    self.events = events
  }

  // MARK: - Writing

  /// Shows in the local data, stores and sends a value or priority of a location.
  func set(_ location: Location, _ value: WriteValue, operation: OperationID) {
    let id = cache.takeWriteID()
    cache.storage?.save(StoredWrite(id: id, content: .overwrite(location, value)))
    show(id, location, value)
    add(.put(location, value, hash: nil), .operation(operation, write: id))
  }

  /// Shows in the local data, stores and sends values of several locations, relative to a path.
  func update(_ path: Path, _ writes: [Write], operation: OperationID) {
    let id = cache.takeWriteID()
    cache.storage?.save(StoredWrite(id: id, content: .merge(path, writes)))
    show(id, path, writes)
    add(.merge(path, writes), .operation(operation, write: id))
  }

  private func show(_ id: Int, _ location: Location, _ value: WriteValue) {
    events.raise(cache.tree.userOverwrite(id, location, cache.estimate(value, at: location)))
  }

  private func show(_ id: Int, _ path: Path, _ writes: [Write]) {
    events.raise(cache.tree.userMerge(id, path, cache.estimates(writes, below: path)))
  }

  /// Shows in the local data the writes that wait in the store, and sends them again in their order. No callback of the
  /// app is left for their outcome.
  ///
  /// - Parameter reclaim: Returns the write with this ID if the same user has sent it earlier over this connection, so
  ///   that it is not sent twice; nil otherwise.
  func restore(_ reclaim: (_ write: Int) -> (id: Int, entry: Entry)?) {
    for write in cache.storedWrites() {
      let body: SyncRequest.Body
      switch write.content {
      case .overwrite(let location, let value):
        show(write.id, location, value)
        body = .put(location, value, hash: nil)
      case .merge(let path, let writes):
        show(write.id, path, writes)
        body = .merge(path, writes)
      }
      if let (id, entry) = reclaim(write.id) {
        entries[id] = entry
      } else {
        add(body, .operation(nil, write: write.id))
      }
    }
  }

  // MARK: - Sending

  /// Appends a write, and sends it when the connection is ready.
  func add(_ body: SyncRequest.Body, _ owner: Owner) {
    lastEntry += 1
    entries[lastEntry] = Entry(body: body, owner: owner)
    if pendingRequests.isReady { send(lastEntry) }
  }

  private func send(_ id: Int) {
    guard let entry = entries[id] else { return }
    entries[id]?.request = pendingRequests.send(entry.body, .write(id))
  }

  /// Sends all writes over a new connection.
  func connect() {
    for id in entries.keys.sorted() { send(id) }
  }

  /// Marks the requests as unsent, because they will not be answered: sets and updates will be sent again.
  ///
  /// - Returns: The paths of the transactions that were sent and whose outcome stays unknown; their writes are removed.
  func disconnect() -> [Path] {
    var transactions: [Path] = []
    for id in entries.keys.sorted() {
      guard let entry = entries[id], entry.request != nil else { continue }
      if case .transaction(let path, _) = entry.owner {
        entries[id] = nil
        transactions.append(path)
      } else {
        entries[id]?.request = nil
      }
    }
    return transactions
  }

  /// Removes a write and returns it.
  func remove(_ id: Int) -> Entry? { entries.removeValue(forKey: id) }

  /// Removes and returns the writes sent over this connection, in order.
  func removeSent() -> [(id: Int, entry: Entry)] {
    entries.keys.sorted().compactMap { id in
      guard let entry = entries[id], entry.request != nil else { return nil }
      entries[id] = nil
      return (id, entry)
    }
  }

  /// Removes all writes and reports the failure for the sets and updates among the removed writes.
  func cancelAll(_ failure: SyncFailure) {
    let cancelled = entries.sorted { $0.key < $1.key }
    entries = [:]
    for case .operation(let operation?, _) in cancelled.map(\.value.owner) {
      events.raise(.completed(operation, failure))
    }
  }

  // MARK: - Answers

  /// Handles the reply to a set or an update.
  ///
  /// - Parameter id: The write's ID in the tree.
  /// - Returns: The path at which displayed data changed, nil for none; and the event to raise after the events of that
  ///   change.
  func settle(
    _ entry: Entry, _ id: Int, _ operation: OperationID?, _ reply: SyncReply
  ) -> (changed: Path?, outcome: SyncEvent?) {
    let failure = reply.failure
    let record = cache.tree.writes[id]
    cache.storage?.settle(id, failure == nil ? estimates(entry.body) : [])
    let shown = cache.tree.settle(id, isReverted: failure != nil)
    events.raise(shown)
    var outcome: SyncEvent?
    if let operation {
      outcome = .completed(operation, failure)
    } else if let failure, let record {
      outcome = .warning("A stored write to \(record.path) was refused: \(failure.status)")
    }
    return (shown.isEmpty ? nil : record?.path, outcome)
  }

  /// Returns the nodes that a write produced, with server values estimated at the time when it took effect.
  private func estimates(_ body: SyncRequest.Body) -> [(Location, Node)] {
    switch body {
    case .put(let location, let value, _): [(location, cache.estimate(value, at: location))]
    case .merge(let path, let writes): cache.estimates(writes, below: path).map { ($0.0.under(path), $0.1) }
    default: []
    }
  }
}
