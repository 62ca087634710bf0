import HearthTree

/// A write of this client that the server has not settled yet.
struct WriteRecord: Sendable {
  /// Ascends with every write.
  var id: Int
  /// The written path; for several locations, their common ancestor.
  var path: Path
  /// Relative to the path, and with this side's estimate of server values.
  var content: CompoundWrite
  /// The places, each from the root.
  var locations: [Location]
  /// True when listeners see it. A transaction may hide its intermediate states.
  var isVisible: Bool

  /// Replaces one place, or its priority.
  init(id: Int, overwrite location: Location, _ node: Node, isVisible: Bool = true) {
    self.id = id
    path = location.path
    content = CompoundWrite(Location(path: .root, isPriority: location.isPriority), node)
    locations = [location]
    self.isVisible = isVisible
  }

  /// Replaces several places below a path.
  init(id: Int, merge path: Path, _ content: CompoundWrite) {
    self.id = id
    self.path = path
    self.content = content
    var locations: [Location] = []
    content.forEachWrite { location, _ in locations.append(location.under(path)) }
    self.locations = locations
    isVisible = true
  }
}
