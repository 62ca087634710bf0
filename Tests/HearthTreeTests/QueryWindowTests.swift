import HearthTree
import Testing

@Suite struct QueryWindowTests {
  private static let order = Query.Order.value

  /// A node with up to three children, each missing or a small number.
  private struct SmallNode {
    static let keys: [Key] = ["7", "a", "b"]
    var values: [Int]

    var node: Node {
      var node = Node.empty
      for (key, value) in zip(Self.keys, values) where value > 0 { node = node.replacing(key, with: Self.child(value)) }
      return node
    }

    static func child(_ value: Int) -> Node { value == 0 ? .empty : Node(.int(Int64(value))) }

    func shown(_ query: Query) -> [Key] {
      var sorted = zip(Self.keys, values).filter { $0.1 > 0 }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
      if let start = query.start?.value?.number { sorted.removeAll { Double($0.1) < start } }
      return switch query.limit {
      case .first(let count)?: sorted.prefix(count).map(\.0)
      case .last(let count)?: sorted.suffix(count).map(\.0)
      case nil: sorted.map(\.0)
      }
    }
  }

  private static let queries: [Query] = (1...4).flatMap { count in
    [
      Query(order: order, limit: .first(count)), Query(order: order, limit: .last(count)),
      Query(order: order, start: Query.Bound(value: .int(2)), limit: .first(count)),
    ]
  }

  @Test(arguments: queries)
  func `Two consecutive changes agree with the model, for every small node and every change`(query: Query) {
    let changes = SmallNode.keys.indices.flatMap { place in (0...2).map { (place: place, value: $0) } }
    for state in 0..<27 {
      let small = SmallNode(values: [state % 3, state / 3 % 3, state / 9])
      var cost = QueryCost()
      let index = ChildIndex(small.node, by: Self.order, cost: &cost)
      let window = QueryWindow(query, of: small.node, index: index, cost: &cost)
      for first in changes {
        var (one, oneIndex, oneWindow) = (small, index, window)
        guard let step = Self.step(&one, &oneIndex, &oneWindow, first.place, first.value) else { continue }
        #expect(step.steps == step.expected, "\(small.values) to \(one.values)")
        for second in changes {
          var (two, twoIndex, twoWindow) = (one, oneIndex, oneWindow)
          guard let step = Self.step(&two, &twoIndex, &twoWindow, second.place, second.value) else { continue }
          if step.steps != step.expected || twoWindow.count != two.shown(query).count {
            Issue.record("\(small.values) to \(one.values) to \(two.values): \(step.steps)")
          }
        }
      }
    }
  }

  /// Changes a child; returns nil when the result is the same.
  private static func step(
    _ small: inout SmallNode, _ index: inout ChildIndex, _ window: inout QueryWindow, _ place: Int, _ value: Int
  ) -> (steps: [QueryWindow.Step], expected: [QueryWindow.Step])? {
    guard small.values[place] != value else { return nil }
    let key = SmallNode.keys[place]
    let change = QueryWindow.ChildChange(
      key: key, old: SmallNode.child(small.values[place]), new: SmallNode.child(value))
    let before = small.shown(window.query)
    small.values[place] = value
    let after = small.shown(window.query)
    var cost = QueryCost()
    index.apply([change], node: small.node, cost: &cost)
    let steps = window.apply([change], node: small.node, index: index, cost: &cost)
    let expected = SmallNode.keys.compactMap { other -> QueryWindow.Step? in
      switch (before.contains(other), after.contains(other)) {
      case (true, true): other == key ? .stayed(other) : nil
      case (false, true): .entered(other)
      case (true, false): .left(other)
      case (false, false): nil
      }
    }
    return (steps, expected)
  }

  @Test func `Leaves and null have empty results, and may get children`() {
    var cost = QueryCost()
    let query = Query(order: .value, limit: .first(2))
    for node in [Node.empty, Node(.int(5), priority: .int(1))] {
      let index = ChildIndex(node, by: .value, cost: &cost)
      #expect(QueryResult(query, of: node, index: index).node.isEmpty)
      #expect(QueryResult(query, of: node).node.isEmpty)
      #expect(QueryResult(Query(), of: node).node.isEmpty)
      var window = QueryWindow(query, of: node, index: index, cost: &cost)
      #expect(window.count == 0)
      var later = index
      let (key, child) = (Key("a"), Node(.int(1)))
      later.replace(key, .empty, child, cost: &cost)
      let change = QueryWindow.ChildChange(key: key, old: .empty, new: child)
      let steps = window.apply([change], node: node.replacing(key, with: child), index: later, cost: &cost)
      #expect(steps == [.entered(key)])
    }
  }

  @Test func `The result has no priority of its own, and its children keep theirs`() {
    let child = Node(.int(1), priority: .int(2))
    let node = Node.empty.replacing("a", with: child).with(priority: .int(3))
    for query in [Query(), Query(order: .key, limit: .first(5)), Query(start: Query.Bound(value: .int(2)))] {
      #expect(QueryResult(query, of: node).node == Node.empty.replacing("a", with: child))
    }
  }

  @Test func `An index of another order is not used, and invalid limits have empty results`() {
    let node = SmallNode(values: [2, 1, 2]).node
    var cost = QueryCost()
    let other = ChildIndex(node, by: .child(Path("n")), cost: &cost)
    let query = Query(order: .value, limit: .first(1))
    #expect(QueryResult(query, of: node, index: other).node.children.map(\.key) == ["a"])
    for limit in [Query.Limit.first(0), .last(-1), .first(.min)] {
      let query = Query(order: .value, limit: limit)
      #expect(QueryResult(query, of: node).node.isEmpty)
      var window = QueryWindow(query, of: node, index: nil, cost: &cost)
      let change = QueryWindow.ChildChange(key: "a", old: node.child("a"), new: Node(.int(9)))
      let steps = window.apply([change], node: node.replacing("a", with: change.new), index: nil, cost: &cost)
      #expect(steps.isEmpty && window.count == 0)
    }
  }

  @Test func `In key order a window decides by the key alone whether a child could be shown`() {
    let keys: [Key] = ["1", "7", "30", "a", "b", "c", "d"]
    func bound(_ key: Key) -> Query.Bound { Query.Bound(value: .string(key.text)) }
    var queries = [Query(order: .key), Query(order: .key, start: bound("7"), end: bound("b"))]
    for count in 0...4 {
      queries += [
        Query(order: .key, limit: .first(count)), Query(order: .key, limit: .last(count)),
        Query(order: .key, start: bound("30"), limit: .first(count)),
      ]
    }
    for query in queries {
      for set in 0..<(1 << keys.count) {
        let held = keys.indices.filter { set >> $0 & 1 == 1 }
        let node = held.reduce(Node.empty) { $0.replacing(keys[$1], with: Node(.int(1))) }
        var cost = QueryCost()
        let window = QueryWindow(query, of: node, index: nil, cost: &cost)
        for key in keys where !window.mayShow(key) {
          let old = node.child(key)
          let new = old.isEmpty ? Node(.int(2)) : .empty
          var moved = window
          let change = QueryWindow.ChildChange(key: key, old: old, new: new)
          let steps = moved.apply([change], node: node.replacing(key, with: new), index: nil, cost: &cost)
          #expect(steps.isEmpty && moved.count == window.count, "\(query), \(held), \(key)")
        }
        for (key, _) in QueryResult(query, of: node).node.children { #expect(window.mayShow(key)) }
      }
    }
    var cost = QueryCost()
    #expect(QueryWindow(Query(order: .value, limit: .first(1)), of: .empty, index: nil, cost: &cost).mayShow("z"))
  }
}
