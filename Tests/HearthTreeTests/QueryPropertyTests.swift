import RandomTestKit
import Testing

@testable import HearthTree

@Suite struct QueryPropertyTests {
  /// A node with some children, and its equivalent in the model.
  private struct ModelledNode {
    var model = TreeModel()
    var node = Node.empty
    let priorityPercent: Int

    init(count: Int, priorityPercent: Int, random: inout SeededRandom) {
      self.priorityPercent = priorityPercent
      for _ in 0..<count { _ = change(random.key(of: 400), random: &random) }
    }

    /// Changes a child; returns nil when the result is the same.
    mutating func change(_ key: Key, random: inout SeededRandom) -> QueryWindow.ChildChange? {
      let old = node.child(key)
      let child = random.queryChild(priorityPercent: priorityPercent)
      model.replace([key], with: child)
      node = node.replacing(key, with: child.node)
      let new = node.child(key)
      return old == new ? nil : QueryWindow.ChildChange(key: key, old: old, new: new)
    }

    var keys: [Key] { Array(model.children.keys) }

    /// The children in key order.
    var children: [(key: Key, child: TreeModel)] {
      model.sortedKeys.map { ($0, model.children[$0] ?? TreeModel()) }
    }
  }

  private static func priorityPercent(_ seed: UInt64) -> Int { [0, 2, 50, 100][Int(seed % 4)] }

  @Test(arguments: Residency.runs(16))
  func `A query's result agrees with the model, with and without an index`(seed: UInt64, residency: Residency) throws {
    var paged = PagedTree(residency)
    var random = SeededRandom(seed: seed)
    let percent = Self.priorityPercent(seed)
    var all = ModelledNode(count: [4, 40, 250][Int(seed % 3)], priorityPercent: percent, random: &random)
    let (keys, children) = (all.model.sortedKeys, all.children)
    for number in 0..<60 {
      let query = random.query(keys: keys)
      var cost = QueryCost()
      var index = ChildIndex(all.node, by: query.effectiveOrder, cost: &cost)
      all.node = try paged.step(all.node)
      try index.replaceEntries { try paged.step($0) }
      let expected = QueryModel(query: query).result(all.model)
      for index in [index, nil] {
        let result = QueryResult(query, of: all.node, index: index).node
        if let fault = expected.difference(from: result) {
          Issue.record("seed \(seed), query \(number), index \(index != nil), \(query): \(fault)")
          return
        }
      }
      let walk = order(all.node, index, query.range, isReversed: false)
      let backward = order(all.node, index, query.range, isReversed: true)
      var unlimited = query
      unlimited.limit = nil
      #expect(walk == QueryModel(query: unlimited).keys(children), "seed \(seed), \(query)")
      #expect(walk == backward.reversed(), "seed \(seed), \(query)")
    }
  }

  private func order(_ node: Node, _ index: ChildIndex, _ range: QueryRange, isReversed: Bool) -> [Key] {
    var walk = OrderedChildIterator(node, index, in: range, isReversed: isReversed)
    var (keys, cost) = ([Key](), QueryCost())
    while let item = walk.next(cost: &cost) { keys.append(item.key) }
    return keys
  }

  @Test
  func `Texts that end in the middle of a long text's character are in order`() {
    let stems = (250...258).map { String(repeating: "x", count: $0) }
    let ends = ["", "z", "é", "é1", "é2", "éé", "日", "日本", "😀", "😀a", "😁"]
    let texts = stems.flatMap { stem in ends.map { stem + $0 } }
    let node = Node.empty.replacing(texts.enumerated().map { (Path("k\($0)"), Node(.string($1))) })
    var cost = QueryCost()
    let index = ChildIndex(node, by: .value, cost: &cost)
    let sorted = texts.enumerated().sorted {
      let order = SortValue(.string($0.element)).compare(SortValue(.string($1.element)))
      return order != 0 ? order < 0 : Key("k\($0.offset)") < Key("k\($1.offset)")
    }.map { Key("k\($0.offset)") }
    #expect(order(node, index, QueryRange(), isReversed: false) == sorted)
    #expect(order(node, index, QueryRange(), isReversed: true) == sorted.reversed())
    #expect(index.entries.children.allSatisfy { !$0.key.text.contains("\u{FFFD}") }, "index keys are UTF-8")
  }

  @Test(arguments: Residency.runs(16))
  func `A maintained index agrees with a new one`(seed: UInt64, residency: Residency) throws {
    var paged = PagedTree(residency)
    var random = SeededRandom(seed: seed)
    var all = ModelledNode(
      count: [0, 60, 250][Int(seed % 3)], priorityPercent: Self.priorityPercent(seed / 3), random: &random)
    let orders: [Query.Order] = [.priority, .key, .value, .child(Path("n")), .child(Path("n/deep"))]
    var cost = QueryCost()
    var indexes = orders.map { ChildIndex(all.node, by: $0, cost: &cost) }
    let everything = QueryRange(lower: nil, upper: nil)
    for step in 0..<60 {
      var changes: [Key: QueryWindow.ChildChange] = [:]
      for _ in 0..<(1 + random.below(12)) {
        let key = random.chance(50) || all.keys.isEmpty ? random.key(of: 400) : all.keys[random.below(all.keys.count)]
        if changes[key] == nil, let change = all.change(key, random: &random) { changes[key] = change }
      }
      all.node = try paged.step(all.node)
      for i in indexes.indices {
        try indexes[i].replaceEntries { try paged.step($0) }
        if seed % 2 == 0 {
          indexes[i].apply(Array(changes.values), node: all.node, cost: &cost)
        } else {
          for change in changes.values { indexes[i].replace(change.key, change.old, change.new, cost: &cost) }
        }
        guard step % 10 == 9 else { continue }
        let fresh = ChildIndex(all.node, by: orders[i], cost: &cost)
        #expect(indexes[i].count == all.node.childCount)
        #expect(indexes[i].valueCount == fresh.valueCount, "seed \(seed), step \(step), \(orders[i])")
        let kept = order(all.node, indexes[i], everything, isReversed: step % 4 == 1)
        #expect(
          kept == order(all.node, fresh, everything, isReversed: step % 4 == 1),
          "seed \(seed), step \(step), \(orders[i])")
      }
    }
  }

  @Test(arguments: Residency.runs(12))
  func `Query windows agree with the model over hundreds of changes`(seed: UInt64, residency: Residency) throws {
    var paged = PagedTree(residency)
    var random = SeededRandom(seed: seed)
    let size = [3, 30, 100][Int(seed % 3)]
    var all = ModelledNode(count: size, priorityPercent: Self.priorityPercent(seed / 3), random: &random)
    var cost = QueryCost()
    var indexes: [Query.Order: ChildIndex] = [:]
    for order in [Query.Order.priority, .key, .value, .child(Path("n")), .child(Path("n/deep")), .child(Path("none"))] {
      indexes[order] = ChildIndex(all.node, by: order, cost: &cost)
    }
    let queries = (0..<8).map { _ in random.query(keys: all.keys) }
    var windows = queries.enumerated().map { i, query in
      QueryWindow(query, of: all.node, index: i % 3 == 0 ? nil : indexes[query.effectiveOrder], cost: &cost)
    }
    var shown = queries.map { QueryModel(query: $0).keys(all.model) }
    for step in 0..<80 {
      var changes: [Key: QueryWindow.ChildChange] = [:]
      let count = random.chance(5) ? size * 2 : random.chance(20) ? 10 : 1
      for _ in 0..<count {
        // The children next to an end of the window more often than others.
        let near = shown[random.below(shown.count)]
        let key: Key =
          if random.chance(40), let edge = random.chance(50) ? near.first : near.last {
            edge
          } else if random.chance(50), !all.model.children.isEmpty {
            all.keys[random.below(all.keys.count)]
          } else {
            random.key(of: 400)
          }
        if changes[key] == nil, let change = all.change(key, random: &random) { changes[key] = change }
      }
      all.node = try paged.step(all.node)
      for order in indexes.keys {
        indexes[order]?.apply(Array(changes.values), node: all.node, cost: &cost)
        try indexes[order]?.replaceEntries { try paged.step($0) }
      }
      let children = all.children
      for i in windows.indices {
        let index = random.chance(10) ? nil : indexes[queries[i].effectiveOrder]
        let steps = windows[i].apply(Array(changes.values), node: all.node, index: index, cost: &cost)
        let now = QueryModel(query: queries[i]).keys(children)
        let expected = Self.steps(from: shown[i], to: now, changed: changes)
        guard steps == expected, windows[i].count == now.count else {
          Issue.record("seed \(seed), step \(step), \(queries[i]): \(steps), not \(expected)")
          return
        }
        shown[i] = now
        if step % 30 == 0 {
          let visible = all.keys.filter { windows[i].shows($0, all.node.child($0)) }
          #expect(Set(visible) == Set(now), "seed \(seed), step \(step), \(queries[i])")
        }
      }
    }
  }

  private static func steps(
    from old: [Key], to new: [Key], changed: [Key: QueryWindow.ChildChange]
  ) -> [QueryWindow.Step] {
    let (before, after) = (Set(old), Set(new))
    return before.union(after).sorted().compactMap { key in
      switch (before.contains(key), after.contains(key)) {
      case (true, true): changed[key] == nil ? nil : .stayed(key)
      case (false, true): .entered(key)
      default: .left(key)
      }
    }
  }
}
