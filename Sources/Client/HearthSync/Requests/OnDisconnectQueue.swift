import HearthTree

/// The unanswered onDisconnect requests, in the order of their creation, and the confirmed writes that the server
/// performs when this client disconnects.
final class OnDisconnectQueue {
  private struct Entry {
    var operation: OperationID
    var body: SyncRequest.Body
    /// The request on this connection; nil while it waits for one.
    var request: RequestID?
  }

  private let cache: DataCache
  private let clock: ServerClock
  private let pendingRequests: PendingRequests
  private let events: EventRecorder
  private var entries: [Int: Entry] = [:]
  private var lastEntry = 0
  private var confirmed = OnDisconnectTree()

  init(cache: DataCache, clock: ServerClock, pendingRequests: PendingRequests, events: EventRecorder) {
    self.cache = cache
    self.clock = clock
    self.pendingRequests = pendingRequests
    self.events = events
  }

  func add(_ body: SyncRequest.Body, _ operation: OperationID) {
    lastEntry += 1
    entries[lastEntry] = Entry(operation: operation, body: body)
    if pendingRequests.isReady { send(lastEntry) }
  }

  private func send(_ id: Int) {
    guard let entry = entries[id] else { return }
    entries[id]?.request = pendingRequests.send(entry.body, .onDisconnect(id))
  }

  /// Sends the requests over a new connection; none of them was sent before.
  func connect() {
    for id in entries.keys.sorted() { send(id) }
  }

  /// Ends the requests that were sent, because their outcome stays unknown.
  func disconnect(_ failure: SyncFailure) { cancel(failure) { $0.request != nil } }

  /// Ends the requests that were never sent.
  func cancelUnsent(_ failure: SyncFailure) { cancel(failure) { $0.request == nil } }

  private func cancel(_ failure: SyncFailure, where isMeant: (Entry) -> Bool) {
    for (id, entry) in entries.sorted(by: { $0.key < $1.key }) where isMeant(entry) {
      entries[id] = nil
      events.raise(.completed(entry.operation, failure))
    }
  }

  /// Handles the reply to a request.
  func finish(_ id: Int, _ reply: SyncReply) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    if reply.failure == nil {
      switch entry.body {
      case .onDisconnectPut(let location, let value): confirmed.remember(location, value)
      case .onDisconnectMerge(let path, let writes):
        for write in writes { confirmed.remember(write.location.under(path), write.value) }
      case .onDisconnectCancel(let path): confirmed.forget(path.keys[...])
      default: break
      }
    }
    events.raise(.completed(entry.operation, reply.failure))
  }

  /// Applies the confirmed writes to the local data, because the server is about to perform them. This is an
  /// assumption, because the rules may deny them; the next connection delivers the actual data.
  ///
  /// - Returns: The paths of the writes.
  func showConfirmed() -> [Path] {
    if confirmed.isEmpty { return [] }
    let now = clock.serverMilliseconds
    var changes: [(Location, Node)] = []
    confirmed.forEachValue { location, value in
      changes.append((location, cache.estimate(value, at: location, nowMilliseconds: now)))
    }
    confirmed = OnDisconnectTree()
    events.raise(cache.merge(.root, changes, tag: nil) ?? [])
    return changes.map(\.0.path)
  }
}
