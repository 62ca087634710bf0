import HearthTree

extension WriteOperation.Change {
  func overlaps(_ places: LocationSet) -> Bool {
    switch self {
    case .put(let location, _): places.overlaps(location.path)
    case .merge(let path, let writes):
      places.overlaps(path) && writes.contains { places.overlaps(path.appending($0.location.path)) }
    }
  }

  /// Returns true when the values take more than `sizeBytesMax` bytes, without examining more than that.
  func isLarge(sizeBytesMax: Int) -> Bool { heldBytes(upTo: sizeBytesMax) > sizeBytesMax }

  /// Returns the memory of its values in bytes. Counting stops beyond `limit`.
  func heldBytes(upTo limit: Int) -> Int {
    var bytes = 0
    func add(_ value: WriteValue) -> Bool {
      bytes += value.node.heldBytes(upTo: limit - bytes) + (1 + value.deferred.count) * EngineLimits.locationBytes
      return bytes <= limit
    }
    switch self {
    case .put(_, let value): _ = add(value)
    case .merge(_, let writes): _ = writes.allSatisfy { add($0.value) }
    }
    return bytes
  }
}
