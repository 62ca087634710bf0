import HearthTree

/// The writes of this client that the server has not settled, and what they make of what the server said.
struct WriteTree: Sendable {
  private var records: [Int: WriteRecord] = [:]
  private var places = WritePlaces()
  private var visiblePlaces = WritePlaces()
  private var hiddenCount = 0
  /// All visible writes, laid over one another.
  private(set) var visible = CompoundWrite()

  var isEmpty: Bool { records.isEmpty }

  /// The write of that id, as long as it is not settled.
  subscript(id: Int) -> WriteRecord? { records[id] }

  /// The ids of all writes, ascending.
  var ids: [Int] { records.keys.sorted() }

  // MARK: Adding and removing

  /// Lays a write over all others; its id is higher than theirs.
  mutating func add(_ record: WriteRecord) {
    records[record.id] = record
    if !record.isVisible { hiddenCount += 1 }
    for location in record.locations {
      places.insert(record.id, at: location)
      if record.isVisible { visiblePlaces.insert(record.id, at: location) }
    }
    if record.isVisible { visible.add(record.content, at: record.path) }
  }

  /// Takes a write out. True when listeners might see a difference.
  mutating func remove(_ id: Int) -> Bool {
    guard let record = records.removeValue(forKey: id) else { return false }
    for location in record.locations {
      places.remove(id, at: location)
      if record.isVisible { visiblePlaces.remove(id, at: location) }
    }
    guard record.isVisible else {
      hiddenCount -= 1
      return false
    }
    if record.locations.allSatisfy({ visiblePlaces.isCovered($0, after: id) }) {
      // what it took away of an earlier write above may be back
      guard visible.clearsLeaf || record.locations.contains(where: { visiblePlaces.isBelowAnother($0) }) else {
        return false
      }
      rebuild()
      return true
    }
    if record.locations.contains(where: { visiblePlaces.overlaps($0) }) {
      rebuild()
    } else {
      for location in record.locations { visible.remove(location.path.keys[...], isPriority: location.isPriority) }
    }
    return true
  }

  /// Values of one write may have been edited by another: only from the writes themselves can it be told what is left.
  private mutating func rebuild() {
    visible = CompoundWrite()
    for id in ids {
      if let other = records[id], other.isVisible { visible.add(other.content, at: other.path) }
    }
  }

  /// Takes all writes out; their ids, ascending.
  mutating func removeAll() -> [Int] {
    defer { self = WriteTree() }
    return ids
  }

  // MARK: Asking

  /// What a place is when nobody waits for the server: the visible writes, and some or all of the hidden ones, laid over
  /// what the server said. nil when it depends on what the server has not said.
  ///
  /// - Parameter excluded: writes that do not count.
  func eventCache(at path: Path, server: Node?, hidden: Bool, excluding excluded: Set<Int> = []) -> Node? {
    if excluded.isEmpty, hiddenCount == 0 {
      let writes = visible.child(at: path)
      return server == nil && writes.value == nil ? nil : writes.applied(to: server ?? .empty)
    }
    // from the last one back to one that replaces the whole place: what was written before that does not count
    var parts: [(place: Path, content: CompoundWrite)] = []
    for id in places.overlapping(path) where !excluded.contains(id) {
      guard let record = records[id], record.isVisible || hidden else { continue }
      if let relative = path.relative(record.path) {
        parts.append((relative, record.content))
      } else if let above = record.path.relative(path) {
        parts.append((.root, record.content.child(at: above)))
      }
      if let last = parts.last, last.place.isRoot, last.content.value != nil { break }
    }
    var layered = CompoundWrite()
    for part in parts.reversed() { layered.add(part.content, at: part.place) }
    if server == nil, layered.value == nil { return nil }
    return layered.applied(to: server ?? .empty)
  }
}

/// The visible writes as one place sees them.
struct WriteView {
  /// What is written at and below the place.
  let writes: CompoundWrite

  init(_ writes: CompoundWrite) { self.writes = writes }

  func child(_ key: Key) -> WriteView { WriteView(writes.child(key)) }

  /// What a place is that is overwritten as a whole; nil when it is not.
  func shadowing(_ keys: ArraySlice<Key> = [], isPriority: Bool = false) -> Node? {
    writes.completeNode(keys, isPriority: isPriority)
  }

  /// What is shown of a place that the server's data is known of, all or none.
  func eventCache(server: Node?) -> Node? {
    if let value = writes.value { return value }
    return server.map { writes.applied(to: $0) }
  }

  /// What is shown of a place of which some children are known.
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

  /// What is shown of a child: written, or known and then with what is written into it; nil when neither.
  func completeChild(_ key: Key, server: CacheNode) -> Node? {
    let write = writes.child(key)
    if let value = write.value { return value }
    return server.isComplete(for: key) ? write.applied(to: server.node.child(key)) : nil
  }
}
