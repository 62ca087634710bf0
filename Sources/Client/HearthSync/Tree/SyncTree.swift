import HearthTree

/// All that is listened to, what is held of it, and this client's writes: operations in, events and listens out.
package final class SyncTree {
  let root = SyncPoint()
  var writes = WriteTree()

  private var tags: [QuerySpec: Int] = [:]
  private var specsByTag: [Int: QuerySpec] = [:]
  private var lastTag = 0

  /// What the server is to be asked since this was last taken.
  private var listenChanges: [ListenChange] = []

  /// What a view is made of when nobody else has it, and who is told of what happens to views.
  weak var observer: (any SyncTreeObserver)?

  /// Nobody listens, and nothing is known.
  package init() {}

  /// What the server is to be asked since this was last called.
  package func takeListenChanges() -> [ListenChange] {
    defer { listenChanges = [] }
    return listenChanges
  }

  // MARK: - What happens

  /// Applies an operation to all views that it concerns, deeper ones first; the events.
  func apply(_ operation: Operation) -> [DataEvent] {
    var events: [DataEvent] = []
    apply(operation, at: root, path: .root, lent: nil, writes: WriteView(writes.visible), &events)
    return events
  }

  /// Recursion as deep as listens are.
  private func apply(
    _ operation: Operation, at point: SyncPoint, path: Path, lent: Node?, writes: WriteView, _ events: inout [DataEvent]
  ) {
    // the first on the way down that has everything lends it to those below
    let lent = lent ?? point.completeServerCache()
    func descend(_ key: Key, _ child: SyncPoint) {
      guard let operation = operation.child(key) else { return }
      apply(
        operation, at: child, path: path.appending(key), lent: lent?.child(key), writes: writes.child(key), &events)
    }
    if let key = operation.keys.first {
      if let child = point.children[key] { descend(key, child) }
    } else if let keys = operation.concerned, keys.count < point.children.count {
      for key in keys { if let child = point.children[key] { descend(key, child) } }
    } else if !operation.isPriority {
      for (key, child) in point.sortedChildren { descend(key, child) }
    }
    for view in point.views { apply(operation, to: view, writes: writes, lent: lent, &events) }
  }

  private func apply(
    _ operation: Operation, to view: View, writes: WriteView, lent: Node?, _ events: inout [DataEvent]
  ) {
    let changes = view.apply(operation, writes: writes, lent: lent)
    if !view.spec.loadsAllData { observer?.keysChanged(of: view.spec, changes) }
    events += view.events(for: changes)
  }

  /// Applies an operation to the one view that a tag names; its place is from the root. An unknown tag is a listen's that
  /// has ended.
  func apply(_ kind: Operation.Kind, at location: Location, tag: Int) -> [DataEvent] {
    guard let spec = specsByTag[tag], let relative = spec.path.relative(location.path),
      let view = root.found(at: spec.path.keys[...])?.view(spec.query)
    else { return [] }
    var events: [DataEvent] = []
    let operation = Operation(.server(isTagged: true), at: relative, isPriority: location.isPriority, kind)
    apply(operation, to: view, writes: WriteView(writes.visible.child(at: spec.path)), lent: nil, &events)
    return events
  }

  // MARK: - Registrations

  /// Adds a registration; the events that it is told at once.
  package func add(_ registration: Registration, to spec: QuerySpec) -> [DataEvent] {
    let isCovered = hasCompleteView(onTheWayTo: spec.path)
    let point = root.made(at: spec.path.keys[...])
    if let view = point.view(spec.query) {
      view.add(registration)
      return view.initialEvents(for: registration)
    }
    // before anybody listens, what is stored is what was stored before
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

  /// Ends one registration of a query; of a default query wherever it is at that place.
  package func remove(_ id: RegistrationID, from spec: QuerySpec) {
    end(spec) { $0.remove(id) ? [] : nil }
  }

  /// Ends all registrations of a query that are told anything; of a default query all at that place.
  func removeAll(from spec: QuerySpec) {
    end(spec) { $0.removeAll(keepingSilent: true) }
  }

  /// Ends all registrations of what the server denies.
  func cancel(_ spec: QuerySpec, _ failure: Failure) -> [Cancellation] {
    end(spec, isDenied: true) { $0.removeAll(keepingSilent: false) }.map {
      Cancellation(registration: $0.registration.id, query: $0.spec, failure: failure)
    }
  }

  /// Ends registrations, and the views that are left without any.
  ///
  /// - Parameter isDenied: the server has ended the listen already.
  @discardableResult
  private func end(
    _ spec: QuerySpec, isDenied: Bool = false, _ remove: (View) -> [Registration]?
  ) -> [(registration: Registration, spec: QuerySpec)] {
    guard let point = root.found(at: spec.path.keys[...]) else { return [] }
    // A listen of everything is one, in whatever orders it is shown.
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
      // one listen of everything serves all complete views; while it ran, filtered ones of its place had none
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

  /// Listens, and ends the listens that it makes superfluous.
  private func startListening(_ view: View, _ point: SyncPoint) {
    start(view)
    guard view.spec.loadsAllData else { return }
    for view in point.filteredViews { stop(view.spec) }
    for (_, child) in point.sortedChildren {
      for view in Self.distinctViews(child) { stop(view.spec) }
    }
  }

  /// The views at a place and below that need a listen each when none above has one.
  private static func distinctViews(_ point: SyncPoint) -> [View] {
    if let view = point.completeView { return [view] }
    return point.sortedChildren.reduce(into: point.views) { $0 += distinctViews($1.point) }
  }

  /// Every listen that the server has to know of, and whether what is held for it is complete.
  var listens: [(spec: QuerySpec, tag: Int?)] {
    Self.distinctViews(root).map { ($0.spec.forListening, tags[$0.spec]) }
  }

  /// Every query that somebody listens to.
  var allSpecs: [QuerySpec] {
    func collect(_ point: SyncPoint) -> [QuerySpec] {
      point.views.map(\.spec) + point.sortedChildren.flatMap { collect($0.point) }
    }
    return collect(root)
  }

  /// The query that a tag stands for.
  func spec(of tag: Int) -> QuerySpec? { specsByTag[tag] }

  /// The tag of a listen.
  func tag(of spec: QuerySpec) -> Int? { tags[spec] }

  /// What is held of what the server said of a listen.
  func serverNode(ofListen spec: QuerySpec) -> Node? {
    let point = root.found(at: spec.path.keys[...])
    return (spec.loadsAllData ? point?.completeView : point?.view(spec.query))?.cache.server.node
  }

  // MARK: - What is known

  private func hasCompleteView(onTheWayTo path: Path) -> Bool {
    var place = root
    if place.completeView != nil { return true }
    for key in path.keys {
      guard let child = place.children[key] else { return false }
      place = child
      if place.completeView != nil { return true }
    }
    return false
  }

  /// Calls `body` for each place from the root down to a path, with the keys that are left, until it has an answer.
  private func firstOnTheWay<Result>(
    to path: Path, _ body: (SyncPoint, ArraySlice<Key>) -> Result?
  ) -> Result? {
    var place = root
    var keys = path.keys[...]
    while true {
      if let result = body(place, keys) { return result }
      guard let key = keys.first, let child = place.children[key] else { return nil }
      place = child
      keys = keys.dropFirst()
    }
  }

  /// What the server said of a place, when all of it is held.
  func completeServerCache(at path: Path) -> Node? {
    firstOnTheWay(to: path) { $0.completeServerCache(at: $1) }
  }

  /// What is shown of a place, when all of it is known.
  func completeEventCache(at path: Path) -> Node? {
    WriteView(writes.visible.child(at: path)).eventCache(server: completeServerCache(at: path))
  }

  /// What is shown of a query, when all of that is known; already filtered.
  func completeEventCache(of spec: QuerySpec) -> Node? {
    if let node = completeEventCache(at: spec.path) {
      return spec.loadsAllData ? node : QueryResult(spec.query, of: node).node
    }
    guard let view = root.found(at: spec.path.keys[...])?.view(spec.query), view.cache.event.isInitialized else {
      return nil
    }
    return view.cache.event.node
  }

  /// What a place is with all of this client's writes, also those that nobody sees, laid over what is known or was stored.
  /// Nothing where nothing is known.
  func latestState(at path: Path, excluding excluded: Set<Int> = []) -> Node {
    let server = completeServerCache(at: path) ?? observer?.storedCache(for: QuerySpec(path))?.complete
    return writes.eventCache(at: path, server: server ?? .empty, hidden: true, excluding: excluded) ?? .empty
  }

  /// What a new view can begin with.
  private func serverCache(for spec: QuerySpec) -> CacheNode {
    if let node = completeServerCache(at: spec.path) {
      return CacheNode(node: node, isInitialized: true, isFiltered: false)
    }
    let stored = observer?.storedCache(for: spec)
    if let stored, stored.isInitialized { return stored }
    var node = stored?.node ?? .empty
    if let point = root.found(at: spec.path.keys[...]) {
      let known = point.sortedChildren.compactMap { key, child in
        child.completeServerCache().map { (path: Path([key]), node: $0) }
      }
      node = node.replacing(known)
    }
    return CacheNode(node: node, isInitialized: false, isFiltered: false)
  }
}

/// Who stores what a tree holds.
protocol SyncTreeObserver: AnyObject {
  /// What was stored of a query: everything, or some children.
  func storedCache(for spec: QuerySpec) -> CacheNode?
  /// Somebody listens to a query.
  func began(_ spec: QuerySpec)
  /// Nobody does any more.
  func ended(_ spec: QuerySpec)
  /// A filtered query shows these children.
  func keysSet(of spec: QuerySpec, _ node: Node)
  /// What a filtered query shows is different.
  func keysChanged(of spec: QuerySpec, _ changes: [Change])
}
