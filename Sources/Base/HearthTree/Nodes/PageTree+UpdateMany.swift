extension PageTree {
  /// Returns the children with several changed, added or deleted.
  ///
  /// - Parameter changes: The changes in key order, at most one for each key.
  func replacing(_ changes: [ChildChange]) -> Node {
    // A root that is missing stays unchanged; the thread's `FaultCounts` tell that the result is not to be used.
    guard let root = unmanagedRoot?.takeUnretainedValue() else { return Node(.tree(self)) }
    var pass = PageTreePass(changes)
    var parts = pass.apply(
      changes.indices, to: PageTreePass.part(of: root), .passUnretained(root), level: height, isLast: true)
    return withExtendedLifetime(pass) {
      var level = height
      while parts.count > 1 {
        level += 1
        // Few branches are above all, so these flags need not be exact.
        parts = pass.branches(parts, level: level, mayRefer: true, isLast: true)
      }
      guard let first = parts.first else { return .empty }
      // The only part is the old root, or one that the pass made.
      guard let object = first.child.object?.takeUnretainedValue(), object !== root else { return Node(.tree(self)) }
      return updated(root: object, level: level, (totals + pass.totals).ofChildren)
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
  /// The differences of the tree's totals. Merging pages changes none.
  private(set) var totals = PageTotals()
  private var made: [AnyObject] = []

  init(_ changes: [ChildChange]) { self.changes = changes }

  /// Returns the part of a root, which has no lowest key.
  static func part(of root: AnyObject) -> PageBranch.Part {
    let key = UnsafeRawBufferPointer(start: nil, count: 0)
    return PageBranch.Part(key: key, rank: OrderedKey.rank(key), child: NodeReference(root))
  }

  private mutating func part(_ key: UnsafeRawBufferPointer, _ child: AnyObject) -> PageBranch.Part {
    made.append(child)
    return PageBranch.Part(key: key, rank: OrderedKey.rank(key), child: NodeReference(child))
  }

  /// Applies changes to a page or branch, and returns the parts that replace it: none, itself or several of its level.
  ///
  /// - Parameter range: The changes of children that it contains or would contain; at least one.
  /// - Parameter object: The page or branch of the part; `nil` when it is missing, and then it stays unchanged.
  /// - Parameter isLast: True for the last page or branch of its level, to which keys that arrive in order are added.
  ///
  /// The recursion is as deep as the tree is high.
  mutating func apply(
    _ range: Range<Int>, to old: PageBranch.Part, _ object: Unmanaged<AnyObject>?, level: Int, isLast: Bool
  ) -> [PageBranch.Part] {
    guard let object = object?.takeUnretainedValue() else { return [old] }
    guard level > 0 else {
      return apply(range, to: unsafeDowncast(object, to: Page.self), old, isLast: isLast)  // because this is level 0
    }
    let branch = unsafeDowncast(object, to: PageBranch.self)  // because only level 0 is a page
    branch.touch()
    var children = Siblings(level: level - 1, mayRefer: branch.mayRefer)
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
        children.add(child, isNew: false, index: i, of: branch, &made)
        continue
      }
      let object = branch.unmanagedChild(i)
      let parts = apply(start..<end, to: child, object, level: level - 1, isLast: isLast && isLastChild)
      children.noteParts(parts.count)
      // An unchanged part has the reference that was read before, even if the child has become resident.
      for part in parts { children.add(part, isNew: part.child.bits != child.child.bits, index: i, of: branch, &made) }
      start = end
    }
    guard children.isChanged else { return [old] }
    return branches(children.parts, level: level, mayRefer: children.mayRefer, isLast: isLast)
  }

  /// Creates branches of the level above all these parts.
  mutating func branches(
    _ parts: [PageBranch.Part], level: Int, mayRefer: Bool, isLast: Bool
  ) -> [PageBranch.Part] {
    let count = (parts.count + PageBranch.childCountMax - 1) / PageBranch.childCountMax
    // At the end of the level, branches are filled, because keys often arrive in order; elsewhere all branches keep
    // space to grow.
    let size = isLast ? PageBranch.childCountMax : (parts.count + count - 1) / max(1, count)
    return stride(from: 0, to: parts.count, by: max(1, size)).map { first in
      let group = parts[first..<min(first + size, parts.count)]
      let branch = group.withUnsafeBufferPointer { PageBranch.make(level: level, mayRefer: mayRefer, $0) }
      return part(parts[first].key, branch)
    }
  }
}

/// The pages or branches of one level that get one parent branch.
private struct Siblings {
  let level: Int
  private(set) var parts: [PageBranch.Part] = []
  /// True when the parts are not those of the old branch.
  private(set) var isChanged = false
  /// True when a page below may refer to trees or texts.
  private(set) var mayRefer: Bool
  private var isLastNew = false
  /// The index in the old branch of the last part; only for one that is not new.
  private var lastIndex = 0

  init(level: Int, mayRefer: Bool) {
    self.level = level
    self.mayRefer = mayRefer
  }

  /// Notes that a child became another number of parts.
  mutating func noteParts(_ count: Int) { if count != 1 { isChanged = true } }

  /// Adds a part, or merges it with the previous one when one of the two has become small and they fit together.
  ///
  /// - Parameters:
  ///   - index: The index in `branch` of the child that the part is, or came from.
  ///   - branch: The branch of the old parts.
  mutating func add(
    _ part: PageBranch.Part, isNew: Bool, index: Int, of branch: PageBranch, _ made: inout [AnyObject]
  ) {
    if isNew {
      isChanged = true
      if let object = part.child.object?.takeUnretainedValue() {
        mayRefer = mayRefer || PageBranch.mayRefer(object, level: level)
      }
    }
    if let merged = merged(part, isNew: isNew, index: index, of: branch) {
      made.append(merged)
      parts[parts.count - 1].child = NodeReference(merged)
      (isLastNew, isChanged) = (true, true)
      return
    }
    parts.append(part)
    (isLastNew, lastIndex) = (isNew, index)
  }

  /// Returns the previous part merged with this one, if one of them is new and small and they fit together. The other
  /// one is read if it is not in memory and may fit.
  private func merged(_ part: PageBranch.Part, isNew: Bool, index: Int, of branch: PageBranch) -> AnyObject? {
    guard isNew || isLastNew, let last = parts.last else { return nil }
    func small(_ reference: NodeReference) -> AnyObject? {
      // A new part is in memory.
      guard let object = reference.object?.takeUnretainedValue(), PageTree.isSmall(object, level: level) else {
        return nil
      }
      return object
    }
    func other(_ reference: NodeReference, isNew: Bool, _ index: Int, for small: AnyObject) -> AnyObject? {
      isNew
        ? reference.object?.takeUnretainedValue() : PageTree.neighbour(index, of: branch, for: small)
    }
    let (left, right): (AnyObject, AnyObject)
    if isNew, let object = small(part.child) {
      guard let neighbour = other(last.child, isNew: isLastNew, lastIndex, for: object) else { return nil }
      (left, right) = (neighbour, object)
    } else if isLastNew, let object = small(last.child) {
      guard let neighbour = other(part.child, isNew: isNew, index, for: object) else { return nil }
      (left, right) = (object, neighbour)
    } else {
      return nil
    }
    return PageTree.merge(left, right, lowestKeyOfRight: part.key, level: level)
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
    page.touch()
    guard let entries = merged(range, page) else { return [old] }
    var parts: [PageBranch.Part] = []
    totals.bytes &-= page.byteCount
    for run in Self.cut(entries, isLast: isLast) {
      let new = self.page(entries[run], page)
      totals.bytes &+= new.byteCount
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
      if hasReferences { page.entry(index).value.forEachReference { _, _ in references += 1 } }
      let size = page.position(index + 1) - page.position(index)
      entries.append(Entry(index: index, isNew: false, size: size, referenceCount: references))
    }
    var (next, isChanged) = (0, false)
    for i in range {
      let (key, node) = (changes[i].key, changes[i].node)
      var old: PackedValue?
      while next < page.count, old == nil {
        let order = key.compare(page.entry(next).key)
        if order < 0 { break }
        if order == 0 { old = page.entry(next).value } else { keep(next) }
        next += 1
      }
      var (before, after) = (PageTotals(count: old == nil ? 0 : 1), PageTotals(count: node.isEmpty ? 0 : 1))
      if let old { before.add(contentOf: old) }
      after.add(contentOf: node)
      totals = totals + after - before
      isChanged = isChanged || old != nil || !node.isEmpty
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
