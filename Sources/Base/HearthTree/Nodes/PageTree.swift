/// The children of a large interior node: a B+tree of pages.
///
/// A change copies one page and the branches above it; everything else is shared with the previous version.
final class PageTree: @unchecked Sendable {
  // @unchecked because the type of `root` is AnyObject; it is a `Page` or a `PageBranch`, which is never changed after
  // its creation.

  /// A `Page` when `height` is 0, otherwise a `PageBranch` of the level `height`.
  let root: AnyObject
  let height: Int
  let count: Int
  let priority: Scalar?

  init(root: AnyObject, height: Int, count: Int, priority: Scalar?) {
    self.root = root
    self.height = height
    self.count = count
    self.priority = priority
  }

  /// Creates a tree with the children of a packed interior value.
  init(_ value: PackedValue, in page: Page) {
    let entries = value.entries
    var writer = PageWriter(entryCount: value.count, byteCount: entries.size)
    for entry in entries {
      writer.beginEntry(entry.key)
      writer.key(entry.key)
      writer.value(entry.value, mayRefer: page.hasReferences)
    }
    root = writer.finish()
    height = 0
    count = value.count
    priority = value.hasPriority ? value.priority.scalar : nil
  }

  func with(priority: Scalar?) -> PageTree { PageTree(root: root, height: height, count: count, priority: priority) }

  /// Returns the page and value of the child of the key; nil when there is none. The page is unmanaged, because
  /// counting a reference at every level would cost more than the search; all objects are alive while this tree is
  /// held.
  func find(_ key: OrderedKey) -> (page: Unmanaged<Page>, value: PackedValue)? {
    var object = Unmanaged.passUnretained(root).toOpaque()
    for _ in 0..<height {
      // Only level 0 is a page.
      object = Unmanaged<PageBranch>.fromOpaque(object)._withUnsafeGuaranteedRef { branch in
        branch.unmanagedChild(branch.find(key)).toOpaque()
      }
    }
    let page = Unmanaged<Page>.fromOpaque(object)  // because this is level 0
    return page._withUnsafeGuaranteedRef { here in
      here.index(key.bytes).map { (page, here.entry($0).value) }
    }
  }

  /// The children as a node: packed when they have become few, otherwise this tree.
  var asNode: Node {
    guard height == 0 else { return Node(.tree(self)) }
    let page = unsafeDowncast(root, to: Page.self)  // because this is level 0
    let entries = page.entries(0..<page.count)
    let size = entries.size
    // The limit is half of that for a tree, so that a node at the limit does not change its form with every write.
    guard size <= Node.packedSizeBytesMax / 2, page.count <= Node.packedCountMax / 2 else { return Node(.tree(self)) }
    return withExtendedLifetime(page) {
      Node.packed(entries, count: page.count, priority: priority, mayRefer: page.hasReferences)
    }
  }
}
