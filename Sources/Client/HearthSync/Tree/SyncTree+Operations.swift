import HearthTree

// MARK: Operations
extension SyncTree {
  /// Applies a set of this client to a location.
  ///
  /// - Parameters:
  /// - id: The ID, higher than those of all earlier writes.
  /// - node: The data, with the client's estimates of server values; for a priority, a leaf with the priority as its
  ///   value.
  /// - isVisible: False to hide the write from listeners.
  package func userOverwrite(_ id: Int, _ location: Location, _ node: Node, isVisible: Bool = true) -> [DataEvent] {
    writes.add(WriteRecord(id: id, overwrite: location, node, isVisible: isVisible))
    guard isVisible else { return [] }
    return apply(SyncOperation(.user, at: location.path, isPriority: location.isPriority, .overwrite(node)))
  }

  /// Applies an update of this client to several locations.
  ///
  /// - Parameter changes: The data; the locations are relative to the path.
  package func userMerge(_ id: Int, _ path: Path, _ changes: [(Location, Node)]) -> [DataEvent] {
    let merge = CompoundWrite(inOrder: changes)
    writes.add(WriteRecord(id: id, merge: path, merge))
    return apply(SyncOperation(.user, at: path, merge.value.map { .overwrite($0) } ?? .merge(merge)))
  }

  /// Removes a write that the server has accepted or refused.
  package func settle(_ id: Int, isReverted: Bool) -> [DataEvent] {
    guard let record = writes[id], writes.remove(id) else { return [] }
    let isPriority = record.locations.count == 1 && record.locations[0] == Location(path: record.path, isPriority: true)
    return apply(
      SyncOperation(.user, at: record.path, isPriority: isPriority, .settled(record.content, isReverted: isReverted)))
  }

  /// Removes all writes of this client.
  func removeAllWrites() -> [DataEvent] {
    if writes.removeAll().isEmpty { return [] }
    return apply(SyncOperation(.user, at: .root, .settled(CompoundWrite(.empty), isReverted: true)))
  }

  /// Applies the server's new data or priority at a location.
  package func serverOverwrite(_ location: Location, _ node: Node, tag: Int? = nil) -> [DataEvent] {
    if let tag { return apply(.overwrite(node), at: location, tag: tag) }
    return apply(
      SyncOperation(.server(isTagged: false), at: location.path, isPriority: location.isPriority, .overwrite(node)))
  }

  /// Applies the server's new data at several locations at once.
  ///
  /// - Parameter changes: The changes in the order in which the server made them.
  package func serverMerge(_ path: Path, _ changes: [(Location, Node)], tag: Int? = nil) -> [DataEvent] {
    let merge = CompoundWrite(inOrder: changes)
    if merge.isEmpty { return [] }
    if let node = merge.value { return serverOverwrite(Location(path: path), node, tag: tag) }
    if let tag { return apply(.merge(merge), at: Location(path: path), tag: tag) }
    return apply(SyncOperation(.server(isTagged: false), at: path, .merge(merge)))
  }

  /// Marks a listen as complete.
  package func listenComplete(_ spec: QuerySpec, tag: Int?) -> [DataEvent] {
    if let tag { return apply(.listenComplete, at: Location(path: spec.path), tag: tag) }
    return apply(SyncOperation(.server(isTagged: false), at: spec.path, .listenComplete))
  }
}
