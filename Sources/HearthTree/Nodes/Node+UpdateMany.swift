extension Node {
  /// This tree with what is at several paths replaced: the same as ``replacing(_:with:)-(Path,_)`` for one after the
  /// other.
  ///
  /// Children of one node cost one pass over the pages that they lie in, instead of a copy of a page, and of the
  /// branches above it, for each of them.
  public func replacing(_ replacements: [(path: Path, node: Node)]) -> Node {
    if replacements.count == 1 { return replacing(replacements[0].path, with: replacements[0].node) }
    var order = Array(replacements.indices)
    let isOrdered = zip(order, order.dropFirst()).allSatisfy { a, b in
      !replacements[b].path.keys.lexicographicallyPrecedes(replacements[a].path.keys)
    }
    if !isOrdered {
      order.sort { a, b in
        let (x, y) = (replacements[a].path.keys, replacements[b].path.keys)
        return x == y ? a < b : x.lexicographicallyPrecedes(y)
      }
    }
    return order.isEmpty ? self : replacing(replacements, order[...], depth: 0)
  }

  /// - Parameter order: the replacements at and below this node, by path.
  /// - Parameter depth: how many keys of each path lead to this node.
  private func replacing(
    _ all: [(path: Path, node: Node)], _ order: ArraySlice<Int>, depth: Int
  ) -> Node {
    // Where one replacement takes away what another one puts, a node that vanishes for a moment loses its priority, and a
    // leaf that had children for a moment is gone: the order in which they come shows in the result.
    let isOrderSeen = isLeaf || priority != nil
    if order.contains(where: { all[$0].path.count == depth || all[$0].node.isEmpty && isOrderSeen }) {
      return order.sorted().reduce(self) { $0.replacing(all[$1].path.keys, from: depth, with: all[$1].node) }
    }
    var changes = ChildChanges()
    var rest = order
    while let first = rest.first {
      let key = all[first].path.keys[depth]
      let end = rest.dropFirst().firstIndex { all[$0].path.keys[depth] != key } ?? rest.endIndex
      let isChild = end == rest.startIndex + 1 && all[first].path.count == depth + 1
      changes.append(key, isChild ? all[first].node : child(key).replacing(all, rest[..<end], depth: depth + 1))
      rest = rest[end...]
    }
    return changes.withOrderedKeys { changes in
      if case .tree(let tree) = content { return tree.replacing(changes) }
      return withExtendedLifetime(self) { rebuilt(with: changes) }
    }
  }

  /// A packed node, a leaf or nothing, with these children.
  private func rebuilt(with changes: [ChildChange]) -> Node {
    guard isInterior || changes.contains(where: { !$0.node.isEmpty }) else { return self }
    var builder = NodeBuilder()
    builder.open()
    var cursor = NodeCursor(self)
    var old = cursor.next()
    func keep(_ step: NodeCursor.Step) {
      builder.append(key: step.entry.key)
      builder.node(step.node)
      old = cursor.next()
    }
    for change in changes {
      while let step = old {
        let order = change.key.compare(step.entry.key)
        if order == 0 { old = cursor.next() }
        if order <= 0 { break }
        keep(step)
      }
      if change.node.isEmpty { continue }
      builder.append(key: change.key.bytes)
      builder.node(change.node)
    }
    while let step = old { keep(step) }
    builder.close(priority: priority)
    return builder.finish()
  }
}

/// What becomes of one child of a node; ``node`` is empty for one that goes.
struct ChildChange {
  let key: OrderedKey
  let node: Node
}

/// Children of one node and what becomes of them, in key order. The bytes of the keys lie side by side, where ordered
/// keys can point to them.
private struct ChildChanges {
  private var bytes: [UInt8] = []
  private var children: [(end: Int, node: Node)] = []

  mutating func append(_ key: Key, _ node: Node) {
    key.withUTF8 { bytes.append(contentsOf: $0) }
    children.append((bytes.count, node))
  }

  func withOrderedKeys<Result>(_ body: ([ChildChange]) -> Result) -> Result {
    bytes.withUnsafeBytes { all in
      var start = 0
      return body(
        children.map { child in
          defer { start = child.end }
          let key = UnsafeRawBufferPointer(rebasing: all[start..<child.end])
          return ChildChange(key: OrderedKey(key), node: child.node)
        })
    }
  }
}
