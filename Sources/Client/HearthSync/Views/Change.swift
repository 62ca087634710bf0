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

/// The changes of one operation in one view, merged so that each child occurs at most once.
struct ChangeAccumulator {
  private var changes: [Key: Change] = [:]

  mutating func add(_ key: Key, _ node: Node) { track(key, from: .empty, to: node) }

  mutating func remove(_ key: Key, _ old: Node) { track(key, from: old, to: .empty) }

  /// Notes a change of a child from `old` to `new`. The first change keeps the state before the operation.
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
