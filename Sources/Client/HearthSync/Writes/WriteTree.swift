import HearthTree

/// The pending writes of this client, and their effect on the server's data.
struct WriteTree: Sendable {
  private var records: [Int: WriteRecord] = [:]
  private var index = WriteIndex()
  private var visibleIndex = WriteIndex()
  private var hiddenCount = 0
  /// The visible writes, combined.
  private(set) var visible = CompoundWrite()

  var isEmpty: Bool { records.isEmpty }

  /// The write with an ID; nil once it has its outcome.
  subscript(id: Int) -> WriteRecord? { records[id] }

  /// The ids of all writes, ascending.
  var ids: [Int] { records.keys.sorted() }

  // MARK: Adding and removing

  /// Adds a write that overrides all others; its ID is higher than theirs.
  mutating func add(_ record: WriteRecord) {
    records[record.id] = record
    if !record.isVisible { hiddenCount += 1 }
    for location in record.locations {
      index.insert(record.id, at: location)
      if record.isVisible { visibleIndex.insert(record.id, at: location) }
    }
    if record.isVisible { visible.add(record.content, at: record.path) }
  }

  /// Removes a write. Returns true when this may change the shown data.
  mutating func remove(_ id: Int) -> Bool {
    guard let record = records.removeValue(forKey: id) else { return false }
    for location in record.locations {
      index.remove(id, at: location)
      if record.isVisible { visibleIndex.remove(id, at: location) }
    }
    guard record.isVisible else {
      hiddenCount -= 1
      return false
    }
    if record.locations.allSatisfy({ visibleIndex.isCovered($0, after: id) }) {
      // A write above that it overrode may become visible again.
      guard visible.clearsLeaf || record.locations.contains(where: { visibleIndex.isBelowAnother($0) }) else {
        return false
      }
      rebuild()
      return true
    }
    if record.locations.contains(where: { visibleIndex.overlaps($0) }) {
      rebuild()
    } else {
      for location in record.locations { visible.remove(location.path.keys[...], isPriority: location.isPriority) }
    }
    return true
  }

  /// Rebuilds the visible writes, because one write may have edited the values of another.
  private mutating func rebuild() {
    visible = CompoundWrite()
    for id in ids {
      if let other = records[id], other.isVisible { visible.add(other.content, at: other.path) }
    }
  }

  /// Removes all writes and returns their ids, ascending.
  mutating func removeAll() -> [Int] {
    defer { self = WriteTree() }
    return ids
  }

  // MARK: Reading

  /// Returns a path's state with the visible writes, and some or all of the hidden ones, applied to the server's data;
  /// nil when it depends on server data that is missing.
  ///
  /// - Parameter excluded: The writes that are left out.
  func eventCache(at path: Path, server: Node?, hidden: Bool, excluding excluded: Set<Int> = []) -> Node? {
    if excluded.isEmpty, hiddenCount == 0 {
      let writes = visible.child(at: path)
      return server == nil && writes.value == nil ? nil : writes.applied(to: server ?? .empty)
    }
    // Goes back to the last write that replaces the whole location; earlier writes have no effect.
    var parts: [(path: Path, content: CompoundWrite)] = []
    for id in index.overlapping(path) where !excluded.contains(id) {
      guard let record = records[id], record.isVisible || hidden else { continue }
      if let relative = path.relative(record.path) {
        parts.append((relative, record.content))
      } else if let above = record.path.relative(path) {
        parts.append((.root, record.content.child(at: above)))
      }
      if let last = parts.last, last.path.isRoot, last.content.value != nil { break }
    }
    var layered = CompoundWrite()
    for part in parts.reversed() { layered.add(part.content, at: part.path) }
    if server == nil, layered.value == nil { return nil }
    return layered.applied(to: server ?? .empty)
  }
}

/// The visible writes relative to one path.
struct WriteView {
  /// The writes at and below the path.
  let writes: CompoundWrite

  init(_ writes: CompoundWrite) { self.writes = writes }

  func child(_ key: Key) -> WriteView { WriteView(writes.child(key)) }

  /// Returns the node of a location that is replaced as a whole; nil when it is not.
  func shadowing(_ keys: ArraySlice<Key> = [], isPriority: Bool = false) -> Node? {
    writes.completeNode(keys, isPriority: isPriority)
  }

  /// Returns the shown data of a location whose server data is known completely or not at all.
  func eventCache(server: Node?) -> Node? {
    if let value = writes.value { return value }
    return server.map { writes.applied(to: $0) }
  }

  /// Returns the shown data of a location with some known children.
  func eventChildren(server: Node) -> Node {
    if let value = writes.value { return value.isInterior ? value.with(priority: nil) : .empty }
    var changes: [(path: Path, node: Node)] = []
    for (key, write) in writes.sortedChildren {
      if let value = write.value {
        changes.append((Path([key]), value))
      } else {
        let known = server.child(key)
        if !known.isEmpty { changes.append((Path([key]), write.applied(to: known))) }
      }
    }
    let children = server.isInterior ? server.with(priority: nil) : .empty
    return children.replacing(changes)
  }

  /// Returns the shown child: its written value, or its known value with the writes below it applied; nil when it has
  /// neither.
  func completeChild(_ key: Key, server: CacheNode) -> Node? {
    let write = writes.child(key)
    if let value = write.value { return value }
    return server.isComplete(for: key) ? write.applied(to: server.node.child(key)) : nil
  }
}
