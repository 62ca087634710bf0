import HearthTree

/// One place of the trie that finds the listens a commit concerns.
final class ListenNode {
  /// The last part of the path; nil at the root.
  let key: Key?
  unowned let parent: ListenNode?
  /// The number of keys that the path has.
  let depth: Int
  var children = DenseTable<Key, ListenNode>()

  /// The listens without a query. Those that another listen of the same connection shadows are not among its recipients.
  var audience = ListenAudience<ConnectionID>()

  /// The live queries here and the orders that are kept for queries; nil when there are none, as at most places.
  var shelf: QueryShelf?

  /// The last commit that the listens without a query were told of.
  var lastPosition: Int64 = 0

  init(key: Key?, parent: ListenNode?) {
    self.key = key
    self.parent = parent
    depth = parent.map { $0.depth + 1 } ?? 0
  }

  /// From the root. It is put together when asked for: most nodes only lead to others, and a client may make many.
  var path: Path {
    var (keys, node): ([Key], ListenNode) = ([], self)
    keys.reserveCapacity(depth)
    while let key = node.key, let parent = node.parent {
      keys.append(key)
      node = parent
    }
    return Path(keys.reversed())
  }

  /// Nothing needs this place.
  var isIdle: Bool { audience.isEmpty && children.isEmpty && shelf == nil }
}
