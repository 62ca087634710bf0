import HearthTree

/// The state of one client of one database: listens, cached data, pending writes and transactions, and requests to the
/// server.
///
/// It takes calls of the app and messages of the server, and returns events for the app and requests for the server. It
/// has no socket, file, clock or thread of its own. It belongs to one serial executor and is not reentrant: neither a
/// transaction's function nor the clock may call it.
///
/// Each kind of request has a type of its own with its state; this type passes calls, replies and changes of the
/// connection on to them, in the order that the protocol requires.
public final class SyncCore {
  let clock: ServerClock
  let cache: DataCache
  let info = InfoTree()
  let listens: ListenRegistry
  let writes: WriteQueue
  let formerWrites: FormerUserWrites
  let transactions: TransactionRunner
  let gets: GetQueue
  let onDisconnects: OnDisconnectQueue
  let pendingRequests = PendingRequests()
  let events = EventRecorder()

  /// The offset added to the local clock to get the server's time; 0 before the first connection.
  public var serverTimeOffsetMilliseconds: Int64 { clock.offsetMilliseconds }

  /// Creates a disconnected client without data.
  ///
  /// - Parameters:
  /// - clock: The wall clock in milliseconds since 1970.
  /// - store: The store of cached data and writes; nil to keep them only in memory. With a store, ``restore()`` must be
  ///   called before anything else.
  /// - storeSizeBytesMax: The bytes of data that the store may keep in addition to the data of active listens.
  /// - getTimeoutMilliseconds: The time that a `get` waits without a connection, from its call or from the loss of the
  ///   connection on which it was sent.
  public init(
    clock: @escaping () -> Int64, store: (any SyncStore)? = nil, storeSizeBytesMax: Int = 10 << 20,
    getTimeoutMilliseconds: Int64 = 3_000
  ) {
    self.clock = ServerClock(clock)
    cache = DataCache(clock: self.clock, store: store, storeSizeBytesMax: storeSizeBytesMax)
    listens = ListenRegistry(cache: cache, pendingRequests: pendingRequests, events: events)
    writes = WriteQueue(cache: cache, pendingRequests: pendingRequests, events: events)
    formerWrites = FormerUserWrites(events: events)
    transactions = TransactionRunner(
      cache: cache, clock: self.clock, listens: listens, writes: writes, events: events)
    gets = GetQueue(
      cache: cache, clock: self.clock, pendingRequests: pendingRequests, events: events, transactions: transactions,
      patienceMilliseconds: getTimeoutMilliseconds)
    onDisconnects = OnDisconnectQueue(cache: cache, clock: self.clock, pendingRequests: pendingRequests, events: events)
  }

  /// Runs one step and returns the events and requests that it produced.
  func step(_ body: () -> Void) -> Reaction {
    body()
    for text in cache.storage?.takeWarnings() ?? [] { events.raise(.warning(text)) }
    var reaction = Reaction()
    (reaction.events, reaction.requests) = (events.take(), pendingRequests.take())
    return reaction
  }

  // MARK: - Listening

  /// Delivers the known data of a query to a registration, and its changes from then on.
  ///
  /// Listens of `.info` are answered by the client itself: `connected` and `serverTimeOffset`.
  public func listen(_ query: QuerySpec, _ registration: Registration) -> Reaction {
    step {
      if InfoTree.contains(query.path) {
        events.raise(info.listen(query, registration))
      } else {
        listens.add(registration, to: query)
      }
    }
  }

  /// Ends a registration, which then receives no events. For a query without parameters, registrations of all queries
  /// at the path are searched.
  public func remove(_ id: RegistrationID, from query: QuerySpec) -> Reaction {
    step {
      if InfoTree.contains(query.path) { info.remove(id, from: query) } else { listens.remove(id, from: query) }
    }
  }

  /// Ends all registrations of a query; for a query without parameters, those of all queries at the path.
  /// ``keepSynced(_:_:)`` stays in force.
  public func removeAll(from query: QuerySpec) -> Reaction {
    step {
      if InfoTree.contains(query.path) { info.removeAll(from: query) } else { listens.removeAll(from: query) }
    }
  }

  /// Keeps a query's data in sync and stored without a listener. The setting is on or off, not counted.
  public func keepSynced(_ query: QuerySpec, _ isOn: Bool) -> Reaction {
    step {
      if InfoTree.contains(query.path) {
        events.raise(.warning("keepSynced has no meaning for \(query.path)"))
      } else {
        listens.keepSynced(query, isOn)
      }
    }
  }

  /// Reads a query once: from the cache when that is complete, otherwise from the server, or from the store without a
  /// connection.
  public func get(_ query: QuerySpec, operation: OperationID) -> Reaction {
    step {
      if InfoTree.contains(query.path) {
        events.raise(.got(operation, .value(info.read(query))))
      } else {
        gets.add(query, operation)
      }
    }
  }

  // MARK: - Writing

  /// Replaces the value or priority at a location: shows it at once, and sends it.
  ///
  /// - Parameters:
  /// - value: The app's value; server values are estimated for display and sent as placeholders.
  /// - operation: The operation to complete when the server has answered.
  public func set(_ location: Location, _ value: WriteValue, operation: OperationID) -> Reaction {
    step {
      if InfoTree.contains(location.path) { return events.raise(.completed(operation, InfoTree.failure)) }
      writes.set(location, value, operation: operation)
      transactions.overwrite(at: [location.path])
    }
  }

  /// Replaces the data at several locations at once.
  ///
  /// - Parameter writes: The locations are relative to the path, and none is above another. Server values are estimated
  ///   from the data before.
  public func update(_ path: Path, _ writes: [Write], operation: OperationID) -> Reaction {
    step {
      if writes.isEmpty { return events.raise(.completed(operation, nil)) }
      let paths = writes.map { path.appending($0.location.path) }
      if InfoTree.contains(path) || paths.contains(where: InfoTree.contains) {
        return events.raise(.completed(operation, InfoTree.failure))
      }
      self.writes.update(path, writes, operation: operation)
      transactions.overwrite(at: paths)
    }
  }

  /// Runs a function on the data at a path, shows its output, and makes the server write it if the data there is still
  /// the function's input; otherwise the function runs again.
  ///
  /// - Parameters:
  /// - showsLocally: True when listeners see unconfirmed outputs.
  /// - update: Maps the data to the new data; nil aborts. It is called at once, and possibly often, with an empty node
  ///   while the data is unknown. It must not call this object.
  public func transaction(
    _ path: Path, operation: OperationID, showsLocally: Bool, update: @escaping (Node) -> WriteValue?
  ) -> Reaction {
    step {
      if InfoTree.contains(path) {
        return events.raise(.transactionCompleted(operation, .failed(InfoTree.failure, nil)))
      }
      transactions.add(path, operation: operation, showsLocally: showsLocally, update: update)
    }
  }

  /// Cancels all pending writes, transactions and onDisconnects: removes their effects, then reports their outcomes as
  /// `write_canceled`.
  public func purgeOutstandingWrites() -> Reaction {
    step {
      let cancelled = SyncFailure("write_canceled")
      cache.storage?.removeAllWrites()
      cancelWrites(transactions: cancelled, writes: cancelled)
    }
  }

  private func cancelWrites(transactions failure: SyncFailure, writes writeFailure: SyncFailure) {
    events.raise(cache.tree.removeAllWrites())
    transactions.abortAll(failure)
    writes.cancelAll(writeFailure)
    onDisconnects.cancelUnsent(failure)
  }

  // MARK: - onDisconnect

  /// Registers a value that the server writes when this client disconnects.
  public func onDisconnectSet(_ location: Location, _ value: WriteValue, operation: OperationID) -> Reaction {
    step { onDisconnects.add(.onDisconnectPut(location, value), operation) }
  }

  /// Registers several values that the server writes when this client disconnects.
  ///
  /// - Parameter writes: The locations are relative to the path.
  public func onDisconnectUpdate(_ path: Path, _ writes: [Write], operation: OperationID) -> Reaction {
    step {
      if writes.isEmpty { return events.raise(.completed(operation, nil)) }
      onDisconnects.add(.onDisconnectMerge(path, writes), operation)
    }
  }

  /// Cancels the registered onDisconnect writes at a path and below.
  public func onDisconnectCancel(_ path: Path, operation: OperationID) -> Reaction {
    step { onDisconnects.add(.onDisconnectCancel(path), operation) }
  }

  // MARK: - The store and its user

  /// Loads the stored state: waiting writes are shown and will be sent again, in their order. No app callback is left
  /// for their outcome, so a refusal becomes a warning. Must be called once, before any other method.
  public func restore() -> Reaction { step { restoreWrites() } }

  private func restoreWrites() {
    // The server may have a write already, which was sent before the same user signed out and in again.
    writes.restore { formerWrites.reclaim($0, of: cache.storage) }
  }

  /// Changes the user: later data is stored in the given store, and the writes that wait in it are loaded. Requests of
  /// the former user that were not sent yet are not sent, with or without a store.
  ///
  /// The effects of the former user's writes are removed from memory. Unsent operations end with `user_changed`; a set
  /// or an update stays in the store of its user until that user signs in again, and is dropped when there is no store.
  /// Requests that were sent belong to the former user: their answers are reported, and they end with `user_changed`
  /// only when the connection is lost first. The displayed server data stays until the server sends other data.
  ///
  /// - Parameter store: The new user's store; nil to store nothing.
  public func changeUser(store: (any SyncStore)?) -> Reaction {
    step {
      for (id, write) in writes.removeSent() {
        switch write.owner {
        case .operation: formerWrites.add(id, .write(write, cache.storage))
        case .transaction(let path, _): formerWrites.add(id, .transactions(transactions.removeSent(at: path)))
        }
      }
      cancelWrites(
        transactions: FormerUserWrites.userChanged, writes: FormerUserWrites.failure(storage: cache.storage))
      cache.open(store)
      restoreWrites()
      for spec in cache.tree.allSpecs { cache.storage?.began(spec) }
    }
  }
}
