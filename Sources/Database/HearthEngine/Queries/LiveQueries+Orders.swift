import HearthRules
import HearthTree

/// Orders of a node's children that queries ask for: which of them are kept, and what becomes of them.
extension LiveQueries {
  /// The order of a query's result as far as it is kept. A declared one that pays is worked out at its first use.
  mutating func keptIndex(
    for query: Query, at path: Path, _ data: Node, _ rules: RuleSet, _ listens: inout ListenIndex
  ) -> ChildIndex? {
    let order = query.effectiveOrder
    guard order != .key, !query.loadsAllData else { return nil }
    if let kept = listens.node(at: path)?.shelf?.index(by: order) { return kept }
    guard data.childCount >= limits.orderedChildrenMin, rules.declares(order, at: path) else { return nil }
    let index = newIndex(of: data, by: order, at: path)
    listens.keep(
      KeptOrder(index: index, isDeclared: true, isWorthKeeping: true), at: listens.makeNode(at: path))
    return index
  }

  /// Keeps an order for one live query more.
  ///
  /// - Returns: nil when the rules do not declare it and there is no room for it.
  mutating func takeOrder(
    _ order: Query.Order, at node: ListenNode, _ path: Path, _ data: Node, _ rules: RuleSet,
    _ listens: inout ListenIndex
  ) -> Query.Order? {
    let shelf = listens.makeShelf(at: node)
    if let slot = shelf.slot(of: order) {
      shelf.orders[slot].useCount += 1
      return order
    }
    let isDeclared = rules.declares(order, at: path)
    guard isDeclared || hasRoom(for: data, listens) else { return nil }
    let index = newIndex(of: data, by: order, at: path)
    let isWorthKeeping = data.childCount >= limits.orderedChildrenMin
    listens.keep(
      KeptOrder(index: index, isDeclared: isDeclared, isWorthKeeping: isWorthKeeping, useCount: 1), at: node)
    return order
  }

  /// Returns true when there is room for one more order of a place that no rules declare.
  func hasRoom(for data: Node, _ listens: borrowing ListenIndex) -> Bool {
    let room = limits.undeclaredOrderEntriesMax - listens.undeclaredEntries
    return data.childCount <= min(limits.undeclaredChildrenMax, room - EngineLimits.orderEntriesMin)
  }

  /// Returns true when every child may be looked at to begin a live query.
  func mayLookAtAll(_ query: Query, at path: Path, _ data: Node, _ rules: RuleSet) -> Bool {
    query.loadsAllData || data.childCount <= limits.undeclaredChildrenMax
      || rules.declares(query.effectiveOrder, at: path)
  }

  /// An order that was worked out with the command that is being settled, or else one that is worked out now.
  mutating func newIndex(of node: Node, by order: Query.Order, at path: Path) -> ChildIndex {
    if let found, found.query.path == path, found.node.isIdentical(to: node), let index = found.index,
      index.order == order
    {
      return index
    }
    let made = ready.first { $0.index.order == order && $0.path == path && $0.node.isIdentical(to: node) }
    return made?.index ?? ChildIndex(node, by: order, cost: &cost)
  }

  /// Lets live queries at a place do without orders that no rules declare, when these have become too large together.
  ///
  /// - Returns: The groups that show everything from now on.
  mutating func enforceOrderBudget(
    at shelf: QueryShelf, _ data: Node, _ listens: inout ListenIndex
  ) -> [QueryGroup] {
    var degraded: [QueryGroup] = []
    for (_, group) in shelf.groups.entries {
      guard listens.undeclaredEntries > limits.undeclaredOrderEntriesMax else { break }
      guard let order = group.order, let slot = shelf.slot(of: order), !shelf.orders[slot].isDeclared else { continue }
      listens.releaseOrder(of: group)
      show(.everything, to: group, data, &listens)
      degraded.append(group)
    }
    return degraded
  }

  private mutating func show(_ query: Query, to group: QueryGroup, _ data: Node, _ listens: inout ListenIndex) {
    let index = group.order.flatMap { group.node.shelf?.index(by: $0) }
    group.window = QueryWindow(query, of: data, index: index, cost: &cost)
    group.isWhole = query != group.query
    group.versionNumber = group.node.shelf?.backlog.number ?? 0
    listens.results.forget(group)
  }

  /// After a deploy: orders that are declared no longer go, or count as undeclared as long as live queries need them;
  /// live queries that had to show everything have their order now if it is declared.
  ///
  /// - Returns: The groups that show something else from now on.
  mutating func review(_ state: Published, _ listens: inout ListenIndex) -> [QueryGroup] {
    guard listens.shelfCount > 0 else { return [] }
    var nodes: [ListenNode] = []
    listens.forEachNode { if $0.shelf != nil { nodes.append($0) } }
    var changed: [QueryGroup] = []
    for node in nodes {
      guard let shelf = node.shelf else { continue }
      let path = node.path
      for slot in shelf.orders.indices.reversed() {
        let isDeclared = state.rules.declares(shelf.orders[slot].index.order, at: path)
        listens.update(slot, of: shelf) { $0.isDeclared = isDeclared }
        listens.dropIfUnused(slot, of: shelf)
      }
      let data = state.root[path]
      for (_, group) in shelf.groups.entries where group.isWhole {
        let order = group.query.effectiveOrder
        guard state.rules.declares(order, at: path) else { continue }
        if group.query.needsIndex { group.order = takeOrder(order, at: node, path, data, state.rules, &listens) }
        show(group.query, to: group, data, &listens)
        changed.append(group)
      }
      changed += enforceOrderBudget(at: shelf, data, &listens)
      listens.prune(node)
    }
    return changed
  }
}
