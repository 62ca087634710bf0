/// An immutable value of the tree: empty, a leaf, or an interior node with children in key order.
///
/// A node is a handle; copying one costs a reference count. A change creates a new node that shares all unchanged
/// parts, so an old version stays readable while it is referenced.
///
/// Small values are packed in pages together with their siblings; the handle consists of the page and the offset. An
/// interior node that is too large for this has a tree of pages.
public struct Node: Sendable {
  enum Content: @unchecked Sendable {
    // @unchecked because ManagedBuffer is not Sendable; a page is never changed once a node refers to it.

    case empty
    /// A value in a page, at an offset. It is never a reference to a tree.
    case packed(Page, UInt32)
    case tree(PageTree)
  }
  let content: Content

  init(_ content: Content) { self.content = content }

  /// The maximum size of a packed interior node's entries; a larger node has its own tree.
  static let packedSizeBytesMax = 1024
  /// The maximum number of packed children; a node with more children has its own tree, since packed children are
  /// searched one by one.
  static let packedCountMax = 32

  /// The node without a value, a priority and children.
  public static let empty = Node(.empty)

  /// Creates a leaf.
  public init(_ scalar: Scalar, priority: Scalar? = nil) {
    let size = PackedValue.size(scalar) + (priority.map { PackedValue.size($0) } ?? 0)
    var writer = PageWriter(entryCount: 0, byteCount: size)
    writer.scalar(scalar, priority: priority)
    self.init(.packed(writer.finish(), 0))
  }

  /// True when there is no value.
  public var isEmpty: Bool { if case .empty = content { true } else { false } }

  /// True when it is a scalar.
  public var isLeaf: Bool {
    if case .packed(let page, let offset) = content { !page.value(at: offset).isInterior } else { false }
  }

  /// True when the node has children.
  public var isInterior: Bool {
    switch content {
    case .empty: false
    case .packed(let page, let offset): page.value(at: offset).isInterior
    case .tree: true
    }
  }

  /// The leaf's value; nil for empty and interior nodes.
  public var scalar: Scalar? {
    guard case .packed(let page, let offset) = content else { return nil }
    return page.value(at: offset).scalar
  }

  /// The priority, a number or a string; nil without one.
  public var priority: Scalar? {
    switch content {
    case .empty: return nil
    case .packed(let page, let offset):
      let value = page.value(at: offset)
      return value.hasPriority ? value.priority.scalar : nil
    case .tree(let tree): return tree.priority
    }
  }

  /// The priority as a leaf; empty when there is none.
  package var priorityNode: Node { priority.map { Node($0) } ?? .empty }

  /// The number of children; 0 for a leaf and for an empty node.
  public var childCount: Int {
    switch content {
    case .empty: return 0
    case .packed(let page, let offset):
      let value = page.value(at: offset)
      return value.isInterior ? value.count : 0
    case .tree(let tree): return tree.count
    }
  }

  /// Calls `body` with the UTF-8 bytes of a leaf that is a string, without creating a `String`; returns nil for every
  /// other node. The bytes are valid during the call.
  public func withStringUTF8<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result? {
    guard case .packed(let page, let offset) = content else { return nil }
    let value = page.value(at: offset)
    switch value.kind {
    case PackedKind.string:
      return try withExtendedLifetime(page) { try body(value.string) }
    case PackedKind.text:
      var text = value.text.string
      return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    default: return nil
    }
  }

  /// The number of trees and long texts to which the node refers when it is stored as a value in a page.
  var packedReferenceCount: Int {
    switch content {
    case .empty: return 0
    case .packed(let page, let offset):
      guard page.hasReferences else { return 0 }
      var count = 0
      withExtendedLifetime(page) { page.value(at: offset).forEachReference { _, _ in count += 1 } }
      return count
    case .tree: return 1
    }
  }

  /// The size in bytes of the node when it is stored as a value in a page.
  var packedSize: Int {
    switch content {
    case .empty: 1
    case .packed(let page, let offset): page.value(at: offset).size
    case .tree: 9
    }
  }
}

extension Node {
  /// Returns the child of the key; ``empty`` when there is none.
  public func child(_ key: Key) -> Node { key.withUTF8 { child(utf8: $0) } }

  /// Returns the child with exactly these UTF-8 bytes as its key, without creating a ``Key``.
  public func child(utf8: UnsafeRawBufferPointer) -> Node {
    withExtendedLifetime(self) { UnmanagedNode(self).child(utf8).node }
  }

  /// The descendant at a relative path.
  public subscript(path: Path) -> Node {
    withExtendedLifetime(self) {
      var place = UnmanagedNode(self)
      for key in path.keys {
        place = key.withUTF8 { place.child($0) }
        if case .empty = place { break }
      }
      return place.node
    }
  }
}
