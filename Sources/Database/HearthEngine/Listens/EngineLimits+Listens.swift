import HearthTree

/// The cost of listens.
extension EngineLimits {
  /// A listen that a client without any gets while there is room: below a few long keys.
  static let listenUnitBytes = 8 << 10

  /// The bytes that all listens of a database may count for on a machine.
  ///
  /// - Parameter memoryBytes: what the process may use; 0 when that is not known.
  package static func listensBytesMax(memoryBytes: Int) -> Int {
    memoryBytes == 0
      ? EngineLimits().listensBytesMax : max(listensBytesMin, memoryBytes / 100 * listensMemoryPercentMax)
  }

  /// The bytes that a listen counts for. They depend on the request alone, so that the same are given back at its end.
  static func bytes(ofListenAt path: Path, _ query: Query?) -> Int {
    var bytes = listenBytes
    for key in path.keys { bytes += listenLevelBytes + key.text.utf8.count }
    guard let query else { return bytes }
    return bytes + listenBytes + [query.start, query.end].reduce(0) { $0 + ($1?.heldBytes ?? 0) }
  }
}

extension Query.Bound {
  fileprivate var heldBytes: Int {
    var bytes = 0
    if case .string(let text)? = value { bytes += text.utf8.count }
    if case .key(let key)? = key { bytes += key.text.utf8.count }
    return bytes
  }
}
