import HearthTree

/// The tree as it would be after a write: server values filled in, nothing asked of the rules yet.
struct Candidate {
  private(set) var root: Node
  /// The places the request names, from the root.
  private(set) var locations: [Location] = []
  /// Several places, or a priority, below one place. A merge whose only part is the place itself is a put.
  let isMerge: Bool

  init(
    _ operation: WriteOperation, on oldRoot: Node, nowMilliseconds: Int64, limits: EngineLimits
  ) throws(Failure) {
    root = oldRoot
    switch operation.change {
    case .put(let location, let value):
      isMerge = false
      try apply(value, at: location, oldRoot, nowMilliseconds, limits)
    case .merge(let path, let writes):
      isMerge = !writes.contains { $0.location.path.count == 0 && !$0.location.isPriority }
      for write in writes {
        let location = Location(
          path: path.appending(write.location.path), isPriority: write.location.isPriority)
        try apply(write.value, at: location, oldRoot, nowMilliseconds, limits)
      }
    }
  }

  /// The named places that are different from what they were.
  func changes(from oldRoot: Node) -> [Commit.Change] {
    var changes: [Commit.Change] = []
    for location in locations {
      let node = location.value(in: root)
      if node != location.value(in: oldRoot) { changes.append(Commit.Change(location: location, node: node)) }
    }
    return changes
  }

  private mutating func apply(
    _ value: WriteValue, at location: Location, _ oldRoot: Node, _ nowMilliseconds: Int64, _ limits: EngineLimits
  ) throws(Failure) {
    let path = location.path
    if path.keys.first?.text == ".info" { throw .invalidPath }
    guard path.count + value.depth <= limits.depthMax else {
      throw Failure(.invalidData, "The data is nested deeper than \(limits.depthMax) levels")
    }
    let resolved = value.resolved(existing: location.value(in: oldRoot), nowMilliseconds: nowMilliseconds)
    locations.append(location)
    root = root.replacing(path, with: location.isPriority ? try prioritised(path, resolved) : resolved)
  }

  /// What is at `path`, with the priority that `value` is.
  private func prioritised(_ path: Path, _ value: Node) throws(Failure) -> Node {
    let node = root[path]
    guard !node.isEmpty else { throw Failure(.invalidData, "There is no value here that could have a priority") }
    guard !value.isEmpty else { return node.with(priority: nil) }
    switch value.scalar {
    case .int, .double, .string: return node.with(priority: value.scalar)
    case .bool, nil: throw Failure(.invalidData, "A priority must be a number, a string or null")
    }
  }
}
