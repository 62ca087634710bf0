import HearthTree

/// One entry of `.indexOn`: an order of a node's children that queries may use.
public enum RuleIndex: Sendable, Equatable {
  /// The order of values, `.value`.
  case value
  /// A descendant's value, at a path relative to each child.
  case child(Path)
}
