import HearthTree

/// A set of locations in a tree, each with all data below it.
package struct LocationSet: Sendable {
  private var isWhole = false
  private var children: [Key: LocationSet] = [:]

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
    children[key, default: LocationSet()].insert(keys.dropFirst())
  }

  /// Adds the locations of another set.
  package mutating func formUnion(_ other: LocationSet) { for path in other.paths { insert(path) } }

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

extension LocationSet {
  /// Returns at most `countMax` locations that contain all of the given ones, as deep in the tree as possible.
  ///
  /// - Parameter base: The path at or above all of them.
  static func holding(_ locations: [Location], below base: Path, countMax: Int) -> (places: LocationSet, depth: Int) {
    var (places, depth) = (LocationSet(), base.count)
    guard locations.count > countMax else {
      for location in locations { places.insert(location.path) }
      return (places, .max)
    }
    var groups = PrefixGroups(locations)
    while depth < DataLimits.depthMax, groups.split(atDepth: depth, countMax: countMax) { depth += 1 }
    for index in groups.firsts { places.insert(locations[index].path.prefix(depth)) }
    return (places, depth)
  }
}

/// Locations, grouped by the prefixes of their paths up to a depth.
private struct PrefixGroups {
  /// A group and the next key of some of its members; the key is nil at the end of a path.
  private struct Branch: Hashable {
    var group: Int
    var key: Key?
  }

  private let locations: [Location]
  /// The group of each location.
  private var groups: [Int]
  /// The first location of each group.
  private(set) var firsts = [0]

  /// Creates one group of all locations, of which there must be at least one.
  init(_ locations: [Location]) {
    self.locations = locations
    groups = Array(repeating: 0, count: locations.count)
  }

  /// Splits the groups by the keys at a depth.
  ///
  /// - Returns: False when there would be more than `countMax`; the groups are then unchanged.
  mutating func split(atDepth depth: Int, countMax: Int) -> Bool {
    var (groups, firsts, branches) = (groups, firsts, [Branch: Int]())
    for index in locations.indices {
      let (group, key) = (groups[index], key(of: index, atDepth: depth))
      // Most paths of a large write share most of their keys, and comparing is cheaper than hashing.
      if key == self.key(of: firsts[group], atDepth: depth) { continue }
      let branch = Branch(group: group, key: key)
      if let known = branches[branch] {
        groups[index] = known
      } else {
        guard firsts.count < countMax else { return false }
        branches[branch] = firsts.count
        groups[index] = firsts.count
        firsts.append(index)
      }
    }
    (self.groups, self.firsts) = (groups, firsts)
    return true
  }

  private func key(of index: Int, atDepth depth: Int) -> Key? {
    let keys = locations[index].path.keys
    return depth < keys.count ? keys[depth] : nil
  }
}
