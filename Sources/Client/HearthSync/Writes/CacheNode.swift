import HearthTree

/// What is held of a place, and how much of it that is.
struct CacheNode: Sendable {
  var node: Node
  /// True when all that was asked for is there.
  var isInitialized: Bool
  /// True when what was asked for is not everything.
  var isFiltered: Bool

  /// Everything at the place.
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
