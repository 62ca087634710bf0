extension Node {
  /// Returns the number of bytes of the pages and texts that store this node, as a measure of its size. It takes
  /// constant time, and reads nothing that is not in memory.
  ///
  /// - Parameter limit: The greatest number that matters; the result for a larger node is one more.
  public func heldBytes(upTo limit: Int = .max) -> Int {
    var bytes = 0
    switch content {
    case .empty: break
    case .packed(let page, let offset):
      withExtendedLifetime(page) {
        let value = page.value(at: offset)
        bytes = value.size
        guard page.hasReferences else { return }
        value.forEachReference { object, kind in bytes &+= PackedValue.bytes(of: object, kind: kind) }
      }
    case .tree(let tree): bytes = tree.bytes
    }
    return bytes <= limit ? bytes : limit + 1
  }
}
