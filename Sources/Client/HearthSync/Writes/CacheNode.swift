import HearthTree

/// Cached data at a path and its completeness.
struct CacheNode: Sendable {
  var node: Node
  /// True when the query's whole result is present.
  var isInitialized: Bool
  /// True when the query's result is only a part of the data.
  var isFiltered: Bool

  /// The node; nil when it is not complete.
  var complete: Node? { isInitialized && !isFiltered ? node : nil }

  /// Returns true when a child is known completely, even as missing.
  func isComplete(for key: Key) -> Bool {
    isInitialized && !isFiltered || !node.child(key).isEmpty
  }

  /// Returns true when a deeper location is known completely.
  func isComplete(for keys: ArraySlice<Key>, isPriority: Bool) -> Bool {
    if let key = keys.first { return isComplete(for: key) }
    return isPriority ? isInitialized && !isFiltered || node.priority != nil : isInitialized && !isFiltered
  }
}
