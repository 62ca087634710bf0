import HearthTree

/// A clock that evicts stored pages from a database's data, sessions and indexes.
package struct StateEvictor: Sendable {
  private enum Part {
    case root
    case sessions
    case indexes
  }

  private var root: PageEvictor
  private var sessions: PageEvictor
  private var indexes: IndexEvictor
  private var next = Part.root

  /// Creates a clock at the beginning of the data.
  package init(of store: PageStore) {
    (root, sessions, indexes) = (PageEvictor(of: store), PageEvictor(of: store), IndexEvictor(of: store))
  }

  /// The bytes of the objects that the last run evicted.
  package private(set) var evictedBytes = 0
  /// True when the last run ended a round.
  package var isAtStart: Bool { next == .root && root.isAtStart }

  /// Evicts pages of data and indexes without sessions. The content stays the same.
  package mutating func run(_ data: inout Node, _ indexes: inout StoredIndexes, sizeBytes: Int) {
    if next == .indexes {
      _ = run(&indexes, sizeBytes: sizeBytes)
    } else {
      data = root.run(data, sizeBytes: sizeBytes)
      evictedBytes = root.evictedBytes
      if root.isAtStart { next = .indexes }
    }
  }

  private mutating func run(
    _ stored: inout StoredIndexes, sizeBytes: Int
  ) -> [StoredIndexes.Name: ChildIndex] {
    let changed = indexes.run(&stored, sizeBytes: sizeBytes)
    evictedBytes = indexes.evictedBytes
    if indexes.isAtStart { next = .root }
    return changed
  }

  /// Returns the indexes that have changed.
  fileprivate mutating func run(
    _ state: inout DatabaseState, sizeBytes: Int
  ) -> [StoredIndexes.Name: ChildIndex] {
    switch next {
    case .root:
      state.root = root.run(state.root, sizeBytes: sizeBytes)
      evictedBytes = root.evictedBytes
      if root.isAtStart { next = .sessions }
      return [:]
    case .sessions:
      state.sessions.replaceTree { sessions.run($0, sizeBytes: sizeBytes) }
      evictedBytes = sessions.evictedBytes
      if sessions.isAtStart { next = .indexes }
      return [:]
    case .indexes: return run(&state.indexes, sizeBytes: sizeBytes)
    }
  }
}

extension Engine {
  /// Evicts pages that were not read lately. The content stays the same.
  package mutating func evict(by evictor: inout StateEvictor, sizeBytes: Int) {
    for (name, index) in evictor.run(&state, sizeBytes: sizeBytes) { listens.replace(name, with: index) }
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
  /// - Returns: False when a page cannot be read; then nothing has changed.
  package mutating func rewrite(_ paths: [Path], of part: DatabaseState.Part) -> Bool {
    let (new, faults) = FaultScope.run(.install) { state[part].rewritten(at: paths) }
    guard !faults.isIncomplete else { return false }
    switch part {
    case .data: state.root = new
    case .sessions: state.sessions.replaceTree { _ in new }
    case .indexes:
      state.indexes.replaceTree { _ in new }
      for name in Set(paths.compactMap { $0.keys.first }).compactMap({ StoredIndexes.Name($0) }) {
        if let index = state.indexes.index(named: name) { listens.replace(name, with: index) }
      }
    }
    return true
  }
}
