extension Node {
  /// Returns this node with a range of its leaves replaced by those of a range merge: the leaves after its start, up to
  /// and including its end. Children of the end itself stay unchanged.
  public func applying(_ merge: RangeMerge) -> Node {
    merged(with: merge.node, after: merge.start?.keys[...], through: merge.end?.keys[...])
  }

  /// Returns the node with the leaves between two bounds replaced. The bounds are relative to this node; a bound is nil
  /// when all leaves are inside of it. The recursion is as deep as the bounds.
  private func merged(with new: Node, after start: ArraySlice<Key>?, through end: ArraySlice<Key>?) -> Node {
    if start == nil {
      guard let end else { return new }
      if new.isLeaf { return new }
      // The range ends with this location, which has no leaf in the new data.
      if end.isEmpty { return isLeaf ? .empty : self }
    }
    if let end, end.isEmpty { return self }
    let (startKey, endKey) = (start?.first, end?.first)
    func isInside(_ key: Key) -> Bool {
      startKey.map { $0 <= key } ?? true && endKey.map { key <= $0 } ?? true
    }
    func child(_ key: Key, _ old: Node, _ new: Node) -> Node {
      old.merged(
        with: new, after: key == startKey ? start?.dropFirst() : nil,
        through: key == endKey ? end?.dropFirst() : nil)
    }
    var changes: [(path: Path, node: Node)] = []
    for (key, old) in startKey.map({ children(from: $0) }) ?? children {
      guard isInside(key) else { break }
      let result = child(key, old, new.child(key))
      if result != old { changes.append((Path([key]), result)) }
    }
    for (key, added) in new.children where isInside(key) && self.child(key).isEmpty {
      changes.append((Path([key]), child(key, .empty, added)))
    }
    let result = replacing(changes.filter { !$0.node.isEmpty } + changes.filter { $0.node.isEmpty })
    guard isInside(.interiorPriority) else { return result }
    return result.with(priority: child(.interiorPriority, priorityNode, new.priorityNode).scalar)
  }
}
