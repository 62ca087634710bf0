import HearthTree

/// The tree as it would be after a write: server values filled in, nothing asked of the rules yet.
package struct Candidate {
  /// The whole tree.
  package private(set) var root: Node
  /// The place where the request was made: all that it names is at or below.
  let base: Path
  /// The places the request names, from the root.
  package private(set) var locations: [Location] = []
  /// Why it cannot be, in a way that tells what is there: for who may write there alone, so the rules are asked first.
  package private(set) var problem: Failure?
  /// The priorities among them that had gone with the last value before them, and are there again.
  private var restored: Set<Location> = []
  /// Several places, or a priority, below one place. A merge whose only part is the place itself is a put.
  let isMerge: Bool
  /// What was and what is at each of the ``locations``, as long as none of them is a priority.
  private var replaced: [(old: Node, new: Node)] = []
  /// Bytes of what is replaced and of what replaces it.
  private(set) var touchedBytes = 0

  /// - Throws: why it cannot be, in a way that tells nothing of what is there.
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

  /// The commit that it would be, after that state.
  func commit(after state: Published) -> Commit {
    Commit(
      position: state.position + 1, base: base, isMerge: isMerge, changes: changes(from: state.root),
      oldRoot: state.root, newRoot: root)
  }

  /// The named places that are different from what they were, or would be if the others were written without them.
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

  /// The values together, below the place that they have in common; then the priorities, which find the values there.
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

  /// What is to be at the location, where `old` is now.
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

  /// What is at `path`, with the priority that `value` is.
  private mutating func prioritised(_ path: Path, _ value: Node) throws(Failure) -> Node {
    let node = root[path]
    guard !node.isEmpty else {
      problem = Failure(.invalidData, "There is no value here that could have a priority")
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
  /// What the server tells of itself, which nobody writes.
  fileprivate var isInfo: Bool { keys.first?.text == ".info" }
}
