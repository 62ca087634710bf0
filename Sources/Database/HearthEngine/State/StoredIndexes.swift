import HearthTree

/// The indexes of large locations as checkpoints store them: a tree beside the data, of the same version.
///
/// ```
/// indexes = {<name>: index, …}                  see `ChildIndex.stored`
/// name    = order "#" path                      "/height#/users" orders the children of /users by their height
/// order   = ".priority" | ".value" | path       the path of a descendant of each child
/// ```
package struct StoredIndexes: Sendable {
  /// The indexes in the form above.
  package private(set) var tree: Node
  /// The bytes of the entries of all indexes that were added, of which a checkpoint stores those that are new to it.
  package private(set) var addedBytes = 0

  /// Creates no indexes.
  package init() { tree = .empty }

  /// Reads indexes from their stored form, without their entries. Leaves out what is no index.
  package init(_ stored: Node) {
    tree = stored.isInterior ? stored : .empty
    let wrong = tree.children.filter { Name($0.key).flatMap { index(named: $0) } == nil }
    tree = tree.replacing(wrong.map { (Path([$0.key]), Node.empty) })
  }

  /// True when there is no index.
  package var isEmpty: Bool { tree.isEmpty }

  /// The location and the order of an index.
  struct Name: Hashable {
    let path: Path
    let order: Query.Order
    let key: Key

    private static let separator: Character = "#"  // Keys of data cannot contain it.

    /// Names an index; nil when an index of this order is not stored.
    init?(_ path: Path, _ order: Query.Order) {
      let prefix: String
      switch order {
      case .key: return nil
      case .priority: prefix = ".priority"
      case .value: prefix = ".value"
      case .child(let child): prefix = child.description
      }
      (self.path, self.order) = (path, order)
      key = Key("\(prefix)\(Self.separator)\(path)")
      // Rules and clients may name orders by keys that data cannot have.
      guard Self.parts(key).map({ $0.path == path && $0.order == order }) == true else { return nil }
    }

    /// Reads a name; nil when it is none.
    init?(_ key: Key) {
      guard let parts = Self.parts(key) else { return nil }
      self.init(parts.path, parts.order)
      guard self.key == key else { return nil }
    }

    private static func parts(_ key: Key) -> (path: Path, order: Query.Order)? {
      guard let index = key.text.firstIndex(of: separator) else { return nil }
      let path = Path(String(key.text[key.text.index(after: index)...]))
      switch key.text[..<index] {
      case ".priority": return (path, .priority)
      case ".value": return (path, .value)
      case let prefix where prefix.first == "/" && prefix.count > 1: return (path, .child(Path(String(prefix))))
      default: return nil
      }
    }
  }

  /// The names, in the order of the tree.
  var names: [Name] { tree.children.compactMap { Name($0.key) } }

  /// Returns an index, of which no entry is read; nil when there is none.
  func index(named name: Name) -> ChildIndex? { ChildIndex(stored: tree.child(name.key), by: name.order) }

  /// Returns words for the index with a name; nil for a key that is no name.
  package static func description(of key: Key) -> String? {
    guard let name = Name(key) else { return nil }
    return "the index of \(name.path) by \(key.text.prefix { $0 != "#" })"
  }

  /// Adds, replaces or removes indexes.
  mutating func apply(_ changes: [Name: ChildIndex?]) {
    for case (let name, let index?) in changes where tree.child(name.key).isEmpty { addedBytes += index.entryBytes }
    tree = tree.replacing(changes.map { (Path([$0.key]), $1?.stored ?? .empty) })
  }

  /// Replaces the tree by that of `body`, which must be equal: another version, of which other pages are stored.
  mutating func replaceTree(_ body: (Node) -> Node) { tree = body(tree) }
}

extension [StoredIndexes.Name: ChildIndex?] {
  /// Adds the newest version of an index; nil to remove it.
  mutating func set(_ index: ChildIndex?, for name: StoredIndexes.Name) { updateValue(index, forKey: name) }
}

// MARK: - Eviction

/// A clock that evicts stored pages from the entries of indexes, one index after another.
struct IndexEvictor: Sendable {
  private var pages: PageEvictor
  /// The index at which the next run begins; nil for the first one.
  private var next: Key?
  /// The bytes of the objects that the last run evicted.
  private(set) var evictedBytes = 0

  /// The most indexes that one run passes.
  private static let indexesMax = 64

  init(of store: PageStore) { pages = PageEvictor(of: store) }

  /// True when the last run ended a round.
  var isAtStart: Bool { next == nil && pages.isAtStart }

  /// Evicts pages, and returns the indexes that have changed.
  mutating func run(_ indexes: inout StoredIndexes, sizeBytes: Int) -> [StoredIndexes.Name: ChildIndex] {
    evictedBytes = 0
    var changed: [StoredIndexes.Name: ChildIndex] = [:]
    var rest = (next.map { indexes.tree.children(from: $0) } ?? indexes.tree.children).makeIterator()
    next = nil
    for _ in 0..<Self.indexesMax {
      guard let (key, stored) = rest.next() else {
        next = nil
        return changed
      }
      let entries = pages.run(stored.child(ChildIndex.entriesKey), sizeBytes: sizeBytes - evictedBytes)
      if pages.evictedBytes > 0 {
        evictedBytes += pages.evictedBytes
        indexes.replaceTree { $0.replacing(Path([key, ChildIndex.entriesKey]), with: entries) }
        if let name = StoredIndexes.Name(key) { changed[name] = indexes.index(named: name) }
      }
      next = key
      guard pages.isAtStart else { return changed }
      if evictedBytes >= sizeBytes { break }
    }
    // The next index begins the next run; without one, the round has ended.
    next = rest.next()?.key
    return changed
  }
}

// MARK: - Replay

/// The indexes of a checkpoint, which follow the log after it.
package struct IndexReplay {
  /// The indexes, of the version after the last record.
  package private(set) var indexes: StoredIndexes
  private var names: [Path: [StoredIndexes.Name]] = [:]
  /// The number of failed reads of entries, after which the index was removed.
  package private(set) var failedCount = 0

  /// Creates a replay from a version of the data. Indexes that contradict it are removed.
  package init(_ indexes: StoredIndexes = StoredIndexes(), of root: Node = .empty) {
    self.indexes = indexes
    for name in indexes.names {
      if indexes.index(named: name)?.count == root[name.path].childCount {
        names[name.path, default: []].append(name)
      } else {
        self.indexes.apply([name: nil])
      }
    }
  }

  /// Follows the changes of a record. An index whose location is replaced is removed, and built again when it is needed.
  package mutating func apply(_ changes: [(location: Location, node: Node)], from old: Node, to new: Node) {
    guard !names.isEmpty else { return }
    var children: [Path: Set<Key>] = [:]
    for (location, _) in changes {
      let path = location.path
      for depth in 0..<path.count {
        let above = path.prefix(depth)
        if names[above] != nil { children[above, default: []].insert(path.keys[depth]) }
      }
      if !location.isPriority { remove(below: path) }
    }
    for (path, keys) in children { apply(keys, at: path, old[path], new[path]) }
  }

  private mutating func remove(below path: Path) {
    for found in names.keys where path.contains(found) {
      for name in names.removeValue(forKey: found) ?? [] { indexes.apply([name: nil]) }
    }
  }

  private mutating func apply(_ keys: Set<Key>, at path: Path, _ old: Node, _ new: Node) {
    let changes = keys.map { QueryWindow.ChildChange(key: $0, old: old.child($0), new: new.child($0)) }
    for name in names[path] ?? [] {
      guard var index = indexes.index(named: name) else { continue }
      var cost = QueryCost()
      let faults = FaultScope.run(.install) { index.apply(changes, node: new, cost: &cost) }.faults
      failedCount += faults.failed
      if faults.failed > 0 { names[path]?.removeAll { $0 == name } }
      indexes.apply([name: faults.failed > 0 ? nil : index])
    }
  }

  /// Replaces the indexes by equal ones, of which other pages are in memory or stored.
  package mutating func replace<Failure>(_ body: (inout StoredIndexes) throws(Failure) -> Void) throws(Failure) {
    try body(&indexes)
  }
}
