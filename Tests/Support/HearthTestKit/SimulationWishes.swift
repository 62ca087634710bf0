import HearthEngine
import HearthTree

/// The on-disconnect writes of one connection in a ``Simulation``, modelled as a plain list. None of them is at or
/// below another.
struct SimulationWishes {
  private struct Wish {
    var keys: [String]
    var tree: SimulationTree
    var order: Int

    var isPriority: Bool { keys.last == ".priority" }
  }

  private var wishes: [Wish] = []
  private var nextOrder = 0

  mutating func ask(_ change: WriteOperation.Change) {
    nextOrder += 1
    switch change {
    case .put(let location, let value): ask(location, value)
    case .merge(let path, let writes): for write in writes { ask(write.location.under(path), write.value) }
    }
  }

  private mutating func ask(_ location: Location, _ value: WriteValue) {
    let (keys, tree) = (Self.keys(location), SimulationTree(value.node))
    if let above = index(above: keys) {
      wishes[above].tree.replace(Array(keys.dropFirst(wishes[above].keys.count)), with: tree)
    } else {
      wishes.removeAll { $0.keys.starts(with: keys) }
      wishes.append(Wish(keys: keys, tree: tree, order: nextOrder))
    }
  }

  /// Removes the writes at and below a location. A write further up is split into writes for its children.
  mutating func cancel(_ location: Location) {
    let keys = Self.keys(location)
    if let above = index(above: keys) {
      let wish = wishes.remove(at: above)
      wishes += Self.without(keys.dropFirst(wish.keys.count), wish)
    } else {
      wishes.removeAll { $0.keys.starts(with: keys) }
    }
  }

  private static func without(_ keys: ArraySlice<String>, _ wish: Wish) -> [Wish] {
    guard let key = keys.first else { return [] }
    if wish.tree.scalar != nil {
      var wish = wish
      if key == ".priority" { wish.tree.priority = nil }
      return [wish]
    }
    var rest: [Wish] = []
    for (name, child) in wish.tree.children {
      let part = Wish(keys: wish.keys + [name], tree: child, order: wish.order)
      rest += name == key ? without(keys.dropFirst(), part) : [part]
    }
    if let priority = wish.tree.priority, key != ".priority" {
      let leaf = SimulationTree(Node(priority))
      rest.append(Wish(keys: wish.keys + [".priority"], tree: leaf, order: wish.order))
    }
    return rest
  }

  /// Executes all writes in the order of the requests.
  func make(in tree: inout SimulationTree) {
    let ordered = wishes.sorted { a, b in
      if a.order != b.order { return a.order < b.order }
      // A priority needs its value first.
      if a.isPriority != b.isPriority { return b.isPriority }
      return a.keys.lexicographicallyPrecedes(b.keys) { SimulationQuery.compareKeys($0, $1) < 0 }
    }
    for wish in ordered { tree.replace(wish.keys, with: wish.tree) }
  }

  private func index(above keys: [String]) -> Int? {
    wishes.firstIndex { $0.keys.count < keys.count && keys.starts(with: $0.keys) }
  }

  private static func keys(_ location: Location) -> [String] {
    location.path.keys.map(\.text) + (location.isPriority ? [".priority"] : [])
  }
}
