import HearthTree

/// A change of the data, relative to a path.
struct SyncOperation {
  /// The origin of the change.
  enum Source: Equatable {
    case user
    /// The server; `isTagged` is true for data that belongs to one listen with a tag.
    case server(isTagged: Bool)
  }

  /// The kind of the change.
  enum Kind {
    /// The value or priority at the location was replaced.
    case overwrite(Node)
    /// Several locations below were replaced.
    case merge(CompoundWrite)
    /// A write of this client to these locations has its outcome.
    case settled(CompoundWrite, isReverted: Bool)
    /// The server has sent all of its data at the path.
    case listenComplete
  }

  var source: Source
  /// The keys relative to the path at which the operation is applied.
  var keys: ArraySlice<Key>
  /// True when the operation affects only the priority of the location.
  var isPriority = false
  var kind: Kind

  init(_ source: Source, at path: Path, isPriority: Bool = false, _ kind: Kind) {
    self.source = source
    keys = path.keys[...]
    self.isPriority = isPriority
    self.kind = kind
  }

  /// True when the operation affects the whole value at the path itself.
  var isHere: Bool { keys.isEmpty && !isPriority }

  /// Returns the operation relative to a child; nil when it does not affect the child.
  func child(_ key: Key) -> SyncOperation? {
    var result = self
    if let first = keys.first {
      guard first == key else { return nil }
      result.keys = keys.dropFirst()
      return result
    }
    if isPriority { return nil }
    switch kind {
    case .overwrite(let node): result.kind = .overwrite(node.child(key))
    case .merge(let merge):
      let part = merge.child(key)
      if part.isEmpty { return nil }
      result.kind = part.value.map { .overwrite($0) } ?? .merge(part)
    case .settled(let settled, let isReverted):
      let part = settled.child(key)
      if part.isEmpty { return nil }
      result.kind = .settled(part, isReverted: isReverted)
    case .listenComplete: break
    }
    return result
  }

  /// The children that the operation may affect; nil for all of them.
  var concerned: [Key]? {
    guard keys.isEmpty, !isPriority else { return nil }
    switch kind {
    case .merge(let merge): return merge.sortedChildren.map(\.key)
    case .settled(let settled, _): return settled.value == nil ? settled.sortedChildren.map(\.key) : nil
    case .overwrite, .listenComplete: return nil
    }
  }
}
