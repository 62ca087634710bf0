import HearthTree

/// Who is told what of a commit: for each place with listens that the commit changed, one event.
///
/// Listens at or above the place of the request share one event that carries just the change. Listens below it get the
/// part that is theirs: never anything from above, which their rules may forbid.
struct FanOut {
  struct Delivery {
    var node: ListenNode
    var event: Event
  }

  private let commit: Commit
  private(set) var deliveries: [Delivery] = []

  init(_ commit: Commit, to index: ListenIndex) {
    self.commit = commit
    var chain: [ListenNode] = []
    var node = index.root
    var isBaseReached = true
    if !node.listens.isEmpty { chain.append(node) }
    for key in commit.base.keys {
      guard let child = node.children[key] else {
        isBaseReached = false
        break
      }
      node = child
      if !node.listens.isEmpty { chain.append(node) }
    }
    if !chain.isEmpty {
      let event = sharedEvent()
      for node in chain { deliveries.append(Delivery(node: node, event: event)) }
    }
    if isBaseReached, !node.children.isEmpty { goBelow(node) }
  }

  private func sharedEvent() -> Event {
    guard commit.isMerge else {
      let change = commit.changes[0]
      return Event(path: Path(change.location.eventKeys), change: .put(change.node), position: commit.position)
    }
    return merge(at: commit.base, commit.changes[...])
  }

  private func merge(at path: Path, _ changes: ArraySlice<Commit.Change>) -> Event {
    let entries = changes.map { change in
      Event.Entry(path: Path(Array(change.location.eventKeys.dropFirst(path.count))), node: change.node)
    }
    return Event(path: path, change: .merge(entries), position: commit.position)
  }

  private mutating func goBelow(_ node: ListenNode) {
    let (old, new) = (commit.oldRoot[commit.base], commit.newRoot[commit.base])
    if commit.isMerge {
      merge(below: node, commit.changes[...], old, new)
    } else if !commit.changes[0].location.isPriority {
      replace(below: node, old, new)
    }
  }

  /// Everything at `node` was replaced: whoever listens below is told the new value at their own place if it differs.
  private mutating func replace(below node: ListenNode, _ old: Node, _ new: Node) {
    for (key, child) in node.children.entries { replace(child, old.child(key), new.child(key)) }
  }

  private mutating func replace(_ node: ListenNode, _ old: Node, _ new: Node) {
    if old.isIdentical(to: new) || (old.isEmpty && new.isEmpty) { return }
    if !node.listens.isEmpty {
      // Equal here is equal everywhere below.
      guard old != new else { return }
      let event = Event(path: node.path, change: .put(new), position: commit.position)
      deliveries.append(Delivery(node: node, event: event))
    }
    replace(below: node, old, new)
  }

  /// Some places below `node` were replaced: each child of the trie gets those that are its own.
  private mutating func merge(
    below node: ListenNode, _ changes: ArraySlice<Commit.Change>, _ old: Node, _ new: Node
  ) {
    guard !node.children.isEmpty else { return }
    let depth = node.depth
    var groups = DenseTable<Key, [Commit.Change]>()
    for change in changes where change.location.path.count > depth {
      let key = change.location.path.keys[depth]
      if node.children[key] != nil { groups.update(key, default: []) { $0.append(change) } }
    }
    for (key, group) in groups.entries {
      guard let child = node.children[key] else { continue }
      let (oldChild, newChild) = (old.child(key), new.child(key))
      let replaced = group.contains { $0.location.path.count == depth + 1 && !$0.location.isPriority }
      if replaced {
        replace(child, oldChild, newChild)
      } else {
        if !child.listens.isEmpty {
          deliveries.append(Delivery(node: child, event: merge(at: child.path, group[...])))
        }
        merge(below: child, group[...], oldChild, newChild)
      }
    }
  }
}
