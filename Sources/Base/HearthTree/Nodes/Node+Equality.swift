extension Node {
  /// True when both are the same storage, or small values of the same bytes: equal for certain, in constant time. False
  /// leaves it open.
  public func isIdentical(to other: Node) -> Bool {
    switch (content, other.content) {
    case (.empty, .empty): return true
    case (.tree(let a), .tree(let b)):
      return a === b || a.root === b.root && a.priority == b.priority
    case (.packed(let a, let x), .packed(let b, let y)):
      if a === b && x == y { return true }
      return withExtendedLifetime((a, b)) {
        // a value's references are in its bytes, as addresses
        let (p, q) = (a.value(at: x), b.value(at: y))
        return UnsafeRawBufferPointer(start: p.start, count: p.size)
          .elementsEqualBytes(UnsafeRawBufferPointer(start: q.start, count: q.size))
      }
    default: return false
    }
  }
}

extension Node: Equatable {
  /// Compares values, priorities and children, all the way down. Shared storage is not read.
  public static func == (a: Node, b: Node) -> Bool {
    if a.isIdentical(to: b) { return true }
    guard a.childCount == b.childCount, a.scalar == b.scalar, a.priority == b.priority, a.isEmpty == b.isEmpty else {
      return false
    }
    if case .tree(let x) = a.content, case .tree(let y) = b.content, x.height == y.height,
      haveSameShape(x.root, y.root, level: x.height)
    {
      return areEqual(x.root, y.root, level: x.height)
    }
    return areEqual(NodeCursor(a), NodeCursor(b))
  }

  /// Returns true when both trees have pages of as many entries at the same places. Checked before any child is read,
  /// so that no child is compared twice: in nested trees that would double with every level.
  private static func haveSameShape(_ a: AnyObject, _ b: AnyObject, level: Int) -> Bool {
    if a === b { return true }
    // because only level 0 is a page
    if level == 0 { return unsafeDowncast(a, to: Page.self).count == unsafeDowncast(b, to: Page.self).count }
    let (x, y) = (unsafeDowncast(a, to: PageBranch.self), unsafeDowncast(b, to: PageBranch.self))
    return x.count == y.count
      && (0..<x.count).allSatisfy { haveSameShape(x.child($0), y.child($0), level: level - 1) }
  }

  /// Compares two of the same shape, skipping shared storage.
  private static func areEqual(_ a: AnyObject, _ b: AnyObject, level: Int) -> Bool {
    if a === b { return true }
    // because only level 0 is a page
    if level == 0 {
      return areEqual(NodeCursor(unsafeDowncast(a, to: Page.self)), NodeCursor(unsafeDowncast(b, to: Page.self)))
    }
    let (x, y) = (unsafeDowncast(a, to: PageBranch.self), unsafeDowncast(b, to: PageBranch.self))
    return (0..<x.count).allSatisfy { areEqual(x.child($0), y.child($0), level: level - 1) }
  }

  private static func areEqual(_ a: consuming NodeCursor, _ b: consuming NodeCursor) -> Bool {
    while let x = a.next() {
      guard let y = b.next() else { return false }
      let areSame = withExtendedLifetime((x.page, y.page)) { x.entry.key.elementsEqualBytes(y.entry.key) }
      guard areSame, x.node == y.node else { return false }
    }
    return b.next() == nil
  }
}
