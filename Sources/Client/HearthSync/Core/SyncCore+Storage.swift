import HearthTree

extension SyncCore {
  /// Takes up what was stored: writes that waited are shown and will be sent again, in their order. Nobody waits for their
  /// outcome any more; one that is refused is a warning. To be called once, before anything else.
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
      // the server may have it already, from before the same user was away for a moment
      if !outbox.takeBack(write.id, of: storage) { send(write.id, body, nil) }
    }
  }
}

// MARK: - Another user

extension SyncCore {
  private static let userChanged = Failure("user_changed", "another user signed in before the server had answered")
  private static let waitsForUser = Failure("user_changed", "the write waits in the store of the user who made it")

  /// Another user: what is stored from now on goes to another store, and what waits there is taken up. Nothing that was
  /// asked for in the first user's name is sent any more, with a store or without one.
  ///
  /// The effects of the first user's writes leave memory. What the server was not sent yet ends with `user_changed`; a set
  /// or an update stays in the store of the user who made it until that user is back, and is gone where there is no store.
  /// What the server was sent, it was sent in the first user's name: its answer counts as ever, and only if the connection
  /// is lost before that does it end with `user_changed`. What is shown of the server's data stays until the server tells
  /// otherwise.
  ///
  /// - Parameter store: the other user's; nil stores nothing.
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

  /// What is left of a write that the server was sent: whom its answer concerns.
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

  /// The server answered what it was sent before the user changed.
  func finish(_ left: Outbox.Left, _ reply: SyncReply) {
    switch left {
    case .write(let write, let storage):
      guard case .operation(let operation, let id) = write.owner else { return }
      storage?.settle(id, [])
      if let operation { raise(.completed(operation, reply.failure)) }
    case .transactions(let transactions):
      for (operation, output) in transactions {
        // it does not run again for another user
        let failure = reply.failure.map { $0.status == "datastale" ? Self.userChanged : $0 }
        raise(.transactionCompleted(operation, failure.map { .failed($0, nil) } ?? .committed(output)))
      }
    }
  }

  /// Nobody will know what became of it.
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
