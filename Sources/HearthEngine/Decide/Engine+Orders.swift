import HearthRules
import HearthTree

/// Orders of a node's children that queries ask for: which of them the rules declare, and which are kept.
extension Engine {
  /// Whether the order needs nothing, or the rules declare it for the children of that node.
  func isDeclared(_ order: Query.Order, at path: Path) -> Bool {
    switch order {
    case .key, .priority: true
    case .value: state.rules.indexes(at: path).contains(.value)
    case .child(let child): state.rules.indexes(at: path).contains(.child(child))
    }
  }

  /// The refusal of a `get` in an order that is not declared. Client libraries look for its wording.
  static func indexNotDefined(_ order: Query.Order, at path: Path) -> Failure {
    let name =
      switch order {
      case .key: ".key"
      case .priority: ".priority"
      case .value: ".value"
      case .child(let child): child.keys.map(\.text).joined(separator: "/")
      }
    return Failure(
      .indexNotDefined, "Index not defined, add \".indexOn\": \"\(name)\", for path \"\(path)\", to the rules")
  }

  /// The order of a query's result as far as it is kept. A declared one that pays is worked out at its first use.
  mutating func keptIndex(for query: Query, at path: Path, _ data: Node) -> ChildIndex? {
    let order = query.effectiveOrder
    guard order != .key, !query.loadsAllData else { return nil }
    if let kept = listens.node(at: path)?.shelf?.index(by: order) { return kept }
    guard data.childCount >= limits.orderedChildrenMin, isDeclared(order, at: path) else { return nil }
    let index = ChildIndex(data, by: order, cost: &queryCost)
    listens.keep(
      KeptOrder(index: index, isDeclared: true, isWorthKeeping: true), at: listens.makeNode(at: path))
    return index
  }

  /// Keeps an order for one live query more.
  ///
  /// - Returns: nil when the rules do not declare it and there is no room for it.
  mutating func takeOrder(_ order: Query.Order, at node: ListenNode, _ path: Path, _ data: Node) -> Query.Order? {
    let shelf = listens.makeShelf(at: node)
    if let slot = shelf.slot(of: order) {
      shelf.orders[slot].useCount += 1
      return order
    }
    let isDeclared = isDeclared(order, at: path)
    let room = limits.undeclaredOrderEntriesMax - listens.undeclaredEntries
    let hasRoom = data.childCount + EngineLimits.orderEntriesMin <= room
    guard isDeclared || hasRoom && data.childCount <= limits.undeclaredChildrenMax else { return nil }
    let index = ChildIndex(data, by: order, cost: &queryCost)
    let isWorthKeeping = data.childCount >= limits.orderedChildrenMin
    listens.keep(
      KeptOrder(index: index, isDeclared: isDeclared, isWorthKeeping: isWorthKeeping, useCount: 1), at: node)
    return order
  }

  /// Whether every child may be looked at to begin a live query.
  func mayLookAtAll(_ query: Query, at path: Path, _ data: Node) -> Bool {
    query.loadsAllData || data.childCount <= limits.undeclaredChildrenMax || isDeclared(query.effectiveOrder, at: path)
  }
}
