import HearthTree

/// Which writes are where: finds those that overlap a place without looking at the others.
struct WritePlaces: Sendable {
  /// Writes at exactly this place, by ascending id; one that writes to it twice counts twice.
  private var ids: [Int] = []
  private var children: [Key: WritePlaces] = [:]

  var isEmpty: Bool { ids.isEmpty && children.isEmpty }

  private static let priorityKey: Key = ".priority"

  private static func keys(_ location: Location) -> [Key] {
    location.isPriority ? location.path.keys + [priorityKey] : location.path.keys
  }

  mutating func insert(_ id: Int, at location: Location) {
    modify(Self.keys(location)[...]) { ids in
      // nearly always at the end
      let place = ids.lastIndex { $0 <= id }.map { $0 + 1 } ?? 0
      ids.insert(id, at: place)
    }
  }

  mutating func remove(_ id: Int, at location: Location) {
    modify(Self.keys(location)[...]) { ids in
      if let place = ids.firstIndex(of: id) { ids.remove(at: place) }
    }
  }

  private mutating func modify(_ keys: ArraySlice<Key>, _ change: (inout [Int]) -> Void) {
    guard let key = keys.first else { return change(&ids) }
    children[key, default: WritePlaces()].modify(keys.dropFirst(), change)
    if children[key]?.isEmpty == true { children[key] = nil }
  }

  /// Whether a write with a higher id replaces all of a place.
  func isCovered(_ location: Location, after id: Int) -> Bool {
    var place = self
    for key in Self.keys(location) {
      if let last = place.ids.last, last > id { return true }
      guard let child = place.children[key] else { return false }
      place = child
    }
    return place.ids.last.map { $0 > id } ?? false
  }

  /// Whether any write is above a place.
  func isBelowAnother(_ location: Location) -> Bool {
    var place = self
    for key in Self.keys(location) {
      if !place.ids.isEmpty { return true }
      guard let child = place.children[key] else { return false }
      place = child
    }
    return false
  }

  /// Whether any write is at a place, above it or below it.
  func overlaps(_ location: Location) -> Bool {
    var place = self
    for key in Self.keys(location) {
      if !place.ids.isEmpty { return true }
      guard let child = place.children[key] else { return false }
      place = child
    }
    return !place.isEmpty
  }

  /// The writes at a place, above it and below it, each once, by ascending id.
  func overlapping(_ path: Path) -> [Int] {
    var found: Set<Int> = []
    var place = self
    for key in path.keys {
      found.formUnion(place.ids)
      guard let child = place.children[key] else { return found.sorted() }
      place = child
    }
    place.collect(&found)
    return found.sorted()
  }

  private func collect(_ found: inout Set<Int>) {
    found.formUnion(ids)
    for child in children.values { child.collect(&found) }
  }
}
