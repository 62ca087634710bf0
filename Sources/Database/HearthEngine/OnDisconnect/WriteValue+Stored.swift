import HearthTree

/// The stored form of a value in ``OnDisconnectWrites``.
extension WriteValue {
  private static let orderKey: Key = "order"
  private static let depthKey: Key = "depth"
  private static let valueKey: Key = "value"
  private static let deferredKey: Key = "deferred"

  func stored(order: Int64) -> Node {
    var places = Node.empty
    for item in deferred { places = places.replacing(Self.key(of: item.location), with: Node(item.operation.stored)) }
    return Node.empty.replacing(Self.orderKey, with: Node(.int(order)))
      .replacing(Self.depthKey, with: Node(.int(Int64(depth))))
      .replacing(Self.valueKey, with: node)
      .replacing(Self.deferredKey, with: places)
  }

  /// Decodes a stored value; returns nil for a node that ``stored(order:)`` did not make.
  static func stored(_ stored: Node) -> (value: WriteValue, order: Int64)? {
    guard case .int(let order)? = stored.child(orderKey).scalar, let depth = storedDepth(stored) else { return nil }
    let node = storedNode(stored)
    var deferred: [Deferred] = []
    for (key, item) in stored.child(deferredKey).children {
      guard let location = try? Location(wire: key.text), node.holds(location), let scalar = item.scalar,
        let operation = Operation(stored: scalar)
      else { return nil }
      deferred.append(Deferred(location: location, operation: operation))
    }
    return (WriteValue(node, deferred: deferred, depth: depth), order)
  }

  static func storedNode(_ stored: Node) -> Node { stored.child(valueKey) }

  static func storedDeferredCount(_ stored: Node) -> Int { stored.child(deferredKey).childCount }

  private static func storedDepth(_ stored: Node) -> Int? {
    guard case .int(let depth)? = stored.child(depthKey).scalar, (0...Int64(DataLimits.nestingMax)).contains(depth)
    else { return nil }
    return Int(depth)
  }

  /// Returns the changes of a stored value that replace one location of it by another value. A priority without a value
  /// is ignored.
  static func edits(
    of stored: Node, at location: Location, with value: WriteValue
  ) -> [(location: Location, node: Node)] {
    let (path, node) = (location.path, storedNode(stored))
    var edits: [(location: Location, node: Node)] = []
    func set(_ name: Key, _ node: Node) { edits.append((Location(path: Path([deferredKey, name])), node)) }
    if location.isPriority {
      if node[path].isEmpty { return [] }
      edits.append((location.under(Path([valueKey])), value.node))
      set(key(of: location), value.deferred.first.map { Node($0.operation.stored) } ?? .empty)
      return edits
    }
    edits.append((location.under(Path([valueKey])), value.node))
    let new = node.replacing(path, with: value.node)
    for name in names(in: stored.child(deferredKey), at: path, new) { set(name, .empty) }
    for item in value.deferred { set(key(of: item.location.under(path)), Node(item.operation.stored)) }
    let depth = path.count + value.depth
    if depth > storedDepth(stored) ?? 0 { edits.append((Location(path: Path([depthKey])), Node(.int(Int64(depth))))) }
    return edits
  }

  /// Returns the names of the deferred values that a replacement of a location removes: those at and below it, and
  /// those above it whose location no longer exists in the new value.
  private static func names(in deferred: Node, at path: Path, _ new: Node) -> [Key] {
    if deferred.isEmpty { return [] }
    if path.isRoot { return deferred.children.map(\.key) }
    var names: [Key] = []
    for depth in 0...path.count {
      let above = Path(Array(path.keys.prefix(depth)))
      for location in [Location(path: above), Location(path: above, isPriority: true)] {
        let name = key(of: location)
        if !deferred.child(name).isEmpty, depth == path.count || !new.holds(location) { names.append(name) }
      }
    }
    let prefix = key(of: Location(path: path)).text + "/"
    for (name, _) in deferred.children(from: Key(prefix)) {
      guard name.text.utf8.starts(with: prefix.utf8) else { break }
      if name != key(of: Location(path: path, isPriority: true)) { names.append(name) }
    }
    return names
  }

  private static func key(of location: Location) -> Key { Key(location.description) }

  /// The value without its own priority.
  var withoutPriority: WriteValue {
    WriteValue(node.with(priority: nil), deferred: deferred.filter { !$0.location.isPriority }, depth: depth)
  }

  /// The children as separate values, followed by the priority.
  var parts: [(key: Key, value: WriteValue)] {
    var below: [Key: [Deferred]] = [:]
    for item in deferred {
      guard let key = item.location.path.keys.first else { continue }
      let location = Location(
        path: Path(Array(item.location.path.keys.dropFirst())), isPriority: item.location.isPriority)
      below[key, default: []].append(Deferred(location: location, operation: item.operation))
    }
    var parts: [(key: Key, value: WriteValue)] = []
    for (key, child) in node.children {
      parts.append((key, WriteValue(child, deferred: below[key] ?? [], depth: max(0, depth - 1))))
    }
    if let priority = node.priority {
      let own = deferred.filter { $0.location.path.isRoot && $0.location.isPriority }
      let filled = own.map { Deferred(location: Location(path: .root), operation: $0.operation) }
      parts.append((OnDisconnectWrites.priorityKey, WriteValue(Node(priority), deferred: filled)))
    }
    return parts
  }
}

extension WriteValue.Operation {
  fileprivate init?(stored: Scalar) {
    switch stored {
    case .bool(true): self = .timestamp
    case .int, .double: self = .increment(stored)
    case .bool, .string: return nil
    }
  }

  fileprivate var stored: Scalar {
    switch self {
    case .timestamp: .bool(true)
    case .increment(let number): number
    }
  }
}

extension Node {
  /// Returns true when a server value can be filled in there: its placeholder must be a leaf, or a node with that
  /// priority.
  func holds(_ location: Location) -> Bool {
    let place = self[location.path]
    return location.isPriority ? place.priority != nil : place.isLeaf
  }
}
