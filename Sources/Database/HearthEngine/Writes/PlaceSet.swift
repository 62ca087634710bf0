import HearthTree

/// A set of locations in a tree, each with all data below it.
package struct PlaceSet: Sendable {
  private var isWhole = false
  private var children: [Key: PlaceSet] = [:]

  /// Creates an empty set.
  package init() {}

  /// True when the set is empty.
  package var isEmpty: Bool { !isWhole && children.isEmpty }

  mutating func insert(_ path: Path) { insert(path.keys[...]) }

  /// Inserts a location, by recursion as deep as paths are long.
  private mutating func insert(_ keys: ArraySlice<Key>) {
    if isWhole { return }
    guard let key = keys.first else {
      (isWhole, children) = (true, [:])
      return
    }
    children[key, default: PlaceSet()].insert(keys.dropFirst())
  }

  /// Adds the locations of another set.
  package mutating func formUnion(_ other: PlaceSet) { for path in other.paths { insert(path) } }

  /// Returns true when a location of the set is at, above or below this path.
  func overlaps(_ path: Path) -> Bool {
    var place = self
    for key in path.keys {
      if place.isWhole { return true }
      guard let child = place.children[key] else { return false }
      place = child
    }
    return !place.isEmpty
  }

  /// The locations, none of which contains another.
  var paths: [Path] {
    var found: [Path] = []
    collect([], into: &found)
    return found
  }

  private func collect(_ keys: [Key], into found: inout [Path]) {
    if isWhole { found.append(Path(keys)) }
    for (key, child) in children { child.collect(keys + [key], into: &found) }
  }
}

extension PlaceSet {
  /// Returns locations that contain all of these: as deep as possible with at most `countMax` of them.
  ///
  /// - Parameter base: The path at or above all of them.
  static func holding(_ locations: [Location], below base: Path, countMax: Int) -> (places: PlaceSet, depth: Int) {
    var depth = base.count
    if locations.count <= countMax {
      depth = .max
    } else {
      while depth < DataLimits.depthMax, count(of: locations, atDepth: depth + 1, upTo: countMax) <= countMax {
        depth += 1
      }
    }
    var places = PlaceSet()
    for location in locations { places.insert(location.path.prefix(depth)) }
    return (places, depth)
  }

  private static func count(of locations: [Location], atDepth depth: Int, upTo countMax: Int) -> Int {
    var prefixes: Set<Path> = []
    for location in locations {
      prefixes.insert(location.path.prefix(depth))
      if prefixes.count > countMax { break }
    }
    return prefixes.count
  }
}
