import HearthEngine
import HearthTree

/// The on-disconnect writes of one connection in a ``Simulation``, modelled as a plain list. None of them is at or
/// below another.
struct OnDisconnectModel {
  private struct PendingWrite {
    var keys: [String]
    var tree: SimulationTree
    var order: Int

    var isPriority: Bool { keys.last == ".priority" }
  }

  private var writes: [PendingWrite] = []
  private var nextOrder = 0

  mutating func add(_ change: WriteOperation.Change) {
    nextOrder += 1
    switch change {
    case .put(let location, let value): add(location, value)
    case .merge(let path, let writes): for write in writes { add(write.location.under(path), write.value) }
    }
  }

  private mutating func add(_ location: Location, _ value: WriteValue) {
    let (keys, tree) = (Self.keys(location), SimulationTree(value.node))
    if let above = index(above: keys) {
      writes[above].tree.replace(Array(keys.dropFirst(writes[above].keys.count)), with: tree)
    } else {
      writes.removeAll { $0.keys.starts(with: keys) }
      writes.append(PendingWrite(keys: keys, tree: tree, order: nextOrder))
    }
  }

  /// Removes the writes at and below a location. A write further up is split into writes for its children.
  mutating func cancel(_ location: Location) {
    let keys = Self.keys(location)
    if let above = index(above: keys) {
      let write = writes.remove(at: above)
      writes += Self.removing(keys.dropFirst(write.keys.count), write)
    } else {
      writes.removeAll { $0.keys.starts(with: keys) }
    }
  }

  private static func removing(_ keys: ArraySlice<String>, _ write: PendingWrite) -> [PendingWrite] {
    guard let key = keys.first else { return [] }
    if write.tree.scalar != nil {
      var write = write
      if key == ".priority" { write.tree.priority = nil }
      return [write]
    }
    var rest: [PendingWrite] = []
    for (name, child) in write.tree.children {
      let part = PendingWrite(keys: write.keys + [name], tree: child, order: write.order)
      rest += name == key ? removing(keys.dropFirst(), part) : [part]
    }
    if let priority = write.tree.priority, key != ".priority" {
      let leaf = SimulationTree(Node(priority))
      rest.append(PendingWrite(keys: write.keys + [".priority"], tree: leaf, order: write.order))
    }
    return rest
  }

  /// Executes all writes in the order of the requests.
  func execute(in tree: inout SimulationTree) {
    let ordered = writes.sorted { a, b in
      if a.order != b.order { return a.order < b.order }
      // A priority needs its value first.
      if a.isPriority != b.isPriority { return b.isPriority }
      return a.keys.lexicographicallyPrecedes(b.keys) { SimulationQuery.compareKeys($0, $1) < 0 }
    }
    for write in ordered { tree.replace(write.keys, with: write.tree) }
  }

  private func index(above keys: [String]) -> Int? {
    writes.firstIndex { $0.keys.count < keys.count && keys.starts(with: $0.keys) }
  }

  private static func keys(_ location: Location) -> [String] {
    location.path.keys.map(\.text) + (location.isPriority ? [".priority"] : [])
  }
}
