import HearthTree

/// A node of the trie in which the engine finds the listens that a commit affects.
final class ListenNode {
  /// The last key of the path; nil at the root.
  let key: Key?
  unowned let parent: ListenNode?
  /// The number of keys in the path.
  let depth: Int
  var children = DenseTable<Key, ListenNode>()

  /// The listens without a query. Those shadowed by another listen of the same connection are not among its recipients.
  var audience = ListenAudience<ConnectionID>()

  /// The live queries and indexes; nil at most nodes, which have none.
  var locationQueries: LocationQueries?

  /// The last commit that the listens without a query have received.
  var lastPosition: Int64 = 0

  init(key: Key?, parent: ListenNode?) {
    self.key = key
    self.parent = parent
    depth = parent.map { $0.depth + 1 } ?? 0
  }

  /// The path from the root. It is built on demand, because most nodes only lead to others, and a client may create
  /// many.
  var path: Path {
    var (keys, node): ([Key], ListenNode) = ([], self)
    keys.reserveCapacity(depth)
    while let key = node.key, let parent = node.parent {
      keys.append(key)
      node = parent
    }
    return Path(keys.reversed())
  }

  /// True when the node is unused.
  var isIdle: Bool { audience.isEmpty && children.isEmpty && locationQueries == nil }
}
