import HearthTree

/// Queries of one node with many children, `{ts, uid}` under push IDs, ordered by `ts`.
struct QueryBench {
  let count: Int
  private let order = Query.Order.child(Path("ts"))

  /// Returns the number of a child; the numbers have another order than the keys.
  private func number(_ i: Int) -> Int { i * 7919 % count }

  private func key(_ i: Int) -> Key {
    let digits = String(i, radix: 36)
    return Key("-OaBcDeF" + String(repeating: "0", count: 12 - digits.utf8.count) + digits)
  }

  private func child(_ number: Int) -> Node {
    var builder = NodeBuilder()
    builder.open()
    builder.key("ts")
    builder.leaf(.int(1_700_000_000_000 + Int64(number)))
    builder.key("uid")
    builder.leaf(.string("user\(number % 1000)"))
    builder.close()
    return builder.finish()
  }

  private var node: Node {
    var builder = NodeBuilder()
    builder.open()
    for i in 0..<count {
      builder.key(key(i))
      builder.node(child(number(i)))
    }
    builder.close()
    return builder.finish()
  }

  func run() {
    print("\nqueries over \(count) children")
    var (node, cost) = (node, QueryCost())
    let sizes = Memory.now
    var index = measure("index by a number", count: count) { ChildIndex(node, by: order, cost: &cost) }
    Memory.now.report(since: sizes, leaves: count, unit: "entry")
    let query = Query(order: order, limit: .last(100))
    measure("limitToLast(100) with the index", count: 10_000) {
      for _ in 0..<10_000 { precondition(QueryResult(query, of: node, index: index).node.childCount == 100) }
    }
    measure("limitToLast(100) without it", count: 1) {
      precondition(QueryResult(query, of: node).node.childCount == 100)
    }
    var window = QueryWindow(query, of: node, index: index, cost: &cost)
    cost = QueryCost()
    let writes = 100_000
    var stepCount = 0
    measure("write, index and window", count: writes) {
      for i in 0..<writes {
        // One write in ten moves its child into the window.
        let key = key(i * 104_729 % count)
        let new = child(i % 10 == 0 ? count + i : number(i))
        let change = QueryWindow.ChildChange(key: key, old: node.child(key), new: new)
        node = node.replacing(key, with: new)
        index.apply([change], node: node, cost: &cost)
        stepCount += window.apply([change], node: node, index: index, cost: &cost).count
      }
    }
    let (read, written) = (Double(cost.entriesRead) / Double(writes), Double(cost.entriesWritten) / Double(writes))
    print("  \(read) entries read and \(written) written a write, \(stepCount) steps of the window")
    measure("window alone, out of sight", count: writes) {
      let change = QueryWindow.ChildChange(key: key(1), old: node.child(key(1)), new: child(1))
      for _ in 0..<writes { precondition(window.apply([change], node: node, index: index, cost: &cost).isEmpty) }
    }
    Memory.now.report(since: sizes, leaves: count, unit: "entry, after random writes,")
  }
}
