import HearthTree

/// One query at one path, with its cached data and its registrations.
final class View {
  let spec: QuerySpec
  private let filter: QueryFilter
  private(set) var cache: ViewCache
  private var orders = ViewOrders()
  /// The registrations in the order in which they were added.
  private(set) var registrations: [Registration] = []

  /// - Parameters:
  ///   - server: The known data at the path, not filtered yet.
  ///   - writes: This client's writes there.
  init(_ spec: QuerySpec, server: CacheNode, writes: WriteView) {
    self.spec = spec
    filter = QueryFilter(spec.query)
    let event = server.complete.flatMap { writes.eventCache(server: $0) } ?? writes.shadowing()
    let shown = event ?? writes.eventChildren(server: server.node)
    cache = ViewCache(
      event: CacheNode(
        node: filter.updateFull(.empty, shown, nil), isInitialized: server.isInitialized || event != nil,
        isFiltered: filter.filters),
      server: CacheNode(
        node: server.isFiltered ? filter.updateFull(.empty, server.node, nil) : server.node,
        isInitialized: server.isInitialized, isFiltered: server.isFiltered))
  }

  /// Removes all but the shown children from the server cache, because the server sends only those from now on.
  func narrow() {
    guard filter.filters, !cache.server.isFiltered, cache.server.isInitialized else { return }
    cache.server.node = filter.updateFull(.empty, cache.server.node, nil)
    cache.server.isFiltered = true
  }

  /// Returns the server's data at the given keys below; nil when it is not cached completely. A filtered view knows
  /// only the children that it shows, so a missing child proves nothing.
  func completeServerCache(at keys: ArraySlice<Key>) -> Node? {
    complete(cache.server, at: keys)
  }

  /// Returns the data at the given keys below, with this client's writes applied; nil when it is not known completely.
  func completeEventCache(at keys: ArraySlice<Key>) -> Node? {
    complete(cache.event, at: keys)
  }

  private func complete(_ cache: CacheNode, at keys: ArraySlice<Key>) -> Node? {
    guard cache.isInitialized else { return nil }
    if spec.loadsAllData { return cache.node[Path(Array(keys))] }
    guard let key = keys.first, !cache.node.child(key).isEmpty else { return nil }
    return cache.node[Path(Array(keys))]
  }

  // MARK: Registrations

  func add(_ registration: Registration) { registrations.append(registration) }

  /// Ends one registration.
  func remove(_ id: RegistrationID) -> Bool {
    guard let index = registrations.firstIndex(where: { $0.id == id }) else { return false }
    registrations.remove(at: index)
    return true
  }

  /// Ends all registrations, or only those that receive events.
  func removeAll(keepingSilent: Bool) -> [Registration] {
    let removed = registrations.filter { !keepingSilent || !$0.types.isEmpty }
    registrations.removeAll { !keepingSilent || !$0.types.isEmpty }
    return removed
  }

  // MARK: Events

  /// Returns the events for a new registration: every child, then the value.
  func initialEvents(for registration: Registration) -> [DataEvent] {
    var events: [DataEvent] = []
    func event(_ type: EventTypes, _ key: Key?, _ node: Node, after previous: Key?) {
      events.append(
        DataEvent(
          registration: registration.id, query: spec, type: type, node: node, key: key, previousKey: previous))
    }
    if registration.types.contains(.childAdded) {
      var previous: Key?
      for (key, node) in orders.event.of(cache.event.node, by: filter.order) {
        event(.childAdded, key, node, after: previous)
        previous = key
      }
    }
    if registration.types.contains(.value), cache.event.isInitialized {
      event(.value, nil, cache.event.node, after: nil)
    }
    return events
  }

  /// Applies an operation to the caches, and returns the changes of the shown children.
  func apply(_ operation: SyncOperation, writes: WriteView, ancestorCache: Node?) -> [Change] {
    let old = cache
    var update = ViewUpdate(filter: filter, writes: writes, ancestorCache: ancestorCache, cache: old, orders: orders)
    orders = ViewOrders()
    update.apply(operation)
    (cache, orders) = (update.cache, update.orders)
    var changes = update.changes.list
    if isValueChanged(old.event, hasChanges: !changes.isEmpty) {
      changes.append(Change(type: .value, key: Key(""), node: cache.event.node, old: .empty))
    }
    return changes
  }

  private func isValueChanged(_ old: CacheNode, hasChanges: Bool) -> Bool {
    let new = cache.event
    guard new.isInitialized else { return false }
    if hasChanges || !old.isInitialized { return true }
    return !new.node.isInterior && new.node != old.node || new.node.priority != old.node.priority
  }

  /// Returns the events for changes: removed, added, moved and changed children, then the value; each kind in the order
  /// of the query.
  func events(for changes: [Change]) -> [DataEvent] {
    if changes.isEmpty { return [] }
    let wanted = registrations.reduce(into: EventTypes()) { $0.formUnion($1.types) }
    var events: [DataEvent] = []
    var neighbours = Neighbours(cache.event.node, changesCount: changes.count)
    func previousKey(_ change: Change, _ type: EventTypes) -> Key? {
      if type == .childRemoved || type == .value { return nil }
      return neighbours.before(change) { orders.event.of(cache.event.node, by: filter.order) }
    }
    func add(_ type: EventTypes, _ changes: [Change]) {
      guard wanted.contains(type) else { return }
      let sorted =
        type == .childRemoved || !neighbours.isWalking
        ? changes.sorted { filter.order.compare(($0.key, $0.node), ($1.key, $1.node)) < 0 }
        : neighbours.sorted(changes) { orders.event.of(cache.event.node, by: filter.order) }
      for change in sorted {
        let previous = previousKey(change, type)
        for registration in registrations where registration.types.contains(type) {
          events.append(
            DataEvent(
              registration: registration.id, query: spec, type: type, node: change.node,
              key: type == .value ? nil : change.key, previousKey: previous))
        }
      }
    }
    add(.childRemoved, changes.filter { $0.type == .childRemoved })
    add(.childAdded, changes.filter { $0.type == .childAdded })
    let changed = changes.filter { $0.type == .childChanged }
    add(.childMoved, changed.filter { filter.order.isMoved(from: $0.old, to: $0.node) })
    add(.childChanged, changed)
    add(.value, changes.filter { $0.type == .value })
    return events
  }
}

/// The positions of changed children among all, looked up one by one or, after many changes, in one pass.
private struct Neighbours {
  let isWalking: Bool
  private var ordered: OrderedChildren?
  private var positions: [Key: (number: Int, before: Key?)] = [:]

  init(_ node: Node, changesCount: Int) { isWalking = changesCount > 64 && changesCount > node.childCount / 8 }

  private mutating func prepare(_ order: () -> OrderedChildren) {
    if ordered != nil { return }
    let children = order()
    ordered = children
    guard isWalking else { return }
    positions.reserveCapacity(children.node.childCount)
    var previous: Key?
    for (key, _) in children {
      positions[key] = (positions.count, previous)
      previous = key
    }
  }

  mutating func before(_ change: Change, _ order: () -> OrderedChildren) -> Key? {
    prepare(order)
    if isWalking { return positions[change.key]?.before }
    return ordered?.neighbour(of: change.key, change.node, isBefore: true)?.key
  }

  /// Returns the changes of existing children in the order of the query.
  mutating func sorted(_ changes: [Change], _ order: () -> OrderedChildren) -> [Change] {
    prepare(order)
    return changes.map { (positions[$0.key]?.number ?? 0, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
