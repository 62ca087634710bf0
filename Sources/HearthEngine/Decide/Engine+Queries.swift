import HearthRules
import HearthTree

/// Live queries: one window for all listens with the same query to the same place, moved along with every commit.
extension Engine {
  /// The group of a query, which is made when nobody has asked for it yet.
  mutating func queryGroup(_ query: Query, at path: Path) -> QueryGroup {
    let node = listens.makeNode(at: path)
    let shelf = listens.makeShelf(at: node)
    if let group = shelf.groups[query] { return group }
    let data = state.root[path]
    let order = query.needsIndex ? takeOrder(query.effectiveOrder, at: node, path, data) : nil
    let isWhole = query.needsIndex ? order == nil : !mayLookAtAll(query, at: path, data)
    let shown = isWhole ? .everything : query
    let index = keptIndex(for: shown, at: path, data)
    let window = QueryWindow(shown, of: data, index: index, cost: &queryCost)
    let group = QueryGroup(query, at: node, window: window, order: order, isWhole: isWhole)
    group.lastPosition = state.position
    shelf.groups.set(query, group)
    return group
  }

  /// What the listens of a group are sent when they begin, or when it can no longer be told as a change.
  mutating func result(of group: QueryGroup, at path: Path) -> Node {
    let data = state.root[path]
    if let recent = listens.results.result(of: group, from: data) { return recent }
    let index = keptIndex(for: group.shownQuery, at: path, data)
    let result = result(of: group.shownQuery, data, index)
    listens.results.keep(result, of: group, from: data)
    return result
  }

  private mutating func result(of query: Query, _ data: Node, _ index: ChildIndex?) -> Node {
    return QueryResult(query, of: data, index: index).node(cost: &queryCost)
  }

  // MARK: - Commits

  /// Brings the orders that are kept at a place up to date with a commit, then its live queries, and tells who listens.
  mutating func shift(_ shift: FanOut.Shift, of commit: Commit) {
    guard let shelf = shift.node.shelf else { return }
    let path = shift.node.path
    let (old, new) = (commit.oldRoot[path], commit.newRoot[path])
    switch shift.change {
    case .replaced: replace(shelf, path, old, new)
    case .children(let places): move(shelf, path, places, old, new)
    }
    // Unless the last of its listens has taken the place along.
    if shift.node.shelf != nil { listens.prune(shift.node) }
  }

  /// Some children changed, in some places below them.
  private mutating func move(
    _ shelf: QueryShelf, _ path: Path, _ places: FanOut.ChildPlaces, _ old: Node, _ new: Node
  ) {
    let changes = places.entries.map { entry in
      QueryWindow.ChildChange(key: entry.name, old: old.child(entry.name), new: new.child(entry.name))
    }
    let isWorthKeeping = new.childCount >= limits.orderedChildrenMin
    var cost = QueryCost()
    for slot in shelf.orders.indices.reversed() where !faults.contains(.staleOrder) {
      listens.update(slot, of: shelf) { order in
        order.index.apply(changes, node: new, cost: &cost)
        order.isWorthKeeping = isWorthKeeping
      }
      listens.dropIfUnused(slot, of: shelf)
    }
    let degraded = enforceOrderBudget(at: shelf, new)
    // A group may end while another one is told.
    for (_, group) in shelf.groups.entries where !group.audience.isEmpty && !degraded.contains(group) {
      listens.results.forget(group)
      let index = group.order.flatMap { shelf.index(by: $0) }
      let steps = faults.applied(to: group.window.apply(changes, node: new, index: index, cost: &cost))
      if let event = event(of: steps, at: path, places, new) { tell(group, event) }
    }
    queryCost += cost
    tellAll(degraded, deciding: .data(position: state.position))
  }

  /// Everything was replaced: orders are worked out anew where a live query needs them, and whose result is another one
  /// is told all of it.
  private mutating func replace(_ shelf: QueryShelf, _ path: Path, _ old: Node, _ new: Node) {
    guard !faults.contains(.noReplacement) else { return }
    let isWorthKeeping = new.childCount >= limits.orderedChildrenMin
    let oldOrders = shelf.orders
    for slot in shelf.orders.indices.reversed() {
      guard shelf.orders[slot].useCount > 0 else {
        listens.drop(slot, of: shelf)
        continue
      }
      let index = newIndex(of: new, by: shelf.orders[slot].index.order, at: path)
      listens.update(slot, of: shelf) { order in
        order.index = index
        order.isWorthKeeping = isWorthKeeping
      }
    }
    let degraded = enforceOrderBudget(at: shelf, new)
    for (_, group) in shelf.groups.entries where !group.audience.isEmpty && !degraded.contains(group) {
      let query = group.shownQuery
      let index = shelf.index(by: query.effectiveOrder)
      listens.results.forget(group)
      group.window = QueryWindow(query, of: new, index: index, cost: &queryCost)
      let oldIndex = oldOrders.first { $0.index.order == query.effectiveOrder }?.index
      guard isDifferent(query, old, oldIndex, new, index) else { continue }
      tell(group, Event(path: path, change: .put(result(of: group, at: path)), position: state.position))
    }
    tellAll(degraded, deciding: .data(position: state.position))
  }

  /// Whether a query finds something else than before. Nothing is put together when one of the two is nothing.
  private mutating func isDifferent(
    _ query: Query, _ old: Node, _ oldIndex: ChildIndex?, _ new: Node, _ newIndex: ChildIndex?
  ) -> Bool {
    if old.childCount == 0 { return finds(query, new, newIndex) }
    if new.childCount == 0 { return finds(query, old, oldIndex) }
    return result(of: query, old, oldIndex) != result(of: query, new, newIndex)
  }

  private mutating func finds(_ query: Query, _ node: Node, _ index: ChildIndex?) -> Bool {
    var one = query
    one.limit = .first(1)
    return node.isInterior && !result(of: one, node, index).isEmpty
  }

  /// One message for all that happened in a window; nil when nothing did.
  private func event(
    of steps: [QueryWindow.Step], at path: Path, _ places: FanOut.ChildPlaces, _ node: Node
  ) -> Event? {
    var entries: [Event.Entry] = []
    for step in steps {
      switch step {
      case .left(let key): entries.append(Event.Entry(path: Path([key]), node: .empty))
      case .entered(let key): entries.append(Event.Entry(path: Path([key]), node: node.child(key)))
      case .stayed(let key):
        for change in places[key] ?? [] {
          entries.append(
            Event.Entry(path: Path(Array(change.location.eventKeys.dropFirst(path.count))), node: change.node))
        }
      }
    }
    guard let first = entries.first else { return nil }
    if case .stayed? = steps.first, entries.count == 1 {
      return Event(path: path.appending(first.path), change: .put(first.node), position: state.position)
    }
    return Event(path: path, change: .merge(entries), position: state.position)
  }

  /// Tells the listens of a group, after those whose permission time has taken were cancelled.
  private mutating func tell(_ group: QueryGroup, _ event: Event) {
    let stale = group.audience.clockListens.filter { $0.decidedWallMilliseconds != now.wallMilliseconds }
    if !stale.isEmpty { decideAgain(stale, because: .clock) }
    guard !group.audience.isEmpty else { return }
    group.lastPosition = event.position
    effects.append(.queryEvent(event, to: group.audience.recipients))
  }

  // MARK: - Modes

  /// Lets live queries at a place do without orders that no rules declare, when these have become too large together.
  ///
  /// - Returns: The groups that show everything from now on; to be told so by ``tellAll(_:deciding:)``.
  mutating func enforceOrderBudget(at shelf: QueryShelf, _ data: Node) -> [QueryGroup] {
    var degraded: [QueryGroup] = []
    for (_, group) in shelf.groups.entries {
      guard listens.undeclaredEntries > limits.undeclaredOrderEntriesMax else { break }
      guard let order = group.order, let slot = shelf.slot(of: order), !shelf.orders[slot].isDeclared else { continue }
      listens.releaseOrder(of: group)
      show(.everything, to: group, data)
      degraded.append(group)
    }
    return degraded
  }

  private mutating func show(_ query: Query, to group: QueryGroup, _ data: Node) {
    let index = group.order.flatMap { group.node.shelf?.index(by: $0) }
    group.window = QueryWindow(query, of: data, index: index, cost: &queryCost)
    group.isWhole = query != group.query
    listens.results.forget(group)
  }

  /// Sends all that they show now to groups that show something else from now on.
  ///
  /// - Parameter cause: Decides the listens again before; nil when that is done.
  mutating func tellAll(_ groups: [QueryGroup], deciding cause: Cancellation?) {
    if let cause { decideAgain(groups.flatMap(\.audience.listens), because: cause) }
    for group in groups {
      guard !group.audience.isEmpty else { continue }
      let path = group.node.path
      tell(group, Event(path: path, change: .put(result(of: group, at: path)), position: state.position))
    }
  }

  /// After a deploy: orders that are declared no longer go, or count as undeclared as long as live queries need them;
  /// live queries that had to show everything have their order now if it is declared.
  ///
  /// - Returns: The groups that show something else from now on.
  mutating func reviewOrders() -> [QueryGroup] {
    guard listens.shelfCount > 0 else { return [] }
    var nodes: [ListenNode] = []
    listens.forEachNode { if $0.shelf != nil { nodes.append($0) } }
    var changed: [QueryGroup] = []
    for node in nodes {
      guard let shelf = node.shelf else { continue }
      let path = node.path
      for slot in shelf.orders.indices.reversed() {
        let isDeclared = isDeclared(shelf.orders[slot].index.order, at: path)
        listens.update(slot, of: shelf) { $0.isDeclared = isDeclared }
        listens.dropIfUnused(slot, of: shelf)
      }
      let data = state.root[path]
      for (_, group) in shelf.groups.entries where group.isWhole {
        let order = group.query.effectiveOrder
        guard isDeclared(order, at: path) else { continue }
        if group.query.needsIndex { group.order = takeOrder(order, at: node, path, data) }
        show(group.query, to: group, data)
        changed.append(group)
      }
      changed += enforceOrderBudget(at: shelf, data)
      listens.prune(node)
    }
    return changed
  }
}
