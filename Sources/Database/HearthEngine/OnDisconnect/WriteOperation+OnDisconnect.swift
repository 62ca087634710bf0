import HearthTree

extension WriteOperation.Change {
  /// The number of writes and server values.
  var onDisconnectCount: Int {
    switch self {
    case .put(_, let value): 1 + value.deferred.count
    case .merge(_, let writes): writes.reduce(0) { $0 + 1 + $1.value.deferred.count }
    }
  }

  /// The locations that the change writes, from the root.
  var locations: [Location] {
    switch self {
    case .put(let location, _): [location]
    case .merge(let path, let writes): writes.map { $0.location.under(path) }
    }
  }
}

extension Path {
  /// True when data can be stored at the path. The stored form of sessions uses keys that are invalid in data.
  var isStorable: Bool { keys.allSatisfy { $0.problem == nil } }
}
