import HearthTree

/// What a view shows, and what the server said of it.
struct ViewCache {
  /// What the server said with this side's writes laid over it, then filtered.
  var event: CacheNode
  /// What the server said, and nothing else.
  var server: CacheNode
}

/// The children of versions of one node, in order: made when first asked for, then moved along.
struct LazyOrder {
  private var children: OrderedChildren?

  /// The children of this version in that order.
  mutating func of(_ node: Node, by order: Query.Order) -> OrderedChildren {
    if children == nil {
      children = OrderedChildren(node, by: order)
    } else {
      children?.move(to: node)
    }
    return children ?? OrderedChildren(node, by: order)
  }
}

/// The orders that a view keeps.
struct ViewOrders {
  var event = LazyOrder()
  var server = LazyOrder()
  /// Of all that could come into a limited view.
  var candidates = LazyOrder()
}
