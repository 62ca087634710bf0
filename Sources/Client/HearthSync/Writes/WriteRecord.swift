import HearthTree

/// A pending write of this client.
struct WriteRecord: Sendable {
  /// The id, which ascends with every write.
  var id: Int
  /// The written path; for several locations, their common ancestor.
  var path: Path
  /// The writes relative to the path, with the client's estimates of server values.
  var content: CompoundWrite
  /// The locations, each from the root.
  var locations: [Location]
  /// True when listeners see the write. A transaction may hide its intermediate states.
  var isVisible: Bool

  /// Creates a write that replaces the value or priority at one location.
  init(id: Int, overwrite location: Location, _ node: Node, isVisible: Bool = true) {
    self.id = id
    path = location.path
    content = CompoundWrite(Location(path: .root, isPriority: location.isPriority), node)
    locations = [location]
    self.isVisible = isVisible
  }

  /// Creates a write that replaces several locations below a path.
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
