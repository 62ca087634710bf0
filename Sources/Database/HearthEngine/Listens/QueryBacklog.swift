import HearthTree

/// Versions of a place past which some of its live queries are still to be brought.
///
/// A commit at a place with many live queries costs one entry here. The queries are brought to the newest version one after
/// another, each past all that has happened since its own.
struct QueryBacklog {
  /// A place before a commit.
  struct Version {
    var node: Node
    var orders: [KeptOrder]
    /// The children that the commit changed; nil when it replaced everything.
    var keys: [Key]?
  }

  /// Versions that are kept. A query that is further behind is told all that it shows.
  static let versionsMax = 1_024
  /// Changed children up to which a query is told the changes; of more, it is told all that it shows.
  static let keysMax = 256

  private var versions: [Version] = []
  private var droppedCount = 0
  /// The changes between two versions that were asked for last: in one pass nearly all queries come from the same version.
  private var last: (from: Int, to: Int, version: Version)?
  /// The last query that was brought to the newest version; they come from the last to the first, because a query that
  /// ends is replaced by the last one.
  private var slot = 0
  /// The newest version when the present pass over the queries began.
  private var passNumber = 0
  /// The client whose command came last; `nil` when none is known.
  var payer: WorkPayer?

  /// The number of the newest version.
  var number: Int { droppedCount + versions.count }
  /// Every query is at the newest version.
  var isEmpty: Bool { versions.isEmpty }

  /// Notes a commit.
  mutating func append(_ version: Version, queryCount: Int) {
    let isFirst = versions.isEmpty
    versions.append(version)
    if isFirst { (slot, passNumber) = (queryCount, number) }
    if versions.count > Self.versionsMax { drop(Self.versionsMax / 2) }
  }

  /// The next query to bring to the newest version; nil when there is none, and all are.
  mutating func next(queryCount: Int) -> Int? {
    if versions.isEmpty { return nil }
    slot = min(slot, queryCount) - 1
    if slot >= 0 { return slot }
    guard passNumber < number, queryCount > 0 else {
      drop(versions.count)
      return nil
    }
    // All queries are at least where the last pass began.
    drop(max(0, passNumber - droppedCount))
    (slot, passNumber) = (queryCount - 1, number)
    return slot
  }

  /// The changes since a version; `nil` when that version is not kept.
  mutating func version(_ number: Int) -> Version? {
    guard number >= droppedCount, number < self.number else { return nil }
    if let last, last.from == number, last.to == self.number { return last.version }
    let found = changes(since: number)
    last = (number, self.number, found)
    return found
  }

  private func changes(since number: Int) -> Version {
    var (found, keys) = (versions[number - droppedCount], Set<Key>())
    for version in versions[(number - droppedCount)...] {
      guard let changed = version.keys, keys.count <= Self.keysMax else {
        found.keys = nil
        return found
      }
      keys.formUnion(changed)
    }
    found.keys = keys.count > Self.keysMax ? nil : keys.sorted()
    return found
  }

  private mutating func drop(_ count: Int) {
    versions.removeFirst(count)
    droppedCount += count
    last = nil
  }
}
