import HearthTree

/// A change of one child of a view.
struct Change {
  var type: EventTypes
  var key: Key
  /// The child; for a removed one, its last state.
  var node: Node
  /// The earlier state of a changed child.
  var old: Node
}

/// The changes of one operation on one view, each child at most once, merged as the operation proceeds.
struct ChangeAccumulator {
  private var changes: [Key: Change] = [:]

  mutating func add(_ key: Key, _ node: Node) { track(key, from: .empty, to: node) }

  mutating func remove(_ key: Key, _ old: Node) { track(key, from: old, to: .empty) }

  /// Notes that a child was `old` and is now `new`. What it was before the operation is remembered from its first change.
  mutating func track(_ key: Key, from old: Node, to new: Node) {
    let first =
      changes[key].map { $0.type == .childAdded ? .empty : $0.type == .childRemoved ? $0.node : $0.old } ?? old
    if first.isEmpty {
      changes[key] = new.isEmpty ? nil : Change(type: .childAdded, key: key, node: new, old: .empty)
    } else if new.isEmpty {
      changes[key] = Change(type: .childRemoved, key: key, node: first, old: .empty)
    } else {
      changes[key] = first == new ? nil : Change(type: .childChanged, key: key, node: new, old: first)
    }
  }

  var list: [Change] { Array(changes.values) }
}
