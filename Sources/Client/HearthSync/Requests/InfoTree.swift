import HearthTree

/// The data below `.info`, which the client generates itself, and its listens.
final class InfoTree {
  private static let rootKey: Key = ".info"
  private static let connectedKey: Key = "connected"
  private static let offsetKey: Key = "serverTimeOffset"

  private let tree = SyncTree()
  private var data = Node.empty.replacing(connectedKey, with: Node(.bool(false)))

  /// The failure of an operation that would write to `.info`.
  static let failure = SyncFailure("permission_denied", "nothing can be written to .info")

  /// Returns true when a path is `.info` or below it.
  static func contains(_ path: Path) -> Bool { path.keys.first == rootKey }

  /// Adds a registration and returns its initial events.
  func listen(_ query: QuerySpec, _ registration: Registration) -> [DataEvent] {
    var events = tree.add(registration, to: query)
    for case .start(let spec, _) in tree.takeListenChanges() {
      let node = node(spec.path)
      if !node.isEmpty { events += tree.serverOverwrite(Location(path: spec.path), node) }
    }
    return events
  }

  func remove(_ id: RegistrationID, from query: QuerySpec) {
    tree.remove(id, from: query)
    _ = tree.takeListenChanges()
  }

  func removeAll(from query: QuerySpec) {
    tree.removeAll(from: query)
    _ = tree.takeListenChanges()
  }

  /// Returns the result of a query.
  func read(_ query: QuerySpec) -> Node {
    let node = node(query.path)
    return query.loadsAllData ? node : QueryResult(query.query, of: node).node
  }

  private func node(_ path: Path) -> Node { data[Path(Array(path.keys.dropFirst()))] }

  /// The value of `.info/connected`.
  var isConnected: Bool { data.child(Self.connectedKey).scalar == .bool(true) }

  func setConnected(_ isConnected: Bool) -> [DataEvent] { set(Self.connectedKey, .bool(isConnected)) }

  func setServerTimeOffset(milliseconds: Int64) -> [DataEvent] { set(Self.offsetKey, .int(milliseconds)) }

  private func set(_ key: Key, _ value: Scalar) -> [DataEvent] {
    data = data.replacing(key, with: Node(value))
    return tree.serverOverwrite(Location(path: Path([Self.rootKey, key])), Node(value))
  }
}
