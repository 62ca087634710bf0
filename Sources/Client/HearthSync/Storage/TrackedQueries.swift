import HearthTree

/// The queries with stored data, by path.
struct TrackedQueries {
  private var queries: [Query: TrackedQuery] = [:]
  private var children: [Key: TrackedQueries] = [:]

  /// The query; nil when it is not tracked.
  subscript(spec: QuerySpec) -> TrackedQuery? {
    get { node(at: spec.path)?.queries[spec.query] }
    set { set(newValue, spec.query, spec.path.keys[...]) }
  }

  private mutating func set(_ tracked: TrackedQuery?, _ query: Query, _ keys: ArraySlice<Key>) {
    guard let key = keys.first else {
      queries[query] = tracked
      return
    }
    children[key, default: TrackedQueries()].set(tracked, query, keys.dropFirst())
    if let child = children[key], child.queries.isEmpty, child.children.isEmpty { children[key] = nil }
  }

  private func node(at path: Path) -> TrackedQueries? {
    var node = self
    for key in path.keys {
      guard let child = node.children[key] else { return nil }
      node = child
    }
    return node
  }

  /// Returns the queries at exactly this path.
  func at(_ path: Path) -> [TrackedQuery] { node(at: path).map { Array($0.queries.values) } ?? [] }

  /// Returns the queries at this path and below.
  func below(_ path: Path) -> [TrackedQuery] {
    var found: [TrackedQuery] = []
    node(at: path)?.collect(&found)
    return found
  }

  private func collect(_ found: inout [TrackedQuery]) {
    found += queries.values
    for child in children.values { child.collect(&found) }
  }

  /// Returns the queries without bounds and limit at this path and above.
  func defaults(above path: Path) -> [TrackedQuery] {
    var found: [TrackedQuery] = []
    var node = self
    if let tracked = node.queries[Query()] { found.append(tracked) }
    for key in path.keys {
      guard let child = node.children[key] else { break }
      node = child
      if let tracked = node.queries[Query()] { found.append(tracked) }
    }
    return found
  }

  /// Returns the direct children of a path whose data is stored completely.
  func completeChildren(of path: Path) -> [Key] {
    guard let node = node(at: path) else { return [] }
    return node.children.filter { $0.value.queries[Query()]?.isComplete == true }.map(\.key)
  }

  var all: [TrackedQuery] { below(.root) }
}
