/// The result of a query for one version of a node: cheap to create; its node is built when it is needed, on any
/// thread.
public struct QueryResult: Sendable {
  let query: Query
  let parent: Node
  let index: ChildIndex?

  /// Creates a result.
  ///
  /// - Parameter index: The index of the query's order for this version of `node`; when it is nil, every child is read.
  public init(_ query: Query, of node: Node, index: ChildIndex? = nil) {
    self.query = query
    parent = node
    self.index = query.index(index, of: node)
  }

  /// Returns a node with the children of the result and without a priority. It is empty for a leaf.
  ///
  /// In key order, or with an index, each child of the result takes one lookup. Otherwise every child is read once; the
  /// children in memory are never more than those of the result.
  public func node(cost: inout QueryCost) -> Node {
    guard parent.isInterior else { return .empty }
    if query.loadsAllData { return parent.with(priority: nil) }
    var builder = NodeBuilder()
    builder.open()
    if !forEachInIndex(cost: &cost, { builder.add($0) }) {
      builder = NodeBuilder()
      builder.open()
      if let (count, isLast) = query.limitCount {
        var scan = TopChildrenHeap(query, count: count, isLast: isLast)
        scan.scan(parent, cost: &cost)
        for item in scan.items { builder.add(item) }
      } else {
        addAll(to: &builder, cost: &cost)
      }
    }
    builder.close()
    return builder.finish()
  }

  /// A node with only the children of the result.
  public var node: Node {
    var cost = QueryCost()
    return node(cost: &cost)
  }

  /// The ratio of all children to those of the result from which lookups by the index are faster than reading all
  /// children.
  private static let childrenPerLookup = 6

  /// Calls `body` for each child of the result, in the query's order from the end where its limit counts.
  ///
  /// Returns false when there is no index, or when the result is so large that it is faster to read every child. `body`
  /// may have been called for some children before that.
  func forEachInIndex(cost: inout QueryCost, _ body: (OrderedChildIterator.Item) -> Void) -> Bool {
    guard let index else { return false }
    let isExact = query.limit != nil || index.order == .key
    let (count, isLast) = query.limitCount ?? (Int.max, false)
    let countMax = isExact ? count : parent.childCount / Self.childrenPerLookup
    var iterator = OrderedChildIterator(parent, index, in: query.range, isReversed: isLast)
    var found = 0
    while found < count, let item = iterator.next(cost: &cost) {
      found += 1
      guard found <= countMax else { return false }
      body(item)
    }
    return true
  }

  private func addAll(to builder: inout NodeBuilder, cost: inout QueryCost) {
    forEachInRange(cost: &cost) { key, child in
      builder.append(key: key)
      builder.node(child.node)
    }
  }

  /// Calls `body` for each child that the bounds admit, in key order.
  func forEachInRange(cost: inout QueryCost, _ body: (UnsafeRawBufferPointer, UnmanagedNode) -> Void) {
    let (order, range) = (query.effectiveOrder, query.range)
    cost.childrenScanned += parent.childCount
    UnmanagedNode.withNode(parent) { unmanaged in
      unmanaged.forEachChild { key, child in
        if range.contains(order.value(of: child), key) { body(key, child) }
        return true
      }
    }
  }
}

extension NodeBuilder {
  fileprivate mutating func add(_ item: OrderedChildIterator.Item) {
    key(item.key)
    node(item.node)
  }
}

extension Query {
  /// The number of children to return, and whether they are the last ones of the range; nil when there is no limit.
  var limitCount: (count: Int, isLast: Bool)? {
    switch limit {
    case nil: nil
    case .first(let count)?: (max(count, 0), false)
    case .last(let count)?: (max(count, 0), true)
    }
  }

  /// Returns the index if it has this query's order; for key order, an index is always created.
  func index(_ index: ChildIndex?, of node: Node) -> ChildIndex? {
    if effectiveOrder == .key { return ChildIndex(keysOf: node) }
    return index?.order == effectiveOrder ? index : nil
  }
}
