/// A node's children in the order of a query, kept from one version of the node to the next.
public struct OrderedChildren: Sendable {
  /// The version that is ordered.
  public private(set) var node: Node
  private var index: ChildIndex

  /// The order of the children.
  public var order: Query.Order { index.order }

  /// Creates the order of all children. The order of keys needs no index.
  public init(_ node: Node, by order: Query.Order) {
    var cost = QueryCost()
    self.node = node
    index = ChildIndex(node, by: order, cost: &cost)
  }

  /// Moves to another version. Only the differences are read when the versions share the rest.
  public mutating func move(to node: Node) {
    if node.isIdentical(to: self.node) { return }
    var (index, cost) = (index, QueryCost())
    node.forEachDifference(from: self.node) { key, old, new in index.replace(key, old, new, cost: &cost) }
    index.rebuildIfNeeded(node, cost: &cost)
    self.index = index
    self.node = node
  }

  /// Returns the result of a query in this order.
  public func result(of query: Query) -> Node { QueryResult(query, of: node, index: index).node }

  /// Returns the first child, or the last; nil when there is none.
  public func end(isLast: Bool) -> (key: Key, node: Node)? { firstChild(in: QueryRange(), isReversed: isLast) }

  /// Returns the child after a point of the order, or before it. There need not be a child at the point itself.
  public func neighbour(of key: Key, _ child: Node, isBefore: Bool) -> (key: Key, node: Node)? {
    let point = QueryPoint(value: order.value(of: child), key: .key(key), isInclusive: false)
    return firstChild(in: isBefore ? QueryRange(upper: point) : QueryRange(lower: point), isReversed: isBefore)
  }

  private func firstChild(in range: QueryRange, isReversed: Bool) -> (key: Key, node: Node)? {
    var cost = QueryCost()
    var iterator = OrderedChildIterator(node, index, in: range, isReversed: isReversed)
    return iterator.next(cost: &cost).map { ($0.key, $0.node) }
  }
}

extension OrderedChildren: Sequence {
  /// The number of children of a small node; 0 for others.
  public var underestimatedCount: Int { node.children.underestimatedCount }

  /// Creates an iterator from the first child to the last.
  public func makeIterator() -> Iterator {
    Iterator(iterator: OrderedChildIterator(node, index, in: QueryRange(), isReversed: false))
  }

  /// An iterator over the children.
  public struct Iterator: IteratorProtocol {
    fileprivate var iterator: OrderedChildIterator

    /// Returns the next child; nil after the last.
    public mutating func next() -> (key: Key, node: Node)? {
      var cost = QueryCost()
      return iterator.next(cost: &cost).map { ($0.key, $0.node) }
    }
  }
}

extension Query.Order {
  /// Returns the order of two children: negative when the first comes first, zero when they are at the same point.
  public func compare(_ a: (key: Key, node: Node), _ b: (key: Key, node: Node)) -> Int {
    let order = value(of: a.node).compare(value(of: b.node))
    return order != 0 ? order : a.key == b.key ? 0 : a.key < b.key ? -1 : 1
  }

  /// Returns true when the sort value of a child has changed. In the order of values, every change counts.
  public func isMoved(from old: Node, to new: Node) -> Bool {
    switch self {
    case .key: false
    case .priority: old.priority != new.priority
    case .value: old != new
    case .child: value(of: old).compare(value(of: new)) != 0
    }
  }
}

extension Query {
  /// Returns true when the bounds admit a child, regardless of the limit.
  public func isInRange(_ key: Key, _ child: Node) -> Bool {
    !child.isEmpty && range.contains(effectiveOrder.value(of: child), key)
  }
}
