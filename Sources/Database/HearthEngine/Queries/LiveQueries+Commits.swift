import HearthRules
import HearthTree

/// Updates of windows and indexes for commits.
extension LiveQueries {
  /// Updates the indexes of a location for a commit, then its live queries.
  mutating func follow(
    _ queryChange: FanOut.QueryChange, of commit: Commit, _ rules: RuleSet, _ listens: inout ListenIndex
  ) -> Outcome {
    guard let locationQueries = queryChange.node.locationQueries else { return Outcome() }
    let place = Place(locationQueries: locationQueries, node: queryChange.node, commit)
    switch queryChange.change {
    case .replaced: return replace(place, rules, &listens)
    case .children(let children): return move(place, children, &listens)
    }
  }

  /// A location with live queries that a commit changes.
  private struct Place {
    let locationQueries: LocationQueries
    let node: ListenNode
    let path: Path
    let (old, new): (Node, Node)
    let position: Int64

    init(locationQueries: LocationQueries, node: ListenNode, _ commit: Commit) {
      (self.locationQueries, self.node, path, position) = (locationQueries, node, node.path, commit.position)
      (old, new) = (commit.oldRoot[path], commit.newRoot[path])
    }
  }

  /// Updates live queries after some children changed.
  private mutating func move(
    _ place: Place, _ children: FanOut.ChangesByChild, _ listens: inout ListenIndex
  ) -> Outcome {
    let (locationQueries, new) = (place.locationQueries, place.new)
    let changes = children.entries.map { entry in
      QueryWindow.ChildChange(key: entry.name, old: place.old.child(entry.name), new: new.child(entry.name))
    }
    if isDeferred(locationQueries) {
      let version = QueryBacklog.Version(
        node: place.old, indexes: locationQueries.indexes, keys: children.entries.map(\.name))
      note(version, at: place.node, locationQueries)
    }
    let isWorthKeeping = new.childCount >= limits.indexedChildrenMin
    for slot in locationQueries.indexes.indices.reversed() where !faults.contains(.staleOrder) {
      let failedBefore = FaultCounts.current.failed
      listens.update(slot, of: locationQueries) { order in
        order.index.apply(changes, node: new, cost: &cost)
        order.isWorthKeeping = isWorthKeeping
      }
      let failedCount = FaultCounts.current.failed &- failedBefore
      if failedCount > 0, locationQueries.indexes[slot].useCount == 0 {
        // It is built again when it is needed.
        unreadIndexCount += failedCount
        listens.drop(slot, of: locationQueries)
      } else {
        listens.dropIfUnused(slot, of: locationQueries)
      }
    }
    var outcome = Outcome(degraded: enforceIndexBudget(at: locationQueries, new, &listens))
    guard locationQueries.backlog.isEmpty else { return outcome }
    for (_, group) in locationQueries.groups.entries where !group.audience.isEmpty && !outcome.degraded.contains(group)
    {
      listens.results.forget(group)
      let index = group.order.flatMap { locationQueries.index(by: $0) }
      let steps = faults.applied(to: group.window.apply(changes, node: new, index: index, cost: &cost))
      if let event = event(of: steps, at: place, children) { outcome.events.append((group, event)) }
    }
    return outcome
  }

  /// Updates live queries after the whole value was replaced: indexes are built anew if a live query needs them, and
  /// groups with a different result receive all of it.
  private mutating func replace(_ place: Place, _ rules: RuleSet, _ listens: inout ListenIndex) -> Outcome {
    guard !faults.contains(.noReplacement) else { return Outcome() }
    let (locationQueries, old, new) = (place.locationQueries, place.old, place.new)
    let isWorthKeeping = new.childCount >= limits.indexedChildrenMin
    let oldIndexes = locationQueries.indexes
    if isDeferred(locationQueries, from: old, to: new) {
      note(QueryBacklog.Version(node: old, indexes: oldIndexes, keys: nil), at: place.node, locationQueries)
    }
    for slot in locationQueries.indexes.indices.reversed() {
      guard locationQueries.indexes[slot].useCount > 0 else {
        listens.drop(slot, of: locationQueries)
        continue
      }
      let index = newIndex(of: new, by: locationQueries.indexes[slot].index.order, at: place.path)
      listens.update(slot, of: locationQueries) { order in
        order.index = index
        order.isWorthKeeping = isWorthKeeping
      }
    }
    var outcome = Outcome(degraded: enforceIndexBudget(at: locationQueries, new, &listens))
    guard locationQueries.backlog.isEmpty else { return outcome }
    for (_, group) in locationQueries.groups.entries where !group.audience.isEmpty && !outcome.degraded.contains(group)
    {
      let query = group.shownQuery
      let index = locationQueries.index(by: query.effectiveOrder)
      listens.results.forget(group)
      group.window = QueryWindow(query, of: new, index: index, cost: &cost)
      let oldIndex = oldIndexes.first { $0.index.order == query.effectiveOrder }?.index
      guard isDifferent(query, old, oldIndex, new, index) else { continue }
      let result = result(of: group, at: place.path, new, rules, &listens)
      outcome.events.append((group, Event(path: place.path, change: .put(result), position: place.position)))
    }
    return outcome
  }

  /// Returns true when a query's result has changed. No result is built when either result is known to be empty.
  mutating func isDifferent(
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

  /// Returns one event for all changes in a window, or nil when there are none.
  private func event(
    of steps: [QueryWindow.Step], at place: Place, _ children: FanOut.ChangesByChild
  ) -> Event? {
    let path = place.path
    var entries: [Event.Entry] = []
    for step in steps {
      switch step {
      case .left(let key): entries.append(Event.Entry(path: Path([key]), node: .empty))
      case .entered(let key): entries.append(Event.Entry(path: Path([key]), node: place.new.child(key)))
      case .stayed(let key):
        for change in children[key] ?? [] {
          entries.append(
            Event.Entry(path: Path(Array(change.location.eventKeys.dropFirst(path.count))), node: change.node))
        }
      }
    }
    guard let first = entries.first else { return nil }
    if case .stayed? = steps.first, entries.count == 1 {
      return Event(path: path.appending(first.path), change: .put(first.node), position: place.position)
    }
    return Event(path: path, change: .merge(entries), position: place.position)
  }
}
