/// A position between two children of a node that moves forward or backward in key order.
struct NodeCursor {
  /// A child that the cursor passed. The entry is valid while the page is held.
  struct Step {
    let page: Page
    let entry: PackedEntry
    var node: Node { page.node(entry.value) }
    var key: Key { withExtendedLifetime(page) { Key(utf8: entry.key) } }
  }

  private let tree: PageTree?
  /// The branches from the root to the page, with the index of the child that leads to the page.
  private var trail: ContiguousArray<(branch: PageBranch, index: Int)> = []
  private var page: Page?
  /// The offsets of a packed node's entries and of their end; computed only for moving backward or seeking.
  private var positions: ContiguousArray<Int>?
  /// The index of the next entry forward, in a tree's page or in `positions`.
  private var index = 0
  /// The entries of a packed node from the next one on, while `positions` is nil.
  private var entries: PackedEntries?

  /// Creates a cursor before the first child.
  init(_ node: Node) {
    switch node.content {
    case .empty: tree = nil
    case .packed(let page, let offset):
      tree = nil
      let value = page.value(at: offset)
      guard value.isInterior else { return }
      self.page = page
      entries = value.entries
    case .tree(let tree):
      self.tree = tree
      descend(tree.root, level: tree.height) { _ in 0 }
    }
  }

  /// Creates a cursor before the first entry of a tree's page, for this page only.
  init(_ page: Page) {
    tree = nil
    self.page = page
  }

  private mutating func descend(_ object: AnyObject, level: Int, _ choose: (PageBranch) -> Int) {
    var object = object
    for _ in 0..<level {
      let branch = unsafeDowncast(object, to: PageBranch.self)  // because only level 0 is a page
      let index = choose(branch)
      trail.append((branch, index))
      object = branch.child(index)
    }
    page = unsafeDowncast(object, to: Page.self)  // because this is level 0
    index = 0
  }

  /// Moves before `key`, or after it.
  mutating func seek(_ key: OrderedKey, behind: Bool) {
    guard let page else { return }
    if let tree {
      trail.removeAll(keepingCapacity: true)
      descend(tree.root, level: tree.height) { $0.find(key) }
    } else {
      let positions = positionsMade(page)
      let found = positions.dropLast().firstIndex { key.compare(PackedEntry(page.base + $0).key) <= 0 }
      index = found ?? positions.count - 1
      if behind, index < positions.count - 1, key.compare(PackedEntry(page.base + positions[index]).key) == 0 {
        index += 1
      }
      return
    }
    guard let page = self.page else { return }
    let (place, isFound) = page.find(key)
    index = behind && isFound ? place + 1 : place
  }

  /// Moves after the last child.
  mutating func seekEnd() {
    guard let page else { return }
    guard let tree else {
      index = positionsMade(page).count - 1
      return
    }
    trail.removeAll(keepingCapacity: true)
    descend(tree.root, level: tree.height) { $0.count - 1 }
    index = self.page?.count ?? 0
  }

  private mutating func positionsMade(_ page: Page) -> ContiguousArray<Int> {
    if let positions { return positions }
    var result: ContiguousArray<Int> = []
    if var entries {
      while let entry = entries.next() { result.append(entry.start - UnsafeRawPointer(page.base)) }
      result.append(entries.end - UnsafeRawPointer(page.base))
    } else {
      result.append(0)
    }
    positions = result
    return result
  }

  /// Moves forward over one child.
  mutating func next() -> Step? {
    guard let page else { return nil }
    if positions == nil, entries != nil {
      return entries?.next().map { Step(page: page, entry: $0) }
    }
    if let positions {
      guard index < positions.count - 1 else { return nil }
      index += 1
      return Step(page: page, entry: PackedEntry(page.base + positions[index - 1]))
    }
    if index == page.count {
      guard moveToNeighbour(forward: true), let page = self.page else { return nil }
      index = 1
      return Step(page: page, entry: page.entry(0))
    }
    index += 1
    return Step(page: page, entry: page.entry(index - 1))
  }

  /// Moves backward over one child. Requires a `seek` or `seekEnd` before.
  mutating func previous() -> Step? {
    guard var page else { return nil }
    if index == 0 {
      guard tree != nil, moveToNeighbour(forward: false), let neighbour = self.page else { return nil }
      page = neighbour
      index = page.count
    }
    index -= 1
    return Step(page: page, entry: positions.map { PackedEntry(page.base + $0[index]) } ?? page.entry(index))
  }

  /// Moves to the start of the next page, or to the end of the previous page; false when there is none.
  private mutating func moveToNeighbour(forward: Bool) -> Bool {
    var above = trail.count - 1
    while above >= 0 {
      let (branch, index) = trail[above]
      let new = forward ? index + 1 : index - 1
      if new >= 0 && new < branch.count {
        trail[above].index = new
        trail.removeSubrange((above + 1)...)
        descend(branch.child(new), level: branch.level - 1) { forward ? 0 : $0.count - 1 }
        return true
      }
      above -= 1
    }
    return false
  }

  /// Returns true when the next child forward is the first of a page of a tree.
  private mutating func isAtPageStart() -> Bool {
    guard tree != nil, let page else { return false }
    return index == page.count ? moveToNeighbour(forward: true) : index == 0
  }

  /// Skips the page, and its ancestors below `depth` branches from the root.
  private mutating func skip(belowDepth depth: Int) {
    trail.removeSubrange(depth...)
    if !moveToNeighbour(forward: true) { page = nil }
  }

  /// Skips the pages and branches that two forward cursors would both enter next.
  static func skipShared(_ a: inout NodeCursor, _ b: inout NodeCursor) {
    while a.isAtPageStart(), b.isAtPageStart(), a.page === b.page {
      var (x, y) = (a.trail.count, b.trail.count)
      while x > 0, y > 0, a.trail[x - 1].index == 0, b.trail[y - 1].index == 0,
        a.trail[x - 1].branch === b.trail[y - 1].branch
      {
        (x, y) = (x - 1, y - 1)
      }
      a.skip(belowDepth: x)
      b.skip(belowDepth: y)
    }
  }
}
