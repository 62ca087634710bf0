extension Node {
  /// Returns true when both nodes have the same storage, in memory or in a file, or are small values of the same bytes:
  /// they are then certainly equal. It takes constant time, and reads nothing that is not in memory. When it returns
  /// false, the nodes may still be equal.
  public func isIdentical(to other: Node) -> Bool {
    switch (content, other.content) {
    case (.empty, .empty): return true
    case (.tree(let a), .tree(let b)):
      return a === b || a.hasIdenticalChildren(to: b) && a.priority == b.priority
    case (.packed(let a, let x), .packed(let b, let y)):
      if a === b && x == y { return true }
      return withExtendedLifetime((a, b)) {
        // The bytes of a value include the addresses of its references.
        let (p, q) = (a.value(at: x), b.value(at: y))
        if p.bytes.elementsEqualBytes(q.bytes) { return true }
        return a.hasReferences && b.hasReferences && p.isIdentical(to: q)
      }
    default: return false
    }
  }
}

extension Node {
  /// Returns true when both nodes are the same object, so that the same of their pages are in memory.
  package func isSameVersion(as other: Node) -> Bool {
    switch (content, other.content) {
    case (.empty, .empty): true
    case (.tree(let a), .tree(let b)): a === b
    case (.packed(let a, let x), .packed(let b, let y)): a === b && x == y
    default: false
    }
  }
}

extension PackedValue {
  fileprivate var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: size) }

  /// Returns true when both values differ at most in the addresses of trees and texts that have the same content: a page
  /// that was evicted and read again has others. The recursion is bounded, because nested packed values are inside the
  /// outermost one.
  fileprivate func isIdentical(to other: PackedValue) -> Bool {
    guard tag == other.tag else { return false }
    if hasPriority, !priority.isIdentical(to: other.priority) { return false }
    switch kind {
    case PackedKind.tree:
      let (a, b) = (tree.takeUnretainedValue(), other.tree.takeUnretainedValue())
      return a === b || a.hasIdenticalChildren(to: b) && a.priority == b.priority
    case PackedKind.text: return text.content.isIdentical(to: other.text.content)
    case PackedKind.interior:
      guard count == other.count else { return false }
      return zip(entries, other.entries).allSatisfy { a, b in
        a.key.elementsEqualBytes(b.key) && a.value.isIdentical(to: b.value)
      }
    default:
      // The priority has been compared.
      let (head, otherHead) = (payload, other.payload)
      return UnsafeRawBufferPointer(start: head, count: leafEnd(head) - head)
        .elementsEqualBytes(UnsafeRawBufferPointer(start: otherHead, count: other.leafEnd(otherHead) - otherHead))
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
    if case .tree(let x) = a.content, case .tree(let y) = b.content, x.height == y.height {
      if x.hasIdenticalChildren(to: y) { return true }
      if let one = x.rootObject, let other = y.rootObject, haveSameShape(one, other, level: x.height) {
        return areEqual(one, other, level: x.height)
      }
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
    return x.count == y.count && forEachPair(x, y) { haveSameShape($0, $1, level: level - 1) }
  }

  /// Calls `body` for the children of both branches that are not identical, until it returns false. Returns false when
  /// `body` did, or when a child is missing.
  private static func forEachPair(
    _ x: PageBranch, _ y: PageBranch, _ body: (AnyObject, AnyObject) -> Bool
  ) -> Bool {
    (0..<x.count).allSatisfy { i in
      if x.reference(i).isIdentical(to: y.reference(i)) { return true }
      guard let one = x.child(i), let other = y.child(i) else { return false }
      return body(one, other)
    }
  }

  /// Compares two trees of the same shape, skipping shared storage.
  private static func areEqual(_ a: AnyObject, _ b: AnyObject, level: Int) -> Bool {
    if a === b { return true }
    // Only level 0 is a page.
    if level == 0 {
      return areEqual(NodeCursor(unsafeDowncast(a, to: Page.self)), NodeCursor(unsafeDowncast(b, to: Page.self)))
    }
    let (x, y) = (unsafeDowncast(a, to: PageBranch.self), unsafeDowncast(b, to: PageBranch.self))
    return forEachPair(x, y) { areEqual($0, $1, level: level - 1) }
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
