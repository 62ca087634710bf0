extension Node {
  /// Returns the number of bytes of the pages and texts that store this node, as a measure of its size. Whole pages are
  /// counted, not the values in them, so that it takes a small part of the time that reading the values would take.
  ///
  /// - Parameter limit: The number of bytes above which counting ends; the result is then greater than the limit, but
  ///   not exact.
  public func heldBytes(upTo limit: Int = .max) -> Int {
    withExtendedLifetime(self) {
      var count = HeldBytes(limit: limit)
      switch content {
      case .empty: break
      case .packed(let page, let offset):
        let value = page.value(at: offset)
        count.bytes += value.size
        if page.hasReferences { value.forEachReference { count.add($0) } }
      case .tree(let tree): count.add(tree)
      }
      return count.bytes
    }
  }
}

/// The pages and texts counted so far. The recursion is as deep as the data, whose depth is limited.
private struct HeldBytes {
  let limit: Int
  var bytes = 0

  /// Adds a tree or a text that a page refers to.
  mutating func add(_ reference: Unmanaged<AnyObject>) {
    guard bytes <= limit else { return }
    switch reference.takeUnretainedValue() {
    case let text as PageText: bytes += text.string.utf8.count
    case let tree as PageTree: add(tree)
    default: break
    }
  }

  mutating func add(_ tree: PageTree) {
    _ = tree.forEachPage { page in
      page._withUnsafeGuaranteedRef { page in
        bytes += page.byteCount
        if page.hasReferences, bytes <= limit {
          page.entries(0..<page.count).forEachReference { add($0) }
        }
      }
      return bytes <= limit
    }
  }
}
