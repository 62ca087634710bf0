extension Node {
  /// Returns this tree with the node at `path` replaced. An empty `node` deletes; parents left without children are
  /// removed with their priority; a leaf on the path becomes an interior node and keeps its priority.
  ///
  /// One page and the branches above it are copied for each level of the path.
  public func replacing(_ path: Path, with node: Node) -> Node { replacing(path.keys, from: 0, with: node) }

  /// Replaces the node at the keys from `index` on. The recursion is as deep as the path is long.
  func replacing(_ keys: [Key], from index: Int, with node: Node) -> Node {
    if index == keys.count { return node }
    return updating(keys[index]) { $0.replacing(keys, from: index + 1, with: node) }
  }

  /// Returns this node with one child set, or deleted when `child` is empty.
  public func replacing(_ key: Key, with child: Node) -> Node { updating(key) { _ in child } }

  /// Returns this node with one child transformed; both the old child and the new one may be empty.
  private func updating(_ key: Key, _ transform: (Node) -> Node) -> Node {
    key.withUTF8 { updating(OrderedKey($0), transform) }
  }

  /// Returns this node with one child transformed; both the old child and the new one may be empty.
  func updating(_ key: OrderedKey, _ transform: (Node) -> Node) -> Node {
    switch content {
    case .empty: return updating(nil, in: nil, key, transform)
    case .packed(let page, let offset):
      return withExtendedLifetime(page) { updating(page.value(at: offset), in: page, key, transform) }
    case .tree(let tree): return tree.updating(key, transform)
    }
  }

  /// Returns the node of a packed value, or of no value, with one child transformed.
  private func updating(
    _ value: PackedValue?, in page: Page?, _ key: OrderedKey, _ transform: (Node) -> Node
  ) -> Node {
    var position = EntryPosition()
    if let value, value.isInterior { position.find(key, in: value) }
    let old = position.found.flatMap { page?.node($0) } ?? .empty
    let child = transform(old)
    if child.isEmpty && position.found == nil { return self }
    let count = position.countKept + (child.isEmpty ? 0 : 1)
    if count == 0 { return .empty }
    let size = position.sizeKept + (child.isEmpty ? 0 : Page.entrySize(key.bytes, child))
    if size > Self.packedSizeBytesMax || count > Self.packedCountMax {
      return asTree.updating(key) { _ in child }
    }
    let mayRefer = page?.hasReferences ?? false
    let priority = value.flatMap { $0.hasPriority ? $0.priority : nil }
    var writer = PageWriter(entryCount: 0, byteCount: 4 + (priority?.size ?? 0) + size)
    writer.interior(count: count, size: size, hasPriority: priority != nil) {
      if let priority { $0.value(priority, mayRefer: mayRefer) }
    } entries: {
      if let kept = position.before { $0.entries(kept, mayRefer: mayRefer) }
      if !child.isEmpty {
        $0.key(key.bytes)
        $0.node(child)
      }
      if let kept = position.after { $0.entries(kept, mayRefer: mayRefer) }
    }
    return Node(.packed(writer.finish(), 0))
  }

  /// The children as a tree, even when they could be packed.
  private var asTree: PageTree {
    switch content {
    case .tree(let tree): return tree
    case .packed(let page, let offset) where page.value(at: offset).isInterior:
      return withExtendedLifetime(page) { PageTree.make(page.value(at: offset), in: page) }
    default:
      let none = PageWriter(entryCount: 0, byteCount: 0).finish()
      return PageTree.make(root: none, height: 0, PageTotals(), priority: priority)
    }
  }

  /// The entry of a key in a packed interior value, if it exists, and the entries before and after it.
  private struct EntryPosition {
    var before: PackedEntries?
    var found: PackedValue?
    var after: PackedEntries?
    var countKept = 0

    mutating func find(_ key: OrderedKey, in value: PackedValue) {
      let entries = value.entries
      var position = entries.position
      var afterStart = entries.end
      countKept = value.count
      while position < entries.end {
        let entry = PackedEntry(position)
        let order = key.compare(entry.key)
        if order <= 0 {
          if order == 0 {
            found = entry.value
            countKept -= 1
          }
          afterStart = order == 0 ? entry.end : position
          break
        }
        position = entry.end
      }
      before = PackedEntries(position: entries.position, end: position)
      after = PackedEntries(position: afterStart, end: entries.end)
    }

    var sizeKept: Int { (before.map { $0.size } ?? 0) + (after.map { $0.size } ?? 0) }
  }

  /// Returns this node with another priority. An empty node stays empty.
  public func with(priority: Scalar?) -> Node {
    switch content {
    case .empty: return self
    case .tree(let tree): return Node(.tree(tree.with(priority: priority)))
    case .packed(let page, let offset):
      let value = page.value(at: offset)
      guard value.isInterior else { return value.scalar.map { Node($0, priority: priority) } ?? self }
      return withExtendedLifetime(page) {
        Node.packed(
          value.entries, count: value.count, priority: priority, mayRefer: page.hasReferences)
      }
    }
  }

  /// Returns a packed interior node with copies of the entries.
  static func packed(_ entries: PackedEntries, count: Int, priority: Scalar?, mayRefer: Bool) -> Node {
    let size = entries.size
    let prioritySize = priority.map { PackedValue.size($0) } ?? 0
    var writer = PageWriter(entryCount: 0, byteCount: 4 + prioritySize + size)
    writer.interior(count: count, size: size, hasPriority: priority != nil) {
      if let priority { $0.scalar(priority) }
    } entries: {
      $0.entries(entries, mayRefer: mayRefer)
    }
    return Node(.packed(writer.finish(), 0))
  }
}
