import HearthSync
import HearthTree
import HearthWire

extension Request.Action {
  /// Creates the protocol's request for a request of ``SyncCore``.
  init(_ body: SyncRequest.Body) {
    self =
      switch body {
      case .listen(let spec, let tag, let hash, let compound):
        .listen(
          Request.Listen(
            path: spec.path, hash: hash, query: tag == nil ? nil : spec.query.wire, tag: Self.tag(tag),
            compound: compound))
      case .unlisten(let spec, let tag):
        .unlisten(Request.Unlisten(path: spec.path, query: tag == nil ? nil : spec.query.wire, tag: Self.tag(tag)))
      case .get(let spec): .get(Request.Get(location: Location(path: spec.path), query: spec.query.wire))
      case .put(let location, let value, let hash):
        .put(Request.Put(write: Write(location: location, value: value), hash: hash))
      case .merge(let path, let writes): .merge(Request.Merge(path: path, relative: writes))
      case .onDisconnectPut(let location, let value): .onDisconnectPut(Write(location: location, value: value))
      case .onDisconnectMerge(let path, let writes): .onDisconnectMerge(Request.Merge(path: path, relative: writes))
      case .onDisconnectCancel(let path): .onDisconnectCancel(Location(path: path))
      }
  }

  /// Returns the tag as the protocol's 32-bit number. A tag that wraps around is safe: a query has ended long before
  /// two thousand million others begin.
  private static func tag(_ tag: Int?) -> Int32? { tag.map { Int32(truncatingIfNeeded: $0) } }
}

extension Request.Merge {
  /// A merge of locations relative to its path.
  init(path: Path, relative writes: [Write]) {
    self.init(path: path, writes: writes.map { Write(location: $0.location.under(path), value: $0.value) })
  }
}
