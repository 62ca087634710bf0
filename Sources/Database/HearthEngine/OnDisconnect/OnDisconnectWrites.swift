import HearthTree

/// What one connection wants to be done at its end: a sparse tree of writes, none of which is at or below another.
///
/// It is kept as a ``Node``, so that versions share what did not change and the journal can store it as it stores data:
///
/// ```
/// writes   = {<key>: writes, …, ".write": write}     by path; a priority lies one level below under ".priority"
/// write    = {"order": number,                       writes are made in the order in which they were asked for
///             "depth": number,                       as in `WriteValue`
///             "value": node,                         absent: the place is to be deleted
///             "deferred": {<path>: deferred, …}}     what is filled in when the write is made, relative to the write
/// deferred = true                                    the time
///          | number                                  what is there then, and this added to it
/// ```
///
/// Keys of data cannot begin with a point, so that the names do not collide with them.
struct OnDisconnectWrites {
  /// One write as it is to be made.
  struct Entry {
    var location: Location
    var value: WriteValue
  }

  static let writeKey: Key = ".write"
  static let priorityKey: Key = ".priority"

  private(set) var tree: Node

  /// The places of ``tree`` that were replaced since the beginning, in order.
  private(set) var changes: [(location: Location, node: Node)] = []

  /// By how much the number of writes, and of values to be filled in, has grown.
  private(set) var addedCount = 0

  init(_ tree: Node) { self.tree = tree }

  /// Asks for a write. It replaces what was asked for at and below its place, and is put into a write further up.
  mutating func put(_ location: Location, _ value: WriteValue, order: Int64) {
    let keys = location.eventKeys
    guard let depth = depthOfWrite(above: keys) else {
      return replace(keys, with: Self.opened(value, order: order))
    }
    edit(location, belowWriteAt: depth, with: value)
  }

  /// Forgets what was asked for at and below a place. A write further up falls into writes of its children, without the
  /// place: what else it would have deleted is left alone then, as clients expect.
  ///
  /// - Throws: ``Failure`` when it would fall into more than `countMax` writes.
  mutating func cancel(_ location: Location, countMax: Int) throws(Failure) {
    let keys = location.eventKeys
    if let depth = depthOfWrite(above: keys) {
      let top = Array(keys.prefix(depth))
      // A leaf has nothing below it that could be left out, but for its priority.
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

  /// Everything that was asked for, in the order in which it is to be done.
  var entries: [Entry] {
    var found: [(order: Int64, entry: Entry)] = []
    Self.collect(tree, [], into: &found)
    // A priority needs its value: a write that fell apart has given both the same number.
    let order = found.indices.sorted { i, j in
      let (a, b) = (found[i], found[j])
      return (a.order, a.entry.location.isPriority ? 1 : 0, i) < (b.order, b.entry.location.isPriority ? 1 : 0, j)
    }
    return order.map { found[$0].entry }
  }

  /// The number of writes that there are, and values to be filled in.
  var count: Int { Self.count(tree) }

  /// A number behind those of all writes.
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

  /// Changes a part of a write, as few places of the tree as that takes: a write may be large, and what is changed goes
  /// to the journal.
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

  /// Returns the number of keys that lie above the write at a place above these, if there is one. There is at most one.
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

  /// Recursion as deep as the keys are many.
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

  /// Recursion as deep as paths are long; what is stored is nested at most twice as deep.
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

  /// Writes, and values to be filled in. Recursion as deep as paths are long.
  private static func count(_ tree: Node) -> Int {
    tree.children.reduce(0) { count, child in
      count + (child.key == writeKey ? 1 + WriteValue.storedDeferredCount(child.node) : self.count(child.node))
    }
  }
}
