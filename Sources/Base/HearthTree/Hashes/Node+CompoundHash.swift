extension Node {
  /// Returns the hashes of this node's ranges, which a client sends so that the server sends only the ranges that
  /// differ.
  ///
  /// A range is about as long as the square root of the whole data, so that all hashes together are no longer than the
  /// data of one range.
  public func compoundHash() -> CompoundHash {
    var splitter = RangeSplitter(sizeBytesMax: max(512, Int((100 * Double(estimatedSizeBytes)).squareRoot())))
    splitter.visit(self)
    let posts = splitter.finish()
    return CompoundHash(hashes: compoundHashes(posts: posts), posts: posts)
  }

  /// The approximate length of the node as text, in bytes; small nodes need no hashes of ranges.
  public var estimatedSizeBytes: Int {
    func size(_ scalar: Scalar) -> Int {
      switch scalar {
      case .bool: 4
      case .int, .double: 8
      case .string(let text): 2 + text.utf16.count
      }
    }
    if isEmpty { return 4 }
    if let scalar { return size(scalar) + (priority.map { 24 + size($0) } ?? 0) }
    var total = 1 + (priority.map { 9 + 4 + size($0) } ?? 0)
    for (key, child) in children { total += key.text.utf16.count + 4 + child.estimatedSizeBytes }
    return total
  }
}

/// A splitter of the leaves of a node into ranges.
private struct RangeSplitter {
  let sizeBytesMax: Int
  private var posts: [Path] = []
  private var keys: [Key] = []
  /// The text of the current range, and the number of ``keys`` in it.
  private var sizeBytes = 0
  private var openCount = 0
  private var last: Path?

  init(sizeBytesMax: Int) { self.sizeBytesMax = sizeBytesMax }

  mutating func finish() -> [Path] {
    if let last { posts.append(last) }
    return posts
  }

  /// Visits a node. The recursion is as deep as the data.
  mutating func visit(_ node: Node) {
    guard node.isInterior else {
      if let scalar = node.scalar { add(scalar, node.priority, isEnd: true) }
      return
    }
    let depth = keys.count
    var priority = node.priority
    func isBefore(_ key: Key) -> Bool { .interiorPriority < key }
    for (key, child) in node.children {
      if let scalar = priority, isBefore(key) {
        visit(priority: scalar)
        priority = nil
      }
      keys.append(key)
      visit(child)
      keys.removeLast()
      openCount = min(openCount, depth)
    }
    if let priority { visit(priority: priority) }
  }

  /// Visits a priority. A range does not end with a priority, because clients would lose it.
  private mutating func visit(priority: Scalar) {
    keys.append(.interiorPriority)
    add(priority, nil, isEnd: false)
    keys.removeLast()
    openCount = min(openCount, keys.count)
  }

  private mutating func add(_ scalar: Scalar, _ priority: Scalar?, isEnd: Bool) {
    for key in keys[openCount...] { sizeBytes += key.text.utf8.count + 5 }
    openCount = keys.count
    for scalar in [scalar, priority].compactMap({ $0 }) {
      if case .string(let text) = scalar { sizeBytes += text.utf8.count + 10 } else { sizeBytes += 23 }
    }
    last = Path(keys)
    guard isEnd, sizeBytes > sizeBytesMax else { return }
    posts.append(Path(keys))
    (sizeBytes, openCount, last) = (0, 0, nil)
  }
}
