import HearthTree

/// The effect of one operation on one view: its new caches and the changes.
struct ViewUpdate {
  let filter: QueryFilter
  /// The writes of this client at the view's path.
  let writes: WriteView
  /// The server's complete data at the path, when a view at or above the path has it; nil otherwise.
  let ancestorCache: Node?
  var cache: ViewCache
  var orders: ViewOrders
  var changes = ChangeAccumulator()

  /// A location below the view's path.
  typealias ViewLocation = (keys: ArraySlice<Key>, isPriority: Bool)

  mutating func apply(_ operation: SyncOperation) {
    let target: ViewLocation = (operation.keys, operation.isPriority)
    switch (operation.kind, operation.source) {
    case (.overwrite(let node), .user): userOverwrite(target, node)
    case (.merge(let merge), .user): userMerge(target.keys, merge)
    case (.overwrite(let node), .server(let isTagged)):
      if !isTagged, isAhead(target) { return showAhead(target, node) }
      serverOverwrite(target, node, isFiltering: isTagged || cache.server.isFiltered && !operation.isHere)
    case (.merge(let merge), .server(let isTagged)):
      serverMerge(target.keys, merge, isFiltering: isTagged || cache.server.isFiltered, isTagged: isTagged)
    case (.settled(let settled, let isReverted), _):
      if isReverted { revert(target) } else { acknowledge(target, settled) }
    case (.listenComplete, _): listenComplete(target)
    }
  }
}

// MARK: - The server's data

extension ViewUpdate {
  private mutating func serverOverwrite(_ target: ViewLocation, _ node: Node, isFiltering: Bool) {
    let filter = isFiltering ? filter : QueryFilter(Query())
    let old = cache.server
    if target.keys.isEmpty, !target.isPriority {
      cache.server.node = filter.updateFull(old.node, node, nil)
    } else if filter.filters, !old.isFiltered {
      let whole = old.node.overwriting(target.keys, isPriority: target.isPriority, with: node)
      cache.server.node = filter.updateFull(old.node, whole, nil)
    } else if let key = target.keys.first {
      let isDeep = target.keys.count > 1 || target.isPriority
      // A push for another listener, about a location that this view does not know, is ignored.
      if isDeep, !old.isComplete(for: key) { return }
      let child = old.node.child(key).overwriting(target.keys.dropFirst(), isPriority: target.isPriority, with: node)
      cache.server.node = filter.update(old.node, key, child, nil) {
        orders.server.of(old.node, by: filter.order)
      } candidate: { _, _, _ in
        nil
      }
    } else {
      cache.server.node = filter.updatePriority(old.node, node)
    }
    cache.server.isInitialized = old.isInitialized || target.keys.isEmpty && !target.isPriority
    cache.server.isFiltered = filter.filters
    if !target.keys.isEmpty, !isRouteStable(target, [old.node, cache.server.node, cache.event.node]),
      refreshRoute(target)
    {
      return
    }
    refreshEventCache(target, mayRefill: true)
  }

  /// Returns true when a push to another listener brings a new child to a full window, before the message for this
  /// window arrives. When a listen to all data exists, there is no such message.
  private func isAhead(_ target: ViewLocation) -> Bool {
    guard let key = target.keys.first, cache.server.isFiltered, ancestorCache == nil else { return false }
    return filter.isFull(cache.server.node) && cache.server.node.child(key).isEmpty
  }

  /// Shows a new child of a full window at once. The server cache of the window stays unchanged, because the message
  /// for this window assumes that no child has been removed from it.
  private mutating func showAhead(_ target: ViewLocation, _ node: Node) {
    // An incompletely known child is not shown.
    guard let key = target.keys.first, target.keys.count == 1, !target.isPriority else { return }
    var server = cache.server
    server.node = server.node.replacing(key, with: node)
    if let child = writes.completeChild(key, server: server) { updateEvent(key, child, mayRefill: true) }
  }

  private mutating func serverMerge(
    _ keys: ArraySlice<Key>, _ merge: CompoundWrite, isFiltering: Bool, isTagged: Bool = true
  ) {
    // The push belongs to an earlier listen; all data is about to arrive.
    if cache.server.node.isEmpty && !cache.server.isInitialized { return }
    var merge = merge
    for key in keys.reversed() { merge = CompoundWrite(merge, below: key) }
    let known = cache.server
    func put(_ key: Key, _ write: CompoundWrite) {
      let (target, child): (ViewLocation, Node) = (([key], false), write.appliedInOrder(to: known.node.child(key)))
      if !isTagged, isAhead(target) { return showAhead(target, child) }
      serverOverwrite(target, child, isFiltering: isFiltering)
    }
    let children = merge.sortedChildren
    for (key, write) in children where !known.node.child(key).isEmpty { put(key, write) }
    for (key, write) in children where known.node.child(key).isEmpty {
      // A child that is not known must be received with its whole value.
      if write.value != nil || known.isComplete(for: key) { put(key, write) }
    }
    if let priority = merge.priority {
      serverOverwrite(([], true), priority.node, isFiltering: isFiltering)
    } else if !isFiltering, known.node.priority != nil {
      // At the server the node may have been without children in between, even when it is not in the order applied
      // here.
      let priority = merge.appliedInOrder(to: known.node).priorityNode
      if priority != cache.server.node.priorityNode { serverOverwrite(([], true), priority, isFiltering: false) }
    }
  }

  private mutating func listenComplete(_ target: ViewLocation) {
    if target.keys.isEmpty, !target.isPriority { cache.server.isInitialized = true }
    refreshEventCache(target, mayRefill: false)
  }

  /// Returns true when all ancestors of a location have children in all of these versions. A change of the location
  /// then does not affect the ancestors themselves: no leaf gets children, and no node becomes empty or non-empty,
  /// which would affect priorities.
  private func isRouteStable(_ target: ViewLocation, _ nodes: [Node]) -> Bool {
    nodes.allSatisfy { node in
      var node = node
      for key in target.keys {
        guard node.isInterior else { return false }
        node = node.child(key)
      }
      return !target.isPriority || !node.isEmpty
    }
  }

  /// Recomputes the shown data of the child that contains a location, or of all children when there were none. Returns
  /// false when too little is known.
  private mutating func refreshRoute(_ target: ViewLocation) -> Bool {
    let server = cache.server
    guard let key = target.keys.first else { return false }
    if server.isInitialized, !server.node.isInterior || !cache.event.node.isInterior {
      let whole = server.isFiltered ? writes.eventChildren(server: server.node) : writes.eventCache(server: server.node)
      cache.event.node = updateFull(cache.event.node, whole ?? .empty)
      cache.event.isInitialized = true
    } else if server.isComplete(for: key), target.keys.count > 1 || target.isPriority {
      updateEvent(key, writes.completeChild(key, server: server) ?? .empty, mayRefill: true)
    } else {
      return false
    }
    cache.event.isFiltered = filter.filters
    return true
  }

  /// Updates the shown data after the server's data changed at a location.
  private mutating func refreshEventCache(_ target: ViewLocation, mayRefill: Bool) {
    if writes.shadowing(target.keys, isPriority: target.isPriority) != nil { return }
    let (old, server) = (cache.event, cache.server)
    if target.keys.isEmpty, !target.isPriority {
      guard server.isInitialized else { return }
      let whole = server.isFiltered ? writes.eventChildren(server: server.node) : writes.eventCache(server: server.node)
      cache.event.node = updateFull(old.node, whole ?? .empty)
      cache.event.isInitialized = true
    } else if let key = target.keys.first {
      let child: Node?
      if old.isComplete(for: key) {
        let path = Path(Array(target.keys))
        let below = writes.writes.child(at: path)
        let part = server.node[path]
        child = old.node.child(key).overwriting(
          target.keys.dropFirst(), isPriority: target.isPriority,
          with: target.isPriority ? part.priorityNode : below.applied(to: part))
      } else {
        child = writes.completeChild(key, server: server)
      }
      if let child { updateEvent(key, child, mayRefill: mayRefill) }
    } else {
      cache.event.node = filter.updatePriority(old.node, server.node.priorityNode)
    }
    cache.event.isFiltered = filter.filters
  }
}

// MARK: - This client's writes

extension ViewUpdate {
  private mutating func userOverwrite(_ target: ViewLocation, _ node: Node) {
    let old = cache.event
    if target.keys.isEmpty, !target.isPriority {
      cache.event.node = updateFull(old.node, node)
      cache.event.isInitialized = true
      cache.event.isFiltered = filter.filters
    } else if let key = target.keys.first {
      if !isRouteStable(target, [old.node]), refreshRoute(target) { return }
      var child = node
      if target.keys.count > 1 || target.isPriority {
        // A child that is not known completely is not shown.
        child =
          completeChild(key)?.overwriting(target.keys.dropFirst(), isPriority: target.isPriority, with: node) ?? .empty
      }
      if old.node.child(key) == child { return }
      updateEvent(key, child, mayRefill: true)
      cache.event.isFiltered = filter.filters
    } else {
      cache.event.node = filter.updatePriority(old.node, node)
    }
  }

  /// Applies a merge in two passes, so that children are removed from a window before others are added.
  private mutating func userMerge(_ keys: ArraySlice<Key>, _ merge: CompoundWrite) {
    let old = cache.event
    var replacements: [(location: Location, node: Node)] = []
    let path = Path(Array(keys))
    merge.forEachWrite { replacements.append(($0.under(path), $1)) }
    func isKnown(_ location: Location) -> Bool {
      old.isComplete(for: location.path.keys[...], isPriority: location.isPriority)
    }
    for (location, node) in replacements where isKnown(location) {
      userOverwrite((location.path.keys[...], location.isPriority), node)
    }
    for (location, node) in replacements where !isKnown(location) {
      userOverwrite((location.path.keys[...], location.isPriority), node)
    }
  }

  /// Shows the server's data again at the locations of an accepted write.
  private mutating func acknowledge(_ target: ViewLocation, _ settled: CompoundWrite) {
    if writes.shadowing(target.keys, isPriority: target.isPriority) != nil { return }
    let server = cache.server
    var known = CompoundWrite()
    func add(_ location: Location) {
      let keys = target.keys + location.path.keys
      if server.isComplete(for: keys, isPriority: location.isPriority) {
        known.add(location, server.node[Location(path: Path(Array(keys)), isPriority: location.isPriority)])
      } else if let key = keys.first {
        forget(key)
      } else if !location.isPriority, !server.isInitialized {
        for (key, child) in server.node.children { known.add([key], isPriority: false, child) }
      } else if !location.isPriority {
        refreshEventCache(([], false), mayRefill: true)
      }
    }
    if settled.value != nil || target.isPriority {
      add(Location(path: .root, isPriority: target.isPriority))
    } else {
      settled.forEachWrite { location, _ in add(location) }
    }
    if let node = known.value ?? (target.isPriority ? known.priority?.node : nil) {
      serverOverwrite(target, node, isFiltering: server.isFiltered)
    } else if !known.isEmpty {
      serverMerge(target.keys, known, isFiltering: server.isFiltered)
    }
  }

  /// Removes a child from a filtered view when only an accepted or refused write had added it, because the server has
  /// sent the whole view without it.
  private mutating func forget(_ key: Key) {
    guard cache.server.isInitialized, writes.completeChild(key, server: cache.server) == nil else { return }
    updateEvent(key, .empty, mayRefill: true)
  }

  /// Recomputes the shown data after a refused write, from the server's data and the remaining writes.
  private mutating func revert(_ target: ViewLocation) {
    let (old, server) = (cache.event.node, cache.server)
    let isShadowed = writes.shadowing() != nil
    if let key = target.keys.first, !isShadowed, !server.isInitialized || server.node.isInterior && old.isInterior {
      updateEvent(key, writes.completeChild(key, server: server) ?? .empty, mayRefill: true)
    } else {
      // An earlier write of the whole value, or a leaf into which the write added children, becomes visible again.
      let whole = writes.shadowing() ?? server.complete.flatMap { writes.eventCache(server: $0) }
      cache.event.node = updateFull(old, whole ?? writes.eventChildren(server: server.node))
    }
    cache.event.isInitialized = server.isInitialized || writes.shadowing() != nil
    cache.event.isFiltered = filter.filters
  }
}

// MARK: - Shown data

extension ViewUpdate {
  private mutating func updateFull(_ old: Node, _ new: Node) -> Node {
    withUnsafeMutablePointer(to: &changes) { filter.updateFull(old, new, $0) }
  }

  private mutating func updateEvent(_ key: Key, _ child: Node, mayRefill: Bool) {
    let (old, filter) = (cache.event.node, filter)
    let (writes, known) = (writes, knownServer)
    var (orders, changes) = (orders, changes)
    (self.orders, self.changes) = (ViewOrders(), ChangeAccumulator())  // so that nothing is copied
    var candidates: OrderedChildren?
    let new = filter.update(old, key, child, &changes) {
      orders.event.of(old, by: filter.order)
    } candidate: { key, node, isBefore in
      guard mayRefill else { return nil }
      if candidates == nil, let all = writes.eventCache(server: known) {
        candidates = orders.candidates.of(all, by: filter.order)
      }
      return candidates?.neighbour(of: key, node, isBefore: isBefore)
    }
    (self.orders, self.changes) = (orders, changes)
    cache.event.node = new
  }

  /// The server's data, when it is complete for the query. The view's own data is preferred, because that of an
  /// ancestor's view is one operation behind.
  private var knownServer: Node? {
    cache.server.complete ?? ancestorCache ?? (cache.server.isInitialized ? cache.server.node : nil)
  }

  /// Returns a child with this client's writes applied; nil when it is not known completely.
  private func completeChild(_ key: Key) -> Node? {
    if cache.event.isComplete(for: key) { return cache.event.node.child(key) }
    let complete = (cache.server.complete ?? ancestorCache).map {
      CacheNode(node: $0, isInitialized: true, isFiltered: false)
    }
    return writes.completeChild(key, server: complete ?? cache.server)
  }
}
