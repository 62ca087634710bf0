/// A store to which a builder moves parts of a node before the node is complete.
protocol NodeSpill: AnyObject, Sendable {
  /// Stores a page or branch of that level, and returns its location; `nil` when it failed, now or before.
  func location(of object: AnyObject, level: Int) -> PageLocation?

  /// Stores a tree, and returns it with nothing in memory.
  func stored(_ tree: PageTree) -> PageTree

  /// Stores a text, and returns it with nothing in memory.
  func stored(_ text: PageText) -> PageText

  /// Returns a stored node with other children, stored as far as it is large.
  func replacing(_ children: [(path: Path, node: Node)], in node: Node) -> Node
}

/// The children of an open node that a builder has moved to a store.
///
/// In key order they become full pages, and branches above these; what is kept are the keys and locations of the
/// branches' right edge. Children out of order are merged into the tree so far.
struct SpilledChildren {
  private struct Part {
    let key: [UInt8]
    let location: PageLocation
    let mayRefer: Bool
  }

  /// The pages, and the branches of each level, that no branch has as children yet.
  private var parts: [[Part]] = [[]]
  private var totals = PageTotals()
  private var lastKey: [UInt8] = []
  /// The tree once children came out of order.
  private var merged: Node?

  /// Adds children.
  ///
  /// - Parameters:
  ///   - starts: The offsets of the packed entries, each of which begins where the one before it ends.
  ///   - isOrdered: True when the entries are in key order, and none is repeated or empty.
  mutating func append(
    _ entries: UnsafeRawBufferPointer, _ starts: [Int], isOrdered: Bool, mayRefer: Bool, to spill: any NodeSpill
  ) {
    if isOrdered {
      return isBehindLast(entries, starts)
        ? append(entries, starts, mayRefer: mayRefer, to: spill) : merge(entries, starts, mayRefer: mayRefer, in: spill)
    }
    let all = NodeBuilder.arranged(entries, starts[...], dropsNothing: false)
    all.bytes.withUnsafeBytes { entries in
      guard isBehindLast(entries, all.starts) else {
        return merge(entries, all.starts, mayRefer: mayRefer, in: spill)
      }
      let present = NodeBuilder.arranged(entries, all.starts[...], dropsNothing: true)
      present.bytes.withUnsafeBytes { append($0, present.starts, mayRefer: mayRefer, to: spill) }
    }
  }

  /// Returns true when entries in key order come after all children so far.
  private func isBehindLast(_ entries: UnsafeRawBufferPointer, _ starts: [Int]) -> Bool {
    guard merged == nil else { return false }
    guard totals.count > 0, let base = entries.baseAddress, let first = starts.first else { return true }
    return lastKey.withUnsafeBytes { OrderedKey(PackedEntry(base + first).key).compare($0) > 0 }
  }

  private mutating func append(
    _ entries: UnsafeRawBufferPointer, _ starts: [Int], mayRefer: Bool, to spill: any NodeSpill
  ) {
    guard let base = entries.baseAddress, let last = starts.last else { return }
    for start in starts {
      var content = PageTotals()
      content.add(contentOf: PackedEntry(base + start).value)
      totals.leaves += content.leaves
    }
    totals.count += starts.count
    for page in PageTree.pages(entries, starts[...], mayRefer: mayRefer, &totals) {
      let page = unsafeDowncast(page, to: Page.self)  // Only pages are in the list.
      add(page, key: page.entry(0).key, level: 0, mayRefer: page.hasReferences, to: spill)
    }
    lastKey = Array(PackedEntry(base + last).key)
  }

  /// Stores a page or branch, and the branch above it when that is full.
  private mutating func add(
    _ object: AnyObject, key: UnsafeRawBufferPointer, level: Int, mayRefer: Bool, to spill: any NodeSpill
  ) {
    guard let location = spill.location(of: object, level: level) else { return }
    parts[level].append(Part(key: Array(key), location: location, mayRefer: mayRefer))
    // One more than a branch has: the last branch of a level is not empty.
    if parts[level].count > PageBranch.childCountMax { addBranch(level: level + 1, to: spill) }
  }

  /// Stores a branch with the first of the parts below its level.
  private mutating func addBranch(level: Int, to spill: any NodeSpill) {
    let children = parts[level - 1].prefix(PageBranch.childCountMax)
    let keys = children.flatMap(\.key)
    let mayRefer = children.contains { $0.mayRefer }
    let branch = keys.withUnsafeBytes { all in
      var start = 0
      let parts = children.map { child in
        defer { start += child.key.count }
        let key = UnsafeRawBufferPointer(rebasing: all[start..<start + child.key.count])
        return PageBranch.Part(key: key, rank: OrderedKey.rank(key), child: NodeReference(child.location))
      }
      return parts.withUnsafeBufferPointer { PageBranch.make(level: level, mayRefer: mayRefer, $0) }
    }
    parts[level - 1].removeFirst(children.count)
    if parts.count == level { parts.append([]) }
    add(branch, key: branch.key(0), level: level, mayRefer: mayRefer, to: spill)
  }

  /// Merges children into the tree so far; empty ones are removed.
  private mutating func merge(
    _ entries: UnsafeRawBufferPointer, _ starts: [Int], mayRefer: Bool, in spill: any NodeSpill
  ) {
    let tree = finish(spill)
    var totals = PageTotals()
    var children: [(path: Path, node: Node)] = []
    for page in PageTree.pages(entries, starts[...], mayRefer: mayRefer, &totals) {
      let page = unsafeDowncast(page, to: Page.self)  // Only pages are in the list.
      for entry in page.entries(0..<page.count) {
        let node = entry.value.kind == PackedKind.nothing ? .empty : page.node(entry.value)
        children.append((Path([Key(utf8: entry.key)]), node))
      }
    }
    merged = spill.replacing(children, in: tree)
  }

  /// Returns the node with all children.
  mutating func finish(_ spill: any NodeSpill) -> Node {
    if let merged { return merged }
    var level = 0
    while level < parts.count - 1 || parts[level].count > 1 {
      while !parts[level].isEmpty { addBranch(level: level + 1, to: spill) }
      level += 1
    }
    guard let root = parts[level].first else { return .empty }
    return Node(.tree(PageTree.make(root: NodeReference(root.location), totals.header(height: level, priority: nil))))
  }
}
