/// A node seen during a walk or a lookup: like a ``Node``, but without a reference to its storage.
///
/// A walk over a whole tree reads every value once; counting references at each would cost more than the rest of the
/// walk. It is valid while the caller holds the node at which the walk started.
enum UnmanagedNode {
  case empty
  /// A packed value, never a reference to a tree.
  case packed(Unmanaged<Page>, PackedValue)
  case tree(Unmanaged<PageTree>)

  init(_ node: Node) {
    switch node.content {
    case .empty: self = .empty
    case .packed(let page, let offset): self = .packed(.passUnretained(page), page.value(at: offset))
    case .tree(let tree): self = .tree(.passUnretained(tree))
    }
  }

  private init(_ value: PackedValue, in page: Unmanaged<Page>) {
    self = value.kind == PackedKind.tree ? .tree(value.tree) : .packed(page, value)
  }

  /// Calls `body` with the unmanaged form of `node`, which must not be used after the call.
  static func withNode<Result>(_ node: Node, _ body: (UnmanagedNode) -> Result) -> Result {
    withExtendedLifetime(node) { body(UnmanagedNode(node)) }
  }

  /// The node as a ``Node``, which holds a reference.
  var node: Node {
    switch self {
    case .empty: .empty
    case .packed(let page, let value): page._withUnsafeGuaranteedRef { $0.node(value) }
    case .tree(let tree): Node(.tree(tree.takeUnretainedValue()))
    }
  }

  var isEmpty: Bool { if case .empty = self { true } else { false } }

  var isInterior: Bool {
    switch self {
    case .empty: false
    case .packed(_, let value): value.isInterior
    case .tree: true
    }
  }

  var childCount: Int {
    switch self {
    case .empty: 0
    case .packed(_, let value): value.isInterior ? value.count : 0
    case .tree(let tree): tree._withUnsafeGuaranteedRef { $0.count }
    }
  }

  var hasPriority: Bool {
    switch self {
    case .empty: false
    case .packed(_, let value): value.hasPriority
    case .tree(let tree): tree._withUnsafeGuaranteedRef { $0.priority != nil }
    }
  }

  var priority: Scalar? {
    switch self {
    case .empty: nil
    case .packed(_, let value): value.hasPriority ? value.priority.scalar : nil
    case .tree(let tree): tree._withUnsafeGuaranteedRef { $0.priority }
    }
  }

  /// The leaf's value; nil for empty and interior nodes.
  var scalar: Scalar? { if case .packed(_, let value) = self { value.scalar } else { nil } }

  /// Calls `body` with the UTF-8 bytes of a leaf with a string that is stored in its page; returns false for every
  /// other node.
  @inline(__always)
  func withPackedString(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
    guard case .packed(_, let value) = self, value.kind == PackedKind.string else { return false }
    body(value.string)
    return true
  }

  /// Returns the child of the key.
  func child(_ key: UnsafeRawBufferPointer) -> UnmanagedNode {
    switch self {
    case .empty: return .empty
    case .packed(let page, let value):
      guard value.isInterior, let child = value.entries.value(key) else { return .empty }
      return UnmanagedNode(child, in: page)
    case .tree(let tree):
      guard let (page, child) = tree._withUnsafeGuaranteedRef({ $0.find(OrderedKey(key)) }) else { return .empty }
      return UnmanagedNode(child, in: page)
    }
  }

  /// Calls `body` for each child in key order, until it returns false.
  @inline(__always)
  func forEachChild(_ body: (_ key: UnsafeRawBufferPointer, _ child: UnmanagedNode) -> Bool) {
    switch self {
    case .empty: break
    case .packed(let page, let value):
      guard value.isInterior else { return }
      for entry in value.entries where !body(entry.key, UnmanagedNode(entry.value, in: page)) { return }
    case .tree(let tree):
      tree._withUnsafeGuaranteedRef { tree in
        _ = tree.forEachPage { page in
          let entries = page._withUnsafeGuaranteedRef { $0.entries(0..<$0.count) }
          for entry in entries where !body(entry.key, UnmanagedNode(entry.value, in: page)) { return false }
          return true
        }
      }
    }
  }
}

extension PageTree {
  /// Calls `body` for each page in key order, until it returns false. Returns false when `body` did.
  ///
  /// Pages that are not in memory are read; those that are missing (see `NodeFault`) are skipped. When the thread
  /// streams, a page is valid during the call only.
  func forEachPage(_ body: (Unmanaged<Page>) -> Bool) -> Bool {
    if let root = root.object { return Self.forEachPage(root, level: height, body) }
    guard let root = rootObject else { return true }
    return withExtendedLifetime(root) { Self.forEachPage(.passUnretained(root), level: height, body) }
  }

  /// Visits the pages. The recursion is as deep as the tree is high.
  private static func forEachPage(
    _ object: Unmanaged<AnyObject>, level: Int, _ body: (Unmanaged<Page>) -> Bool
  ) -> Bool {
    // Only level 0 is a page.
    if level == 0 { return body(Unmanaged<Page>.fromOpaque(object.toOpaque())) }
    return Unmanaged<PageBranch>.fromOpaque(object.toOpaque())._withUnsafeGuaranteedRef { branch in
      for i in 0..<branch.count {
        if let child = branch.reference(i).object {
          if !forEachPage(child, level: level - 1, body) { return false }
        } else if let child = branch.child(i) {
          let isWhole = withExtendedLifetime(child) { forEachPage(.passUnretained(child), level: level - 1, body) }
          if !isWhole { return false }
        }
      }
      return true
    }
  }
}
