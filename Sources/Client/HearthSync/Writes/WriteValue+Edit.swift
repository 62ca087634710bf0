import HearthTree

// Reading and changing parts of a value, and of the server values in it.
extension WriteValue {
  /// Returns one child of the value.
  func child(_ key: Key) -> WriteValue {
    WriteValue(
      node.child(key),
      deferred: deferred.compactMap { item in
        guard item.location.path.keys.first == key else { return nil }
        let path = Path(Array(item.location.path.keys.dropFirst()))
        return Deferred(location: Location(path: path, isPriority: item.location.isPriority), operation: item.operation)
      })
  }

  /// Returns a copy in which `value` replaces the value or priority at a location.
  func replacing(_ location: Location, with value: WriteValue) -> WriteValue {
    var result = self
    result.node = node.overwriting(location.path.keys[...], isPriority: location.isPriority, with: value.node)
    result.deferred.removeAll { item in
      location.isPriority ? item.location == location : location.path.contains(item.location.path)
    }
    // A priority is written only where there is data.
    if location.isPriority, result.node[location.path].isEmpty { return result }
    result.deferred += value.deferred.map { item in
      Deferred(
        location: location.isPriority ? location : item.location.under(location.path), operation: item.operation)
    }
    return result
  }
}
