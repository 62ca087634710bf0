import HearthTree

/// The manager of a client's store: it tracks the complete queries and their children, and evicts unused data.
final class PersistenceManager: SyncTreeObserver {
  /// The number of data changes between two checks of the store's size.
  static let updatesPerCheck = 1_000
  /// The number of queries without a listener whose data may be stored.
  static let inactiveQueriesMax = 1_000
  /// The minimum fraction of these queries that one pruning removes.
  static let prunedFraction = 0.2

  private var store: (any SyncStore)?
  private let clock: () -> Int64
  private let sizeBytesMax: Int
  private var queries = TrackedQueries()
  private var activeCounts: [QuerySpec: Int] = [:]
  private var nextQueryID = 1
  private var updates = 0
  private var warnings: [String] = []

  init(_ store: any SyncStore, clock: @escaping () -> Int64, sizeBytesMax: Int) {
    self.store = store
    self.clock = clock
    self.sizeBytesMax = sizeBytesMax
  }

  func takeWarnings() -> [String] {
    defer { warnings = [] }
    return warnings
  }

  /// Calls the body with the store. After a failure nothing is stored any more, because incomplete changes would make
  /// the stored state inconsistent.
  private func use<Result>(_ body: (any SyncStore) throws -> Result) -> Result? {
    guard let store else { return nil }
    do { return try body(store) } catch {
      self.store = nil
      warnings.append("The store failed, and nothing more is stored: \(error)")
      return nil
    }
  }

  private func change(_ body: (any SyncStore) throws -> Void) {
    use { store in try store.transaction { try body(store) } }
  }

  // MARK: - Starting

  /// Loads the queries and writes that an earlier client stored, before any listen.
  func load() -> [StoredWrite] {
    let now = clock()
    return use { store in
      for var tracked in try store.trackedQueries() {
        nextQueryID = max(nextQueryID, tracked.id + 1)
        if tracked.isActive {
          tracked.isActive = false
          tracked.lastUseMilliseconds = now
          try store.save(tracked)
        }
        queries[tracked.spec] = tracked
      }
      return try store.writes()
    } ?? []
  }

  // MARK: - Writes

  /// Returns true when both use the same store.
  func isSame(as other: PersistenceManager?) -> Bool { store != nil && store === other?.store }

  func save(_ write: StoredWrite) { change { try $0.save(write) } }

  func removeAllWrites() { change { try $0.removeAllWrites() } }

  /// Removes a write that has its outcome. When it took effect and its locations have no listener, its result is
  /// stored, because the server will not send it.
  ///
  /// - Parameter changes: The written data, each with its location from the root; empty when the write was refused.
  func settle(_ id: Int?, _ changes: [(Location, Node)]) {
    change { store in
      if let id { try store.removeWrite(id) }
      for (location, node) in changes {
        if queries.defaults(above: location.path).contains(where: \.isActive) { continue }
        try store.replaceServerData(at: location, with: node)
        if !location.isPriority { try ensureComplete(location.path, store) }
      }
    }
  }

  // MARK: - Data

  /// Stores the server's new data at a location.
  ///
  /// - Parameter spec: The query with bounds or a limit whose complete result the node is; nil for all data.
  func overwrite(_ location: Location, _ node: Node, of spec: QuerySpec?) {
    change { store in
      if let spec, !spec.loadsAllData {
        for (key, child) in node.children {
          try store.replaceServerData(at: Location(path: spec.path.appending(key)), with: child)
        }
        try setComplete([queries[spec]].compactMap { $0 }, true, store)
      } else {
        try store.replaceServerData(at: location, with: node)
        if !location.isPriority { try setComplete(queries.below(location.path), true, store) }
      }
    }
    checkSize()
  }

  /// Stores new data of the server at several locations, relative to the path.
  ///
  /// - Parameter spec: The query with bounds or a limit that the data belongs to. A child that was removed from its
  ///   result may still exist; its data stays when other queries contain it.
  func merge(_ path: Path, _ changes: [(Location, Node)], of spec: QuerySpec?) {
    change { store in
      for (location, node) in changes {
        let target = location.under(path)
        if let spec, node.isEmpty, try isNeeded(target.path, besides: spec, store) { continue }
        try store.replaceServerData(at: target, with: node)
      }
    }
    checkSize()
  }

  /// Returns true when a child's stored data also belongs to another query that has a listener.
  private func isNeeded(_ path: Path, besides spec: QuerySpec, _ store: any SyncStore) throws -> Bool {
    guard path.count == spec.path.count + 1 else { return false }
    if queries.defaults(above: path).contains(where: \.isActive) { return true }
    if queries.below(path).contains(where: \.isActive) { return true }
    for (depth, key) in path.keys.enumerated() {
      let isFound = try queries.at(path.prefix(depth)).contains { other in
        try other.isActive && other.spec != spec && !other.spec.loadsAllData
          && store.keys(ofQuery: other.id).contains(key)
      }
      if isFound { return true }
    }
    return false
  }

  /// Marks a listen as complete.
  func completed(_ spec: QuerySpec) {
    change { store in
      let tracked = spec.loadsAllData ? queries.below(spec.path) : [queries[spec]].compactMap { $0 }
      try setComplete(tracked, true, store)
    }
  }

  /// Stores the complete result of a one-time read, which then counts as complete, like that of an ended listen.
  func read(_ spec: QuerySpec, _ node: Node) {
    let (spec, now) = (spec.forListening, clock())
    change { store in
      var tracked = queries[spec] ?? self.tracked(spec, isComplete: false)
      if tracked.isActive { return }
      (tracked.isComplete, tracked.lastUseMilliseconds) = (true, now)
      try save(tracked, store)
      guard !spec.loadsAllData else { return }
      for (key, child) in node.children {
        try store.replaceServerData(at: Location(path: spec.path.appending(key)), with: child)
      }
      try store.setKeys(Set(node.children.map(\.key)), ofQuery: tracked.id)
    }
    checkSize()
  }

  /// Removes a denied query and its stored data, except for data that another listened query needs.
  func denied(_ spec: QuerySpec) {
    change { store in
      let isCovered = queries.defaults(above: spec.path).contains { $0.isActive && $0.isComplete }
      if spec.loadsAllData {
        let below = queries.below(spec.path)
        if !isCovered {
          let kept = below.filter { $0.isActive && $0.isComplete && $0.spec.path != spec.path }
          try store.removeServerData(at: spec.path, keeping: kept.map(\.spec.path))
          // A listened query of the same path keeps its result.
          try keepResults(of: below.filter { $0.isActive && $0.spec.path == spec.path }, store)
        }
        try setComplete(below.filter { !$0.isActive }, false, store)
        try setComplete([queries[spec]].compactMap { $0 }, false, store)
      } else if let tracked = queries[spec] {
        var keys = try store.keys(ofQuery: tracked.id)
        for other in queries.at(spec.path) where other.isActive && other.id != tracked.id && !other.spec.loadsAllData {
          keys.subtract(try store.keys(ofQuery: other.id))
        }
        if !isCovered {
          for key in keys.sorted() {
            let path = spec.path.appending(key)
            let kept = queries.below(path).filter { $0.isActive && $0.isComplete }
            try store.removeServerData(at: path, keeping: kept.map(\.spec.path))
          }
        }
        try store.removeTrackedQuery(tracked.id)
        queries[spec] = nil
      }
      if !isCovered {
        try setComplete(queries.defaults(above: spec.path).filter { !$0.isActive }, false, store)
      }
    }
  }

  /// Marks the stored results of queries that still have a listener as incomplete, after data at a path was removed.
  private func keepResults(of tracked: [TrackedQuery], _ store: any SyncStore) throws {
    try setComplete(tracked, false, store)
  }

  // MARK: - Queries

  func began(_ spec: QuerySpec) {
    let spec = spec.forListening
    activeCounts[spec, default: 0] += 1
    setActive(spec, true)
  }

  func ended(_ spec: QuerySpec) {
    let spec = spec.forListening
    let count = (activeCounts[spec] ?? 1) - 1
    activeCounts[spec] = count > 0 ? count : nil
    if count <= 0 { setActive(spec, false) }
  }

  private func setActive(_ spec: QuerySpec, _ isActive: Bool) {
    let now = clock()
    change { store in
      var tracked = queries[spec] ?? self.tracked(spec, isComplete: false)
      if tracked.isActive == isActive, queries[spec] != nil { return }
      tracked.isActive = isActive
      tracked.lastUseMilliseconds = now
      try save(tracked, store)
    }
  }

  func keysSet(of spec: QuerySpec, _ node: Node) {
    guard let tracked = queries[spec] else { return }
    change { try $0.setKeys(Set(node.children.map(\.key)), ofQuery: tracked.id) }
  }

  func keysChanged(of spec: QuerySpec, _ changes: [Change]) {
    let added = Set(changes.filter { $0.type == .childAdded }.map(\.key))
    let removed = Set(changes.filter { $0.type == .childRemoved }.map(\.key))
    guard !(added.isEmpty && removed.isEmpty), let tracked = queries[spec] else { return }
    change { try $0.changeKeys(ofQuery: tracked.id, adding: added, removing: removed) }
  }

  private func tracked(_ spec: QuerySpec, isComplete: Bool) -> TrackedQuery {
    defer { nextQueryID += 1 }
    return TrackedQuery(
      id: nextQueryID, spec: spec, lastUseMilliseconds: clock(), isComplete: isComplete, isActive: false)
  }

  private func save(_ tracked: TrackedQuery, _ store: any SyncStore) throws {
    try store.save(tracked)
    queries[tracked.spec] = tracked
  }

  private func setComplete(_ list: [TrackedQuery], _ isComplete: Bool, _ store: any SyncStore) throws {
    for var tracked in list where tracked.isComplete != isComplete {
      tracked.isComplete = isComplete
      try save(tracked, store)
    }
  }

  private func ensureComplete(_ path: Path, _ store: any SyncStore) throws {
    if isCovered(path) { return }
    try setComplete([queries[QuerySpec(path)] ?? tracked(QuerySpec(path), isComplete: false)], true, store)
  }

  /// Returns true when all data at a path is stored.
  private func isCovered(_ path: Path) -> Bool { queries.defaults(above: path).contains(where: \.isComplete) }

  func storedCache(for spec: QuerySpec) -> CacheNode? {
    use { store in
      let own = spec.loadsAllData ? nil : queries[spec].flatMap { $0.isComplete ? $0 : nil }
      let covering = queries.defaults(above: spec.path).filter(\.isComplete)
      // The data of the covering query may be older than the data that the query itself found.
      let isFresher = covering.contains { cover in
        own.map { cover.isActive || cover.lastUseMilliseconds > $0.lastUseMilliseconds } ?? true
      }
      if isFresher {
        return CacheNode(node: try store.serverData(at: spec.path), isInitialized: true, isFiltered: false)
      }
      if let own {
        let keys = try store.keys(ofQuery: own.id)
        return CacheNode(
          node: try store.serverData(at: spec.path, keys: keys), isInitialized: true, isFiltered: true)
      }
      var keys = Set(queries.completeChildren(of: spec.path))
      for tracked in queries.at(spec.path) where tracked.isComplete && !tracked.spec.loadsAllData {
        keys.formUnion(try store.keys(ofQuery: tracked.id))
      }
      return CacheNode(node: try store.serverData(at: spec.path, keys: keys), isInitialized: false, isFiltered: false)
    }
  }

  // MARK: - Pruning

  private func checkSize() {
    updates += 1
    guard updates > Self.updatesPerCheck else { return }
    updates = 0
    prune()
  }

  /// Removes the least recently used queries until there are few enough and the data is small enough. Queries with a
  /// listener are kept, and so are writes.
  private func prune() {
    while use({ try self.isTooMuch($0) }) == true {
      let inactive = queries.all.filter { !$0.isActive }.sorted {
        ($0.lastUseMilliseconds, $0.id) < ($1.lastUseMilliseconds, $1.id)
      }
      let count = max(
        Int((Double(inactive.count) * Self.prunedFraction).rounded(.up)), inactive.count - Self.inactiveQueriesMax)
      if count <= 0 { return }
      let (gone, kept) = (inactive.prefix(count), inactive.dropFirst(count) + queries.all.filter(\.isActive))
      change { store in
        for tracked in gone {
          // Keeping the data of a query also keeps the data of queries below it.
          if !kept.contains(where: { $0.spec.path.contains(tracked.spec.path) }) {
            let below = kept.map(\.spec.path).filter { tracked.spec.path.contains($0) }
            try store.removeServerData(at: tracked.spec.path, keeping: below)
          }
          try store.removeTrackedQuery(tracked.id)
          queries[tracked.spec] = nil
        }
      }
    }
  }

  private func isTooMuch(_ store: any SyncStore) throws -> Bool {
    if queries.all.count(where: { !$0.isActive }) > Self.inactiveQueriesMax { return true }
    return try store.serverDataSizeBytes() > sizeBytesMax
  }
}
