/// A node that is read without holding a reference to it.
///
/// It is valid while the caller holds the ``Node`` from which it was reached. Deciding a request reads a dozen nodes of
/// a tree that the request holds; counting references at each node would cost more than reading it.
package struct BorrowedNode {
  let unmanaged: UnmanagedNode

  init(_ unmanaged: UnmanagedNode) { self.unmanaged = unmanaged }

  /// Borrows `node`. The caller must hold the node while the borrowed node is used.
  package init(_ node: Node) { unmanaged = UnmanagedNode(node) }

  /// A node without a value.
  package static var empty: BorrowedNode { BorrowedNode(UnmanagedNode.empty) }

  /// The value of a leaf, as it is stored in the tree.
  package enum Leaf {
    /// The node has no value, or it has children, or its text is missing (see `NodeFault`).
    case none
    /// `true` or `false`.
    case bool(Bool)
    /// A number, as rules see it.
    case number(Double)
    /// The UTF-8 bytes of a text, valid as long as the node is.
    case bytes(UnsafeRawBufferPointer)
    /// A text that is stored outside of its page.
    case text(String)
  }

  /// The node as a ``Node``, which holds a reference.
  package var node: Node { unmanaged.node }
  /// True when there is no value.
  package var isEmpty: Bool { unmanaged.isEmpty }
  /// True when it has children.
  package var isInterior: Bool { unmanaged.isInterior }
  /// The priority, a number or a string; nil without one.
  package var priority: Scalar? { unmanaged.priority }
  /// The leaf's value; nil for empty and interior nodes.
  package var scalar: Scalar? { unmanaged.scalar }

  /// The leaf's value.
  package var leaf: Leaf {
    guard case .packed(_, let value) = unmanaged else { return .none }
    switch value.kind {
    case PackedKind.boolean: return .bool(value.detail != 0)
    case PackedKind.integer: return .number(Double(value.integer))
    case PackedKind.double: return .number(value.double)
    case PackedKind.string: return .bytes(value.string)
    case PackedKind.text: return value.text.contentObject.map { .text($0.string) } ?? .none
    default: return .none
    }
  }

  /// True when it is a leaf with a text.
  package var isText: Bool {
    guard case .packed(_, let value) = unmanaged else { return false }
    return value.kind == PackedKind.string || value.kind == PackedKind.text
  }

  /// True when it is a leaf with `true` or `false`.
  package var isBool: Bool {
    if case .packed(_, let value) = unmanaged { value.kind == PackedKind.boolean } else { false }
  }

  /// True when it is a leaf with a number.
  package var isNumber: Bool {
    guard case .packed(_, let value) = unmanaged else { return false }
    return value.kind == PackedKind.integer || value.kind == PackedKind.double
  }

  /// Returns the child whose key has exactly these UTF-8 bytes.
  package func child(utf8: UnsafeRawBufferPointer) -> BorrowedNode { BorrowedNode(unmanaged.child(utf8)) }

  /// Returns the child of the key.
  package func child(_ key: Key) -> BorrowedNode { key.withUTF8 { BorrowedNode(unmanaged.child($0)) } }

  /// Calls `body` for each child in key order, until it returns false.
  package func forEachChild(_ body: (_ key: UnsafeRawBufferPointer, _ child: BorrowedNode) -> Bool) {
    unmanaged.forEachChild { body($0, BorrowedNode($1)) }
  }
}
