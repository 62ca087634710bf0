import HearthRules
import HearthTree

/// Finds, for a commit, the listens whose permission it could change: those that read a node which the commit altered
/// in an aspect that they looked at.
struct DependencyIndex {
  private let root = DependencyNode(key: nil, parent: nil)

  /// Aspects that are left out of the index on purpose, so that a test can show that leaving one out is noticed.
  let ignored: ReadDependencies.Aspects

  init(ignoring ignored: ReadDependencies.Aspects = []) { self.ignored = ignored }

  /// No listen depends on anything.
  var isEmpty: Bool { root.isIdle }

  /// Replaces what the listen depends on.
  func set(_ listen: Listen, _ dependencies: ReadDependencies?) {
    remove(listen)
    guard let dependencies else { return }
    for (path, aspects) in dependencies.data {
      let aspects = aspects.subtracting(ignored)
      if !aspects.isEmpty { makeNode(at: path).insert(listen, aspects) }
    }
  }

  func remove(_ listen: Listen) {
    for (node, slot) in listen.dependencies {
      node.remove(slot)
      prune(node)
    }
    listen.dependencies.removeAll(keepingCapacity: true)
  }

  /// The live listens that a commit concerns, oldest first.
  func affected(by commit: Commit) -> [Listen] {
    guard !isEmpty else { return [] }
    root.walk += 1
    let walk = root.walk
    var found: [Listen] = []
    for change in commit.changes {
      var (node, old, new) = (root, commit.oldRoot, commit.newRoot)
      node.collect(old, new, on: walk, into: &found)
      var isReached = true
      for key in change.location.path.keys {
        guard let child = node.children[key] else {
          isReached = false
          break
        }
        (node, old, new) = (child, old.child(key), new.child(key))
        node.collect(old, new, on: walk, into: &found)
      }
      if isReached, !change.location.isPriority { collect(below: node, old, new, on: walk, into: &found) }
    }
    guard found.count > 1 else { return found }
    found.sort { $0.serial < $1.serial }
    var unique: [Listen] = []
    unique.reserveCapacity(found.count)
    for listen in found where unique.last !== listen { unique.append(listen) }
    return unique
  }

  /// Goes no deeper than the deepest path that a rule read, which is bounded by the longest listen path and rule.
  private func collect(
    below node: DependencyNode, _ old: Node, _ new: Node, on walk: UInt64, into found: inout [Listen]
  ) {
    var open = [(node, old, new)]
    while let (node, old, new) = open.popLast() {
      for (key, child) in node.children.entries {
        let (oldChild, newChild) = (old.child(key), new.child(key))
        if oldChild.isIdentical(to: newChild) || (oldChild.isEmpty && newChild.isEmpty) { continue }
        child.collect(oldChild, newChild, on: walk, into: &found)
        if !child.children.isEmpty { open.append((child, oldChild, newChild)) }
      }
    }
  }

  private func makeNode(at path: Path) -> DependencyNode {
    var node = root
    for key in path.keys {
      if let child = node.children[key] {
        node = child
      } else {
        let child = DependencyNode(key: key, parent: node)
        node.children.set(key, child)
        node = child
      }
    }
    return node
  }

  private func prune(_ node: DependencyNode) {
    var node = node
    while node.isIdle, let parent = node.parent, let key = node.key {
      parent.children.remove(key)
      node = parent
    }
  }
}

/// One place that rules looked at, and the listens that were decided from it.
final class DependencyNode {
  let key: Key?
  unowned let parent: DependencyNode?
  var children = DenseTable<Key, DependencyNode>()
  private var dependents: [(listen: Listen, aspects: ReadDependencies.Aspects, backSlot: Int)] = []

  /// Of the root: how many commits were looked for. Several may have one position.
  fileprivate var walk: UInt64 = 0
  /// The last of them that came by. A merge comes by as often as it has places below, and looks only once.
  private var collectedWalk: UInt64 = 0

  init(key: Key?, parent: DependencyNode?) {
    self.key = key
    self.parent = parent
  }

  var isIdle: Bool { dependents.isEmpty && children.isEmpty }

  func insert(_ listen: Listen, _ aspects: ReadDependencies.Aspects) {
    listen.dependencies.append((self, dependents.count))
    dependents.append((listen, aspects, listen.dependencies.count - 1))
  }

  func remove(_ slot: Int) {
    let last = dependents.removeLast()
    guard slot < dependents.count else { return }
    dependents[slot] = last
    last.listen.dependencies[last.backSlot].slot = slot
  }

  /// Adds those who looked at an aspect in which the node differs, once for each commit.
  func collect(_ old: Node, _ new: Node, on walk: UInt64, into found: inout [Listen]) {
    guard !dependents.isEmpty, collectedWalk != walk else { return }
    collectedWalk = walk
    var differing: ReadDependencies.Aspects = []
    for aspect in [ReadDependencies.Aspects.existence, .value, .priority, .children] where aspect.differ(old, new) {
      differing.insert(aspect)
    }
    guard !differing.isEmpty else { return }
    for dependent in dependents where !dependent.aspects.isDisjoint(with: differing) { found.append(dependent.listen) }
  }
}
