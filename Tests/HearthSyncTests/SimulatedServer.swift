import HearthTree

@testable import HearthSync

/// A server's data with one client's listens, and the pushes in the order in which it sends them.
struct SimulatedServer {
  /// A message in flight to the client.
  enum Message {
    case overwrite(Location, Node, tag: Int?)
    case merge(Path, [(Location, Node)], tag: Int?)
    case complete(QuerySpec, tag: Int?)
    case settled(Int, isReverted: Bool)
  }

  private(set) var data: Node
  private var listens: [(spec: QuerySpec, tag: Int?, shown: Node)] = []
  var messages: [Message] = []

  init(data: Node) { self.data = data }

  mutating func follow(_ change: ListenChange) {
    switch change {
    case .start(let spec, let tag):
      let shown = result(of: spec)
      listens.append((spec, tag, shown))
      messages.append(.overwrite(Location(path: spec.path), shown, tag: tag))
      messages.append(.complete(spec, tag: tag))
    case .stop(let spec, let tag):
      listens.removeAll { $0.spec == spec && $0.tag == tag }
    // Messages in flight for an ended listen are ignored.
    }
  }

  func result(of spec: QuerySpec) -> Node {
    spec.loadsAllData ? data[spec.path] : QueryResult(spec.query, of: data[spec.path]).node
  }

  /// Applies an atomic group of writes, and queues pushes to listeners.
  mutating func write(_ changes: [(Location, Node)]) {
    // One after the other, priorities last: a node that is briefly empty loses its priority.
    let changes = changes.filter { !$0.0.isPriority } + changes.filter { $0.0.isPriority }
    for (location, node) in changes {
      data = data.overwriting(location.path.keys[...], isPriority: location.isPriority, with: node)
    }
    for i in listens.indices {
      let (spec, tag, old) = listens[i]
      let new = result(of: spec)
      if new == old { continue }
      listens[i].shown = new
      if tag == nil {
        tell(spec, changes, new)
      } else {
        var differences: [(Location, Node)] = []
        new.forEachDifference(from: old) { differences.append((Location(path: [$0]), $2)) }
        messages.append(.merge(spec.path, differences, tag: tag))
      }
    }
  }

  private mutating func tell(_ spec: QuerySpec, _ changes: [(Location, Node)], _ new: Node) {
    var below: [(Location, Node)] = []
    for (location, _) in changes {
      guard let relative = spec.path.relative(location.path) else {
        if location.path.contains(spec.path), !location.isPriority {
          messages.append(.overwrite(Location(path: spec.path), new, tag: nil))
          return
        }
        continue
      }
      let place = Location(path: relative, isPriority: location.isPriority)
      below.append((place, new[place]))
    }
    if below.count == 1 {
      messages.append(.overwrite(below[0].0.under(spec.path), below[0].1, tag: nil))
    } else {
      messages.append(.merge(spec.path, below, tag: nil))
    }
  }
}
