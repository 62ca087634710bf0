import HearthTree

/// All listens with the same query to the same place. What they show is worked out once for all of them.
final class QueryGroup {
  /// What the clients asked for.
  let query: Query
  let node: ListenNode
  var audience = ListenAudience<TaggedRecipient>()

  private let keys: QueryKeyRange

  /// What is shown, followed through every commit.
  var window: QueryWindow

  /// The version of the place that ``window`` is at, as its ``QueryBacklog`` counts.
  var versionNumber = 0

  /// The order that is kept for the window; nil when it needs none.
  var order: Query.Order?

  /// Everything there is sent and the clients filter, because the order that the query needs is not declared and there
  /// is no room to keep it. Rules then decide as for a listen without a query.
  var isWhole: Bool

  /// The last commit that the listens were told of.
  var lastPosition: Int64 = 0

  init(_ query: Query, at node: ListenNode, window: QueryWindow, order: Query.Order?, isWhole: Bool) {
    self.query = query
    keys = QueryKeyRange(query)
    self.node = node
    self.window = window
    self.order = order
    self.isWhole = isWhole
  }

  /// Returns true when a change of that child could mean anything to what is shown.
  func mayShow(_ key: Key) -> Bool { (isWhole || keys.contains(key)) && window.mayShow(key) }

  /// The query whose result is sent.
  var shownQuery: Query { window.query }
}

extension QueryGroup: Equatable {
  static func == (a: QueryGroup, b: QueryGroup) -> Bool { a === b }
}

/// The live queries of one place, and the orders of its children that are kept for queries.
final class QueryShelf {
  var groups = DenseTable<Query, QueryGroup>()
  /// A few: no more than the rules declare and live queries need.
  var orders: [KeptOrder] = []
  /// Commits past which some of ``groups`` are still to be brought.
  var backlog = QueryBacklog()

  /// Live queries up to which each is asked whether a change concerns it.
  private static let askedGroupsMax = 1_024

  var isEmpty: Bool { groups.isEmpty && orders.isEmpty }

  /// Returns true when a change of that child could mean anything to a live query or to a kept order.
  func mayConcern(_ key: Key) -> Bool {
    !orders.isEmpty || !backlog.isEmpty || groups.count > Self.askedGroupsMax
      || groups.containsValue { $0.mayShow(key) }
  }

  func slot(of order: Query.Order) -> Int? { orders.firstIndex { $0.index.order == order } }
  func index(by order: Query.Order) -> ChildIndex? { slot(of: order).map { orders[$0].index } }
}

/// One order of a node's children, up to date with the newest version of the node.
struct KeptOrder {
  var index: ChildIndex
  /// By the rules, or because it needs no declaration. It may stay without a live query that needs it.
  var isDeclared: Bool
  /// Looking at every child would cost much more.
  var isWorthKeeping: Bool
  /// How many live queries need it.
  var useCount = 0

  /// What it takes from the budget for orders that no rules declare: its entries, and something for being there.
  var charge: Int { isDeclared ? 0 : index.entryCount + EngineLimits.orderEntriesMin }
}

extension Query {
  /// The order when the caller named none is by priority.
  var effectiveOrder: Order { order ?? .priority }

  /// Everything there is, in the order that costs nothing.
  static let everything = Query(order: .key)
}
