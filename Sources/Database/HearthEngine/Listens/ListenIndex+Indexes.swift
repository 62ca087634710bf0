import HearthTree

/// The indexes of children at nodes of the trie: the counts of their uses, and their removal.
extension ListenIndex {
  /// Adds an index that is up to date with the newest version of the node.
  mutating func keep(_ index: MaintainedIndex, at node: ListenNode) {
    var index = index
    if indexChanges != nil { index.name = StoredIndexes.Name(node.path, index.index.order) }
    undeclaredEntries += index.charge
    makeLocationQueries(at: node).indexes.append(index)
    note(index)
  }

  /// Records the newest version of an index for the state. Small ones are not stored.
  private mutating func note(_ index: MaintainedIndex) {
    guard let name = index.name else { return }
    indexChanges?.set(index.isWorthKeeping ? index.index : nil, for: name)
  }

  /// Begins to record changes of indexes, with those that exist.
  mutating func recordIndexes() {
    guard indexChanges == nil else { return }
    indexChanges = [:]
    forEachNode { node in
      guard let locationQueries = node.locationQueries else { return }
      for slot in locationQueries.indexes.indices {
        locationQueries.indexes[slot].name = StoredIndexes.Name(node.path, locationQueries.indexes[slot].index.order)
        note(locationQueries.indexes[slot])
      }
    }
  }

  /// Returns the changes of stored indexes since the last call.
  mutating func takeIndexChanges() -> [StoredIndexes.Name: ChildIndex?] {
    guard let changes = indexChanges, !changes.isEmpty else { return [:] }
    indexChanges = [:]
    return changes
  }

  /// Replaces an index by an equal one, of which other pages are in memory or stored.
  func replace(_ name: StoredIndexes.Name, with index: ChildIndex) {
    guard let locationQueries = node(at: name.path)?.locationQueries, let slot = locationQueries.slot(of: name.order)
    else { return }
    locationQueries.indexes[slot].index = index
  }

  /// Changes an index, and the memory budget with it.
  mutating func update(_ slot: Int, of locationQueries: LocationQueries, _ change: (inout MaintainedIndex) -> Void) {
    undeclaredEntries -= locationQueries.indexes[slot].charge
    change(&locationQueries.indexes[slot])
    undeclaredEntries += locationQueries.indexes[slot].charge
    note(locationQueries.indexes[slot])
  }

  /// Removes an index.
  mutating func drop(_ slot: Int, of locationQueries: LocationQueries) {
    let index = locationQueries.indexes.remove(at: slot)
    undeclaredEntries -= index.charge
    if let name = index.name { indexChanges?.set(nil, for: name) }
  }

  /// Releases a live query's use of its index. An index that no query uses is removed, unless it is declared and has
  /// many children.
  mutating func releaseIndex(of group: QueryGroup) {
    guard let order = group.order, let locationQueries = group.node.locationQueries,
      let slot = locationQueries.slot(of: order)
    else { return }
    group.order = nil
    locationQueries.indexes[slot].useCount -= 1
    dropIfUnused(slot, of: locationQueries)
  }

  /// Removes an index that no query uses and that is not worth keeping.
  ///
  /// - Returns: True when it was removed.
  @discardableResult
  mutating func dropIfUnused(_ slot: Int, of locationQueries: LocationQueries) -> Bool {
    let index = locationQueries.indexes[slot]
    guard index.useCount == 0, !index.isDeclared || !index.isWorthKeeping else { return false }
    drop(slot, of: locationQueries)
    return true
  }

  /// Removes what a command has made at a location for a result that is not used: its groups without listens, its
  /// indexes that no query uses, and its recent results.
  mutating func dropUnused(at path: Path) {
    guard let node = node(at: path), let locationQueries = node.locationQueries else { return }
    for (_, group) in locationQueries.groups.entries {
      results.forget(group)
      closeIfUnused(group)
    }
    for slot in locationQueries.indexes.indices.reversed() where locationQueries.indexes[slot].useCount == 0 {
      drop(slot, of: locationQueries)
    }
    prune(node)
  }

  /// Ends a group without listens.
  ///
  /// - Parameter prunes: True to remove the node as well when it is unused.
  mutating func closeIfUnused(_ group: QueryGroup, pruning prunes: Bool = false) {
    guard group.audience.isEmpty else { return }
    releaseIndex(of: group)
    results.forget(group)
    group.node.locationQueries?.groups.remove(group.query)
    if prunes { prune(group.node) }
  }
}

extension ListenIndex {
  /// Removes the indexes that no query uses, and builds the pages of the others anew.
  ///
  /// - Returns: False when the pages of an index cannot be read; that index has not changed.
  mutating func renewIndexes() -> Bool {
    var isComplete = true
    var nodes: [ListenNode] = []
    forEachNode { if $0.locationQueries?.indexes.isEmpty == false { nodes.append($0) } }
    for node in nodes {
      guard let locationQueries = node.locationQueries else { continue }
      for slot in locationQueries.indexes.indices.reversed() {
        if locationQueries.indexes[slot].useCount == 0 {
          drop(slot, of: locationQueries)
        } else {
          var renewed = locationQueries.indexes[slot].index
          let faults = FaultScope.run(.install) { renewed.rebuildEntries() }.faults
          isComplete = isComplete && !faults.isIncomplete
          if !faults.isIncomplete { update(slot, of: locationQueries) { $0.index = renewed } }
        }
      }
      prune(node)
    }
    return isComplete
  }

  /// The most nodes that are searched for live queries before a large write is decided.
  private static let nodesVisitedMax = 10_000

  /// Returns the sort orders that live queries need at and below a location, for a limited number of nodes.
  func neededOrders(below path: Path) -> [(path: Path, order: Query.Order)] {
    guard let top = node(at: path) else { return [] }
    var (open, found, visitedCount) = ([top], [(path: Path, order: Query.Order)](), 0)
    while let node = open.popLast(), visitedCount < Self.nodesVisitedMax {
      visitedCount += 1
      if let locationQueries = node.locationQueries {
        let path = node.path
        for kept in locationQueries.indexes where kept.useCount > 0 { found.append((path, kept.index.order)) }
      }
      for (_, child) in node.children.entries { open.append(child) }
    }
    return found
  }
}
