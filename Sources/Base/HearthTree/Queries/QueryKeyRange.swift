/// Which keys a query's bounds let through. That is the same in every version of the node, so it is asked before anything
/// that is not.
public struct QueryKeyRange: Sendable {
  /// nil in orders in which a key alone says nothing.
  private let range: QueryRange?

  /// The range of this query's bounds.
  public init(_ query: Query) {
    if case .key = query.effectiveOrder { range = query.range } else { range = nil }
  }

  /// Returns true when a child of that key could be among what the query shows.
  public func contains(_ key: Key) -> Bool { range?.contains(.missing, key) ?? true }
}
