extension Node {
  /// Returns this tree with the nodes at several paths replaced. The result is the same as that of
  /// ``replacing(_:with:)-(Path,_)`` for one after another.
  ///
  /// For several children of one node, their pages and branches are copied once, instead of once for each child.
  public func replacing(_ replacements: [(path: Path, node: Node)]) -> Node {
    switch replacements.count {
    case 0: self
    case 1: replacing(replacements[0].path, with: replacements[0].node)
    default: replacing(replacements, Array(replacements.indices), depth: 0)
    }
  }

  /// Applies the replacements at and below this node.
  ///
  /// - Parameter some: The indexes in `all` of these replacements, in their order.
  /// - Parameter depth: The number of keys of each path that lead to this node.
  private func replacing(_ all: [(path: Path, node: Node)], _ some: [Int], depth: Int) -> Node {
    // When one replacement deletes a node that another one sets, their order matters: a node that is removed in between
    // loses its priority, and a leaf that has children in between loses its value.
    let isOrderSeen = isLeaf || priority != nil
    if some.contains(where: { all[$0].path.count == depth || all[$0].node.isEmpty && isOrderSeen }) {
      return some.reduce(self) { $0.replacing(all[$1].path.keys, from: depth, with: all[$1].node) }
    }
    var keys = ChildKeys()
    for place in some { keys.append(all[place].path.keys[depth]) }
    return keys.withOrderedKeys { keys in
      var changes: [ChildChange] = []
      var rest = Self.order(of: keys)[...]
      while let first = rest.first {
        let group = rest.prefix { keys[$0].compare(keys[first]) == 0 }
        rest = rest[group.endIndex...]
        let path = all[some[first]].path
        let isChild = group.count == 1 && path.count == depth + 1
        let node =
          isChild
          ? all[some[first]].node : child(path.keys[depth]).replacing(all, group.map { some[$0] }, depth: depth + 1)
        changes.append(ChildChange(key: keys[first], node: node))
      }
      if case .tree(let tree) = content { return tree.replacing(changes) }
      return withExtendedLifetime(self) { rebuilt(with: changes) }
    }
  }

  /// Returns the indexes of the keys, sorted by key; equal keys keep their order.
  private static func order(of keys: [OrderedKey]) -> [Int] {
    var order = Array(keys.indices)
    if !zip(keys, keys.dropFirst()).allSatisfy({ a, b in a.compare(b) <= 0 }) {
      order.sort { a, b in
        let result = keys[a].compare(keys[b])
        return result == 0 ? a < b : result < 0
      }
    }
    return order
  }

  /// Returns this node, which is packed, a leaf or empty, with the changes applied.
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

/// A change of one child of a node; ``node`` is empty for a deleted child.
struct ChildChange {
  let key: OrderedKey
  let node: Node
}

/// The keys of changed children of one node. Their bytes are in one array, so that ``OrderedKey`` values can point to
/// them.
private struct ChildKeys {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  mutating func append(_ key: Key) {
    key.withUTF8 { bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
  }

  func withOrderedKeys<Result>(_ body: ([OrderedKey]) -> Result) -> Result {
    bytes.withUnsafeBytes { all in
      var start = 0
      return body(
        ends.map { end in
          defer { start = end }
          return OrderedKey(UnsafeRawBufferPointer(rebasing: all[start..<end]))
        })
    }
  }
}
