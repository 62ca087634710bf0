import HearthTree

/// The filter of a query: selects the children of a node and derives the effects of a change of one child.
struct QueryFilter {
  let query: Query
  let order: Query.Order

  init(_ query: Query) {
    self.query = query
    order = query.effectiveOrder
  }

  /// True when the query has bounds or a limit.
  var filters: Bool { !query.loadsAllData }

  private var limit: (count: Int, isLast: Bool)? {
    switch query.limit {
    case nil: nil
    case .first(let count)?: (count, false)
    case .last(let count)?: (count, true)
    }
  }

  /// Returns true when the number of children has reached the query's limit.
  func isFull(_ node: Node) -> Bool { limit.map { node.childCount >= $0.count } ?? false }

  /// Returns the part of a node that the query finds. Differences from `old` are recorded when `changes` is not nil.
  func updateFull(_ old: Node, _ new: Node, _ changes: UnsafeMutablePointer<ChangeAccumulator>?) -> Node {
    let filtered = filters ? QueryResult(query, of: new).node : new
    if let changes {
      filtered.forEachDifference(from: old) { changes.pointee.track($0, from: $1, to: $2) }
    }
    return filtered
  }

  /// Returns the node with a new priority; the result of a query with bounds or a limit has no priority and stays
  /// unchanged.
  func updatePriority(_ old: Node, _ priority: Node) -> Node {
    filters ? old : old.with(priority: priority.scalar)
  }

  /// Returns a node with one child replaced.
  ///
  /// - Parameters:
  ///   - orderedOld: The children of `old` in the query's order; called only when the window is full.
  ///   - candidate: Returns the next child after a position in the order, or before it, among all completely known
  ///     ones.
  func update(
    _ old: Node, _ key: Key, _ child: Node, _ changes: UnsafeMutablePointer<ChangeAccumulator>?,
    orderedOld: () -> OrderedChildren,
    candidate: (_ key: Key, _ node: Node, _ isBefore: Bool) -> (key: Key, node: Node)?
  ) -> Node {
    let new = filters && !query.isInRange(key, child) ? .empty : child
    let before = old.child(key)
    if before == new { return old }
    guard let limit, old.childCount >= limit.count else {
      changes?.pointee.track(key, from: before, to: new)
      return old.replacing(key, with: new)
    }
    guard let edge = orderedOld().end(isLast: !limit.isLast) else { return old }
    /// Returns a positive number when the first child is farther from the start of the limit.
    func distance(_ a: (key: Key, node: Node), _ b: (key: Key, node: Node)) -> Int {
      limit.isLast ? order.compare(b, a) : order.compare(a, b)
    }
    if !before.isEmpty {
      var next = candidate(edge.key, edge.node, limit.isLast)
      while let found = next, found.key == key || !old.child(found.key).isEmpty {
        next = candidate(found.key, found.node, limit.isLast)
      }
      if !new.isEmpty, next.map({ distance($0, (key, new)) >= 0 }) ?? true {
        changes?.pointee.track(key, from: before, to: new)
        return old.replacing(key, with: new)
      }
      changes?.pointee.remove(key, before)
      let short = old.replacing(key, with: .empty)
      guard let next, query.isInRange(next.key, next.node) else { return short }
      changes?.pointee.add(next.key, next.node)
      return short.replacing(next.key, with: next.node)
    }
    guard !new.isEmpty, distance(edge, (key, new)) >= 0 else { return old }
    changes?.pointee.remove(edge.key, edge.node)
    changes?.pointee.add(key, new)
    return old.replacing(key, with: new).replacing(edge.key, with: .empty)
  }
}
