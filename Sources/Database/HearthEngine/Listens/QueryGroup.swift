import HearthTree

/// All listens with the same query at the same location. Their result is computed once for all of them.
final class QueryGroup {
  /// The clients' query.
  let query: Query
  let node: ListenNode
  var audience = ListenAudience<TaggedRecipient>()

  private let keys: QueryKeyRange

  /// The result, updated for every commit.
  var window: QueryWindow

  /// The version of the location that ``window`` shows, as numbered by its ``QueryBacklog``.
  var versionNumber = 0

  /// The sort order of the index that the window uses; nil when it needs no index.
  var order: Query.Order?

  /// True when listens receive all data and clients filter it, because the query needs an undeclared index that exceeds
  /// the budget. Rules then decide as for a listen without a query.
  var isUnfiltered: Bool

  /// The position of the last commit that the listens have received.
  var lastPosition: Int64 = 0

  init(_ query: Query, at node: ListenNode, window: QueryWindow, order: Query.Order?, isUnfiltered: Bool) {
    self.query = query
    keys = QueryKeyRange(query)
    self.node = node
    self.window = window
    self.order = order
    self.isUnfiltered = isUnfiltered
  }

  /// Returns true when a change of the child at `key` may affect the result.
  func mayShow(_ key: Key) -> Bool { (isUnfiltered || keys.contains(key)) && window.mayShow(key) }

  /// The query whose result is sent.
  var shownQuery: Query { window.query }
}

extension QueryGroup: Equatable {
  static func == (a: QueryGroup, b: QueryGroup) -> Bool { a === b }
}

/// The live queries of one location, and the indexes of its children.
final class LocationQueries {
  var groups = DenseTable<Query, QueryGroup>()
  /// The indexes: no more than the rules declare and live queries need.
  var indexes: [MaintainedIndex] = []
  /// The versions from which some of ``groups`` must still be updated.
  var backlog = QueryBacklog()

  /// The most live queries that are checked one by one for an effect of a change. With more, every change counts as
  /// affecting some.
  private static let askedGroupsMax = 1_024

  var isEmpty: Bool { groups.isEmpty && indexes.isEmpty }

  /// Returns true when a change of the child at `key` may affect a live query or an index.
  func mayConcern(_ key: Key) -> Bool {
    !indexes.isEmpty || !backlog.isEmpty || groups.count > Self.askedGroupsMax
      || groups.containsValue { $0.mayShow(key) }
  }

  func slot(of order: Query.Order) -> Int? { indexes.firstIndex { $0.index.order == order } }
  func index(by order: Query.Order) -> ChildIndex? { slot(of: order).map { indexes[$0].index } }
}

/// One index of a node's children, up to date with the newest version of the node.
struct MaintainedIndex {
  var index: ChildIndex
  /// True when the rules declare it, or it needs no declaration. It may then stay without a live query.
  var isDeclared: Bool
  /// True when the node has so many children that examining each of them would cost much more.
  var isWorthKeeping: Bool
  /// The number of live queries that use it.
  var useCount = 0
  /// The name under which the state has it when it is worth keeping; nil when it is not stored.
  var name: StoredIndexes.Name?

  /// The entries that it takes from the budget of undeclared indexes, with a fixed overhead.
  var charge: Int { isDeclared ? 0 : index.entryCount + EngineLimits.indexEntriesMin }
}

extension Query {
  /// The order; by priority when the query names none.
  var effectiveOrder: Order { order ?? .priority }

  /// The query for all data, in key order, which needs no index.
  static let everything = Query(order: .key)
}
