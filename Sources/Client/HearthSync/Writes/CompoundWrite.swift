import HearthTree

/// Several writes combined, in which later ones override earlier ones.
///
/// It is a trie of the keys below one path. A node with a value has no children: later writes below it change the
/// value, and a value written above removes the writes below it.
struct CompoundWrite: Sendable {
  /// The new value of the whole location; nil when it is not replaced.
  private(set) var value: Node?
  /// The new priority, when the location itself is not replaced.
  private(set) var priority: PriorityWrite?
  private(set) var children: [Key: CompoundWrite] = [:]
  /// True when the writes of children were removed by later writes, which still removes a leaf that they had replaced.
  /// Set for all nodes up to the root of the trie.
  private(set) var clearsLeaf = false
  /// The position of the value in the order of several writes; 0 when the order is irrelevant.
  private var rank = 0

  /// A written priority; a `scalar` of nil removes the priority.
  struct PriorityWrite: Sendable {
    var scalar: Scalar?

    /// The priority as a leaf, as the server sends it.
    var node: Node { scalar.map { Node($0) } ?? .empty }
  }

  init() {}

  init(_ value: Node) { self.value = value }

  /// Creates a single write.
  init(_ location: Location, _ node: Node) { add(location, node) }

  /// Creates a combination of writes, in the order of their effect; no location is above another.
  init(inOrder changes: [(Location, Node)]) {
    for (i, (location, node)) in changes.enumerated() {
      add(location.path.keys[...], isPriority: location.isPriority, node, rank: i + 1)
    }
  }

  /// Creates a write that is moved below a key.
  init(_ write: CompoundWrite, below key: Key) {
    if !write.isEmpty { children[key] = write }
  }

  var isEmpty: Bool { value == nil && priority == nil && children.isEmpty }

  /// The children with writes, in key order.
  var sortedChildren: [(key: Key, write: CompoundWrite)] {
    children.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
  }

  // MARK: Adding

  /// Adds a write that overrides the others. For a priority, the node is a leaf with the priority as its value.
  mutating func add(_ location: Location, _ node: Node) {
    add(location.path.keys[...], isPriority: location.isPriority, node)
  }

  /// Adds a write at the keys below. Recursive to the depth of the path.
  ///
  /// - Returns: True when it replaced an earlier write.
  @discardableResult
  mutating func add(_ keys: ArraySlice<Key>, isPriority: Bool, _ node: Node, rank: Int = 0) -> Bool {
    if let value {
      let new = value.overwriting(keys, isPriority: isPriority, with: node)
      self.value = new
      return new.isEmpty && !value.isEmpty
    }
    if let key = keys.first {
      let isGone = children[key, default: CompoundWrite()].add(
        keys.dropFirst(), isPriority: isPriority, node, rank: rank)
      if isGone { clearsLeaf = true }
      return isGone
    }
    if isPriority {
      priority = PriorityWrite(scalar: node.scalar)
      return false
    }
    let isGone = node.isEmpty && addsData
    self = CompoundWrite(node)
    self.rank = rank
    return isGone
  }

  private var addsData: Bool {
    value.map { !$0.isEmpty } ?? (clearsLeaf || children.values.contains { $0.addsData })
  }

  /// Adds all writes of another combination, which override these, at a path.
  mutating func add(_ write: CompoundWrite, at path: Path) {
    write.forEachWrite { add($0.under(path), $1) }
  }

  /// Removes the writes at a location and below. Writes above that include them in a value stay unchanged.
  mutating func remove(_ keys: ArraySlice<Key>, isPriority: Bool) {
    guard let key = keys.first else {
      if isPriority { priority = nil } else { self = CompoundWrite() }
      return
    }
    guard var child = children.removeValue(forKey: key) else { return }
    child.remove(keys.dropFirst(), isPriority: isPriority)
    if !child.isEmpty { children[key] = child }
  }

  // MARK: Reading

  /// Returns the part of the write for one child.
  func child(_ key: Key) -> CompoundWrite {
    if let value { return CompoundWrite(value.child(key)) }
    return children[key] ?? CompoundWrite()
  }

  /// Returns the part of the write at and below a path.
  func child(at path: Path) -> CompoundWrite {
    var part = self
    for key in path.keys {
      part = part.child(key)
      if part.isEmpty { break }
    }
    return part
  }

  /// Returns the new node or priority leaf of a location; nil when the result depends on earlier data.
  func completeNode(at location: Location) -> Node? {
    completeNode(location.path.keys[...], isPriority: location.isPriority)
  }

  func completeNode(_ keys: ArraySlice<Key>, isPriority: Bool) -> Node? {
    if let value {
      let node = value[Path(Array(keys))]
      return isPriority ? node.priorityNode : node
    }
    guard let key = keys.first else { return isPriority ? priority?.node : nil }
    return children[key]?.completeNode(keys.dropFirst(), isPriority: isPriority)
  }

  /// The children whose new node does not depend on earlier data.
  var completeChildren: [(key: Key, node: Node)] {
    if let value { return value.children.map { ($0.key, $0.node) } }
    return sortedChildren.compactMap { child in child.write.value.map { (child.key, $0) } }
  }

  /// Calls `body` for each written location, in key order, the priority of a path after the locations below.
  func forEachWrite(_ body: (Location, Node) -> Void) { forEachWrite(below: .root, body) }

  private func forEachWrite(below path: Path, _ body: (Location, Node) -> Void) {
    if let value { return body(Location(path: path), value) }
    for (key, write) in sortedChildren { write.forEachWrite(below: path.appending(key), body) }
    if let priority { body(Location(path: path, isPriority: true), priority.node) }
  }

  // MARK: Applying

  /// Returns a node with the write applied. Priorities are applied last, and only to locations that are then not empty.
  func applied(to node: Node) -> Node {
    if let value { return value }
    let isHidden = clearsLeaf && node.isLeaf
    var result = isHidden ? .empty : node
    if !children.isEmpty {
      let changes = sortedChildren.map { child in
        (path: Path([child.key]), node: child.write.applied(to: node.child(child.key)))
      }
      // Removals are applied last: a node that is empty in between would lose its priority.
      result = result.replacing(changes.filter { !$0.node.isEmpty } + changes.filter { $0.node.isEmpty })
    }
    if isHidden { result = result.with(priority: node.priority) }
    if let priority { result = result.with(priority: priority.scalar) }
    return result
  }

  /// Returns a node with the writes applied one after the other, and priorities after them: a node that is empty in
  /// between loses its priority.
  func appliedInOrder(to node: Node) -> Node {
    guard removesData else { return applied(to: node) }
    var values: [(rank: Int, path: Path, node: Node)] = []
    forEachValue(below: .root) { values.append(($0, $1, $2)) }
    values.sort { $0.rank < $1.rank }
    var result = node.replacing(values.map { (path: $0.path, node: $0.node) })
    forEachWrite { location, node in
      if location.isPriority { result = result.overwriting(location.path.keys[...], isPriority: true, with: node) }
    }
    return result
  }

  private var removesData: Bool { value.map { $0.isEmpty } ?? children.values.contains { $0.removesData } }

  private func forEachValue(below path: Path, _ body: (Int, Path, Node) -> Void) {
    if let value { return body(rank, path, value) }
    for (key, write) in sortedChildren { write.forEachValue(below: path.appending(key), body) }
  }
}

extension Node {
  /// Returns this node with a location or its priority replaced. An empty location gets no priority.
  func overwriting(_ keys: ArraySlice<Key>, isPriority: Bool, with node: Node) -> Node {
    let path = Path(Array(keys))
    return replacing(path, with: isPriority ? self[path].with(priority: node.scalar) : node)
  }

  /// The node at a location, or its priority as a leaf.
  subscript(location: Location) -> Node {
    let node = self[location.path]
    return location.isPriority ? node.priorityNode : node
  }
}
