import HearthTree

extension SyncCore {
  /// Loads the stored state: waiting writes are shown and will be sent again, in their order. No app callback is left
  /// for their outcome, so a refusal becomes a warning. Must be called once, before anything else.
  public func restore() -> Reaction { step { loadStore() } }

  private func loadStore() {
    for write in storage?.load() ?? [] {
      nextWriteID = max(nextWriteID, write.id + 1)
      let body: SyncRequest.Body
      switch write.content {
      case .overwrite(let location, let value):
        raise(tree.userOverwrite(write.id, location, estimate(value, at: location)))
        body = .put(location, value, hash: nil)
      case .merge(let path, let writes):
        raise(tree.userMerge(write.id, path, resolved(writes, below: path)))
        body = .merge(path, writes)
      }
      // the server may have the write already, sent before the same user was away for a moment
      if !outbox.takeBack(write.id, of: storage) { send(write.id, body, nil) }
    }
  }
}

// MARK: - Another user

extension SyncCore {
  private static let userChanged = Failure("user_changed", "another user signed in before the server had answered")
  private static let waitsForUser = Failure("user_changed", "the write waits in the store of the user who made it")

  /// Changes the user: later data goes to the given store, and the writes waiting there are loaded. Requests that the
  /// former user made are no longer sent, with or without a store.
  ///
  /// The effects of the former user's writes leave memory. Unsent operations end with `user_changed`; a set or an
  /// update stays in the store of its user until that user is back, and is dropped when there is no store. Requests
  /// already sent were sent in the former user's name: their answers count, and they end with `user_changed` only when
  /// the connection is lost first. The displayed server data stays until the server sends other data.
  ///
  /// - Parameter store: the new user's store; nil stores nothing.
  public func changeUser(store: (any SyncStore)?) -> Reaction {
    step {
      let failure = storage == nil ? Self.userChanged : Self.waitsForUser
      for (id, write) in outbox.sentWrites() { outbox.leaveToAnswer(id, left(write)) }
      raise(tree.removeAllWrites())
      abortAll(Self.userChanged)
      for write in outbox.cancelWrites() {
        if case .operation(let operation?, _) = write.owner { raise(.completed(operation, failure)) }
      }
      for operation in outbox.cancelOnDisconnects() { raise(.completed(operation, Self.userChanged)) }
      storage = store.map { Storage($0, clock: clock, sizeBytesMax: storeSizeBytesMax) }
      tree.observer = storage
      loadStore()
      for spec in tree.allSpecs { storage?.began(spec) }
    }
  }

  /// The receiver of the outcome of a write already sent, once its user has changed.
  private func left(_ write: Outbox.Write) -> Outbox.Left {
    switch write.owner {
    case .operation: return .write(write, storage)
    case .transaction(let path, _):
      let sent = transactions.all.filter { path.contains($0.path) && !$0.isRun }
      for transaction in sent {
        transaction.state = .completed
        unregister(transaction.watch, from: QuerySpec(transaction.path))
      }
      transactions.prune(at: path)
      return .transactions(sent.map { ($0.operation, $0.resolvedOutput) })
    }
  }

  /// Handles the reply to a write that was sent before the user changed.
  func finish(_ left: Outbox.Left, _ reply: SyncReply) {
    switch left {
    case .write(let write, let storage):
      guard case .operation(let operation, let id) = write.owner else { return }
      storage?.settle(id, [])
      if let operation { raise(.completed(operation, reply.failure)) }
    case .transactions(let transactions):
      for (operation, output) in transactions {
        // a transaction does not run again for another user
        let failure = reply.failure.map { $0.status == "datastale" ? Self.userChanged : $0 }
        raise(.transactionCompleted(operation, failure.map { .failed($0, nil) } ?? .committed(output)))
      }
    }
  }

  /// Ends a former user's write whose outcome stays unknown.
  func lose(_ left: Outbox.Left) {
    switch left {
    case .write(let write, let storage):
      guard case .operation(let operation?, _) = write.owner else { return }
      raise(.completed(operation, storage == nil ? Self.userChanged : Self.waitsForUser))
    case .transactions(let transactions):
      for (operation, _) in transactions {
        raise(.transactionCompleted(operation, .failed(Self.userChanged, nil)))
      }
    }
  }
}
