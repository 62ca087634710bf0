import HearthTree

// MARK: Events of the connection
extension SyncCore {
  /// Handles the server's hello with its time.
  public func helloReceived(serverTimeMilliseconds: Int64) -> Reaction {
    step {
      clock.synchronize(serverMilliseconds: serverTimeMilliseconds)
      events.raise(info.setServerTimeOffset(milliseconds: clock.offsetMilliseconds))
      events.raise(info.setConnected(true))
    }
  }

  /// Sends everything that waits, once the server has accepted the credential, or when there is none.
  ///
  /// The order is: all listens, with hashes of the cached data; then writes in the order of their creation; then gets;
  /// then onDisconnects that were never sent.
  public func connectionReady() -> Reaction {
    step {
      pendingRequests.connect()
      listens.connect()
      writes.connect()
      gets.connect()
      onDisconnects.connect()
      transactions.sendReady()
    }
  }

  /// Handles the loss of the connection, which may or may not have been ready.
  ///
  /// Writes and gets that were sent will be sent again. Transactions that were sent end with `disconnect`, because
  /// their outcome is unknown; so do onDisconnects without an answer. The confirmed onDisconnect writes are shown in
  /// the local data.
  public func connectionLost() -> Reaction {
    step {
      if info.isConnected { events.raise(info.setConnected(false)) }
      gets.disconnect()
      pendingRequests.disconnect()
      listens.disconnect()
      let failure = SyncFailure("disconnect", "the connection was lost before the server answered")
      for path in writes.disconnect() {
        transactions.finish(at: path, hash: nil, SyncReply(status: failure.status, message: failure.message))
      }
      onDisconnects.disconnect(failure)
      formerWrites.disconnect()
      transactions.overwrite(at: onDisconnects.showConfirmed())
      gets.giveUp()
    }
  }

  /// Handles the reply to a request.
  public func reply(_ id: RequestID, _ reply: SyncReply) -> Reaction {
    step {
      switch pendingRequests.takePurpose(of: id) {
      case .listen(let listen)?:
        // This change may have completed data that transactions wait for.
        if listens.finish(listen, id, reply) { transactions.rerun(at: listen.spec.path, unless: events.isEmpty) }
      case .write(let id)?: finishWrite(id, reply)
      case .get(let operation)?: gets.finish(operation, reply)
      case .onDisconnect(let id)?: onDisconnects.finish(id, reply)
      case nil: break
      }
    }
  }

  private func finishWrite(_ id: Int, _ reply: SyncReply) {
    if formerWrites.finish(id, reply) { return }
    guard let write = writes.remove(id) else { return }
    switch write.owner {
    case .operation(let operation, let id):
      let (changed, outcome) = writes.settle(write, id, operation, reply)
      if let changed { transactions.rerun(at: changed) }
      if let outcome { events.raise(outcome) }
    case .transaction(let path, let hash): transactions.finish(at: path, hash: hash, reply)
    }
  }

  // MARK: Pushes

  /// Applies new data of the server at a location (`d`); a priority is a leaf with the priority as its value.
  ///
  /// - Parameter tag: The tag of the listen; nil for a listen of all data.
  public func serverOverwrite(_ location: Location, _ node: Node, tag: Int?) -> Reaction {
    step { follow(cache.overwrite(location, node, tag: tag), at: location.path) }
  }

  /// Applies new data of the server at several locations (`m`).
  ///
  /// - Parameter changes: The locations are relative to the path.
  public func serverMerge(_ path: Path, _ changes: [(Location, Node)], tag: Int?) -> Reaction {
    step { follow(cache.merge(path, changes, tag: tag), at: path) }
  }

  /// Applies new data for ranges of a listen (`rm`); ignored when the listen has ended.
  public func serverRangeMerge(_ path: Path, _ ranges: [RangeMerge], tag: Int?) -> Reaction {
    step { follow(cache.mergeRanges(path, ranges, tag: tag), at: path) }
  }

  /// Ends a listen that the server has cancelled (`c`): the one of the query, or without a query all listens at exactly
  /// that path.
  public func serverCancel(_ path: Path, query: Query?, _ failure: SyncFailure) -> Reaction {
    step { listens.cancel(path, query: query, failure) }
  }

  /// Raises the events of a change by the server, and runs the affected transactions again.
  private func follow(_ changes: [DataEvent]?, at path: Path) {
    guard let changes else { return }
    events.raise(changes)
    transactions.rerun(at: path, unless: changes.isEmpty)
  }

  // MARK: Time

  /// The wall-clock time of the next call of ``timePassed()``; nil when no deadline is set.
  public var nextDeadlineMilliseconds: Int64? {
    pendingRequests.isReady ? transactions.nextRetryMilliseconds : gets.nextDeadlineMilliseconds
  }

  /// Handles passed deadlines: fails requests that have waited too long and repeats those whose delay is over.
  public func timePassed() -> Reaction {
    step {
      gets.giveUp()
      if pendingRequests.isReady { transactions.retry() }
    }
  }
}
