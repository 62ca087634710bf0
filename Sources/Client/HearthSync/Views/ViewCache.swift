import HearthTree

/// The shown data of a view and the server's data below it.
struct ViewCache {
  /// The server's data with this client's writes applied, then filtered by the query.
  var event: CacheNode
  /// The server's data alone.
  var server: CacheNode
}

/// The ordered children of the versions of one node, computed at the first use and updated from then on.
struct LazyOrder {
  private var children: OrderedChildren?

  /// Returns the children of a version of the node in the given order.
  mutating func of(_ node: Node, by order: Query.Order) -> OrderedChildren {
    if children == nil {
      children = OrderedChildren(node, by: order)
    } else {
      children?.move(to: node)
    }
    return children ?? OrderedChildren(node, by: order)
  }
}

/// The orders that a view caches.
struct ViewOrders {
  var event = LazyOrder()
  var server = LazyOrder()
  /// The order of all children that could enter a limited view.
  var candidates = LazyOrder()
}
