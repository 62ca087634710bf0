/// The children of a node that a live query shows, updated from one version of the node to the next by reading the
/// changes.
///
/// Without a limit a child is shown when the bounds admit it, which depends on the child alone. With a limit the window
/// has an edge: the child farthest from where the limit counts. Children that leave or enter are next to the edge in
/// the index.
public struct QueryWindow: Sendable {
  /// The window's query.
  public let query: Query

  /// The number of children shown.
  public private(set) var count = 0

  private let order: Query.Order
  private let range: QueryRange
  /// The point after which no child is shown, counted from where the limit counts; nil when all children in the range
  /// are shown.
  private var edge: QueryPoint?

  /// A changed child.
  public struct ChildChange: Sendable {
    /// The child's key.
    public var key: Key
    /// The former child; empty when there was none.
    public var old: Node
    /// The new child; empty when it was deleted.
    public var new: Node

    /// Creates a change of a child.
    public init(key: Key, old: Node, new: Node) {
      self.key = key
      self.old = old
      self.new = new
    }
  }

  /// The effect of a change on the window.
  public enum Step: Sendable, Equatable {
    /// The child is still shown, and its content changed.
    case stayed(Key)
    /// The child is newly shown. It may be unchanged, when another child left the window.
    case entered(Key)
    /// The child is no longer shown.
    case left(Key)

    /// The child's key.
    public var key: Key {
      switch self {
      case .stayed(let key), .entered(let key), .left(let key): key
      }
    }
  }

  /// Creates a window.
  ///
  /// - Parameter index: The index of the query's order for this version of `node`; when it is nil, every child is read.
  public init(_ query: Query, of node: Node, index: ChildIndex?, cost: inout QueryCost) {
    self.query = query
    order = query.effectiveOrder
    range = query.range
    if query.loadsAllData {
      count = node.childCount
      return
    }
    let result = QueryResult(query, of: node, index: index)
    var (found, last) = (0, OrderedChildIterator.Item?.none)
    let isComplete = result.forEachInIndex(cost: &cost) { item in
      found += 1
      last = item
    }
    if let (limit, isLast) = query.limitCount {
      if !isComplete {
        var scan = TopChildrenHeap(query, count: limit, isLast: isLast)
        scan.scan(node, cost: &cost)
        (found, last) = (scan.items.count, scan.edge)
      }
      if found == limit { edge = last?.point }
    } else if !isComplete {
      found = 0
      result.forEachInRange(cost: &cost) { _, _ in found += 1 }
    }
    count = found
  }

  /// Returns true when the child is shown. The child must be of the window's current version.
  public func shows(_ key: Key, _ child: Node) -> Bool { isShown(key, valueInRange(key, child)) }

  /// Returns true when a child with the key could be shown with some value. When it returns false, a change of the
  /// child does not affect the window.
  public func mayShow(_ key: Key) -> Bool {
    guard case .key = order else { return true }
    return isShown(key, range.contains(.missing, key) ? .missing : nil)
  }

  /// Returns the sort value of a child; nil when the bounds do not admit it.
  private func valueInRange(_ key: Key, _ child: Node) -> SortValue? {
    if child.isEmpty { return nil }
    let value = order.value(of: child)
    return range.contains(value, key) ? value : nil
  }

  private func isShown(_ key: Key, _ value: SortValue?) -> Bool {
    guard let value else { return false }
    guard let limit = query.limitCount else { return true }
    guard let edge else { return limit.count > 0 }
    let order = key.withUTF8 { edge.compare(value, $0) }
    return limit.isLast ? order >= 0 : order <= 0
  }

  /// Moves the window to the next version of the node.
  ///
  /// With a limit, it reads a few entries of the index for each child that enters or leaves, independent of the size of
  /// the node.
  ///
  /// - Parameters:
  /// - changes: Every child that changed, once each.
  /// - node: The new version.
  /// - index: The index of the new version, for a query with a limit that is not in key order. When it is nil, every
  ///   child is read.
  /// - Returns: The steps in key order, at most one for each child. Children that are shown neither before nor after
  ///   have none.
  public mutating func apply(
    _ changes: [ChildChange], node: Node, index: ChildIndex?, cost: inout QueryCost
  ) -> [Step] {
    var touched: [(key: Key, wasShown: Bool, new: SortValue?)] = []
    for change in changes {
      let new = valueInRange(change.key, change.new)
      let (wasShown, isShown) = (shows(change.key, change.old), isShown(change.key, new))
      guard wasShown || isShown else { continue }
      count += (isShown ? 1 : 0) - (wasShown ? 1 : 0)
      touched.append((change.key, wasShown, new))
    }
    if touched.isEmpty { return [] }
    var steps = moveEdge(node, index, cost: &cost)
    if !steps.isEmpty {
      let keys = Set(touched.map(\.key))
      steps.removeAll { keys.contains($0.key) }
    }
    for (key, wasShown, new) in touched {
      switch (wasShown, isShown(key, new)) {
      case (true, true): steps.append(.stayed(key))
      case (false, true): steps.append(.entered(key))
      case (true, false): steps.append(.left(key))
      case (false, false): break
      }
    }
    return steps.count < 2 ? steps : steps.sorted { $0.key < $1.key }
  }

  /// Removes the children beyond the limit, or adds children up to the limit. Before the call, `count` is the number of
  /// children up to the edge; afterwards it is the number shown.
  ///
  /// When this number is exactly the limit, the edge may stay, even if its child was removed: no other child is at that
  /// point.
  private mutating func moveEdge(_ node: Node, _ index: ChildIndex?, cost: inout QueryCost) -> [Step] {
    guard let (limit, isLast) = query.limitCount, limit > 0, count > limit || count < limit && edge != nil else {
      return []
    }
    let index = query.index(index, of: node) ?? ChildIndex(node, by: order, cost: &cost)
    var moved: [Step] = []
    if count > limit {
      // Removes children from the edge inward.
      var inside = range
      if let edge { if isLast { inside.lower = edge } else { inside.upper = edge } }
      var iterator = OrderedChildIterator(node, index, in: inside, isReversed: !isLast)
      while count > limit, let item = iterator.next(cost: &cost) {
        count -= 1
        moved.append(.left(item.key))
      }
      edge = iterator.next(cost: &cost)?.point
    } else if var place = edge {
      // Adds children from the edge outward.
      place.isInclusive = false
      var outside = range
      if isLast { outside.upper = place } else { outside.lower = place }
      var iterator = OrderedChildIterator(node, index, in: outside, isReversed: isLast)
      edge = nil
      while count < limit, let item = iterator.next(cost: &cost) {
        count += 1
        moved.append(.entered(item.key))
        if count == limit { edge = item.point }
      }
    }
    return moved
  }
}

extension Query {
  /// True when a live query needs an index to be updated from changes alone.
  public var needsIndex: Bool { limit != nil && order != .key }
}
