import HearthTree

/// The confirmed writes that the server performs when this client disconnects. The client shows them when the
/// connection is lost.
///
/// A trie of keys. A node with a value has no children: a write that is registered below it later changes the value.
struct OnDisconnectTree {
  private var value: WriteValue?
  private var priority: WriteValue?
  private var children: [Key: OnDisconnectTree] = [:]

  var isEmpty: Bool { value == nil && priority == nil && children.isEmpty }

  /// Replaces the registered writes at a location and below.
  mutating func remember(_ location: Location, _ new: WriteValue) {
    remember(location.path.keys[...], isPriority: location.isPriority, new)
  }

  private mutating func remember(_ keys: ArraySlice<Key>, isPriority: Bool, _ new: WriteValue) {
    if keys.isEmpty, !isPriority {
      self = OnDisconnectTree()
      value = new
    } else if let value {
      self.value = value.replacing(Location(path: Path(Array(keys)), isPriority: isPriority), with: new)
    } else if let key = keys.first {
      children[key, default: OnDisconnectTree()].remember(keys.dropFirst(), isPriority: isPriority, new)
    } else {
      priority = new
    }
  }

  /// Removes the registered writes at the keys and below, including those that are a part of a value above.
  mutating func forget(_ keys: ArraySlice<Key>) {
    guard let key = keys.first else {
      self = OnDisconnectTree()
      return
    }
    if let value {
      guard value.node.isInterior else { return }
      self.value = nil
      for (key, _) in value.node.children { children[key] = OnDisconnectTree(value: value.child(key)) }
    }
    children[key]?.forget(keys.dropFirst())
    if children[key]?.isEmpty == true { children[key] = nil }
  }

  init() {}

  private init(value: WriteValue) { self.value = value }

  /// Calls `body` for each location in key order.
  func forEachValue(below path: Path = .root, _ body: (Location, WriteValue) -> Void) {
    if let value { return body(Location(path: path), value) }
    for key in children.keys.sorted() { children[key]?.forEachValue(below: path.appending(key), body) }
    if let priority { body(Location(path: path, isPriority: true), priority) }
  }
}
