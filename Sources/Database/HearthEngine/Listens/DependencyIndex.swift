import HearthRules
import HearthTree

/// An index that finds the listens whose permission a commit may change: those whose rules read an aspect of a node
/// that the commit changed.
struct DependencyIndex {
  private let root = DependencyNode(key: nil, parent: nil)

  /// Aspects that are left out of the index, as an injected fault that tests must detect; empty in production.
  let ignored: ReadDependencies.Aspects

  init(ignoring ignored: ReadDependencies.Aspects = []) { self.ignored = ignored }

  /// True when no listen depends on data.
  var isEmpty: Bool { root.isIdle }

  /// Replaces the dependencies of a listen.
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

  /// Returns the live listens that a commit affects, oldest first. A node with more than `countMax` of them is returned
  /// instead of its listens.
  func affected(by commit: Commit, countMax: Int = .max) -> AffectedListens {
    guard !isEmpty else { return AffectedListens() }
    root.search += 1
    let search = root.search
    var found = AffectedListens(countMax: countMax)
    for change in commit.changes {
      var (node, old, new) = (root, commit.oldRoot, commit.newRoot)
      node.collect(old, new, on: search, into: &found)
      var isReached = true
      for key in change.location.path.keys {
        guard let child = node.children[key] else {
          isReached = false
          break
        }
        (node, old, new) = (child, old.child(key), new.child(key))
        node.collect(old, new, on: search, into: &found)
      }
      if isReached, !change.location.isPriority { collect(below: node, old, new, on: search, into: &found) }
    }
    guard found.listens.count > 1 else { return found }
    found.listens.sort { $0.serial < $1.serial }
    var unique: [Listen] = []
    unique.reserveCapacity(found.listens.count)
    for listen in found.listens where unique.last !== listen { unique.append(listen) }
    found.listens = unique
    return found
  }

  /// Descends no deeper than the deepest path that a rule read, which is bounded by the longest listen path and rule.
  private func collect(
    below node: DependencyNode, _ old: Node, _ new: Node, on search: UInt64, into found: inout AffectedListens
  ) {
    var open = [(node, old, new)]
    while let (node, old, new) = open.popLast() {
      for (key, child) in node.children.entries {
        let (oldChild, newChild) = (old.child(key), new.child(key))
        if oldChild.isIdentical(to: newChild) || (oldChild.isEmpty && newChild.isEmpty) { continue }
        child.collect(oldChild, newChild, on: search, into: &found)
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

/// One location that rules read, with the listens that depend on it.
final class DependencyNode {
  let key: Key?
  unowned let parent: DependencyNode?
  var children = DenseTable<Key, DependencyNode>()
  private var dependents: [(listen: Listen, aspects: ReadDependencies.Aspects, backSlot: Int)] = []
  /// The number of listens that depend on each of ``indexedAspects``.
  private var aspectCounts = SIMD4<Int32>()
  /// The changes of this node after which its listens must be decided again; nil when no listen is in doubt because of
  /// it.
  private(set) var doubt: StaleDecisions?
  /// The pending redecision of the listens in doubt; nil when there is none.
  var redecision: PendingRedecision?

  static let indexedAspects = [ReadDependencies.Aspects.existence, .value, .priority, .children]

  /// The number of searches so far; used in the root node only. A commit's position cannot identify a search, because
  /// several commits may have the same one.
  fileprivate var search: UInt64 = 0
  /// The last search that visited this node. A multi-location update visits a node once for each location below it, but
  /// collects its listens only once.
  private var lastSearch: UInt64 = 0

  init(key: Key?, parent: DependencyNode?) {
    self.key = key
    self.parent = parent
  }

  var isIdle: Bool { dependents.isEmpty && children.isEmpty }

  func insert(_ listen: Listen, _ aspects: ReadDependencies.Aspects) {
    listen.dependencies.append((self, dependents.count))
    dependents.append((listen, aspects, listen.dependencies.count - 1))
    aspectCounts &+= aspects.counts
  }

  func remove(_ slot: Int) {
    aspectCounts &-= dependents[slot].aspects.counts
    let last = dependents.removeLast()
    guard slot < dependents.count else { return }
    dependents[slot] = last
    last.listen.dependencies[last.backSlot].slot = slot
  }

  /// Adds the listens that depend on an aspect in which the node has changed, once for each commit.
  func collect(_ old: Node, _ new: Node, on search: UInt64, into found: inout AffectedListens) {
    guard !dependents.isEmpty, lastSearch != search else { return }
    lastSearch = search
    var differing: ReadDependencies.Aspects = []
    for (index, aspect) in Self.indexedAspects.enumerated() where aspectCounts[index] > 0 && aspect.differ(old, new) {
      differing.insert(aspect)
    }
    guard !differing.isEmpty else { return }
    guard dependents.count <= found.countMax else { return found.places.append((self, differing)) }
    for dependent in dependents where !dependent.aspects.isDisjoint(with: differing) {
      found.listens.append(dependent.listen)
    }
  }

  // MARK: Listens in doubt

  var dependentCount: Int { dependents.count }

  /// Returns the listen at an index of ``dependents``; nil when it is not in doubt because of this node.
  func doubted(at slot: Int) -> Listen? {
    guard let doubt else { return nil }
    let (listen, aspects, _) = dependents[slot]
    return doubt.concerns(aspects, since: listen.decidedSerial) ? listen : nil
  }

  /// Returns true when the listen at an index of ``dependents`` is in doubt because of this node.
  func isDoubted(at slot: Int) -> Bool { doubt != nil && doubted(at: slot) != nil }

  /// Puts the listens in doubt that depend on one of the aspects and were last decided before `serial`.
  func setDoubt(_ aspects: ReadDependencies.Aspects, _ serial: UInt64) {
    let doubt = doubt ?? StaleDecisions()
    doubt.note(aspects, serial)
    self.doubt = doubt
  }

  /// Ends the doubt after all listens were decided again.
  func endDoubt() { doubt = nil }
}

/// The last change of each aspect of a location, by which its listens in doubt are found: those that depend on the
/// aspect and were decided before the change.
final class StaleDecisions {
  /// The serial number of the last change of each of ``DependencyNode/indexedAspects``.
  private var serials = SIMD4<UInt64>()

  func note(_ aspects: ReadDependencies.Aspects, _ serial: UInt64) {
    for (index, aspect) in DependencyNode.indexedAspects.enumerated() where aspects.contains(aspect) {
      serials[index] = serial
    }
  }

  func concerns(_ aspects: ReadDependencies.Aspects, since decidedSerial: UInt64) -> Bool {
    DependencyNode.indexedAspects.indices.contains { index in
      serials[index] > decidedSerial && aspects.contains(DependencyNode.indexedAspects[index])
    }
  }
}

/// The listens whose permission a commit may change.
struct AffectedListens {
  /// The listens without repetition, oldest first.
  var listens: [Listen] = []
  /// The nodes with more than ``countMax`` affected listens, with the aspects that changed.
  var places: [(node: DependencyNode, aspects: ReadDependencies.Aspects)] = []
  /// The most listens of one node that are listed.
  var countMax = Int.max
}

extension ReadDependencies.Aspects {
  /// The number 1 for each of ``DependencyNode/indexedAspects`` in the set.
  fileprivate var counts: SIMD4<Int32> {
    let bits = Int32(rawValue)
    return SIMD4(bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1)
  }
}
