import HearthTree

/// The events and recipients of a commit: one event for each location with listens that the commit changed, and the
/// changed children of each location with live queries.
///
/// Listens at or above the location of the request share one event with only the change. Listens below it receive their
/// own part, never data from above, which their rules may forbid.
struct FanOut {
  struct Delivery {
    var node: ListenNode
    var event: Event
  }

  /// A location with live queries or indexes, and its change.
  struct QueryChange {
    enum Change {
      /// The whole value was replaced.
      case replaced
      /// Data changed only below these children, each of which is named once.
      case children(ChangesByChild)
    }

    var node: ListenNode
    var change: Change
  }

  /// The changes of a commit by the child of a node that contains them.
  typealias ChangesByChild = DenseTable<Key, [Commit.Change]>

  private let commit: Commit
  private let results: RecentResults
  private(set) var deliveries: [Delivery] = []
  private(set) var queryChanges: [QueryChange] = []

  init(_ commit: Commit, to index: ListenIndex) {
    self.commit = commit
    results = index.results
    var chain: [ListenNode] = []
    var node = index.root
    var isBaseReached = true
    if !node.audience.isEmpty { chain.append(node) }
    for key in commit.base.keys {
      if let locationQueries = node.locationQueries, mayConcern(node, locationQueries, key) {
        addQueryChange(node, within: key)
      }
      guard let child = node.children[key] else {
        isBaseReached = false
        break
      }
      node = child
      if !node.audience.isEmpty { chain.append(node) }
    }
    if !chain.isEmpty {
      let event = sharedEvent()
      for node in chain { deliveries.append(Delivery(node: node, event: event)) }
    }
    guard isBaseReached else { return }
    if node.locationQueries != nil { addQueryChange(atBase: node) }
    if !node.children.isEmpty { goBelow(node) }
  }

  private func sharedEvent() -> Event {
    guard commit.isMerge else {
      let change = commit.changes[0]
      return Event(path: Path(change.location.eventKeys), change: .put(change.node), position: commit.position)
    }
    return merge(at: commit.base, commit.changes[...])
  }

  private func merge(at path: Path, _ changes: ArraySlice<Commit.Change>) -> Event {
    let entries = changes.map { change in
      Event.Entry(path: Path(Array(change.location.eventKeys.dropFirst(path.count))), node: change.node)
    }
    return Event(path: path, change: .merge(entries), position: commit.position)
  }

  private mutating func goBelow(_ node: ListenNode) {
    let (old, new) = (commit.oldRoot[commit.base], commit.newRoot[commit.base])
    if commit.isMerge {
      merge(below: node, commit.changes[...], old, new)
    } else if !commit.changes[0].location.isPriority {
      replace(below: node, old, new)
    }
  }

  /// Adds the replacement of all data at `node`: each listener below it receives the new value at its own location if
  /// that differs.
  private mutating func replace(below node: ListenNode, _ old: Node, _ new: Node) {
    if old.childCount + new.childCount >= node.children.count {
      for (key, child) in node.children.entries { replace(child, old.child(key), new.child(key)) }
    } else {
      // Visits the children of the data, because fewer of them have data than have listens.
      new.forEachDifference(from: old) { key, old, new in
        if let child = node.children[key] { replace(child, old, new) }
      }
    }
  }

  private mutating func replace(_ node: ListenNode, _ old: Node, _ new: Node) {
    if old.isIdentical(to: new) || (old.isEmpty && new.isEmpty) { return }
    if !node.audience.isEmpty || node.locationQueries != nil {
      // Identical nodes are also equal everywhere below.
      guard old != new else { return }
      if !node.audience.isEmpty {
        let event = Event(path: node.path, change: .put(new), position: commit.position)
        deliveries.append(Delivery(node: node, event: event))
      }
      if node.locationQueries != nil { queryChanges.append(QueryChange(node: node, change: .replaced)) }
    }
    replace(below: node, old, new)
  }

  /// Adds the replacement of some locations below `node`: each child of the trie receives its own part.
  private mutating func merge(
    below node: ListenNode, _ changes: ArraySlice<Commit.Change>, _ old: Node, _ new: Node
  ) {
    guard !node.children.isEmpty else { return }
    let depth = node.depth
    let groups = places(in: changes, atDepth: depth) { node.children[$0] != nil }
    for (key, group) in groups.entries {
      guard let child = node.children[key] else { continue }
      let (oldChild, newChild) = (old.child(key), new.child(key))
      let replaced = group.contains { $0.location.path.count == depth + 1 && !$0.location.isPriority }
      if replaced {
        replace(child, oldChild, newChild)
      } else {
        if !child.audience.isEmpty {
          deliveries.append(Delivery(node: child, event: merge(at: child.path, group[...])))
        }
        if child.locationQueries != nil { addQueryChange(child, group[...]) }
        merge(below: child, group[...], oldChild, newChild)
      }
    }
  }
}

// MARK: - Live queries

extension FanOut {
  /// Returns true when a change of the child at `key` may affect a live query or an index of `node`. Most writes to a
  /// node with very many children are outside of all its windows.
  private func mayConcern(_ node: ListenNode, _ locationQueries: LocationQueries, _ key: Key) -> Bool {
    locationQueries.mayConcern(key) || results.isKept(at: node)
  }

  /// Adds the change of the child of `node` that contains the location of the request.
  private mutating func addQueryChange(_ node: ListenNode, within key: Key) {
    var places = ChangesByChild()
    places.set(key, commit.changes)
    queryChanges.append(QueryChange(node: node, change: .children(places)))
  }

  private mutating func addQueryChange(atBase node: ListenNode) {
    if commit.isMerge {
      addQueryChange(node, commit.changes[...])
    } else if !commit.changes[0].location.isPriority {
      queryChanges.append(QueryChange(node: node, change: .replaced))
    }
  }

  /// Adds the changes of some locations below `node`. A change of the node's own priority is not added, because the
  /// result of a query does not contain it.
  private mutating func addQueryChange(_ node: ListenNode, _ changes: ArraySlice<Commit.Change>) {
    guard let locationQueries = node.locationQueries else { return }
    let places = places(in: changes, atDepth: node.depth) { mayConcern(node, locationQueries, $0) }
    if !places.isEmpty { queryChanges.append(QueryChange(node: node, change: .children(places))) }
  }

  private func places(
    in changes: ArraySlice<Commit.Change>, atDepth depth: Int, where isWanted: (Key) -> Bool
  ) -> ChangesByChild {
    var places = ChangesByChild()
    for change in changes where change.location.path.count > depth {
      let key = change.location.path.keys[depth]
      if isWanted(key) { places.update(key, default: []) { $0.append(change) } }
    }
    return places
  }
}
