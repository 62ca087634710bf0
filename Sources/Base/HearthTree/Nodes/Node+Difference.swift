extension Node {
  /// Calls `body` for each child that is not equal to that of the same key in `old`, in key order; a missing child is
  /// empty.
  ///
  /// Pages and branches that both versions share are skipped, so that two versions of a large node take only the time
  /// of reading their differences.
  public func forEachDifference(from old: Node, _ body: (_ key: Key, _ old: Node, _ new: Node) -> Void) {
    _ = walkDifferences(from: old) { key, old, new in
      body(key, old, new)
      return true
    }
  }

  /// Calls `body` like ``forEachDifference(from:_:)``, until it returns false.
  ///
  /// - Returns: False when `body` returned false.
  public func walkDifferences(from old: Node, _ body: (_ key: Key, _ old: Node, _ new: Node) -> Bool) -> Bool {
    if isIdentical(to: old) { return true }
    var (before, after) = (NodeCursor(old), NodeCursor(self))
    NodeCursor.skipShared(&before, &after)
    var (x, y) = (before.next(), after.next())
    while x != nil || y != nil {
      let order = Self.compare(x, y)
      if order == 0, let left = x, let right = y {
        let (one, other) = (left.node, right.node)
        if one != other, !body(left.key, one, other) { return false }
      } else if order < 0, let left = x {
        guard body(left.key, left.node, .empty) else { return false }
      } else if let right = y {
        guard body(right.key, .empty, right.node) else { return false }
      }
      if order == 0 { NodeCursor.skipShared(&before, &after) }
      if order <= 0 { x = before.next() }
      if order >= 0 { y = after.next() }
    }
    return true
  }

  /// Returns the order of the keys of two steps: negative, zero or positive. nil comes last.
  private static func compare(_ a: NodeCursor.Step?, _ b: NodeCursor.Step?) -> Int {
    guard let a else { return 1 }
    guard let b else { return -1 }
    return withExtendedLifetime((a.page, b.page)) { OrderedKey(a.entry.key).compare(b.entry.key) }
  }
}
