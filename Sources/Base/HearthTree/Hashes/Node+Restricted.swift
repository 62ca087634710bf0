extension Node {
  /// Returns this node with only the leaves after `start` up to and including `end`; nil sets no bound.
  ///
  /// The priority of an interior node is kept when its position in the order of leaves is in the range and at least one
  /// child of the node is kept.
  func restricted(after start: Path?, through end: Path?) -> Node {
    restricted(after: start?.keys[...], through: end?.keys[...])
  }

  /// The node with only the leaves between two bounds, which are relative to it, and at it or below it. A bound is nil
  /// when it excludes no leaf.
  private func restricted(after start: ArraySlice<Key>?, through end: ArraySlice<Key>?) -> Node {
    guard isInterior else { return start == nil ? self : .empty }
    if let end, end.isEmpty { return .empty }  // because children come after their parent
    let (startKey, endKey) = (start?.first, end?.first)
    if startKey == nil, endKey == nil { return self }
    var builder = NodeBuilder()
    builder.open()
    for (key, child) in startKey.map({ children(from: $0) }) ?? children {
      if let endKey, endKey < key { break }
      let kept = child.restricted(
        after: key == startKey ? start?.dropFirst() : nil, through: key == endKey ? end?.dropFirst() : nil)
      if kept.isEmpty { continue }
      builder.key(key)
      builder.node(kept)
    }
    let isAfterStart = startKey.map { $0 < .interiorPriority } ?? true
    let isUpToEnd = endKey.map { .interiorPriority <= $0 } ?? true
    builder.close(priority: isAfterStart && isUpToEnd ? priority : nil)
    return builder.finish()
  }
}

extension Key {
  /// The key at which an interior node's priority is sorted in the order of leaves. No child can have it.
  static let interiorPriority = Key(Location.priorityName)
}
