import HearthTree

/// A tree under construction.
final class TreeDraft {
  private(set) var children: [(key: Key, draft: TreeDraft)] = []
  var scalar: Scalar?
  var priority: Scalar?
  /// True when the node must have a child, with any key.
  var isObject = false

  func child(_ key: Key) -> TreeDraft {
    if let known = children.first(where: { $0.key == key }) { return known.draft }
    let draft = TreeDraft()
    children.append((key, draft))
    return draft
  }

  subscript(keys: some Sequence<Key>) -> TreeDraft { keys.reduce(self) { $0.child($1) } }

  /// Returns the tree. An object without children gets a child with one of the filler keys.
  func node(filler: [Key]) -> Node {
    var node = Node.empty
    for (key, draft) in children { node = node.replacing(key, with: draft.node(filler: filler)) }
    if node.isEmpty, let scalar { return Node(scalar, priority: priority) }
    if node.isEmpty, isObject, let key = filler.first(where: { key in !children.contains { $0.key == key } }) {
      node = node.replacing(key, with: Node(.bool(true)))
    }
    return priority == nil ? node : node.with(priority: priority)
  }
}
