import HearthTree

/// The data that a client has: in memory the server's data combined with the client's own writes, and the store of the
/// current user.
final class DataCache {
  let tree = SyncTree()
  /// The manager of the current user's store; nil when nothing is stored.
  private(set) var storage: PersistenceManager?

  private let clock: ServerClock
  private let storeSizeBytesMax: Int
  private var nextWriteID = 1

  init(clock: ServerClock, store: (any SyncStore)?, storeSizeBytesMax: Int) {
    self.clock = clock
    self.storeSizeBytesMax = storeSizeBytesMax
    open(store)
  }

  /// Replaces the store; nil to store nothing from now on.
  func open(_ store: (any SyncStore)?) {
    storage = store.map {
      PersistenceManager($0, clock: { [clock] in clock.milliseconds }, sizeBytesMax: storeSizeBytesMax)
    }
    tree.observer = storage
  }

  // MARK: - The client's writes

  /// Returns an ID above those of all writes before it.
  func takeWriteID() -> Int {
    defer { nextWriteID += 1 }
    return nextWriteID
  }

  /// Returns the writes that wait in the store, and reserves their IDs.
  func storedWrites() -> [StoredWrite] {
    let writes = storage?.load() ?? []
    for write in writes { nextWriteID = max(nextWriteID, write.id + 1) }
    return writes
  }

  /// Returns a value with the client's estimates of server values, based on all writes of this client, visible or not.
  func estimate(_ value: WriteValue, at location: Location, nowMilliseconds: Int64? = nil) -> Node {
    if value.deferred.isEmpty { return value.node }
    let existing = tree.latestState(at: location.path)
    return value.resolved(
      existing: location.isPriority ? existing.priorityNode : existing,
      nowMilliseconds: nowMilliseconds ?? clock.serverMilliseconds)
  }

  /// Returns the values with the client's estimates of server values.
  func estimates(_ writes: [Write], below path: Path) -> [(Location, Node)] {
    let now = clock.serverMilliseconds
    return writes.map { ($0.location, estimate($0.value, at: $0.location.under(path), nowMilliseconds: now)) }
  }

  // MARK: - The server's data

  /// Applies and stores new data at a location. Data is ignored when it belongs to a tag whose listen has ended, or
  /// lies outside of the listen.
  ///
  /// - Parameter tag: The tag of the listen; nil for a listen of all data.
  /// - Returns: The events; nil when the data was ignored.
  func overwrite(_ location: Location, _ node: Node, tag: Int?) -> [DataEvent]? {
    if let tag {
      guard let spec = tree.spec(of: tag), spec.path.contains(location.path) else { return nil }
      storage?.overwrite(location, node, of: location == Location(path: spec.path) ? spec : nil)
    } else {
      storage?.overwrite(location, node, of: nil)
    }
    return tree.serverOverwrite(location, node, tag: tag)
  }

  /// Applies and stores new data at several locations relative to the path, as ``overwrite(_:_:tag:)`` does.
  func merge(_ path: Path, _ changes: [(Location, Node)], tag: Int?) -> [DataEvent]? {
    let spec = tag.flatMap { tree.spec(of: $0) }
    if tag != nil, spec?.path.contains(path) != true { return nil }
    storage?.merge(path, changes, of: spec)
    return tree.serverMerge(path, changes, tag: tag)
  }

  /// Applies and stores new data for ranges of a listen, as ``overwrite(_:_:tag:)`` does.
  func mergeRanges(_ path: Path, _ ranges: [RangeMerge], tag: Int?) -> [DataEvent]? {
    let spec = tag.map { tree.spec(of: $0) } ?? QuerySpec(path)
    guard let spec, spec.path == path, let node = tree.serverNode(ofListen: spec) else { return nil }
    return overwrite(Location(path: path), ranges.reduce(node) { $0.applying($1) }, tag: tag)
  }
}
