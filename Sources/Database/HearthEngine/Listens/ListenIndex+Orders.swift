import HearthTree

/// The indexes at nodes of the trie: their uses, and their removal.
extension ListenIndex {
  /// Adds an index that is up to date with the newest version of the node.
  mutating func keep(_ order: KeptOrder, at node: ListenNode) {
    undeclaredEntries += order.charge
    makeShelf(at: node).orders.append(order)
  }

  /// Changes an index, and the memory budget with it.
  mutating func update(_ slot: Int, of shelf: QueryShelf, _ change: (inout KeptOrder) -> Void) {
    undeclaredEntries -= shelf.orders[slot].charge
    change(&shelf.orders[slot])
    undeclaredEntries += shelf.orders[slot].charge
  }

  /// Removes an index.
  mutating func drop(_ slot: Int, of shelf: QueryShelf) {
    undeclaredEntries -= shelf.orders[slot].charge
    shelf.orders.remove(at: slot)
  }

  /// Releases a live query's index. Without any query, only a declared index of many children stays.
  mutating func releaseOrder(of group: QueryGroup) {
    guard let order = group.order, let shelf = group.node.shelf, let slot = shelf.slot(of: order) else { return }
    group.order = nil
    shelf.orders[slot].useCount -= 1
    dropIfUnused(slot, of: shelf)
  }

  /// Removes an index without uses.
  ///
  /// - Returns: True when it was removed.
  @discardableResult
  mutating func dropIfUnused(_ slot: Int, of shelf: QueryShelf) -> Bool {
    let order = shelf.orders[slot]
    guard order.useCount == 0, !order.isDeclared || !order.isWorthKeeping else { return false }
    drop(slot, of: shelf)
    return true
  }

  /// Ends a group without listens.
  ///
  /// - Parameter prunes: True to remove an unused node as well.
  mutating func closeIfUnused(_ group: QueryGroup, pruning prunes: Bool = false) {
    guard group.audience.isEmpty else { return }
    releaseOrder(of: group)
    results.forget(group)
    group.node.shelf?.groups.remove(group.query)
    if prunes { prune(group.node) }
  }
}

extension ListenIndex {
  /// The most nodes that are searched for indexes before a large write is decided.
  private static let placesVisitedMax = 10_000

  /// Returns the sort orders that live queries need at and below a location, for a limited number of nodes.
  func neededOrders(below path: Path) -> [(path: Path, order: Query.Order)] {
    guard let top = node(at: path) else { return [] }
    var (open, found, visitedCount) = ([top], [(path: Path, order: Query.Order)](), 0)
    while let node = open.popLast(), visitedCount < Self.placesVisitedMax {
      visitedCount += 1
      if let shelf = node.shelf {
        let path = node.path
        for kept in shelf.orders where kept.useCount > 0 { found.append((path, kept.index.order)) }
      }
      for (_, child) in node.children.entries { open.append(child) }
    }
    return found
  }
}
