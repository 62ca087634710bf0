/// A selection of the first, or the last, of many children: a heap of the best so far, with the child that leaves next
/// on top.
///
/// Its memory is that of the selected children, not of all that were offered.
struct TopChildrenHeap {
  private let order: Query.Order
  private let range: QueryRange
  private let countMax: Int
  private let isLast: Bool
  /// A binary heap: no item leaves before its parent, the item at half its index.
  private(set) var items: [OrderedChildIterator.Item] = []

  init(_ query: Query, count: Int, isLast: Bool) {
    order = query.effectiveOrder
    range = query.range
    countMax = count
    self.isLast = isLast
  }

  /// Offers every child of a node.
  mutating func scan(_ node: Node, cost: inout QueryCost) {
    guard countMax > 0 else { return }
    cost.childrenScanned += node.childCount
    UnmanagedNode.withNode(node) { unmanaged in
      unmanaged.forEachChild { key, child in
        let value = order.value(of: child)
        if range.contains(value, key) { offer(value, key, child) }
        return true
      }
    }
  }

  /// The child that would leave first; nil while the selection is not full.
  var edge: OrderedChildIterator.Item? { items.count == countMax ? items.first : nil }

  private mutating func offer(_ value: SortValue, _ key: UnsafeRawBufferPointer, _ child: UnmanagedNode) {
    if items.count == countMax {
      let order = items[0].point.compare(value, key)
      guard isLast ? order > 0 : order < 0 else { return }
      items[0] = OrderedChildIterator.Item(key: Key(utf8: key), node: child.node, value: value)
      siftDown()
    } else {
      items.append(OrderedChildIterator.Item(key: Key(utf8: key), node: child.node, value: value))
      siftUp()
    }
  }

  private func leavesBefore(_ a: Int, _ b: Int) -> Bool {
    isLast
      ? OrderedChildIterator.Item.isBefore(items[a], items[b]) : OrderedChildIterator.Item.isBefore(items[b], items[a])
  }

  private mutating func siftUp() {
    var index = items.count - 1
    while index > 0, leavesBefore(index, (index - 1) / 2) {
      items.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func siftDown() {
    var index = 0
    while 2 * index + 1 < items.count {
      var below = 2 * index + 1
      if below + 1 < items.count, leavesBefore(below + 1, below) { below += 1 }
      guard leavesBefore(below, index) else { return }
      items.swapAt(index, below)
      index = below
    }
  }
}
