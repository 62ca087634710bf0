import HearthTree

extension SyncCore {
  /// Takes up what was stored: writes that waited are shown and will be sent again, in their order. Nobody waits for their
  /// outcome any more; one that is refused is a warning. To be called once, before anything else.
  public func restore() -> Reaction { step { loadStore() } }

  private func loadStore() {
    for write in storage?.load() ?? [] {
      nextWriteID = max(nextWriteID, write.id + 1)
      switch write.content {
      case .overwrite(let location, let value):
        raise(tree.userOverwrite(write.id, location, estimate(value, at: location)))
        send(write.id, .put(location, value, hash: nil), nil)
      case .merge(let path, let writes):
        raise(tree.userMerge(write.id, path, resolved(writes, below: path)))
        send(write.id, .merge(path, writes), nil)
      }
    }
  }

  /// Another user: what is stored from now on goes to another store, and what waits there is taken up.
  ///
  /// Writes that wait leave memory with their effects, and stay in the store of the user who made them, until that user is
  /// back. Their operations end with `user_changed`, and so do transactions that wait. What is shown of the server's data
  /// stays until the server tells otherwise.
  ///
  /// - Parameter store: the other user's; nil stores nothing.
  public func changeStore(to store: (any SyncStore)?) -> Reaction {
    step {
      let failure = Failure("user_changed", "the write waits in the store of the user who made it")
      raise(tree.removeAllWrites())
      abortAll(Failure("user_changed", "another user has signed in"))
      for write in outbox.cancelWrites() {
        if case .operation(let operation?, _) = write.owner { raise(.completed(operation, failure)) }
      }
      storage = store.map { Storage($0, clock: clock, sizeBytesMax: storeSizeBytesMax) }
      tree.observer = storage
      loadStore()
      for spec in tree.allSpecs { storage?.began(spec) }
    }
  }
}
