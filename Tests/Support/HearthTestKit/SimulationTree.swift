import HearthTree

/// A simple, slow tree for the checker, independent of the tree under test.
struct SimulationTree: Equatable {
  var scalar: Scalar?
  var priority: Scalar?
  var children: [String: SimulationTree] = [:]

  init() {}

  init(_ node: Node) {
    scalar = node.scalar
    priority = node.priority
    for (key, child) in node.children { children[key.text] = SimulationTree(child) }
  }

  var isEmpty: Bool { scalar == nil && children.isEmpty }

  subscript(path: [String]) -> SimulationTree {
    guard let key = path.first else { return self }
    return children[key].map { $0[Array(path.dropFirst())] } ?? SimulationTree()
  }

  subscript(path: String) -> SimulationTree { self[path.split(separator: "/").map(String.init)] }

  /// Replaces the node at a path whose last part may be `.priority`.
  mutating func replace(_ path: [String], with tree: SimulationTree) {
    guard let key = path.first else {
      self = tree
      return
    }
    if key == ".priority" {
      if !isEmpty { priority = tree.scalar }
      return
    }
    var child = children[key] ?? SimulationTree()
    child.replace(Array(path.dropFirst()), with: tree)
    if !child.isEmpty {
      // A leaf that gets children keeps its priority.
      scalar = nil
      children[key] = child
    } else if children.removeValue(forKey: key) != nil, children.isEmpty {
      self = SimulationTree()
    }
  }
}
