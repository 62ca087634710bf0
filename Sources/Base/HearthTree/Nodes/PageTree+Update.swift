extension PageTree {
  /// The result of a change for one page or branch.
  private enum Outcome {
    case one(AnyObject)
    case two(AnyObject, AnyObject, lowestKeyOfSecond: [UInt8])
    /// The page or branch became empty.
    case none
  }

  /// A change of one child.
  private struct Change {
    let key: OrderedKey
    /// The function from the old child to the new one; both may be empty.
    let transform: (Node) -> Node
    /// The differences of the tree's totals.
    var totals = PageTotals()
  }

  /// The position of a page or branch at the edges of its level: whether it is the first, and whether it is the last.
  private struct Edge {
    var isFirst = true
    var isLast = true
  }

  /// Returns the children with one changed, added or deleted.
  func updating(_ key: OrderedKey, _ transform: (Node) -> Node) -> Node {
    // A root that is missing stays unchanged; the thread's `FaultCounts` tell that the result is not to be used.
    guard let root = unmanagedRoot?.takeUnretainedValue() else { return Node(.tree(self)) }
    let (outcome, change) = withoutActuallyEscaping(transform) { transform in
      var change = Change(key: key, transform: transform)
      let outcome = Self.apply(&change, to: root, level: height, edge: Edge())
      return (outcome, change.totals)
    }
    switch outcome {
    case .none: return .empty
    case .one(let object):
      if object === root { return Node(.tree(self)) }
      return updated(root: object, level: height, (totals + change).ofChildren)
    case .two(let first, let second, let lowest):
      let root = lowest.withUnsafeBytes { key in
        let parts = [Self.part(UnsafeRawBufferPointer(start: nil, count: 0), first), Self.part(key, second)]
        return withExtendedLifetime((first, second)) {
          let mayRefer = [first, second].contains { PageBranch.mayRefer($0, level: height) }
          return parts.withUnsafeBufferPointer { PageBranch.make(level: height + 1, mayRefer: mayRefer, $0) }
        }
      }
      let totals = (totals + change).ofChildren
      return Node(.tree(PageTree.make(root: root, height: height + 1, totals, priority: priority)))
    }
  }

  /// Returns the node of a changed root. Branches with a single child are removed above it.
  func updated(root: AnyObject, level: Int, _ totals: PageTotals) -> Node {
    var (root, level) = (root, level)
    while level > 0 {
      let branch = unsafeDowncast(root, to: PageBranch.self)  // because only level 0 is a page
      // A child that cannot be read stays below its branch.
      guard branch.count == 1, let child = branch.unmanagedChild(0)?.takeUnretainedValue() else { break }
      root = child
      level -= 1
    }
    return PageTree.make(root: root, height: level, totals, priority: priority).asNode
  }

  private static func part(_ key: UnsafeRawBufferPointer, _ child: AnyObject) -> PageBranch.Part {
    PageBranch.Part(key: key, rank: OrderedKey.rank(key), child: NodeReference(child))
  }

  /// Applies a change. The recursion is as deep as the tree is high.
  private static func apply(_ change: inout Change, to object: AnyObject, level: Int, edge: Edge) -> Outcome {
    guard level > 0 else {
      return apply(&change, to: unsafeDowncast(object, to: Page.self), edge: edge)  // because this is level 0
    }
    let branch = unsafeDowncast(object, to: PageBranch.self)  // because only level 0 is a page
    let index = branch.find(change.key)
    let below = Edge(isFirst: edge.isFirst && index == 0, isLast: edge.isLast && index == branch.count - 1)
    branch.touch()
    guard let child = branch.unmanagedChild(index)?.takeUnretainedValue() else { return .one(branch) }
    switch apply(&change, to: child, level: level - 1, edge: below) {
    case .one(let new):
      if new === child { return .one(branch) }
      return replace(index, of: branch, with: new)
    case .two(let first, let second, let lowest):
      return lowest.withUnsafeBytes { key in
        let (one, two) = (part(branch.key(index), first), part(key, second))
        return withExtendedLifetime((first, second)) {
          rebuild(
            branch, replacing: index..<(index + 1), with: [one, two],
            mayRefer: PageBranch.mayRefer(first, level: level - 1) || PageBranch.mayRefer(second, level: level - 1),
            edge: edge)
        }
      }
    case .none:
      return rebuild(branch, replacing: index..<(index + 1), with: [], mayRefer: false, edge: edge)
    }
  }

  /// Replaces one child; a child that has become small is merged with a neighbour that has enough space.
  private static func replace(_ index: Int, of branch: PageBranch, with new: AnyObject) -> Outcome {
    let mayRefer = PageBranch.mayRefer(new, level: branch.level - 1)
    if isSmall(new, level: branch.level - 1) {
      for first in [index - 1, index] where first >= 0 && first + 1 < branch.count {
        let other = first == index ? first + 1 : first
        guard let neighbour = neighbour(other, of: branch, for: new) else { continue }
        let (left, right) = first == index ? (new, neighbour) : (neighbour, new)
        if let merged = merge(left, right, lowestKeyOfRight: branch.key(first + 1), level: branch.level - 1) {
          let one = PageBranch.Part(
            key: branch.key(first), rank: branch.part(first).rank, child: NodeReference(merged))
          return withExtendedLifetime(merged) {
            rebuild(branch, replacing: first..<(first + 2), with: [one], mayRefer: mayRefer, edge: Edge())
          }
        }
      }
    }
    return withUnsafeTemporaryAllocation(of: PageBranch.Part.self, capacity: branch.count) { parts in
      for i in 0..<branch.count { parts.initializeElement(at: i, to: branch.part(i)) }
      parts[index].child = NodeReference(new)
      return .one(
        withExtendedLifetime(new) {
          PageBranch.make(
            level: branch.level, mayRefer: branch.mayRefer || mayRefer, UnsafeBufferPointer(parts))
        })
    }
  }

  /// Returns a child of the branch that may be merged with `small`; `nil` when it is certainly too large, which is known
  /// without reading it, or missing.
  static func neighbour(_ index: Int, of branch: PageBranch, for small: AnyObject) -> AnyObject? {
    let reference = branch.reference(index)
    if !reference.isResident, branch.level == 1, let location = reference.location {
      let size = unsafeDowncast(small, to: Page.self).byteCount  // because this is level 0
      guard PageRecord.payloadSizeMax(location) + size <= mergedSizeBytesMax else { return nil }
    }
    return branch.unmanagedChild(index)?.takeUnretainedValue()
  }

  /// The maximum size of a page that is merged from two, so that it has space to grow.
  static let mergedSizeBytesMax = Page.sizeBytesMax * 3 / 4

  private static func rebuild(
    _ branch: PageBranch, replacing range: Range<Int>, with parts: [PageBranch.Part], mayRefer: Bool, edge: Edge
  ) -> Outcome {
    let count = branch.count - range.count + parts.count
    if count == 0 { return .none }
    return withUnsafeTemporaryAllocation(of: PageBranch.Part.self, capacity: count) { all in
      var next = 0
      func add(_ part: PageBranch.Part) {
        all.initializeElement(at: next, to: part)
        next += 1
      }
      for i in 0..<range.lowerBound { add(branch.part(i)) }
      for part in parts { add(part) }
      for i in range.upperBound..<branch.count { add(branch.part(i)) }
      let (level, mayRefer) = (branch.level, branch.mayRefer || mayRefer)
      guard count > PageBranch.childCountMax else {
        return .one(PageBranch.make(level: level, mayRefer: mayRefer, UnsafeBufferPointer(all)))
      }
      // At the end of the level, the split is uneven, so that keys that arrive in order produce full branches.
      let isAtEnd = edge.isLast && range.upperBound == branch.count
      let isAtStart = edge.isFirst && range.lowerBound == 0
      let split = isAtEnd ? count - 1 : isAtStart ? 1 : count / 2
      let first = PageBranch.make(level: level, mayRefer: mayRefer, UnsafeBufferPointer(rebasing: all[..<split]))
      let second = PageBranch.make(level: level, mayRefer: mayRefer, UnsafeBufferPointer(rebasing: all[split...]))
      return .two(first, second, lowestKeyOfSecond: Array(all[split].key))
    }
  }

  static func isSmall(_ object: AnyObject, level: Int) -> Bool {
    // The level determines the class of the object.
    level == 0
      ? unsafeDowncast(object, to: Page.self).byteCount < Page.sizeBytesMin
      : unsafeDowncast(object, to: PageBranch.self).count < PageBranch.childCountMin
  }

  /// Merges both when the result has space to grow.
  static func merge(
    _ left: AnyObject, _ right: AnyObject, lowestKeyOfRight: UnsafeRawBufferPointer, level: Int
  ) -> AnyObject? {
    if level == 0 {
      // This is level 0.
      let (a, b) = (unsafeDowncast(left, to: Page.self), unsafeDowncast(right, to: Page.self))
      guard a.byteCount + b.byteCount <= mergedSizeBytesMax,
        a.referenceCount + b.referenceCount <= Page.referenceCountMax * 3 / 4
      else { return nil }
      return Page.joining(a, 0..<a.count, nil, b, 0..<b.count)
    }
    // Only level 0 is a page.
    let (a, b) = (unsafeDowncast(left, to: PageBranch.self), unsafeDowncast(right, to: PageBranch.self))
    guard a.count + b.count <= PageBranch.childCountMax * 3 / 4 else { return nil }
    var parts = (0..<a.count).map { a.part($0) } + (0..<b.count).map { b.part($0) }
    parts[a.count].key = lowestKeyOfRight  // the first child may contain smaller keys than its own
    parts[a.count].rank = OrderedKey.rank(lowestKeyOfRight)
    return withExtendedLifetime((a, b)) {
      parts.withUnsafeBufferPointer { PageBranch.make(level: level, mayRefer: a.mayRefer || b.mayRefer, $0) }
    }
  }

  /// Applies a change to a page, and adds its part to the change of the totals. Merging and splitting pages afterwards
  /// changes no totals, because the sizes of pages are those of their entries.
  private static func apply(_ change: inout Change, to page: Page, edge: Edge) -> Outcome {
    page.touch()
    let (index, isFound) = page.find(change.key)
    let old = isFound ? page.entry(index).value : nil
    let node = change.transform(old.map { page.node($0) } ?? .empty)
    if node.isEmpty && !isFound { return .one(page) }
    var (before, after) = (PageTotals(count: isFound ? 1 : 0), PageTotals(count: node.isEmpty ? 0 : 1))
    if let old { before.add(contentOf: old) }
    after.add(contentOf: node)
    let outcome = replace(index, isFound: isFound, of: page, key: change.key, with: node, edge: edge)
    before.bytes &+= page.byteCount
    switch outcome {
    case .none: break
    case .one(let new): after.bytes &+= unsafeDowncast(new, to: Page.self).byteCount  // because this is level 0
    case .two(let first, let second, _):
      // This is level 0.
      after.bytes &+= unsafeDowncast(first, to: Page.self).byteCount
      after.bytes &+= unsafeDowncast(second, to: Page.self).byteCount
    }
    change.totals = after - before
    return outcome
  }

  private static func replace(
    _ index: Int, isFound: Bool, of page: Page, key: OrderedKey, with node: Node, edge: Edge
  ) -> Outcome {
    if node.isEmpty {
      if page.count == 1 { return .none }
      return .one(Page.joining(page, 0..<index, nil, page, (index + 1)..<page.count))
    }
    let new = Page.NewEntry(key: key.bytes, node: node)
    let rest = (isFound ? index + 1 : index)..<page.count
    let size = Page.size(page, 0..<index, new, page, rest)
    let count = index + 1 + rest.count
    let references = page.referenceCount + (isFound ? 0 : node.packedReferenceCount)
    if size <= Page.sizeBytesMax && references <= Page.referenceCountMax || count == 1 {
      return .one(Page.joining(page, 0..<index, new, page, rest))
    }
    // At the end of the level, the split is uneven, so that keys that arrive in order produce full pages.
    if edge.isLast && index == page.count {
      return .two(page, Page.joining(page, 0..<0, new, page, 0..<0), lowestKeyOfSecond: Array(key.bytes))
    }
    if edge.isFirst && index == 0 && !isFound {
      let lowest = Array(page.entry(0).key)
      return .two(Page.joining(page, 0..<0, new, page, 0..<0), page, lowestKeyOfSecond: lowest)
    }
    return split(page, at: index, new, rest, size: size)
  }

  /// Splits a page into two of about the same size.
  private static func split(
    _ page: Page, at index: Int, _ new: Page.NewEntry, _ rest: Range<Int>, size: Int
  ) -> Outcome {
    let count = index + 1 + rest.count
    let newSize = Page.entrySize(new.key, new.node)
    func entrySize(_ i: Int) -> Int {
      if i == index { return newSize }
      let old = i < index ? i : rest.lowerBound + i - index - 1
      return page.position(old + 1) - page.position(old)
    }
    var (cut, left) = (1, entrySize(0))
    while cut < count - 1, left + entrySize(cut) / 2 <= size / 2 {
      left += entrySize(cut)
      cut += 1
    }
    if cut <= index {
      return .two(
        Page.joining(page, 0..<cut, nil, page, 0..<0), Page.joining(page, cut..<index, new, page, rest),
        lowestKeyOfSecond: Array(cut < index ? page.entry(cut).key : new.key))
    }
    let middle = rest.lowerBound + cut - index - 1
    return .two(
      Page.joining(page, 0..<index, new, page, rest.lowerBound..<middle),
      Page.joining(page, 0..<0, nil, page, middle..<rest.upperBound),
      lowestKeyOfSecond: Array(page.entry(middle).key))
  }
}

extension Page {
  /// An entry that is added to a page.
  struct NewEntry {
    let key: UnsafeRawBufferPointer
    let node: Node
  }

  private static func bytes(_ page: Page, _ range: Range<Int>) -> Int {
    range.isEmpty ? 0 : page.position(range.upperBound) - page.position(range.lowerBound)
  }

  /// Returns the size in bytes of the page that `joining` would create.
  static func size(_ a: Page, _ before: Range<Int>, _ new: NewEntry?, _ b: Page, _ after: Range<Int>) -> Int {
    let entries = bytes(a, before) + bytes(b, after) + (new.map { entrySize($0.key, $0.node) } ?? 0)
    return entries + slotsSize(entryCount: before.count + after.count + (new == nil ? 0 : 1), byteCount: entries)
  }

  /// Creates a page from a range of entries, a new entry, and another range.
  static func joining(_ a: Page, _ before: Range<Int>, _ new: NewEntry?, _ b: Page, _ after: Range<Int>) -> Page {
    let size = bytes(a, before) + bytes(b, after) + (new.map { entrySize($0.key, $0.node) } ?? 0)
    var writer = PageWriter(entryCount: before.count + after.count + (new == nil ? 0 : 1), byteCount: size)
    writer.entries(before, of: a)
    if let new {
      writer.beginEntry(new.key)
      writer.key(new.key)
      writer.node(new.node)
    }
    writer.entries(after, of: b)
    return writer.finish()
  }
}
