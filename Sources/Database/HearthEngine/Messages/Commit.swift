import HearthTree

/// One completed write, as used to find affected listens and to deliver events.
struct Commit: Sendable {
  /// One location that changed.
  struct Change: Sendable {
    /// The location from the root.
    var location: Location
    /// The new data; for a priority, a leaf with the priority as its value, or an empty node.
    var node: Node
  }

  var position: Int64
  /// The path of the request; every change is at or below it.
  var base: Path
  var isMerge: Bool
  var changes: [Change]
  var oldRoot: Node
  var newRoot: Node
}

extension Location {
  /// The keys with `.priority` as the last one for a priority, as in events.
  var eventKeys: [Key] { isPriority ? path.keys + [Key(".priority")] : path.keys }

  /// Returns the data at this location of a tree; for a priority, a leaf with the priority as its value, or an empty
  /// node.
  package func value(in root: Node) -> Node { isPriority ? root[path].priorityNode : root[path] }
}
