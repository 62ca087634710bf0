extension PageTree {
  /// Returns the children with several changed, added or deleted.
  ///
  /// - Parameter changes: The changes in key order, at most one for each key.
  func replacing(_ changes: [ChildChange]) -> Node {
    var pass = PageTreePass(changes)
    var parts = pass.apply(changes.indices, to: PageTreePass.part(of: root), level: height, isLast: true)
    return withExtendedLifetime(pass) {
      var level = height
      while parts.count > 1 {
        level += 1
        parts = pass.branches(parts, level: level, isLast: true)
      }
      guard var object = parts.first?.child.takeUnretainedValue() else { return .empty }
      while level > 0 {
        let branch = unsafeDowncast(object, to: PageBranch.self)  // because only level 0 is a page
        guard branch.count == 1 else { break }
        object = branch.child(0)
        level -= 1
      }
      if object === root { return Node(.tree(self)) }
      return PageTree(root: object, height: level, count: count + pass.countChange, priority: priority).asNode
    }
  }
}

/// A pass over the pages of a tree, from the first changed child to the last.
///
/// Every affected page and branch is copied once, regardless of the number of changes in it. The resulting parts have
/// unmanaged references to the old tree and to the objects that the pass has created; both are kept alive until its
/// end.
private struct PageTreePass {
  private let changes: [ChildChange]
  /// The difference in the number of children.
  private(set) var countChange = 0
  private var made: [AnyObject] = []

  init(_ changes: [ChildChange]) { self.changes = changes }

  /// Returns the part of a root, which has no lowest key.
  static func part(of root: AnyObject) -> PageBranch.Part {
    let key = UnsafeRawBufferPointer(start: nil, count: 0)
    return PageBranch.Part(key: key, rank: OrderedKey.rank(key), child: .passUnretained(root))
  }

  private mutating func part(_ key: UnsafeRawBufferPointer, _ child: AnyObject) -> PageBranch.Part {
    made.append(child)
    return PageBranch.Part(key: key, rank: OrderedKey.rank(key), child: .passUnretained(child))
  }

  /// Applies changes to a page or branch, and returns the parts that replace it: none, itself or several of its level.
  ///
  /// - Parameter range: The changes of children that it contains or would contain; at least one.
  /// - Parameter isLast: True for the last page or branch of its level, to which keys that arrive in order are added.
  ///
  /// The recursion is as deep as the tree is high.
  mutating func apply(
    _ range: Range<Int>, to old: PageBranch.Part, level: Int, isLast: Bool
  ) -> [PageBranch.Part] {
    let object = old.child.takeUnretainedValue()
    guard level > 0 else {
      return apply(range, to: unsafeDowncast(object, to: Page.self), old, isLast: isLast)  // because this is level 0
    }
    let branch = unsafeDowncast(object, to: PageBranch.self)  // because only level 0 is a page
    var children = Siblings(level: level - 1)
    var start = range.lowerBound
    for i in 0..<branch.count {
      var child = branch.part(i)
      if i == 0 { (child.key, child.rank) = (old.key, old.rank) }  // its own key need not be the lowest one below it
      let isLastChild = i == branch.count - 1
      let next = isLastChild ? nil : branch.part(i + 1)
      var end = start
      while end < range.upperBound, next.map({ changes[end].key.compare($0.key, rank: $0.rank) < 0 }) ?? true {
        end += 1
      }
      if end == start {
        children.add(child, isNew: false, &made)
        continue
      }
      for part in apply(start..<end, to: child, level: level - 1, isLast: isLast && isLastChild) {
        children.add(part, isNew: part.child.toOpaque() != child.child.toOpaque(), &made)
      }
      start = end
    }
    let isSame =
      children.parts.count == branch.count
      && children.parts.indices.allSatisfy {
        children.parts[$0].child.toOpaque() == branch.unmanagedChild($0).toOpaque()
      }
    return isSame ? [old] : branches(children.parts, level: level, isLast: isLast)
  }

  /// Creates branches of the level above all these parts.
  mutating func branches(_ parts: [PageBranch.Part], level: Int, isLast: Bool) -> [PageBranch.Part] {
    let count = (parts.count + PageBranch.childCountMax - 1) / PageBranch.childCountMax
    // At the end of the level, branches are filled, because keys often arrive in order; elsewhere all branches keep
    // space to grow.
    let size = isLast ? PageBranch.childCountMax : (parts.count + count - 1) / max(1, count)
    return stride(from: 0, to: parts.count, by: max(1, size)).map { first in
      let group = parts[first..<min(first + size, parts.count)]
      let branch = group.withUnsafeBufferPointer { PageBranch.make(level: level, $0) }
      return part(parts[first].key, branch)
    }
  }
}

/// The pages or branches of one level that get one parent branch.
private struct Siblings {
  let level: Int
  private(set) var parts: [PageBranch.Part] = []
  private var isLastNew = false

  init(level: Int) { self.level = level }

  /// Adds a part, or merges it with the previous one when one of the two has become small and they fit together.
  mutating func add(_ part: PageBranch.Part, isNew: Bool, _ made: inout [AnyObject]) {
    let object = part.child.takeUnretainedValue()
    if let last = parts.last?.child.takeUnretainedValue(),
      isNew && PageTree.isSmall(object, level: level) || isLastNew && PageTree.isSmall(last, level: level),
      let merged = PageTree.merge(last, object, lowestKeyOfRight: part.key, level: level)
    {
      made.append(merged)
      parts[parts.count - 1].child = .passUnretained(merged)
      isLastNew = true
      return
    }
    parts.append(part)
    isLastNew = isNew
  }
}

extension PageTreePass {
  /// An entry of a page that is about to be created.
  private struct Entry {
    /// The index of the entry in the old page, or in the changes.
    let index: Int
    let isNew: Bool
    let size: Int
    let referenceCount: Int
  }

  private mutating func apply(
    _ range: Range<Int>, to page: Page, _ old: PageBranch.Part, isLast: Bool
  ) -> [PageBranch.Part] {
    guard let entries = merged(range, page) else { return [old] }
    var parts: [PageBranch.Part] = []
    for run in Self.cut(entries, isLast: isLast) {
      let new = self.page(entries[run], page)
      parts.append(part(parts.isEmpty ? old.key : new.entry(0).key, new))
    }
    return parts
  }

  /// Returns the entries of a page with the changes applied; nil when nothing differs.
  private mutating func merged(_ range: Range<Int>, _ page: Page) -> [Entry]? {
    var entries: [Entry] = []
    entries.reserveCapacity(page.count + range.count)
    let hasReferences = page.hasReferences
    func keep(_ index: Int) {
      var references = 0
      if hasReferences { page.entry(index).value.forEachReference { _ in references += 1 } }
      let size = page.position(index + 1) - page.position(index)
      entries.append(Entry(index: index, isNew: false, size: size, referenceCount: references))
    }
    var (next, isChanged) = (0, false)
    for i in range {
      let (key, node) = (changes[i].key, changes[i].node)
      var isFound = false
      while next < page.count, !isFound {
        let order = key.compare(page.entry(next).key)
        if order < 0 { break }
        if order == 0 { isFound = true } else { keep(next) }
        next += 1
      }
      countChange += (node.isEmpty ? 0 : 1) - (isFound ? 1 : 0)
      isChanged = isChanged || isFound || !node.isEmpty
      guard !node.isEmpty else { continue }
      entries.append(
        Entry(
          index: i, isNew: true, size: Page.entrySize(key.bytes, node), referenceCount: node.packedReferenceCount))
    }
    while next < page.count {
      keep(next)
      next += 1
    }
    return isChanged ? entries : nil
  }

  /// Returns the ranges of entries, each of which becomes a page.
  private static func cut(_ entries: [Entry], isLast: Bool) -> [Range<Int>] {
    func pageSize(_ count: Int, _ size: Int) -> Int { size + Page.slotsSize(entryCount: count, byteCount: size) }
    let whole = pageSize(entries.count, entries.reduce(0) { $0 + $1.size })
    let count = (whole + Page.sizeBytesMax - 1) / Page.sizeBytesMax
    // At the end of the level, pages are filled, because keys often arrive in order; elsewhere all pages keep space to
    // grow.
    let enough = isLast || count < 2 ? Page.sizeBytesMax : (whole + count - 1) / count
    var runs: [Range<Int>] = []
    var (first, size, references) = (0, 0, 0)
    for (i, entry) in entries.enumerated() {
      let isFull =
        pageSize(i + 1 - first, size + entry.size) > Page.sizeBytesMax
        || references + entry.referenceCount > Page.referenceCountMax || pageSize(i - first, size) >= enough
      if i > first, isFull {
        runs.append(first..<i)
        (first, size, references) = (i, 0, 0)
      }
      size += entry.size
      references += entry.referenceCount
    }
    if first < entries.count { runs.append(first..<entries.count) }
    return runs
  }

  /// Creates a page from entries of an old page and from changes.
  private func page(_ entries: ArraySlice<Entry>, _ old: Page) -> Page {
    var writer = PageWriter(entryCount: entries.count, byteCount: entries.reduce(0) { $0 + $1.size })
    var rest = entries
    while let first = rest.popFirst() {
      if first.isNew {
        writer.beginEntry(changes[first.index].key.bytes)
        writer.key(changes[first.index].key.bytes)
        writer.node(changes[first.index].node)
        continue
      }
      var end = first.index + 1
      while let next = rest.first, !next.isNew, next.index == end {
        end += 1
        rest.removeFirst()
      }
      writer.entries(first.index..<end, of: old)
    }
    return writer.finish()
  }
}
