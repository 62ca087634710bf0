/// The keys that a query's bounds admit. They do not depend on the version of the node, so they are checked first.
public struct QueryKeyRange: Sendable {
  /// The range; nil in every order in which a key alone does not decide.
  private let range: QueryRange?

  /// Creates the range of a query's bounds.
  public init(_ query: Query) {
    if case .key = query.effectiveOrder { range = query.range } else { range = nil }
  }

  /// Returns true when a child with the key could be in the query's result.
  public func contains(_ key: Key) -> Bool { range?.contains(.missing, key) ?? true }
}
