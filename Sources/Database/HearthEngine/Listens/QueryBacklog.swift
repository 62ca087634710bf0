import HearthTree

/// Earlier versions of a location, from which some of its live queries must still be updated.
///
/// A commit at a location with many live queries adds one entry here. The queries are updated to the newest version one
/// after another, each for all changes since the version that it has.
struct QueryBacklog {
  /// A version of the location before a commit.
  struct Version {
    var node: Node
    var indexes: [MaintainedIndex]
    /// The children that the commit changed; nil when it replaced the whole value.
    var keys: [Key]?
  }

  /// The changes of a location since a version.
  struct Changes {
    var version: Version
    /// The changed children; nil when the whole value was replaced, or too many children changed.
    var children: [QueryWindow.ChildChange]?
  }

  /// The most versions. A query with an older version receives all its data.
  static let versionsMax = 1_024
  /// The most changed children that are sent to a query as changes; beyond it, the query receives all its data.
  static let keysMax = 4_096

  private var versions: [Version] = []
  private var droppedCount = 0
  /// The number of the oldest version whose data was not released.
  private var keptNumber = 0
  /// The number of the version after the last change of each child.
  private var lastChanges: [Key: Int] = [:]
  /// The number of the version after the last replacement of the whole value.
  private var lastReplacement = 0
  /// The cached result of the last call of ``changes(since:to:)``: in one pass nearly all queries start from the same
  /// version.
  private var last: (from: Int, to: Int, changes: Changes)?
  /// The index of the query that was updated last. A pass goes from the last index to the first, because a query that
  /// ends is replaced by the last one.
  private var slot = 0
  /// The newest version at the beginning of the present pass over the queries.
  private var passNumber = 0
  /// The client of the last commit, which pays for the updates; nil when it is unknown.
  var payer: WorkPayer?

  /// The number of the newest version.
  var number: Int { droppedCount + versions.count }
  /// True when every query is at the newest version.
  var isEmpty: Bool { versions.isEmpty }

  /// Adds the version before a commit.
  mutating func append(_ version: Version, queryCount: Int) {
    let isFirst = versions.isEmpty
    versions.append(version)
    if let keys = version.keys {
      for key in keys { lastChanges[key] = number }
    } else {
      lastReplacement = number
    }
    if isFirst { (slot, passNumber) = (queryCount, number) }
    if versions.count > Self.versionsMax { drop(Self.versionsMax / 2) }
  }

  /// Returns the next query to update, or nil when all are at the newest version.
  mutating func next(queryCount: Int) -> Int? {
    if versions.isEmpty { return nil }
    slot = min(slot, queryCount) - 1
    if slot >= 0 { return slot }
    guard passNumber < number, queryCount > 0 else {
      drop(versions.count)
      return nil
    }
    // Now every query has at least the version that was the newest when the last pass began.
    drop(max(0, passNumber - droppedCount))
    (slot, passNumber) = (queryCount - 1, number)
    return slot
  }

  /// Makes the next call return the query again that ``next(queryCount:)`` returned last.
  mutating func repeatLast() { slot += 1 }

  /// Returns the changes between a version and the newest one, or `nil` when that version was dropped.
  ///
  /// - Parameter data: The location now.
  mutating func changes(since number: Int, to data: Node) -> Changes? {
    guard number >= max(droppedCount, keptNumber), number < self.number else { return nil }
    if let last, last.from == number, last.to == self.number { return last.changes }
    let version = versions[number - droppedCount]
    let children = keys(since: number)?.compactMap { key -> QueryWindow.ChildChange? in
      let (old, new) = (version.node.child(key), data.child(key))
      return old == new ? nil : QueryWindow.ChildChange(key: key, old: old, new: new)
    }
    let found = Changes(version: version, children: children)
    last = (number, self.number, found)
    return found
  }

  /// Returns the changed children since a version; nil when a commit replaced the whole value, or they are too many.
  private func keys(since number: Int) -> [Key]? {
    guard lastReplacement <= number else { return nil }
    var keys = Set<Key>()
    if lastChanges.count <= self.number - number {
      for (key, changed) in lastChanges where changed > number { keys.insert(key) }
    } else {
      for version in versions[(number - droppedCount)...] {
        guard keys.count <= Self.keysMax else { return nil }
        keys.formUnion(version.keys ?? [])
      }
    }
    return keys.count > Self.keysMax ? nil : keys.sorted()
  }

  /// Releases the data of all versions. A query with one of them receives all its data.
  mutating func release() {
    for index in versions.indices { (versions[index].node, versions[index].indexes) = (.empty, []) }
    (keptNumber, last) = (number, nil)
  }

  private mutating func drop(_ count: Int) {
    versions.removeFirst(count)
    droppedCount += count
    last = nil
    lastChanges = versions.isEmpty ? [:] : lastChanges.filter { $0.value > droppedCount }
  }
}
