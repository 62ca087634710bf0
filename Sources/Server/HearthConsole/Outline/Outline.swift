import HearthTree

/// The structure below a node, without any value: names, kinds, numbers of children, and sizes.
package struct Outline: Sendable {
  /// The kind of a node.
  package enum Kind: String, Sendable {
    case object, string, number, boolean, null

    init(_ node: Node) {
      if node.isInterior {
        self = .object
      } else {
        switch node.scalar {
        case .bool: self = .boolean
        case .int, .double: self = .number
        case .string: self = .string
        case nil: self = .null
        }
      }
    }
  }

  /// A child.
  package struct Row: Sendable {
    /// The child's name.
    package var key: Key
    /// The child's kind.
    package var kind: Kind
    /// The number of its children.
    package var count: Int
    /// The approximate size of its JSON, in bytes.
    package var bytes: Int
  }

  /// The selection of children.
  package struct Page: Sendable {
    /// The order of the children.
    package var order = Query.Order.key
    /// The child before the page, in its direction; in the order of keys it need not exist.
    package var from: Key?
    /// True for the direction from the last child to the first.
    package var isReversed = false
    /// The maximum number of children.
    package var limit = 200

    /// Creates the first children, in the order of keys.
    package init() {}
  }

  /// The reason why a page cannot be returned.
  package enum Problem: Error, Sendable, Equatable {
    /// The node has too many children to sort by another order than that of keys.
    case tooManyToOrder
    /// The start child does not exist; only the order of keys has a position for it.
    case unknownChild
  }

  /// The node's kind.
  package var kind: Kind
  /// The number of its children.
  package var count: Int
  /// The approximate size of its JSON, in bytes.
  package var bytes: Int
  /// True when it has a priority.
  package var hasPriority: Bool
  /// The page's children.
  package var rows: [Row]
  /// True when there are children behind the page.
  package var hasMore: Bool

  /// The maximum number of children of a page: the most that one response holds.
  package static let limitMax = 500
  /// The maximum number of children that are sorted for a page: some tenths of a second's work.
  package static let orderedMax = 100_000
  /// The number of values that are sampled to estimate the size of a child, and of the node. An open page asks
  /// repeatedly.
  private static let rowSample = 32
  private static let nodeSample = 128

  /// Reads a node. In the order of keys the time grows with the page, not with the node.
  package init(_ node: Node, _ page: Page) throws(Problem) {
    let (rows, hasMore) = try Self.children(of: node, page)
    kind = Kind(node)
    count = node.childCount
    hasPriority = node.priority != nil
    self.hasMore = hasMore
    let pageRows = rows.map { key, child in
      Row(
        key: key, kind: Kind(child), count: child.childCount,
        bytes: SizeEstimate.bytes(of: child, sample: Self.rowSample))
    }
    self.rows = pageRows
    // With two samples, the node's estimate must not be below the sum of its children's.
    let sum = pageRows.reduce(0) { $0 + $1.bytes + $1.key.text.utf8.count + SizeEstimate.memberBytes }
    bytes = max(SizeEstimate.bytes(of: node, sample: Self.nodeSample), sum)
  }

  private static func children(
    of node: Node, _ page: Page
  ) throws(Problem) -> (rows: [(key: Key, node: Node)], hasMore: Bool) {
    let limit = max(1, min(page.limit, limitMax))
    var rows: [(key: Key, node: Node)]
    if page.order == .key {
      let children: NodeChildren =
        switch (page.from, page.isReversed) {
        case (nil, false): node.children
        case (nil, true): node.childrenReversed
        case (let from?, false): node.children(from: from, isInclusive: false)
        case (let from?, true): node.childrenReversed(from: from, isInclusive: false)
        }
      rows = Array(children.prefix(limit + 1))
    } else {
      rows = try ordered(node, page, count: limit + 1)
    }
    let hasMore = rows.count > limit
    if hasMore { rows.removeLast() }
    return (rows, hasMore)
  }

  private static func ordered(_ node: Node, _ page: Page, count: Int) throws(Problem) -> [(key: Key, node: Node)] {
    guard node.childCount <= orderedMax else { throw .tooManyToOrder }
    let children = OrderedChildren(node, by: page.order)
    var next: (key: Key, node: Node)?
    if let from = page.from {
      let child = node.child(from)
      guard !child.isEmpty else { throw .unknownChild }
      next = children.neighbour(of: from, child, isBefore: page.isReversed)
    } else {
      next = children.end(isLast: page.isReversed)
    }
    var rows: [(key: Key, node: Node)] = []
    while let row = next, rows.count < count {
      rows.append(row)
      next = children.neighbour(of: row.key, row.node, isBefore: page.isReversed)
    }
    return rows
  }
}

extension Outline {
  /// The outline as JSON for the page.
  package var json: JSON {
    let rows = rows.map { row in
      [
        "key": .string(row.key.text), "kind": .string(row.kind.rawValue), "count": .int(Int64(row.count)),
        "bytes": .int(Int64(row.bytes)),
      ] as JSON
    }
    return [
      "kind": .string(kind.rawValue), "count": .int(Int64(count)), "isExact": true, "bytes": .int(Int64(bytes)),
      "hasPriority": .bool(hasPriority), "rows": .array(rows), "more": .bool(hasMore),
    ]
  }
}
