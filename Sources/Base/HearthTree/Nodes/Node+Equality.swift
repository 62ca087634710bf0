extension Node {
  /// Returns true when both nodes have the same storage, or are small values of the same bytes: they are then certainly
  /// equal. It takes constant time. When it returns false, the nodes may still be equal.
  public func isIdentical(to other: Node) -> Bool {
    switch (content, other.content) {
    case (.empty, .empty): return true
    case (.tree(let a), .tree(let b)):
      return a === b || a.root === b.root && a.priority == b.priority
    case (.packed(let a, let x), .packed(let b, let y)):
      if a === b && x == y { return true }
      return withExtendedLifetime((a, b)) {
        // The bytes of a value include the addresses of its references.
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

  /// Returns true when both trees have branches and pages of the same sizes in the same positions. This is checked
  /// before any child is compared, so that no child is compared twice: in nested trees the cost would double with every
  /// level.
  private static func haveSameShape(_ a: AnyObject, _ b: AnyObject, level: Int) -> Bool {
    if a === b { return true }
    // Only level 0 is a page.
    if level == 0 { return unsafeDowncast(a, to: Page.self).count == unsafeDowncast(b, to: Page.self).count }
    let (x, y) = (unsafeDowncast(a, to: PageBranch.self), unsafeDowncast(b, to: PageBranch.self))
    return x.count == y.count
      && (0..<x.count).allSatisfy { haveSameShape(x.child($0), y.child($0), level: level - 1) }
  }

  /// Compares two trees of the same shape, skipping shared storage.
  private static func areEqual(_ a: AnyObject, _ b: AnyObject, level: Int) -> Bool {
    if a === b { return true }
    // Only level 0 is a page.
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
