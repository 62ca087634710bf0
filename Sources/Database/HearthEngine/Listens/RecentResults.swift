import HearthTree

/// What was last put together for first values of live queries: many who ask for the same one after another share it.
///
/// Each is a copy of what a query found, and anybody may ask for any number of queries that find nearly everything: so
/// there are only a few, and none outlives its group or the next change there.
struct RecentResults {
  static let countMax = 8

  private var entries: [(group: QueryGroup, parent: Node, result: Node)] = []

  var count: Int { entries.count }

  /// What was put together for the group from this version of its node, if it is still here.
  func result(of group: QueryGroup, from parent: Node) -> Node? {
    entries.first { $0.group === group && $0.parent.isIdentical(to: parent) }?.result
  }

  /// Returns true when something is kept for a group of that place.
  func isKept(at node: ListenNode) -> Bool { entries.contains { $0.group.node === node } }

  mutating func keep(_ result: Node, of group: QueryGroup, from parent: Node) {
    forget(group)
    if entries.count >= Self.countMax { entries.removeFirst() }
    entries.append((group, parent, result))
  }

  mutating func forget(_ group: QueryGroup) { entries.removeAll { $0.group === group } }
}
