import HearthTree

/// The on-disconnect writes of one connection: a sparse tree, in which no write is at or below another.
///
/// The tree is a ``Node``, so that versions share unchanged parts and the journal can store it like data:
///
/// ```
/// writes   = {<key>: writes, …, ".write": write}     by path; a priority is one level below under ".priority"
/// write    = {"order": number,                       the order of execution, which is that of the requests
///             "depth": number,                       as in `WriteValue`
///             "value": node,                         absent for a deletion
///             "deferred": {<path>: deferred, …}}     server values, filled in at execution, relative to the write
/// deferred = true                                    the time
///          | number                                  the number there at that time, plus this one
/// ```
///
/// Keys of data cannot begin with a dot, so that these names do not collide with them.
struct OnDisconnectWrites {
  /// One write to execute.
  struct Entry {
    var location: Location
    var value: WriteValue
  }

  static let writeKey: Key = ".write"
  static let priorityKey: Key = ".priority"

  private(set) var tree: Node

  /// The locations of ``tree`` that were replaced since the beginning, in order.
  private(set) var changes: [(location: Location, node: Node)] = []

  /// The growth of the number of writes and server values.
  private(set) var addedCount = 0

  init(_ tree: Node) { self.tree = tree }

  /// Adds a write. It replaces the writes at and below its location, and is merged into a write above it.
  mutating func put(_ location: Location, _ value: WriteValue, order: Int64) {
    let keys = location.eventKeys
    guard let depth = depthOfWrite(above: keys) else {
      return replace(keys, with: Self.opened(value, order: order))
    }
    edit(location, belowWriteAt: depth, with: value)
  }

  /// Removes the writes at and below a location. A write above it is split into writes of its children without that
  /// location. Data that the original write would have deleted is then kept, as clients expect.
  ///
  /// - Throws: ``Failure`` when the split gives more than `countMax` writes.
  mutating func cancel(_ location: Location, countMax: Int) throws(Failure) {
    let keys = location.eventKeys
    if let depth = depthOfWrite(above: keys) {
      let top = Array(keys.prefix(depth))
      // Of a leaf, only the priority can be cancelled separately.
      if WriteValue.storedNode(tree[Path(top + [Self.writeKey])]).isLeaf {
        if keys.count == depth + 1, location.isPriority {
          edit(location, belowWriteAt: depth, with: WriteValue(.empty))
        }
        return
      }
      replace(top, with: try Self.without(keys[depth...], in: tree[Path(top)], countMax: countMax))
    } else if !tree[Path(keys)].isEmpty {
      replace(keys, with: .empty)
    }
  }

  /// All writes, in the order of their execution.
  var entries: [Entry] {
    var found: [(order: Int64, entry: Entry)] = []
    Self.collect(tree, [], into: &found)
    // A priority must follow its value; a split write has given both the same number.
    let order = found.indices.sorted { i, j in
      let (a, b) = (found[i], found[j])
      return (a.order, a.entry.location.isPriority ? 1 : 0, i) < (b.order, b.entry.location.isPriority ? 1 : 0, j)
    }
    return order.map { found[$0].entry }
  }

  /// The number of writes and server values.
  var count: Int { Self.count(tree) }

  /// A number greater than those of all writes.
  var nextOrder: Int64 {
    var found: [(order: Int64, entry: Entry)] = []
    Self.collect(tree, [], into: &found)
    return found.map { min($0.order, .max / 2) + 1 }.max() ?? 0
  }

  // MARK: The tree

  private mutating func replace(_ keys: [Key], with node: Node) {
    let path = Path(keys)
    addedCount += Self.count(node) - Self.count(tree[path])
    tree = tree.replacing(path, with: node)
    changes.append((Location(path: path), node))
  }

  /// Changes a part of a write, in as few locations of the tree as possible: a write may be large, and the journal
  /// stores every changed location.
  private mutating func edit(_ location: Location, belowWriteAt depth: Int, with value: WriteValue) {
    let write = Path(Array(location.eventKeys.prefix(depth)) + [Self.writeKey])
    let place = Location(
      path: Path(Array(location.path.keys.dropFirst(depth))), isPriority: location.isPriority)
    let old = tree[write]
    let edits = WriteValue.edits(of: old, at: place, with: value).map { ($0.location.under(write), $0.node) }
    tree = CommitRecord.apply(edits, to: tree)
    changes += edits
    addedCount += WriteValue.storedDeferredCount(tree[write]) - WriteValue.storedDeferredCount(old)
  }

  /// Returns the length of the path of the write above these keys; nil when there is none. There is at most one.
  private func depthOfWrite(above keys: [Key]) -> Int? {
    var node = tree
    for (depth, key) in keys.enumerated() {
      if !node.child(Self.writeKey).isEmpty { return depth }
      node = node.child(key)
      if node.isEmpty { return nil }
    }
    return nil
  }

  private static func opened(_ value: WriteValue, order: Int64) -> Node {
    Node.empty.replacing(writeKey, with: value.stored(order: order))
  }

  /// Returns the tree without the writes at and below the keys, by recursion as deep as their number.
  private static func without(_ keys: ArraySlice<Key>, in tree: Node, countMax: Int) throws(Failure) -> Node {
    guard let key = keys.first else { return .empty }
    var tree = tree
    if let (value, order) = WriteValue.stored(tree.child(writeKey)) {
      if value.node.isLeaf {
        return keys.count == 1 && key == priorityKey ? opened(value.withoutPriority, order: order) : tree
      }
      guard value.node.childCount < countMax else { throw .tooManyOnDisconnects }
      tree = .empty
      for (key, part) in value.parts { tree = tree.replacing(key, with: opened(part, order: order)) }
    }
    let child = tree.child(key)
    if child.isEmpty { return tree }
    return tree.replacing(key, with: try without(keys.dropFirst(), in: child, countMax: countMax))
  }

  /// Collects the writes, by recursion as deep as paths are long; stored values are nested at most twice as deep.
  private static func collect(_ tree: Node, _ keys: [Key], into found: inout [(order: Int64, entry: Entry)]) {
    for (key, child) in tree.children {
      guard key == writeKey else {
        collect(child, keys + [key], into: &found)
        continue
      }
      guard let (value, order) = WriteValue.stored(child) else { continue }
      let isPriority = keys.last == priorityKey
      let path = Path(isPriority ? Array(keys.dropLast()) : keys)
      found.append((order, Entry(location: Location(path: path, isPriority: isPriority), value: value)))
    }
  }

  /// Counts writes and server values, by recursion as deep as paths are long.
  private static func count(_ tree: Node) -> Int {
    tree.children.reduce(0) { count, child in
      count + (child.key == writeKey ? 1 + WriteValue.storedDeferredCount(child.node) : self.count(child.node))
    }
  }
}
