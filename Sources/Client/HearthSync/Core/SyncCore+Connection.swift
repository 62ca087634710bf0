import HearthTree

// Events of the connection.
extension SyncCore {
  /// Handles the server's hello with its time.
  public func helloReceived(serverTimeMilliseconds: Int64) -> Reaction {
    step {
      serverTimeOffsetMilliseconds = serverTimeMilliseconds.subtractingReportingOverflow(clock()).partialValue
      setInfo(Self.offsetKey, .int(serverTimeOffsetMilliseconds))
      setInfo(Self.connectedKey, .bool(true))
    }
  }

  /// Sends everything that waits, once the server has accepted the credential or none was needed.
  ///
  /// The order is: all listens, with hashes of the cached data; then writes in the order of their creation; then gets;
  /// then onDisconnects that were never sent.
  public func connectionReady() -> Reaction {
    step {
      let listens = tree.listens.map { Outbox.Listen(spec: $0.spec, tag: $0.tag) }
      outbox.connect(listens: listens.map { ($0, listenRequest($0)) })
      sendReadyTransactions()
    }
  }

  /// Handles the loss of the connection, which may or may not have been ready.
  ///
  /// Writes and gets that were sent will be sent again. Transactions that were sent end with `disconnect`, because
  /// their outcome is unknown; so do onDisconnects without an answer. The confirmed onDisconnect writes are shown.
  public func connectionLost() -> Reaction {
    step {
      if infoData.child(Self.connectedKey).scalar == .bool(true) { setInfo(Self.connectedKey, .bool(false)) }
      // requests in flight are sent again over the next connection
      if outbox.isReady { outbox.postponeGets(to: getDeadlineMilliseconds) }
      let lost = outbox.disconnect()
      let failure = Failure("disconnect", "the connection was lost before the server answered")
      for path in lost.transactions {
        finishTransactions(at: path, hash: nil, SyncReply(status: failure.status, message: failure.message))
      }
      for operation in lost.onDisconnects { raise(.completed(operation, failure)) }
      for left in lost.left { lose(left) }
      runOnDisconnects()
      giveUpGets()
    }
  }

  /// Handles the reply to a request.
  public func reply(_ id: RequestID, _ reply: SyncReply) -> Reaction {
    step {
      switch outbox.purpose(of: id) {
      case .listen(let listen)?: finish(listen, reply)
      case .write(let id)?:
        if let left = outbox.finishLeft(id) { return finish(left, reply) }
        guard let write = outbox.finishWrite(id) else { return }
        switch write.owner {
        case .operation(let operation, let id): finish(write, id, operation, reply)
        case .transaction(let path, let hash): finishTransactions(at: path, hash: hash, reply)
        }
      case .get(let operation)?:
        if let get = outbox.finishGet(operation) { finish(get, reply) }
      case .onDisconnect(let id)?:
        if let onDisconnect = outbox.finishOnDisconnect(id) { finish(onDisconnect, reply) }
      case nil: break
      }
    }
  }

  private func finish(_ listen: Outbox.Listen, _ reply: SyncReply) {
    if let failure = reply.failure {
      cancel(listen, failure)
    } else {
      storage?.completed(listen.spec)
      raise(tree.listenComplete(listen.spec, tag: listen.tag))
      // this change may have completed data that transactions wait for
      rerunTransactions(at: listen.spec.path, unless: reaction.events.isEmpty)
    }
  }

  /// Cancels a listen that the server denies: removes its stored data, then ends its registrations.
  private func cancel(_ listen: Outbox.Listen, _ failure: Failure) {
    outbox.forget(listen)
    let cancelled = tree.cancel(listen.spec, failure)
    storage?.denied(listen.spec)
    let hidden = Dictionary(uniqueKeysWithValues: keptSynced.map { ($0.value, $0.key) })
    for cancellation in cancelled {
      if let query = hidden[cancellation.registration] {
        keptSynced[query] = nil
        raise(.warning("\(query.path) is not kept in sync any more: \(failure.status)"))
      } else if cancellation.registration.number >= 0 {
        raise(.cancelled(cancellation))
      }
    }
    followListens()
  }

  // MARK: Pushes

  /// Applies new data of the server at a location (`d`); a priority comes as the leaf that has it as its value.
  ///
  /// - Parameter tag: The tag of the listen; nil for a listen of all data.
  public func serverOverwrite(_ location: Location, _ node: Node, tag: Int?) -> Reaction {
    step { overwrite(location, node, tag: tag) }
  }

  private func overwrite(_ location: Location, _ node: Node, tag: Int?) {
    if let tag {
      guard let spec = tree.spec(of: tag), spec.path.contains(location.path) else { return }
      storage?.overwrite(location, node, of: location == Location(path: spec.path) ? spec : nil)
    } else {
      storage?.overwrite(location, node, of: nil)
    }
    raiseAndRerun(tree.serverOverwrite(location, node, tag: tag), at: location.path)
  }

  /// Applies new data of the server at several locations (`m`).
  ///
  /// - Parameter changes: The locations are relative to the path.
  public func serverMerge(_ path: Path, _ changes: [(Location, Node)], tag: Int?) -> Reaction {
    step {
      let spec = tag.flatMap { tree.spec(of: $0) }
      if tag != nil, spec?.path.contains(path) != true { return }
      storage?.merge(path, changes, of: spec)
      raiseAndRerun(tree.serverMerge(path, changes, tag: tag), at: path)
    }
  }

  /// Applies new ranges of a listen's data (`rm`); ignored when the listen has ended.
  public func serverRangeMerge(_ path: Path, _ ranges: [RangeMerge], tag: Int?) -> Reaction {
    step {
      let spec = tag.map { tree.spec(of: $0) } ?? QuerySpec(path)
      guard let spec, spec.path == path, let node = tree.serverNode(ofListen: spec) else { return }
      overwrite(Location(path: path), ranges.reduce(node) { $0.applying($1) }, tag: tag)
    }
  }

  /// Ends a listen that the server has ended (`c`): that of the query, or without one all at exactly that path.
  public func serverCancel(_ path: Path, query: Query?, _ failure: Failure) -> Reaction {
    step {
      let listens = tree.listens.filter { $0.spec.path == path }
      let wanted = query.map { QuerySpec(path, $0).forListening }
      for (spec, tag) in listens where wanted == nil || wanted == spec {
        cancel(Outbox.Listen(spec: spec, tag: tag), failure)
      }
    }
  }

  private func raiseAndRerun(_ events: [DataEvent], at path: Path) {
    raise(events)
    rerunTransactions(at: path, unless: events.isEmpty)
  }

  // MARK: Time

  /// The wall-clock time of the next call of ``timePassed()``; nil when no deadline is set.
  public var nextDeadlineMilliseconds: Int64? {
    let gets = outbox.isReady ? [] : outbox.gets.map(\.deadlineMilliseconds)
    let isWaiting = outbox.isReady && hasWaitingTransactions
    let retries = isWaiting ? transactions.all.compactMap(\.notBeforeMilliseconds) : []
    return (gets + retries).min()
  }

  /// Handles passed deadlines: fails requests that have waited too long and repeats those whose delay is over.
  public func timePassed() -> Reaction {
    step {
      giveUpGets()
      guard outbox.isReady, hasWaitingTransactions else { return }
      hasWaitingTransactions = false
      sendReadyTransactions()
    }
  }
}

// MARK: - One-time reads

extension SyncCore {
  /// The time at which a `get` without a connection fails from now on.
  private var getDeadlineMilliseconds: Int64 {
    let (deadline, overflow) = clock().addingReportingOverflow(getPatienceMilliseconds)
    return overflow ? .max : deadline
  }

  /// Reads a query once: from the cache when that is complete, else from the server, else from the store.
  public func get(_ query: QuerySpec, operation: OperationID) -> Reaction {
    step {
      if isInfo(query.path) {
        let node = infoNode(query.path)
        let found = query.loadsAllData ? node : QueryResult(query.query, of: node).node
        return raise(.got(operation, .value(found)))
      }
      if let node = tree.completeEventCache(of: query) { return raise(.got(operation, .value(node))) }
      outbox.add(Outbox.Get(operation: operation, spec: query, deadlineMilliseconds: getDeadlineMilliseconds))
    }
  }

  func finish(_ get: Outbox.Get, _ reply: SyncReply) {
    if let failure = reply.failure { return fail(get, failure) }
    let location = Location(path: get.spec.path)
    // other listeners see the value too; the result of a filtered query is incomplete data, so only the same query does
    if get.spec.loadsAllData {
      storage?.overwrite(location, reply.node, of: nil)
      raiseAndRerun(tree.serverOverwrite(location, reply.node), at: location.path)
    } else if let tag = tree.tag(of: get.spec) {
      raiseAndRerun(tree.serverOverwrite(location, reply.node, tag: tag), at: location.path)
    }
    storage?.read(get.spec, reply.node)
    let found = get.spec.loadsAllData ? reply.node : QueryResult(get.spec.query, of: reply.node).node
    raise(.got(get.operation, .value(found)))
  }

  func giveUpGets() {
    if outbox.isReady { return }
    let now = clock()
    for get in outbox.gets where get.deadlineMilliseconds <= now {
      guard let get = outbox.finishGet(get.operation) else { continue }
      // The text is that of the SDK for Apple systems.
      let text =
        "Unable to get latest value for query \(get.spec), client offline with no active listeners and no matching disk cache entries"
      fail(get, Failure("network_error", text))
    }
  }

  private func fail(_ get: Outbox.Get, _ failure: Failure) {
    let stored = failure.status == "permission_denied" ? nil : storage?.storedCache(for: get.spec)
    // An empty node is a result only when the query is stored completely.
    if let stored, stored.isInitialized || !stored.node.isEmpty {
      let isWhole = get.spec.loadsAllData || stored.isFiltered
      raise(.got(get.operation, .value(isWhole ? stored.node : QueryResult(get.spec.query, of: stored.node).node)))
    } else {
      raise(.got(get.operation, .failed(failure)))
    }
  }
}
