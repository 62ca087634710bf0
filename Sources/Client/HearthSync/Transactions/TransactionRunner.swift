import HearthTree

/// The pending transactions: runs their functions, shows and sends their outputs, and runs them again when the data
/// that they read has changed.
final class TransactionRunner {
  /// The number of sends after which a transaction fails with `maxretry`.
  static let sendsMax = 25
  /// The initial and maximum delay before the next attempt, when the server answers that an input is stale although the
  /// client's data has not changed since.
  static let staleDelayMilliseconds: (first: Int64, most: Int64) = (50, 2_000)

  private let cache: DataCache
  private let clock: ServerClock
  private let listens: ListenRegistry
  private let writes: WriteQueue
  private let events: EventRecorder
  private let transactions = TransactionTree()
  private var nextOrder = 0
  private var hasWarnedOfStore = false
  /// True when a transaction waits for the end of its delay.
  private var hasWaiting = false

  init(cache: DataCache, clock: ServerClock, listens: ListenRegistry, writes: WriteQueue, events: EventRecorder) {
    self.cache = cache
    self.clock = clock
    self.listens = listens
    self.writes = writes
    self.events = events
  }

  /// Runs a function on the data at a path, shows its output and sends it.
  ///
  /// - Parameters:
  ///   - showsLocally: True when listeners see unconfirmed outputs.
  ///   - update: Maps the data to the new data; nil aborts.
  func add(
    _ path: Path, operation: OperationID, showsLocally: Bool, update: @escaping (Node) -> WriteValue?
  ) {
    if cache.storage != nil, !hasWarnedOfStore {
      hasWarnedOfStore = true
      events.raise(.warning("Transactions are not stored: what waits is lost when the program ends"))
    }
    let transaction = SyncTransaction(
      path: path, operation: operation, order: nextOrder, showsLocally: showsLocally,
      watch: listens.addHidden(to: QuerySpec(path)), update: update)
    nextOrder += 1
    guard run(transaction, on: cache.tree.latestState(at: path)) else {
      endWatch(transaction)
      return events.raise(.transactionCompleted(operation, .aborted(transaction.input)))
    }
    transactions.add(transaction)
    show(transaction)
    sendReady(at: path)
  }

  private func endWatch(_ transaction: SyncTransaction) {
    listens.remove(transaction.watch, from: QuerySpec(transaction.path))
  }

  /// Calls the function; false when it aborts.
  private func run(_ transaction: SyncTransaction, on input: Node) -> Bool {
    transaction.input = input
    guard let output = transaction.update(input) else { return false }
    transaction.output = output
    transaction.resolvedOutput = output.resolved(existing: input, nowMilliseconds: clock.serverMilliseconds)
    return true
  }

  private func show(_ transaction: SyncTransaction) {
    transaction.writeID = cache.takeWriteID()
    events.raise(
      cache.tree.userOverwrite(
        transaction.writeID, Location(path: transaction.path), transaction.resolvedOutput,
        isVisible: transaction.showsLocally))
  }

  // MARK: Sending

  /// Sends the transactions that are ready. All transactions at and below the topmost path that has some are sent in
  /// one write, unless one of them is in flight.
  func sendReady() {
    for place in transactions.topmostNodes { sendIfReady(place) }
  }

  /// Sends the ready transactions above, at and below one path, because a change at the path affects only these.
  private func sendReady(at path: Path) {
    for place in transactions.topmost(onTheWayTo: path)?.topmostNodes ?? [] { sendIfReady(place) }
  }

  private func sendIfReady(_ place: TransactionTree) {
    if place.isReady { send(place.all, at: place.path) }
  }

  private func send(_ queue: [SyncTransaction], at path: Path) {
    guard let first = queue.first else { return }
    let base = cache.tree.latestState(at: path, excluding: Set(queue.map(\.writeID)))
    let hash = base.simpleHash()
    if let stale = first.stale, stale.hash == hash {
      let delay = Self.staleDelayMilliseconds.first << Int64(min(stale.count - 1, 10))
      let now = clock.milliseconds
      let notBefore = first.notBeforeMilliseconds ?? now &+ min(delay, Self.staleDelayMilliseconds.most)
      first.notBeforeMilliseconds = notBefore
      hasWaiting = true
      if now < notBefore { return }
    }
    first.notBeforeMilliseconds = nil
    var value = WriteValue(base)
    for transaction in queue {
      transaction.state = .sent
      transaction.sendCount += 1
      guard let place = path.relative(transaction.path) else { continue }
      value = value.replacing(Location(path: place), with: transaction.output)
    }
    writes.add(.put(Location(path: path), value, hash: hash), .transaction(path, hash: hash))
  }

  /// Handles the reply to the write of the transactions at a path.
  ///
  /// - Parameter hash: The hash of the input with which the write was sent; nil when there will be no reply.
  func finish(at path: Path, hash: String?, _ reply: SyncReply) {
    let queue = (transactions.topmost(onTheWayTo: path)?.all ?? []).filter { path.contains($0.path) }
    if let failure = reply.failure {
      for transaction in queue {
        switch (transaction.state, failure.status == "datastale") {
        case (.sent, true):
          transaction.state = .run
          let count = transaction.stale.map { $0.hash == hash ? $0.count + 1 : 1 } ?? 1
          transaction.stale = hash.map { ($0, count) }
        case (.sentNeedsAbort, true): transaction.state = .needsAbort(SyncFailure("set"))
        case (.sent, false), (.sentNeedsAbort, false): transaction.state = .needsAbort(failure)
        default: break
        }
      }
      return rerun(at: path)
    }
    var outcomes: [SyncEvent] = []
    var hasEvents = false
    var watched: [SyncTransaction] = []
    for transaction in queue {
      switch transaction.state {
      case .sent, .sentNeedsAbort: break
      default: continue
      }
      transaction.state = .completed
      cache.storage?.settle(nil, [(Location(path: transaction.path), transaction.resolvedOutput)])
      let shown = cache.tree.settle(transaction.writeID, isReverted: false)
      hasEvents = hasEvents || !shown.isEmpty
      events.raise(shown)
      outcomes.append(.transactionCompleted(transaction.operation, .committed(transaction.resolvedOutput)))
      watched.append(transaction)
    }
    transactions.prune(at: path)
    for transaction in watched { endWatch(transaction) }
    events.raise(outcomes)
    if hasEvents { rerun(at: path) } else { sendReady(at: path) }
  }

  // MARK: Time

  /// The time at which the first waiting transaction is sent again; nil when none waits for its delay.
  var nextRetryMilliseconds: Int64? {
    hasWaiting ? transactions.all.compactMap(\.notBeforeMilliseconds).min() : nil
  }

  /// Sends the transactions whose delay is over.
  func retry() {
    guard hasWaiting else { return }
    hasWaiting = false
    sendReady()
  }

  // MARK: Running again

  /// Runs the transactions again that a change at a path affects.
  ///
  /// - Parameter isNothing: True when the change produced no events.
  func rerun(at path: Path, unless isNothing: Bool = false) {
    guard let place = transactions.topmost(onTheWayTo: path) else { return }
    let queue = place.all
    if queue.isEmpty { return }
    // A change that is hidden below a transaction's own output raises no event, but a transaction may be waiting for
    // it.
    if isNothing, !queue.contains(where: { $0.notBeforeMilliseconds != nil }) { return }
    rerun(queue, at: place.path)
  }

  private func rerun(_ queue: [SyncTransaction], at path: Path) {
    var excluded = Set(queue.filter(\.isRun).map(\.writeID))
    var outcomes: [SyncEvent] = []
    var ended: [SyncTransaction] = []
    func end(_ transaction: SyncTransaction, _ outcome: TransactionOutcome) {
      events.raise(cache.tree.settle(transaction.writeID, isReverted: true))
      excluded.remove(transaction.writeID)
      transaction.state = .completed
      ended.append(transaction)
      outcomes.append(.transactionCompleted(transaction.operation, outcome))
    }
    for transaction in queue {
      switch transaction.state {
      case .needsAbort(let failure): end(transaction, .failed(failure, nil))
      case .run where transaction.sendCount >= Self.sendsMax:
        end(transaction, .failed(SyncFailure("maxretry"), transaction.input))
      case .run:
        if run(transaction, on: cache.tree.latestState(at: transaction.path, excluding: excluded)) {
          // The new output is shown before the old one is removed, so that unchanged data raises no events.
          let old = transaction.writeID
          show(transaction)
          excluded.remove(old)
          events.raise(cache.tree.settle(old, isReverted: true))
        } else {
          end(transaction, .aborted(transaction.input))
        }
      default: break
      }
    }
    transactions.prune(at: path)
    for transaction in ended { endWatch(transaction) }
    sendReady(at: path)
    events.raise(outcomes)
  }

  // MARK: Giving up

  /// Aborts transactions at paths that another write replaced: unsent ones end with `set`, sent ones end with it when
  /// the server refuses them.
  func overwrite(at paths: [Path]) {
    if transactions.isEmpty { return }
    for path in paths {
      let touched = transactions.queues(touching: path).flatMap { $0 }
      // Other transactions may have waited for an aborted one at a path above, even transactions at sibling paths.
      let highest = touched.map(\.path).min { $0.count < $1.count }
      abort(touched, at: path, SyncFailure("set"))
      rerun(at: path)
      if let highest { sendReady(at: highest) }
    }
  }

  /// Ends all transactions with the failure. Their writes must have been removed from the tree before.
  func abortAll(_ failure: SyncFailure) {
    let all = transactions.all
    for transaction in all {
      transaction.state = .completed
      endWatch(transaction)
      events.raise(.transactionCompleted(transaction.operation, .failed(failure, nil)))
    }
    transactions.prune()
  }

  /// Removes the sent transactions of the user that is signed out, at a path and below.
  ///
  /// - Returns: The operation and the output of each.
  func removeSent(at path: Path) -> [(OperationID, Node)] {
    let sent = transactions.all.filter { path.contains($0.path) && !$0.isRun }
    for transaction in sent {
      transaction.state = .completed
      endWatch(transaction)
    }
    transactions.prune(at: path)
    return sent.map { ($0.operation, $0.resolvedOutput) }
  }

  private func abort(_ queue: [SyncTransaction], at path: Path, _ failure: SyncFailure) {
    var outcomes: [SyncEvent] = []
    for transaction in queue {
      switch transaction.state {
      case .sent: transaction.state = .sentNeedsAbort
      case .run:
        transaction.state = .completed
        events.raise(cache.tree.settle(transaction.writeID, isReverted: true))
        endWatch(transaction)
        outcomes.append(.transactionCompleted(transaction.operation, .failed(failure, nil)))
      default: break
      }
    }
    transactions.prune(at: path)
    events.raise(outcomes)
  }
}
