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
  /// True when the cursor is before or after all children of a page or branch that it has not read: the child at the end
  /// of the trail, or the root. There is no page then.
  private var isClosed = false
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
      isClosed = true
    }
  }

  /// Creates a cursor before the first entry of a tree's page, for this page only.
  init(_ page: Page) {
    tree = nil
    self.page = page
  }

  /// The level of the page or branch that is not read yet.
  private var closedLevel: Int { trail.last.map { $0.branch.level - 1 } ?? tree?.height ?? 0 }

  /// The reference to the page or branch that is not read yet.
  private var closedReference: NodeReference? { trail.last.map { $0.branch.reference($0.index) } ?? tree?.root }

  /// Reads the page or branch at the end of the trail, and enters one of a branch's children. At a page, and at one that
  /// is missing (see `NodeFault`), the cursor is not closed any more.
  private mutating func openOne(_ choose: (PageBranch) -> Int) {
    let level = closedLevel
    guard let object = trail.last.map({ $0.branch.child($0.index) }) ?? tree?.rootObject else {
      isClosed = false
      return
    }
    if level > 0 {
      let branch = unsafeDowncast(object, to: PageBranch.self)  // because only level 0 is a page
      trail.append((branch, choose(branch)))
    } else {
      isClosed = false
      page = unsafeDowncast(object, to: Page.self)  // because this is level 0
      index = 0
    }
  }

  /// Reads the branches and the page at the end of the trail.
  private mutating func open(_ choose: (PageBranch) -> Int) { while isClosed { openOne(choose) } }

  /// Moves to the root.
  private mutating func close() {
    trail.removeAll(keepingCapacity: true)
    page = nil
    isClosed = true
  }

  /// Moves before `key`, or after it.
  mutating func seek(_ key: OrderedKey, behind: Bool) {
    if tree != nil {
      close()
      open { $0.find(key) }
    } else {
      guard let page else { return }
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
    guard tree != nil else {
      if let page { index = positionsMade(page).count - 1 }
      return
    }
    close()
    open { $0.count - 1 }
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
    if isClosed { open { _ in 0 } }
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
      guard moveToNeighbour(forward: true) else { return nil }
      open { _ in 0 }
      guard let page = self.page, page.count > 0 else { return nil }
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
      guard tree != nil, moveToNeighbour(forward: false) else { return nil }
      open { $0.count - 1 }
      guard let neighbour = self.page, neighbour.count > 0 else { return nil }
      page = neighbour
      index = page.count
    }
    index -= 1
    return Step(page: page, entry: positions.map { PackedEntry(page.base + $0[index]) } ?? page.entry(index))
  }

  /// Moves to the next page or branch, or to the previous one, without reading it; false when there is none.
  private mutating func moveToNeighbour(forward: Bool) -> Bool {
    var above = trail.count - 1
    while above >= 0 {
      let (branch, index) = trail[above]
      let new = forward ? index + 1 : index - 1
      if new >= 0 && new < branch.count {
        trail[above].index = new
        trail.removeSubrange((above + 1)...)
        (page, isClosed) = (nil, true)
        return true
      }
      above -= 1
    }
    return false
  }

  /// Returns true when the next child forward is the first of a page or branch of a tree that is not read yet. Between
  /// two pages, moves to the next one.
  private mutating func isBeforeClosed() -> Bool {
    if isClosed { return true }
    guard tree != nil, let page, index == page.count else { return false }
    return moveToNeighbour(forward: true)
  }

  /// Skips the page or branch that is not read yet.
  private mutating func skipClosed() {
    if !moveToNeighbour(forward: true) { isClosed = false }
  }

  /// Skips the pages and branches that two forward cursors would both enter next. These are not read.
  static func skipShared(_ a: inout NodeCursor, _ b: inout NodeCursor) {
    while a.isBeforeClosed(), b.isBeforeClosed(), let x = a.closedReference, let y = b.closedReference {
      let (levelA, levelB) = (a.closedLevel, b.closedLevel)
      if levelA == levelB, x.isIdentical(to: y) {
        a.skipClosed()
        b.skipClosed()
        continue
      }
      if levelA == 0, levelB == 0 { return }
      if levelA >= levelB { a.openOne { _ in 0 } }
      if levelB >= levelA { b.openOne { _ in 0 } }
    }
  }
}
