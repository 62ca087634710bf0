import HearthTree

/// The tree as it would be after a write: server values are filled in, and rules have not been evaluated.
package struct Candidate {
  /// The whole tree.
  package private(set) var root: Node
  /// The path of the request: all locations that it names are at or below it.
  let base: Path
  /// The locations that the request names, from the root.
  package private(set) var locations: [Location] = []
  /// The reason why the write is impossible, when it depends on present data; nil otherwise. It reveals data, so the
  /// rules are evaluated first, and only a permitted writer is told.
  package private(set) var problem: Failure?
  /// The locations of priorities that were lost because their node was empty in between, and that are restored.
  private var restored: Set<Location> = []
  /// True for several locations, or a priority, below one path. An update of the path itself alone is a put.
  let isMerge: Bool
  /// The old and new data at each of the ``locations``, unless one of them is a priority.
  private var replaced: [(old: Node, new: Node)] = []
  /// The bytes of replaced and replacing data.
  private(set) var touchedBytes = 0

  /// Creates the candidate of a write.
  ///
  /// - Throws: The reason why the write is impossible, when it reveals no present data.
  package init(
    _ operation: WriteOperation, on oldRoot: Node, nowMilliseconds: Int64, limits: EngineLimits
  ) throws(Failure) {
    root = oldRoot
    base = operation.path
    switch operation.change {
    case .put(let location, let value):
      isMerge = false
      if location.path.isInfo { throw .invalidPath }
      let new = try resolved(value, at: location, location.value(in: oldRoot), nowMilliseconds, limits)
      try put(new, at: location)
    case .merge(let path, let writes):
      isMerge = !writes.contains { $0.location.path.count == 0 && !$0.location.isPriority }
      try merge(writes, below: path, nowMilliseconds, limits)
    }
  }

  /// Returns the commit of the candidate, after a state.
  func commit(after state: DatabaseState) -> Commit {
    Commit(
      position: state.position + 1, base: base, isMerge: isMerge, changes: changes(from: state.root),
      oldRoot: state.root, newRoot: root)
  }

  /// Returns the named locations whose data changes, or would change if the other locations were written without them.
  func changes(from oldRoot: Node) -> [Commit.Change] {
    var changes: [Commit.Change] = []
    if replaced.count == locations.count {
      for (location, place) in zip(locations, replaced) where place.new != place.old {
        changes.append(Commit.Change(location: location, node: place.new))
      }
      return changes
    }
    for location in locations {
      let node = location.value(in: root)
      let isChange = node != location.value(in: oldRoot) || restored.contains(location)
      if isChange { changes.append(Commit.Change(location: location, node: node)) }
    }
    return changes
  }

  /// Applies all values in one merge below their common path, then the priorities, which can only be set where there is
  /// a value.
  private mutating func merge(
    _ writes: [Write], below path: Path, _ nowMilliseconds: Int64, _ limits: EngineLimits
  ) throws(Failure) {
    let base = root[path]
    let valueCount = writes.prefix { !$0.location.isPriority }.count
    var values: [(path: Path, node: Node)] = []
    values.reserveCapacity(valueCount)
    locations.reserveCapacity(writes.count)
    for write in writes {
      let (below, isPriority) = (write.location.path, write.location.isPriority)
      let location = Location(path: path.appending(below), isPriority: isPriority)
      if location.path.isInfo { throw .invalidPath }
      let old = Location(path: below, isPriority: isPriority).value(in: base)
      let new = try resolved(write.value, at: location, old, nowMilliseconds, limits)
      if values.count < valueCount {
        values.append((below, new))
        locations.append(location)
        replaced.append((old, new))
        if values.count == valueCount { root = root.replacing(path, with: base.replacing(values)) }
      } else {
        if isPriority, location.value(in: root) != old { restored.insert(location) }
        try put(new, at: location)
      }
    }
  }

  /// Returns the new data at the location, where `old` is the present data.
  private mutating func resolved(
    _ value: WriteValue, at location: Location, _ old: Node, _ nowMilliseconds: Int64, _ limits: EngineLimits
  ) throws(Failure) -> Node {
    guard location.path.count + value.depth <= limits.depthMax else {
      throw Failure(.invalidData, "The data is nested deeper than \(limits.depthMax) levels")
    }
    touchedBytes += old.heldBytes(upTo: limits.touchedBytesMax) + value.node.heldBytes(upTo: limits.touchedBytesMax)
    guard touchedBytes <= limits.touchedBytesMax else { throw .writeTooBig }
    return value.resolved(existing: old, nowMilliseconds: nowMilliseconds)
  }

  private mutating func put(_ node: Node, at location: Location) throws(Failure) {
    let path = location.path
    locations.append(location)
    root = root.replacing(path, with: location.isPriority ? try prioritised(path, node) : node)
  }

  /// Returns the data at `path` with the priority `value`.
  private mutating func prioritised(_ path: Path, _ value: Node) throws(Failure) -> Node {
    let node = root[path]
    guard !node.isEmpty else {
      problem = Failure(.invalidData, "A location without a value cannot have a priority")
      return node
    }
    guard !value.isEmpty else { return node.with(priority: nil) }
    switch value.scalar {
    case .int, .double, .string: return node.with(priority: value.scalar)
    case .bool, nil: throw Failure(.invalidData, "A priority must be a number, a string or null")
    }
  }
}

extension Path {
  /// True below `.info`, which contains the server's own data and is not writable.
  fileprivate var isInfo: Bool { keys.first?.text == ".info" }
}
