import CAtomics

/// The counts of a tree.
struct PageTreeHeader {
  /// The number of children.
  let count: Int
  /// The bytes of all pages, and of the trees and texts to which they refer.
  let bytes: Int
  /// The number of leaves below.
  let leaves: Int
  let priority: Scalar?
  /// The level of the root: 0 for a page.
  let height: UInt8
  /// The number of keys above the tree, if it was read from a store; otherwise 0.
  var depth: UInt16 = 0
}

/// The children of a large interior node: a B+tree of pages.
///
/// A change copies one page and the branches above it; everything else is shared with the previous version. The object
/// is the stub of the tree: the root is a `Page` when `height` is 0, otherwise a `PageBranch` of the level `height`, and
/// need not be in memory.
final class PageTree: ManagedBuffer<PageTreeHeader, UInt> {
  /// Creates a tree. Its creator keeps the root alive until then.
  static func make(root: NodeReference, _ header: PageTreeHeader) -> PageTree {
    let object = PageTree.create(minimumCapacity: 1) { _ in header }
    // Safe, because `create` creates an object of the class on which it is called.
    let tree = unsafeDowncast(object, to: PageTree.self)
    root.retain()
    tree.cell.storeBytes(of: root.bits, as: UInt.self)
    return tree
  }

  /// Creates a tree of a resident root.
  static func make(root: AnyObject, height: Int, _ totals: PageTotals, priority: Scalar?) -> PageTree {
    withExtendedLifetime(root) {
      make(root: NodeReference(root), totals.header(height: height, priority: priority))
    }
  }

  /// Creates a tree with the children of a packed interior value.
  static func make(_ value: PackedValue, in page: Page) -> PageTree {
    let entries = value.entries
    var writer = PageWriter(entryCount: value.count, byteCount: entries.size)
    var totals = PageTotals(count: value.count)
    for entry in entries {
      writer.beginEntry(entry.key)
      writer.key(entry.key)
      writer.value(entry.value, mayRefer: page.hasReferences)
      totals.add(contentOf: entry.value)
    }
    let root = writer.finish()
    totals.bytes += root.byteCount
    return make(root: root, height: 0, totals, priority: value.hasPriority ? value.priority.scalar : nil)
  }

  deinit { root.release() }

  // Uses pointers instead of `header`, because each access to `header` would be checked for exclusivity.
  private var info: UnsafeMutablePointer<PageTreeHeader> { withUnsafeMutablePointerToHeader { $0 } }

  var height: Int { Int(info.pointee.height) }
  var count: Int { info.pointee.count }
  var bytes: Int { info.pointee.bytes }
  var leaves: Int { info.pointee.leaves }
  var priority: Scalar? { info.pointee.priority }
  var totals: PageTotals { PageTotals(count: count, bytes: bytes, leaves: leaves) }

  /// The number of keys above the tree, if it was read from a store; otherwise 0.
  var depth: Int { Int(info.pointee.depth) }

  private var cell: UnsafeMutableRawPointer {
    withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
  }

  /// The reference to the root.
  @inline(__always)
  var root: NodeReference { NodeReference(in: cell) }

  /// The root, which is put into the tree if it is not in memory; `nil` when it is missing (see `NodeFault`). The tree
  /// keeps it alive.
  @inline(__always)
  var unmanagedRoot: Unmanaged<AnyObject>? {
    let root = root
    return root.object ?? install(root)
  }

  @inline(never)
  private func install(_ root: NodeReference) -> Unmanaged<AnyObject>? { NodeFault.resolve(cell, root, decode) }

  private func decode(_ record: PageRecord) throws(PageError) -> AnyObject {
    try record.object(level: height, depth: depth)
  }

  /// The root, read if it is not in memory, and put into the tree unless the thread streams; `nil` when it is missing.
  var rootObject: AnyObject? { NodeFault.object(cell, root, decode) }

  /// Returns the tree with another root of the same content.
  func with(root: NodeReference) -> PageTree { PageTree.make(root: root, info.pointee) }

  func with(priority: Scalar?) -> PageTree {
    var header = totals.header(height: height, priority: priority)
    header.depth = info.pointee.depth
    // A root that becomes resident meanwhile is kept by this tree; the new one has its location.
    return PageTree.make(root: root, header)
  }

  /// Returns true when both trees certainly have the same children: the same root, or one with the same location.
  func hasIdenticalChildren(to other: PageTree) -> Bool { root.isIdentical(to: other.root) }

  /// Returns the page and value of the child of the key; nil when there is none. The page is unmanaged, because
  /// counting a reference at every level would cost more than the search; all objects are alive while this tree is
  /// held.
  func find(_ key: OrderedKey) -> (page: Unmanaged<Page>, value: PackedValue)? {
    guard var object = unmanagedRoot?.toOpaque() else { return nil }
    for _ in 0..<height {
      // Only level 0 is a page.
      let child = Unmanaged<PageBranch>.fromOpaque(object)._withUnsafeGuaranteedRef { branch in
        branch.touch()
        return branch.unmanagedChild(branch.find(key))
      }
      guard let child else { return nil }
      object = child.toOpaque()
    }
    let page = Unmanaged<Page>.fromOpaque(object)  // because this is level 0
    return page._withUnsafeGuaranteedRef { here in
      here.touch()
      return here.index(key.bytes).map { (page, here.entry($0).value) }
    }
  }

  /// The children as a node: packed when they have become few, otherwise this tree.
  var asNode: Node {
    guard height == 0, let root = unmanagedRoot else { return Node(.tree(self)) }
    let page = unsafeDowncast(root.takeUnretainedValue(), to: Page.self)  // because this is level 0
    let entries = page.entries(0..<page.count)
    let size = entries.size
    // The limit is half of that for a tree, so that a node at the limit does not change its form with every write.
    guard size <= Node.packedSizeBytesMax / 2, page.count <= Node.packedCountMax / 2 else { return Node(.tree(self)) }
    return withExtendedLifetime(page) {
      Node.packed(entries, count: page.count, priority: priority, mayRefer: page.hasReferences)
    }
  }
}

/// The counts of a tree's children and of everything below them, or the changes of these counts.
///
/// Sums wrap: the counts of stored trees are not known to be right.
struct PageTotals {
  var count = 0
  var bytes = 0
  var leaves = 0

  /// Returns the header of a tree with these totals.
  func header(height: Int, priority: Scalar?) -> PageTreeHeader {
    PageTreeHeader(
      count: count, bytes: bytes, leaves: leaves, priority: priority, height: UInt8(truncatingIfNeeded: height))
  }

  /// The totals of a tree that has children, whose wrong counts must not become negative ones.
  var ofChildren: PageTotals { PageTotals(count: max(1, count), bytes: max(0, bytes), leaves: max(1, leaves)) }

  /// Adds the leaves of a value, and the bytes of the trees and texts to which it refers.
  mutating func add(contentOf value: PackedValue) { _ = scan(value) }

  /// Adds a value, and returns its end, so that entries are read once. The recursion is bounded, because nested packed
  /// values are inside the outermost one.
  private mutating func scan(_ value: PackedValue) -> UnsafeRawPointer {
    let tag = value.tag
    var head = value.start + 1
    if tag & PackedValue.priorityFlag != 0 {
      head = scan(value.priority)
      leaves &-= 1  // because a priority is no leaf
    }
    switch tag & 7 {
    case PackedKind.nothing: return head
    case PackedKind.interior:
      var position = head + 3
      let end = position + PackedValue.entriesSize(head)
      while position < end {
        let length = PackedValue.length(&position)
        position = scan(PackedValue(position + length))
      }
      return end
    case PackedKind.tree:
      let tree = head.loadUnaligned(as: Unmanaged<PageTree>.self)._withUnsafeGuaranteedRef { ($0.bytes, $0.leaves) }
      (bytes, leaves) = (bytes &+ tree.0, leaves &+ tree.1)
      return head + MemoryLayout<Unmanaged<AnyObject>>.size
    case PackedKind.text:
      leaves &+= 1
      bytes &+= head.loadUnaligned(as: Unmanaged<PageText>.self)._withUnsafeGuaranteedRef { $0.byteCount }
      return head + MemoryLayout<Unmanaged<AnyObject>>.size
    default:
      leaves &+= 1
      return value.leafEnd(head)
    }
  }

  /// Adds the leaves of a node, and the bytes of the trees and texts to which it refers.
  mutating func add(contentOf node: Node) {
    switch node.content {
    case .empty: break
    case .packed(let page, let offset): withExtendedLifetime(page) { add(contentOf: page.value(at: offset)) }
    case .tree(let tree): (bytes, leaves) = (bytes &+ tree.bytes, leaves &+ tree.leaves)
    }
  }

  static func + (a: PageTotals, b: PageTotals) -> PageTotals {
    PageTotals(count: a.count &+ b.count, bytes: a.bytes &+ b.bytes, leaves: a.leaves &+ b.leaves)
  }

  static func - (a: PageTotals, b: PageTotals) -> PageTotals {
    PageTotals(count: a.count &- b.count, bytes: a.bytes &- b.bytes, leaves: a.leaves &- b.leaves)
  }
}
