import HearthRules
import HearthTree

/// The indexes of a node's children for queries: their creation and removal.
extension LiveQueries {
  /// Returns the index for a query's result, if there is one. A declared one that is worth its cost is built at its
  /// first use.
  mutating func keptIndex(
    for query: Query, at path: Path, _ data: Node, _ rules: RuleSet, _ listens: inout ListenIndex
  ) -> ChildIndex? {
    let order = query.effectiveOrder
    guard order != .key, !query.loadsAllData else { return nil }
    if let kept = listens.node(at: path)?.locationQueries?.index(by: order) { return kept }
    guard !hasExhaustedAttempts, data.childCount >= limits.indexedChildrenMin, rules.declares(order, at: path) else {
      return nil
    }
    let index = newIndex(of: data, by: order, at: path)
    listens.keep(
      MaintainedIndex(index: index, isDeclared: true, isWorthKeeping: true), at: listens.makeNode(at: path))
    return index
  }

  /// Adds a use of an index, and builds it if necessary.
  ///
  /// - Returns: The order of the index; nil when an undeclared index would exceed the budget.
  mutating func retainIndex(
    _ order: Query.Order, at node: ListenNode, _ path: Path, _ data: Node, _ rules: RuleSet,
    _ listens: inout ListenIndex
  ) -> Query.Order? {
    let locationQueries = listens.makeLocationQueries(at: node)
    if let slot = locationQueries.slot(of: order) {
      locationQueries.indexes[slot].useCount += 1
      return order
    }
    let isDeclared = rules.declares(order, at: path)
    guard isDeclared || hasRoom(for: data, listens) else { return nil }
    let index = newIndex(of: data, by: order, at: path)
    let isWorthKeeping = data.childCount >= limits.indexedChildrenMin
    listens.keep(
      MaintainedIndex(index: index, isDeclared: isDeclared, isWorthKeeping: isWorthKeeping, useCount: 1), at: node)
    return order
  }

  /// Returns true when one more undeclared index of a location fits the budget.
  func hasRoom(for data: Node, _ listens: borrowing ListenIndex) -> Bool {
    let room = limits.undeclaredIndexEntriesMax - listens.undeclaredEntries
    return data.childCount <= min(limits.undeclaredChildrenMax, room - EngineLimits.indexEntriesMin)
  }

  /// Returns true when every child may be examined at the start of a live query.
  func mayExamineAll(_ query: Query, at path: Path, _ data: Node, _ rules: RuleSet) -> Bool {
    query.loadsAllData || data.childCount <= limits.undeclaredChildrenMax
      || rules.declares(query.effectiveOrder, at: path)
  }

  /// Returns the index that was built in the background with the command being decided, or else builds one.
  mutating func newIndex(of node: Node, by order: Query.Order, at path: Path) -> ChildIndex {
    // Another index than a new one may have pages of a version that is not kept.
    if let made = found(at: path, node), made.query.makesIndex, let index = made.index, index.order == order {
      return index
    }
    let made = ready.first { $0.index.order == order && $0.path == path && $0.node.isIdentical(to: node) }
    return made?.index ?? ChildIndex(node, by: order, cost: &cost)
  }

  /// Drops undeclared indexes of a location when they exceed the budget.
  ///
  /// - Returns: The groups that receive all data from now on.
  mutating func enforceIndexBudget(
    at locationQueries: LocationQueries, _ data: Node, _ listens: inout ListenIndex
  ) -> [QueryGroup] {
    var degraded: [QueryGroup] = []
    for (_, group) in locationQueries.groups.entries {
      guard listens.undeclaredEntries > limits.undeclaredIndexEntriesMax else { break }
      guard let order = group.order, let slot = locationQueries.slot(of: order),
        !locationQueries.indexes[slot].isDeclared
      else { continue }
      listens.releaseIndex(of: group)
      show(.everything, to: group, data, &listens)
      degraded.append(group)
    }
    return degraded
  }

  private mutating func show(_ query: Query, to group: QueryGroup, _ data: Node, _ listens: inout ListenIndex) {
    let index = group.order.flatMap { group.node.locationQueries?.index(by: $0) }
    group.window = QueryWindow(query, of: data, index: index, cost: &cost)
    group.isUnfiltered = query != group.query
    group.versionNumber = group.node.locationQueries?.backlog.number ?? 0
    listens.results.forget(group)
  }

  /// Updates indexes after a deploy: undeclared ones are dropped, or kept as undeclared while live queries use them;
  /// live queries that received all data use an index that is now declared.
  ///
  /// - Returns: The groups that receive filtered data instead of all data from now on, or the reverse.
  mutating func review(_ state: DatabaseState, _ listens: inout ListenIndex) -> [QueryGroup] {
    guard listens.queriedLocationCount > 0 else { return [] }
    var nodes: [ListenNode] = []
    listens.forEachNode { if $0.locationQueries != nil { nodes.append($0) } }
    var changed: [QueryGroup] = []
    for node in nodes {
      guard let locationQueries = node.locationQueries else { continue }
      let path = node.path
      for slot in locationQueries.indexes.indices.reversed() {
        let isDeclared = state.rules.declares(locationQueries.indexes[slot].index.order, at: path)
        listens.update(slot, of: locationQueries) { $0.isDeclared = isDeclared }
        listens.dropIfUnused(slot, of: locationQueries)
      }
      let data = state.root[path]
      for (_, group) in locationQueries.groups.entries where group.isUnfiltered {
        let order = group.query.effectiveOrder
        guard state.rules.declares(order, at: path) else { continue }
        if group.query.needsIndex { group.order = retainIndex(order, at: node, path, data, state.rules, &listens) }
        show(group.query, to: group, data, &listens)
        changed.append(group)
      }
      changed += enforceIndexBudget(at: locationQueries, data, &listens)
      listens.prune(node)
    }
    return changed
  }
}
