import HearthTree

extension SyncCore {
  /// Replaces the value or priority at a location: shows it at once, and sends it.
  ///
  /// - Parameters:
  ///   - value: the app's value; server values are estimated for display and sent as they are.
  ///   - operation: the operation to complete when the server has answered.
  public func set(_ location: Location, _ value: WriteValue, operation: OperationID) -> Reaction {
    step {
      if isInfo(location.path) { return raise(.completed(operation, Self.infoFailure)) }
      let id = takeWriteID()
      storage?.save(StoredWrite(id: id, content: .overwrite(location, value)))
      raise(tree.userOverwrite(id, location, estimate(value, at: location)))
      send(id, .put(location, value, hash: nil), operation)
      overwriteTransactions(at: [location.path])
    }
  }

  /// Replaces the data at several locations at once.
  ///
  /// - Parameter writes: The locations are relative to the path, and none is above another. Server values are estimated
  ///   from the data before.
  public func update(_ path: Path, _ writes: [Write], operation: OperationID) -> Reaction {
    step {
      if writes.isEmpty { return raise(.completed(operation, nil)) }
      if isInfo(path) || writes.contains(where: { isInfo(path.appending($0.location.path)) }) {
        return raise(.completed(operation, Self.infoFailure))
      }
      let id = takeWriteID()
      storage?.save(StoredWrite(id: id, content: .merge(path, writes)))
      raise(tree.userMerge(id, path, resolved(writes, below: path)))
      send(id, .merge(path, writes), operation)
      overwriteTransactions(at: writes.map { path.appending($0.location.path) })
    }
  }

  static let infoFailure = Failure("permission_denied", "nothing can be written to .info")

  /// Returns the values with this side's estimates of server values.
  func resolved(_ writes: [Write], below path: Path) -> [(Location, Node)] {
    let now = serverTimeMilliseconds
    return writes.map { ($0.location, estimate($0.value, at: $0.location.under(path), nowMilliseconds: now)) }
  }

  /// Returns a value with this side's estimate of server values, based on all writes of this client, visible or not.
  func estimate(_ value: WriteValue, at location: Location, nowMilliseconds: Int64? = nil) -> Node {
    if value.deferred.isEmpty { return value.node }
    let existing = tree.latestState(at: location.path)
    return value.resolved(
      existing: location.isPriority ? existing.priorityNode : existing,
      nowMilliseconds: nowMilliseconds ?? serverTimeMilliseconds)
  }

  func send(_ id: Int, _ body: SyncRequest.Body, _ operation: OperationID?) {
    outbox.add(body, .operation(operation, write: id))
  }

  /// The nodes that a write produced, with server values estimated now that it took effect.
  private func estimates(_ body: SyncRequest.Body) -> [(Location, Node)] {
    switch body {
    case .put(let location, let value, _): [(location, estimate(value, at: location))]
    case .merge(let path, let writes): resolved(writes, below: path).map { ($0.0.under(path), $0.1) }
    default: []
    }
  }

  /// Handles the reply to a write.
  func finish(_ write: Outbox.Write, _ id: Int, _ operation: OperationID?, _ reply: SyncReply) {
    let failure = reply.failure
    let record = tree.writes[id]
    storage?.settle(id, failure == nil ? estimates(write.body) : [])
    let events = tree.settle(id, isReverted: failure != nil)
    raise(events)
    if !events.isEmpty, let record { rerunTransactions(at: record.path) }
    if let operation {
      raise(.completed(operation, failure))
    } else if let failure, let record {
      raise(.warning("A stored write to \(record.path) was refused: \(failure.status)"))
    }
  }

  /// Cancels all pending writes, transactions and onDisconnects: removes their effects, then reports their outcomes as
  /// `write_canceled`.
  public func purgeOutstandingWrites() -> Reaction {
    step {
      let cancelled = Failure("write_canceled")
      storage?.removeAllWrites()
      raise(tree.removeAllWrites())
      abortAll(cancelled)
      for write in outbox.cancelWrites() {
        if case .operation(let operation?, _) = write.owner { raise(.completed(operation, cancelled)) }
      }
      for operation in outbox.cancelOnDisconnects() { raise(.completed(operation, cancelled)) }
    }
  }
}

// MARK: - onDisconnect

extension SyncCore {
  /// Registers a value that the server writes when this client disconnects.
  public func onDisconnectSet(_ location: Location, _ value: WriteValue, operation: OperationID) -> Reaction {
    onDisconnect(.onDisconnectPut(location, value), operation)
  }

  /// Registers several values that the server writes when this client disconnects.
  ///
  /// - Parameter writes: the locations are relative to the path.
  public func onDisconnectUpdate(_ path: Path, _ writes: [Write], operation: OperationID) -> Reaction {
    if writes.isEmpty { return step { raise(.completed(operation, nil)) } }
    return onDisconnect(.onDisconnectMerge(path, writes), operation)
  }

  /// Cancels the registered onDisconnect writes at a path and below.
  public func onDisconnectCancel(_ path: Path, operation: OperationID) -> Reaction {
    onDisconnect(.onDisconnectCancel(path), operation)
  }

  private func onDisconnect(_ body: SyncRequest.Body, _ operation: OperationID) -> Reaction {
    step { outbox.add(Outbox.OnDisconnect(operation: operation, body: body)) }
  }

  /// Handles the reply to an onDisconnect request.
  func finish(_ onDisconnect: Outbox.OnDisconnect, _ reply: SyncReply) {
    if reply.failure == nil {
      switch onDisconnect.body {
      case .onDisconnectPut(let location, let value): onDisconnectTree.remember(location, value)
      case .onDisconnectMerge(let path, let writes):
        for write in writes { onDisconnectTree.remember(write.location.under(path), write.value) }
      case .onDisconnectCancel(let path): onDisconnectTree.forget(path.keys[...])
      default: break
      }
    }
    raise(.completed(onDisconnect.operation, reply.failure))
  }

  /// Shows the writes that the server is about to perform. They are a guess, because rules may deny them; the next
  /// connection brings the actual data.
  func runOnDisconnects() {
    if onDisconnectTree.isEmpty { return }
    let now = serverTimeMilliseconds
    var changes: [(Location, Node)] = []
    onDisconnectTree.forEachValue { location, value in
      changes.append((location, estimate(value, at: location, nowMilliseconds: now)))
    }
    onDisconnectTree = OnDisconnectTree()
    storage?.merge(.root, changes, of: nil)
    raise(tree.serverMerge(.root, changes))
    overwriteTransactions(at: changes.map(\.0.path))
  }
}
