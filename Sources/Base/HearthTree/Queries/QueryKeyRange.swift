/// The keys that a query's bounds admit. They are the same in every version of the node, so they are checked before
/// anything that is not.
public struct QueryKeyRange: Sendable {
  /// The range; nil in orders in which a key alone decides nothing.
  private let range: QueryRange?

  /// The range of this query's bounds.
  public init(_ query: Query) {
    if case .key = query.effectiveOrder { range = query.range } else { range = nil }
  }

  /// Returns true when a child of that key could be in the query's result.
  public func contains(_ key: Key) -> Bool { range?.contains(.missing, key) ?? true }
}
