import HearthTree

/// One write that took effect, as the parts that index and fan out need it.
struct Commit: Sendable {
  /// One place that is different now.
  struct Change: Sendable {
    /// From the root.
    var location: Location
    /// What is there now; for a priority a bare leaf, or empty.
    var node: Node
  }

  var position: Int64
  /// The place where the request was made; every change is at or below it.
  var base: Path
  var isMerge: Bool
  var changes: [Change]
  var oldRoot: Node
  var newRoot: Node
}

extension Location {
  /// The keys with `.priority` as the last one when this is a priority: how events name it.
  var eventKeys: [Key] { isPriority ? path.keys + [Key(".priority")] : path.keys }

  /// What is at this place of a tree; for a priority a bare leaf, or empty.
  func value(in root: Node) -> Node {
    guard isPriority else { return root[path] }
    return root[path].priority.map { Node($0) } ?? .empty
  }
}
