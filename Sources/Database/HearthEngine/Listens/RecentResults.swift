import HearthTree

/// The results last built for first values of live queries, which many clients with the same query share.
///
/// Each takes memory for a copy of the data, and any client may request any number of queries. So only a few results
/// are kept, and each is dropped at the end of its group or at the next change of its location.
struct RecentResults {
  static let countMax = 8

  private var entries: [(group: QueryGroup, parent: Node, result: Node)] = []

  var count: Int { entries.count }

  /// Returns the cached result for the group from this version of its node, or nil.
  func result(of group: QueryGroup, from parent: Node) -> Node? {
    entries.first { $0.group === group && $0.parent.isIdentical(to: parent) }?.result
  }

  /// Returns true when a result is cached for a group of that node.
  func isKept(at node: ListenNode) -> Bool { entries.contains { $0.group.node === node } }

  mutating func keep(_ result: Node, of group: QueryGroup, from parent: Node) {
    forget(group)
    if entries.count >= Self.countMax { entries.removeFirst() }
    entries.append((group, parent, result))
  }

  mutating func forget(_ group: QueryGroup) { entries.removeAll { $0.group === group } }
}
