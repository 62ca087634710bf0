import HearthEngine
import HearthTree

extension WriteValue {
  /// There may be more stored after it is written. What the server fills in is something, too.
  var bringsData: Bool { !node.isEmpty || !deferred.isEmpty }
}

extension WriteOperation.Change {
  /// There may be more stored after it.
  var bringsData: Bool {
    switch self {
    case .put(_, let value): value.bringsData
    case .merge(_, let writes): writes.contains { $0.value.bringsData }
    }
  }
}
