import HearthTree

/// The unanswered one-time reads, in the order of their creation.
final class GetQueue {
  private struct Entry {
    var operation: OperationID
    var spec: QuerySpec
    /// The wall-clock time at which the read fails if there is no connection.
    var deadlineMilliseconds: Int64
  }

  private let cache: DataCache
  private let clock: ServerClock
  private let pendingRequests: PendingRequests
  private let events: EventRecorder
  private let transactions: TransactionRunner
  private let patienceMilliseconds: Int64
  private var entries: [Entry] = []

  /// - Parameter patienceMilliseconds: The time that a read waits without a connection, from its call or from the loss
  ///   of the connection on which it was sent.
  init(
    cache: DataCache, clock: ServerClock, pendingRequests: PendingRequests, events: EventRecorder,
    transactions: TransactionRunner,
    patienceMilliseconds: Int64
  ) {
    self.cache = cache
    self.clock = clock
    self.pendingRequests = pendingRequests
    self.events = events
    self.transactions = transactions
    self.patienceMilliseconds = patienceMilliseconds
  }

  /// The time at which a read fails that begins to wait for a connection now.
  private var deadlineMilliseconds: Int64 {
    let (deadline, overflow) = clock.milliseconds.addingReportingOverflow(patienceMilliseconds)
    return overflow ? .max : deadline
  }

  /// Reads a query: from the cache when that is complete, otherwise from the server. When the server cannot be reached
  /// or the read fails, other than for a denied permission, the result comes from the local store, if that has one.
  func add(_ query: QuerySpec, _ operation: OperationID) {
    if let node = cache.tree.completeEventCache(of: query) { return events.raise(.got(operation, .value(node))) }
    entries.append(Entry(operation: operation, spec: query, deadlineMilliseconds: deadlineMilliseconds))
    if pendingRequests.isReady { send(query, operation) }
  }

  private func send(_ query: QuerySpec, _ operation: OperationID) { pendingRequests.send(.get(query), .get(operation)) }

  /// Sends all reads over a new connection.
  func connect() {
    for entry in entries { send(entry.spec, entry.operation) }
  }

  /// Makes the reads wait for the next connection. Must be called before ``PendingRequests/disconnect()``.
  func disconnect() {
    if !pendingRequests.isReady { return }
    let deadline = deadlineMilliseconds
    for i in entries.indices { entries[i].deadlineMilliseconds = deadline }
  }

  /// The time at which the next read fails; nil while there is a connection.
  var nextDeadlineMilliseconds: Int64? { pendingRequests.isReady ? nil : entries.map(\.deadlineMilliseconds).min() }

  /// Fails the reads that have waited too long for a connection.
  func giveUp() {
    if pendingRequests.isReady { return }
    let now = clock.milliseconds
    for entry in entries where entry.deadlineMilliseconds <= now {
      guard let entry = remove(entry.operation) else { continue }
      // The message is that of the SDK for Apple systems.
      let text =
        "Unable to get latest value for query \(entry.spec), client offline with no active listeners and no matching disk cache entries"
      fail(entry, SyncFailure("network_error", text))
    }
  }

  private func remove(_ operation: OperationID) -> Entry? {
    entries.firstIndex { $0.operation == operation }.map { entries.remove(at: $0) }
  }

  /// Handles the reply to a read.
  func finish(_ operation: OperationID, _ reply: SyncReply) {
    guard let entry = remove(operation) else { return }
    if let failure = reply.failure { return fail(entry, failure) }
    let (spec, location) = (entry.spec, Location(path: entry.spec.path))
    // Other listeners see the value as well. The result of a query with bounds or a limit is incomplete data, so only
    // listeners of the same query see it.
    if spec.loadsAllData {
      follow(cache.overwrite(location, reply.node, tag: nil) ?? [], at: spec.path)
    } else if let tag = cache.tree.tag(of: spec) {
      follow(cache.tree.serverOverwrite(location, reply.node, tag: tag), at: spec.path)
    }
    cache.storage?.read(spec, reply.node)
    let found = spec.loadsAllData ? reply.node : QueryResult(spec.query, of: reply.node).node
    events.raise(.got(operation, .value(found)))
  }

  private func follow(_ changes: [DataEvent], at path: Path) {
    events.raise(changes)
    transactions.rerun(at: path, unless: changes.isEmpty)
  }

  private func fail(_ entry: Entry, _ failure: SyncFailure) {
    let stored = failure.status == "permission_denied" ? nil : cache.storage?.storedCache(for: entry.spec)
    // Without data, there is a result only when the query is stored completely.
    if let stored, stored.isInitialized || !stored.node.isEmpty {
      let isWhole = entry.spec.loadsAllData || stored.isFiltered
      let node = isWhole ? stored.node : QueryResult(entry.spec.query, of: stored.node).node
      events.raise(.got(entry.operation, .value(node)))
    } else {
      events.raise(.got(entry.operation, .failed(failure)))
    }
  }
}
