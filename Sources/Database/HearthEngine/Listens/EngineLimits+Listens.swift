import HearthTree

/// The memory of listens.
extension EngineLimits {
  /// The memory that the shared limit lets every client without listens use while there is any left, in bytes: enough
  /// for one listen at a path with a few long keys.
  static let listenUnitBytes = 8 << 10

  /// Returns the limit for all listens of a database on a machine, in bytes.
  ///
  /// - Parameter memoryBytes: The memory that the process may use; 0 when it is unknown.
  package static func listensBytesMax(memoryBytes: Int) -> Int {
    memoryBytes == 0
      ? EngineLimits().listensBytesMax : max(listensBytesMin, memoryBytes / 100 * listensMemoryPercentMax)
  }

  /// Returns the bytes that a listen counts for. They depend on the request alone, so that its end releases the same
  /// amount.
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
