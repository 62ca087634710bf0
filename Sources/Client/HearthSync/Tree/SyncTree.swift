import HearthTree

/// The listens of a client, the cached data for them, and its writes. It takes operations, and returns events and
/// changes of listens.
package final class SyncTree {
  let root = SyncPoint()
  var writes = WriteTree()

  private var tags: [QuerySpec: Int] = [:]
  private var specsByTag: [Int: QuerySpec] = [:]
  private var lastTag = 0

  /// The listens to begin or end since they were last taken.
  private var listenChanges: [ListenChange] = []

  /// The observer of the creation and removal of views, which also supplies stored data for a new view.
  weak var observer: (any SyncTreeObserver)?

  /// Creates a tree without listeners or data.
  package init() {}

  /// Removes and returns the listens to begin or end.
  package func takeListenChanges() -> [ListenChange] {
    defer { listenChanges = [] }
    return listenChanges
  }

  // MARK: - Operations

  /// Applies an operation to all affected views, those at deeper paths first, and returns the events.
  func apply(_ operation: SyncOperation) -> [DataEvent] {
    var events: [DataEvent] = []
    apply(operation, at: root, path: .root, ancestorCache: nil, writes: WriteView(writes.visible), &events)
    return events
  }

  /// Applies an operation at a point and below, recursively to the depth of the listens.
  private func apply(
    _ operation: SyncOperation, at point: SyncPoint, path: Path, ancestorCache: Node?, writes: WriteView,
    _ events: inout [DataEvent]
  ) {
    // The first complete view on the path supplies data for the views below it.
    let ancestorCache = ancestorCache ?? point.completeServerCache()
    func descend(_ key: Key, _ child: SyncPoint) {
      guard let operation = operation.child(key) else { return }
      apply(
        operation, at: child, path: path.appending(key), ancestorCache: ancestorCache?.child(key),
        writes: writes.child(key), &events)
    }
    if let key = operation.keys.first {
      if let child = point.children[key] { descend(key, child) }
    } else if let keys = operation.concerned, keys.count < point.children.count {
      for key in keys { if let child = point.children[key] { descend(key, child) } }
    } else if !operation.isPriority {
      for (key, child) in point.sortedChildren { descend(key, child) }
    }
    for view in point.views { apply(operation, to: view, writes: writes, ancestorCache: ancestorCache, &events) }
  }

  private func apply(
    _ operation: SyncOperation, to view: View, writes: WriteView, ancestorCache: Node?, _ events: inout [DataEvent]
  ) {
    let changes = view.apply(operation, writes: writes, ancestorCache: ancestorCache)
    if !view.spec.loadsAllData { observer?.keysChanged(of: view.spec, changes) }
    events += view.events(for: changes)
  }

  /// Applies an operation to the view of a tag; the location is relative to the root. An unknown tag belongs to a
  /// listen that has ended.
  func apply(_ kind: SyncOperation.Kind, at location: Location, tag: Int) -> [DataEvent] {
    guard let spec = specsByTag[tag], let relative = spec.path.relative(location.path),
      let view = root.point(at: spec.path.keys[...])?.view(spec.query)
    else { return [] }
    var events: [DataEvent] = []
    let operation = SyncOperation(.server(isTagged: true), at: relative, isPriority: location.isPriority, kind)
    apply(operation, to: view, writes: WriteView(writes.visible.child(at: spec.path)), ancestorCache: nil, &events)
    return events
  }

  // MARK: - Registrations

  /// Adds a registration and returns its initial events.
  package func add(_ registration: Registration, to spec: QuerySpec) -> [DataEvent] {
    let isCovered = hasCompleteView(onTheWayTo: spec.path)
    let point = root.makePoint(at: spec.path.keys[...])
    if let view = point.view(spec.query) {
      view.add(registration)
      return view.initialEvents(for: registration)
    }
    // Reads the stored data before the listen begins, so that it is the data of earlier listens.
    let known = serverCache(for: spec)
    observer?.began(spec)
    if !spec.loadsAllData {
      lastTag += 1
      tags[spec] = lastTag
      specsByTag[lastTag] = spec
    }
    let view = View(spec, server: known, writes: WriteView(writes.visible.child(at: spec.path)))
    if !spec.loadsAllData { observer?.keysSet(of: spec, view.cache.event.node) }
    point.add(view)
    view.add(registration)
    let events = view.initialEvents(for: registration)
    if !isCovered { startListening(view, point) }
    return events
  }

  /// Ends one registration of a query; for a query without parameters, in any view at that path.
  package func remove(_ id: RegistrationID, from spec: QuerySpec) {
    end(spec) { $0.remove(id) ? [] : nil }
  }

  /// Ends all registrations of a query that receive events; for a query without parameters, those of all views at that
  /// path.
  func removeAll(from spec: QuerySpec) {
    end(spec) { $0.removeAll(keepingSilent: true) }
  }

  /// Ends all registrations of a query that the server denies.
  func cancel(_ spec: QuerySpec, _ failure: SyncFailure) -> [ListenCancellation] {
    end(spec, isDenied: true) { $0.removeAll(keepingSilent: false) }.map {
      ListenCancellation(registration: $0.registration.id, query: $0.spec, failure: failure)
    }
  }

  /// Ends registrations, and views that have none left.
  ///
  /// - Parameter isDenied: True when the server has ended the listen already.
  @discardableResult
  private func end(
    _ spec: QuerySpec, isDenied: Bool = false, _ remove: (View) -> [Registration]?
  ) -> [(registration: Registration, spec: QuerySpec)] {
    guard let point = root.point(at: spec.path.keys[...]) else { return [] }
    // One listen of all data serves every order.
    let ended =
      spec.isDefault
      ? point.views
      : isDenied && spec.loadsAllData
        ? point.views.filter { $0.spec.loadsAllData } : point.view(spec.query).map { [$0] } ?? []
    let hadCompleteView = point.completeView != nil
    var registrations: [(registration: Registration, spec: QuerySpec)] = []
    var gone: [View] = []
    for view in ended {
      guard let removed = remove(view) else { continue }
      registrations += removed.map { ($0, view.spec) }
      if view.registrations.isEmpty {
        point.remove(view)
        gone.append(view)
      }
    }
    let isCovered = hasCompleteView(onTheWayTo: spec.path)
    let lostComplete = hadCompleteView && point.completeView == nil
    if lostComplete && !isCovered {
      for view in Self.distinctViews(point) { start(view) }
    }
    if !isCovered && !isDenied {
      // One listen to all data serves all complete views. While it lasted, the views with bounds or a limit at its path
      // had no listens of their own.
      if lostComplete {
        stop(QuerySpec(spec.path))
      } else if !hadCompleteView {
        for view in gone { stop(view.spec) }
      }
    }
    for view in gone {
      observer?.ended(view.spec)
      if let tag = tags.removeValue(forKey: view.spec) { specsByTag[tag] = nil }
    }
    root.prune(at: spec.path.keys[...])
    return registrations
  }

  // MARK: - Listens

  private func start(_ view: View) {
    view.narrow()
    let spec = view.spec
    listenChanges.append(.start(spec.forListening, tag: tags[spec]))
  }

  private func stop(_ spec: QuerySpec) { listenChanges.append(.stop(spec.forListening, tag: tags[spec])) }

  /// Begins a listen, and ends the listens that are no longer needed because of it.
  private func startListening(_ view: View, _ point: SyncPoint) {
    start(view)
    guard view.spec.loadsAllData else { return }
    for view in point.filteredViews { stop(view.spec) }
    for (_, child) in point.sortedChildren {
      for view in Self.distinctViews(child) { stop(view.spec) }
    }
  }

  /// Returns the views at a point and below that each need a listen when no view above has one.
  private static func distinctViews(_ point: SyncPoint) -> [View] {
    if let view = point.completeView { return [view] }
    return point.sortedChildren.reduce(into: point.views) { $0 += distinctViews($1.point) }
  }

  /// The listens that the server has to know.
  var listens: [(spec: QuerySpec, tag: Int?)] {
    Self.distinctViews(root).map { ($0.spec.forListening, tags[$0.spec]) }
  }

  /// The queries with a listener.
  var allSpecs: [QuerySpec] {
    func collect(_ point: SyncPoint) -> [QuerySpec] {
      point.views.map(\.spec) + point.sortedChildren.flatMap { collect($0.point) }
    }
    return collect(root)
  }

  /// Returns the query of a tag; nil when its listen has ended.
  func spec(of tag: Int) -> QuerySpec? { specsByTag[tag] }

  /// Returns the tag of a listen; nil when the query loads all data.
  func tag(of spec: QuerySpec) -> Int? { tags[spec] }

  /// Returns the server's data cached for a listen.
  func serverNode(ofListen spec: QuerySpec) -> Node? {
    let point = root.point(at: spec.path.keys[...])
    return (spec.loadsAllData ? point?.completeView : point?.view(spec.query))?.cache.server.node
  }

  // MARK: - Cached data

  private func hasCompleteView(onTheWayTo path: Path) -> Bool {
    var point = root
    if point.completeView != nil { return true }
    for key in path.keys {
      guard let child = point.children[key] else { return false }
      point = child
      if point.completeView != nil { return true }
    }
    return false
  }

  /// Calls `body` for each point from the root to a path, with the remaining keys, until it returns a result.
  private func firstOnTheWay<Result>(
    to path: Path, _ body: (SyncPoint, ArraySlice<Key>) -> Result?
  ) -> Result? {
    var point = root
    var keys = path.keys[...]
    while true {
      if let result = body(point, keys) { return result }
      guard let key = keys.first, let child = point.children[key] else { return nil }
      point = child
      keys = keys.dropFirst()
    }
  }

  /// Returns the server's data at a path; nil when it is not cached completely.
  func completeServerCache(at path: Path) -> Node? {
    firstOnTheWay(to: path) { $0.completeServerCache(at: $1) }
  }

  /// Returns the data shown at a path; nil when it is not known completely.
  func completeEventCache(at path: Path) -> Node? {
    WriteView(writes.visible.child(at: path)).eventCache(server: completeServerCache(at: path))
  }

  /// Returns the filtered data shown for a query; nil when it is not known completely.
  func completeEventCache(of spec: QuerySpec) -> Node? {
    if let node = completeEventCache(at: spec.path) {
      return spec.loadsAllData ? node : QueryResult(spec.query, of: node).node
    }
    guard let view = root.point(at: spec.path.keys[...])?.view(spec.query), view.cache.event.isInitialized else {
      return nil
    }
    return view.cache.event.node
  }

  /// Returns a path's state with all writes of this client, hidden ones included, applied to the known or stored data.
  /// The node is empty when nothing is known.
  func latestState(at path: Path, excluding excluded: Set<Int> = []) -> Node {
    let server = completeServerCache(at: path) ?? observer?.storedCache(for: QuerySpec(path))?.complete
    return writes.eventCache(at: path, server: server ?? .empty, hidden: true, excluding: excluded) ?? .empty
  }

  /// Returns the initial data of a new view.
  private func serverCache(for spec: QuerySpec) -> CacheNode {
    if let node = completeServerCache(at: spec.path) {
      return CacheNode(node: node, isInitialized: true, isFiltered: false)
    }
    let stored = observer?.storedCache(for: spec)
    if let stored, stored.isInitialized { return stored }
    var node = stored?.node ?? .empty
    if let point = root.point(at: spec.path.keys[...]) {
      let known = point.sortedChildren.compactMap { key, child in
        child.completeServerCache().map { (path: Path([key]), node: $0) }
      }
      node = node.replacing(known)
    }
    return CacheNode(node: node, isInitialized: false, isFiltered: false)
  }
}

/// The observer of a tree, which stores its data.
protocol SyncTreeObserver: AnyObject {
  /// Returns a query's stored data: everything, or some children; nil when there is none.
  func storedCache(for spec: QuerySpec) -> CacheNode?
  /// Notes the first listener of a query.
  func began(_ spec: QuerySpec)
  /// Notes that a query has lost its last listener.
  func ended(_ spec: QuerySpec)
  /// Stores the children that a filtered query shows.
  func keysSet(of spec: QuerySpec, _ node: Node)
  /// Stores changes of the children that a filtered query shows.
  func keysChanged(of spec: QuerySpec, _ changes: [Change])
}
