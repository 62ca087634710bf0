import HearthTree
import Testing

@Suite struct QueryCostTests {
  private static let childCount = 200_000

  /// Returns a key of a child with a number at `n`; the numbers are distinct and have another order than the keys.
  private static func key(_ i: Int) -> Key { Key("-N\(String(1_000_000 + i * 7919 % childCount, radix: 36))") }
  private static func child(_ number: Int) -> Node { Node.empty.replacing(Path("n"), with: Node(.int(Int64(number)))) }

  private static let node: Node = {
    var builder = NodeBuilder()
    builder.open()
    for i in 0..<childCount {
      builder.key(key(i))
      builder.node(child(10 * i))
    }
    builder.close()
    return builder.finish()
  }()

  private static let order = Query.Order.child(Path("n"))

  private static let (index, indexCost): (ChildIndex, QueryCost) = {
    var cost = QueryCost()
    return (ChildIndex(node, by: order, cost: &cost), cost)
  }()

  /// A node with an index and a query window, updated together.
  private struct LiveQuery {
    var node = QueryCostTests.node
    var index: ChildIndex
    var window: QueryWindow
    var cost = QueryCost()

    init(_ query: Query) {
      index =
        query.order == QueryCostTests.order
        ? QueryCostTests.index : ChildIndex(node, by: query.effectiveOrder, cost: &cost)
      window = QueryWindow(query, of: node, index: index, cost: &cost)
      cost = QueryCost()
    }

    /// Writes a child, and returns the effect on the window and the cost.
    mutating func write(_ key: Key, _ child: Node) -> (steps: [QueryWindow.Step], cost: QueryCost) {
      let change = QueryWindow.ChildChange(key: key, old: node.child(key), new: child)
      node = node.replacing(key, with: child)
      cost = QueryCost()
      index.apply([change], node: node, cost: &cost)
      return (window.apply([change], node: node, index: index, cost: &cost), cost)
    }
  }

  private static let orders: [Query.Order?] = [order, .key, nil]

  @Test(arguments: orders)
  func `A write costs few entries for any size of the node, and never reads its children`(
    order: Query.Order?
  ) {
    var live = LiveQuery(Query(order: order, limit: .last(100)))
    let last = Self.childCount - 1
    let places = [0, 1, last / 2, last - 200, last - 100, last - 99, last - 50, last - 1, last]
    for place in places {
      let key = Self.key(place)
      // The child is changed in place, moved to the end, removed, restored, and removed.
      for child in [Self.child(10 * place + 1), Self.child(10_000_000), .empty, Self.child(10 * place), .empty] {
        let (steps, cost) = live.write(key, child)
        #expect(cost.entriesRead <= 4, "\(place)")
        #expect(cost.entriesWritten <= 2, "\(place)")
        #expect(cost.childrenScanned == 0)
        #expect(steps.count <= 2)
        #expect(live.window.count == 100)
      }
    }
  }

  @Test func `Removed and added children are reported together`() {
    var live = LiveQuery(Query(order: Self.order, limit: .last(100)))
    let count = Self.childCount
    #expect(live.write(Self.key(5), Self.child(51)).steps.isEmpty)
    #expect(live.write(Self.key(count - 3), Self.child(10 * (count - 3) + 1)).steps == [.stayed(Self.key(count - 3))])
    let moved = live.write(Self.key(5), Self.child(10_000_000)).steps
    #expect(Set(moved.map(\.key)) == [Self.key(5), Self.key(count - 100)])
    #expect(moved.contains(.entered(Self.key(5))) && moved.contains(.left(Self.key(count - 100))))
    let removed = live.write(Self.key(5), .empty).steps
    #expect(removed.contains(.left(Self.key(5))) && removed.contains(.entered(Self.key(count - 100))))
    #expect(removed.count == 2)
  }

  @Test func `A merge of many children costs in proportion to them`() {
    var live = LiveQuery(Query(order: Self.order, limit: .last(100)))
    let changes = (0..<500).map { i in
      let key = Self.key(i * 300)
      return QueryWindow.ChildChange(key: key, old: live.node.child(key), new: Self.child(20_000_000 + i))
    }
    for change in changes { live.node = live.node.replacing(change.key, with: change.new) }
    live.index.apply(changes, node: live.node, cost: &live.cost)
    let steps = live.window.apply(changes, node: live.node, index: live.index, cost: &live.cost)
    #expect(live.cost.entriesWritten == 1000)
    #expect(live.cost.entriesRead <= 600)
    #expect(live.cost.childrenScanned == 0)
    #expect(steps.filter { if case .entered = $0 { true } else { false } }.count == 100)
    #expect(steps.filter { if case .left = $0 { true } else { false } }.count == 100)
    #expect(live.window.count == 100)
  }

  @Test func `The cost of a result depends on its size`() {
    var cost = QueryCost()
    let index = Self.index
    #expect(Self.indexCost.entriesWritten == Self.childCount && Self.indexCost.entriesRead == 0)
    #expect(index.count == Self.childCount && index.entryCount == Self.childCount)
    let range = Query(order: Self.order, start: .after(.int(1000)), end: .init(value: .int(2000)))
    for (query, size) in [
      (Query(order: Self.order, limit: .last(100)), 100), (Query(order: .key, limit: .first(7)), 7),
      (range, 100),
    ] {
      cost = QueryCost()
      #expect(QueryResult(query, of: Self.node, index: index).node(cost: &cost).childCount == size)
      #expect(cost.entriesRead <= size + 1)
      #expect(cost.childrenScanned == 0)
    }
    cost = QueryCost()
    #expect(QueryResult(range, of: Self.node).node(cost: &cost).childCount == 100)
    #expect(cost.childrenScanned == Self.childCount)
  }

  @Test func `Children without a priority have no entries in an index`() {
    var live = LiveQuery(Query(limit: .first(3)))
    #expect(live.index.entryCount == 0)
    let ordered = Self.child(1).with(priority: .int(1))
    for i in 0..<3 {
      let (steps, cost) = live.write(Self.key(i), ordered)
      #expect(cost.entriesWritten == 1 && cost.childrenScanned == 0)
      #expect(cost.entriesRead <= 8, "\(i): \(steps)")
    }
    #expect(live.index.entryCount == 3)
    // Beyond a small number of children the others get entries as well, once.
    var scanned = 0
    for i in 3..<200 { scanned += live.write(Self.key(i), ordered).cost.childrenScanned }
    #expect(live.index.entryCount == Self.childCount)
    #expect(scanned == Self.childCount)
    for i in 0..<200 { #expect(live.write(Self.key(i), Self.child(2)).cost.entriesRead <= 4) }
  }

  @Test func `A growing node gets index entries for all children as soon as there are more than a few`() {
    var (node, cost) = (Node.empty, QueryCost())
    var index = ChildIndex(node, by: Self.order, cost: &cost)
    for i in 0..<1000 {
      let child = i == 500 ? Node(.bool(true)) : Self.child(i)
      index.replace(Self.key(i), .empty, child, cost: &cost)
      node = node.replacing(Self.key(i), with: child)
    }
    #expect(index.entryCount == 1000)
    #expect(cost.childrenScanned == 0)
    cost = QueryCost()
    let first = QueryResult(Query(order: Self.order, limit: .first(2)), of: node, index: index)
    #expect(first.node(cost: &cost).children.map(\.key) == [Self.key(0), Self.key(500)].sorted())
    #expect(cost.entriesRead == 2)
  }

  @Test func `A query that selects most children reads each of them once`() {
    var cost = QueryCost()
    let (order, index) = (Self.order, Self.index)
    let query = Query(order: order, start: Query.Bound(value: .int(50)))
    #expect(QueryResult(query, of: Self.node, index: index).node(cost: &cost).childCount == Self.childCount - 5)
    #expect(cost.entriesRead + cost.childrenScanned < 5 * Self.childCount / 4)
    let window = QueryWindow(query, of: Self.node, index: index, cost: &cost)
    #expect(window.count == Self.childCount - 5)
    let few = Query(order: order, start: Query.Bound(value: .int(Int64(10 * Self.childCount - 50))))
    cost = QueryCost()
    #expect(QueryWindow(few, of: Self.node, index: index, cost: &cost).count == 5)
    #expect(cost.entriesRead == 5 && cost.childrenScanned == 0)
  }
}
