import HearthTree

/// Cached data at a path and its completeness.
struct CacheNode: Sendable {
  var node: Node
  /// True when all that was asked for is there.
  var isInitialized: Bool
  /// True when what was asked for is not everything.
  var isFiltered: Bool

  /// The node; nil when it is not complete.
  var complete: Node? { isInitialized && !isFiltered ? node : nil }

  /// Returns true when all of a child is there, be it that there is nothing.
  func isComplete(for key: Key) -> Bool {
    isInitialized && !isFiltered || !node.child(key).isEmpty
  }

  /// The same for a deeper place.
  func isComplete(for keys: ArraySlice<Key>, isPriority: Bool) -> Bool {
    if let key = keys.first { return isComplete(for: key) }
    return isPriority ? isInitialized && !isFiltered || node.priority != nil : isInitialized && !isFiltered
  }
}
