/// The children of a node, or some of them, in key order or backward. Nothing is copied or collected.
public struct NodeChildren: Sequence, Sendable {
  private let node: Node
  private let isReversed: Bool
  private let start: Key?
  private let isInclusive: Bool

  init(_ node: Node, isReversed: Bool = false, start: Key? = nil, isInclusive: Bool = true) {
    self.node = node
    self.isReversed = isReversed
    self.start = start
    self.isInclusive = isInclusive
  }

  /// The number of children of a small node; 0 for others, some of whose children may be in pages that cannot be read.
  public var underestimatedCount: Int {
    guard start == nil, case .packed = node.content else { return 0 }
    return node.childCount
  }

  /// Creates an iterator at the first child, in the order of the sequence.
  public func makeIterator() -> Iterator {
    var cursor = NodeCursor(node)
    if let start {
      start.withUTF8 { cursor.seek(OrderedKey($0), behind: isReversed == isInclusive) }
    } else if isReversed {
      cursor.seekEnd()
    }
    return Iterator(cursor: cursor, isReversed: isReversed)
  }

  /// An iterator over children.
  public struct Iterator: IteratorProtocol {
    private var cursor: NodeCursor
    private let isReversed: Bool

    init(cursor: NodeCursor, isReversed: Bool) {
      self.cursor = cursor
      self.isReversed = isReversed
    }

    /// Returns the next child; nil after the last.
    public mutating func next() -> (key: Key, node: Node)? {
      guard let step = isReversed ? cursor.previous() : cursor.next() else { return nil }
      return (step.key, step.node)
    }
  }
}

extension Node {
  /// The children in key order.
  public var children: NodeChildren { NodeChildren(self) }

  /// The children from the last to the first.
  public var childrenReversed: NodeChildren { NodeChildren(self, isReversed: true) }

  /// Returns the children from `key` on, in key order; there need not be a child at `key`.
  public func children(from key: Key, isInclusive: Bool = true) -> NodeChildren {
    NodeChildren(self, start: key, isInclusive: isInclusive)
  }

  /// Returns the children from `key` down to the first, in reverse key order.
  public func childrenReversed(from key: Key, isInclusive: Bool = true) -> NodeChildren {
    NodeChildren(self, isReversed: true, start: key, isInclusive: isInclusive)
  }

  /// Calls `body` for each child in key order, without creating a ``Key``. The key's UTF-8 bytes are valid during the
  /// call.
  public func forEachChild<Failure: Error>(
    _ body: (_ key: UnsafeRawBufferPointer, _ node: Node) throws(Failure) -> Void
  ) throws(Failure) {
    var failure: Failure?
    UnmanagedNode.withNode(self) { unmanaged in
      unmanaged.forEachChild { key, child in
        do throws(Failure) {
          try body(key, child.node)
        } catch {
          failure = error
        }
        return failure == nil
      }
    }
    if let failure { throw failure }
  }
}
