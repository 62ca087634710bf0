/// What a query asks for of one version of a node: made at once, put together where it is needed, on any thread.
public struct QueryResult: Sendable {
  let query: Query
  let parent: Node
  let index: ChildIndex?

  /// - Parameter index: of the query's order, for this version of `node`; nil looks at every child.
  public init(_ query: Query, of node: Node, index: ChildIndex? = nil) {
    self.query = query
    parent = node
    self.index = query.index(index, of: node)
  }

  /// The children that the query asks for, under a node without a priority. Empty for a leaf.
  ///
  /// In key order, or with an index, it costs a lookup for each child of the result. Without, every child is looked at
  /// once, and no more are held than the result has.
  public func node(cost: inout QueryCost) -> Node {
    guard parent.isInterior else { return .empty }
    if query.loadsAllData { return parent.with(priority: nil) }
    var builder = NodeBuilder()
    builder.open()
    if !walkIndex(cost: &cost, { builder.add($0) }) {
      builder = NodeBuilder()
      builder.open()
      if let (count, isLast) = query.limitCount {
        var scan = QueryScan(query, count: count, isLast: isLast)
        scan.scan(parent, cost: &cost)
        for item in scan.items { builder.add(item) }
      } else {
        addAll(to: &builder, cost: &cost)
      }
    }
    builder.close()
    return builder.finish()
  }

  /// The place's node with nothing but the children that the query finds.
  public var node: Node {
    var cost = QueryCost()
    return node(cost: &cost)
  }

  /// One in so many children makes it worth while to look each up by the index, rather than looking at all.
  private static let childrenPerLookup = 6

  /// Calls `body` for each child that is asked for, in the query's order from the end where its limit counts.
  ///
  /// False when there is no index, or when so much is asked for that it is quicker to look at every child. `body` may
  /// have been called for some by then.
  func walkIndex(cost: inout QueryCost, _ body: (OrderWalk.Item) -> Void) -> Bool {
    guard let index else { return false }
    let isExact = query.limit != nil || index.order == .key
    let (count, isLast) = query.limitCount ?? (Int.max, false)
    let countMax = isExact ? count : parent.childCount / Self.childrenPerLookup
    var walk = OrderWalk(parent, index, in: query.range, isReversed: isLast)
    var found = 0
    while found < count, let item = walk.next(cost: &cost) {
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

  /// Calls `body` for each child that the bounds let through, in key order.
  func forEachInRange(cost: inout QueryCost, _ body: (UnsafeRawBufferPointer, NodeWalk) -> Void) {
    let (order, range) = (query.effectiveOrder, query.range)
    cost.childrenScanned += parent.childCount
    NodeWalk.start(at: parent) { walk in
      walk.forEachChild { key, child in
        if range.contains(order.value(of: child), key) { body(key, child) }
        return true
      }
    }
  }
}

extension NodeBuilder {
  fileprivate mutating func add(_ item: OrderWalk.Item) {
    key(item.key)
    node(item.node)
  }
}

extension Query {
  /// How many children are asked for, and from which end; nil for all.
  var limitCount: (count: Int, isLast: Bool)? {
    switch limit {
    case nil: nil
    case .first(let count)?: (max(count, 0), false)
    case .last(let count)?: (max(count, 0), true)
    }
  }

  /// The index if it is one for this query; for one in key order there always is.
  func index(_ index: ChildIndex?, of node: Node) -> ChildIndex? {
    if effectiveOrder == .key { return ChildIndex(keysOf: node) }
    return index?.order == effectiveOrder ? index : nil
  }
}
