import HearthTree

/// A clock that evicts stored pages from a database's data and sessions.
///
/// Indexes are not stored, so that nothing of them can be evicted; they have no children of the data.
package struct StateEvictor: Sendable {
  private var root: PageEvictor
  private var sessions: PageEvictor
  private var isAtSessions = false

  /// Creates a clock at the beginning of the data.
  package init(of store: PageStore) { (root, sessions) = (PageEvictor(of: store), PageEvictor(of: store)) }

  /// The bytes of the objects that the last run evicted.
  package private(set) var evictedBytes = 0
  /// True when the last run ended a round.
  package var isAtStart: Bool { !isAtSessions && root.isAtStart }

  /// Evicts pages of data without its sessions. The content stays the same.
  package mutating func run(_ data: Node, sizeBytes: Int) -> Node {
    let evicted = root.run(data, sizeBytes: sizeBytes)
    (evictedBytes, isAtSessions) = (root.evictedBytes, false)
    return evicted
  }

  fileprivate mutating func run(_ state: inout DatabaseState, sizeBytes: Int) {
    if isAtSessions {
      state.sessions.replaceTree { sessions.run($0, sizeBytes: sizeBytes) }
      (evictedBytes, isAtSessions) = (sessions.evictedBytes, !sessions.isAtStart)
    } else {
      state.root = root.run(state.root, sizeBytes: sizeBytes)
      (evictedBytes, isAtSessions) = (root.evictedBytes, root.isAtStart)
    }
  }
}

extension Engine {
  /// Evicts pages that were not read lately. The content stays the same.
  package mutating func evict(by evictor: inout StateEvictor, sizeBytes: Int) {
    evictor.run(&state, sizeBytes: sizeBytes)
  }

  /// Drops the earlier versions of data that caches and listens keep, so that their pages can be freed. Values are
  /// hashed and results are built anew, and listens that have missed events receive all their data.
  package mutating func releaseVersions() {
    hashes = HashCache()
    listens.results = RecentResults()
    redecisions.dropMissedEvents()
    queries.releaseVersions()
  }

  /// Begins another period of versions, and drops the earlier versions that the engine keeps.
  package mutating func begin(_ generation: StateGeneration) {
    releaseVersions()
    state.generation?.end(with: generation)
    state.generation = generation
  }

  /// Lets the next checkpoint store pages again that contain data at some paths. The content stays the same.
  ///
  /// - Parameter isSessions: True for paths in the sessions, false for the data.
  /// - Returns: False when a page cannot be read; then nothing has changed.
  package mutating func rewrite(_ paths: [Path], isSessions: Bool) -> Bool {
    let old = isSessions ? state.sessions.tree : state.root
    let (new, faults) = FaultScope.run(.install) { old.rewritten(at: paths) }
    guard !faults.isIncomplete else { return false }
    if isSessions { state.sessions.replaceTree { _ in new } } else { state.root = new }
    return true
  }
}
