extension Node {
  /// Returns an equal node whose branches do not contain the last key of a path without data.
  ///
  /// The key of a deleted child stays in the branches above its page if it was the lowest one there. Removing it from
  /// them reads the pages on the way to it. The result is not to be used when a read has failed meanwhile: see
  /// `FaultCounts`.
  package func forgettingKey(at path: Path) -> Node {
    guard let key = path.keys.last else { return self }
    let parentPath = path.prefix(path.count - 1)
    guard case .tree(let tree) = self[parentPath].content else { return self }
    guard let parent = key.withUTF8({ tree.forgetting(OrderedKey($0)) }) else { return self }
    return replacing(parentPath, with: parent)
  }
}

extension PageTree {
  /// Returns an equal tree whose branches do not contain a key; nil when they do not, or when there is a child with it.
  fileprivate func forgetting(_ key: OrderedKey) -> Node? {
    guard height > 0, let root = unmanagedRoot?.takeUnretainedValue() else { return nil }
    guard let new = Self.forget(key, below: root, level: height)?.changed else { return nil }
    return updated(root: new, level: height, totals.ofChildren)
  }

  /// Removes a key from the branches on the way to it. The recursion is as deep as the tree is high.
  ///
  /// - Returns: The changed page or branch, nil when there is none; and the lowest key of the page that would contain
  ///   the key, which takes its place in branches. nil when there is a child with the key, or a page is missing.
  private static func forget(
    _ key: OrderedKey, below object: AnyObject, level: Int
  ) -> (changed: AnyObject?, lowest: [UInt8])? {
    guard level > 0 else {
      let page = unsafeDowncast(object, to: Page.self)  // because this is level 0
      guard page.count > 0, !page.find(key).isFound else { return nil }
      return (nil, Array(page.entry(0).key))
    }
    let branch = unsafeDowncast(object, to: PageBranch.self)  // because only level 0 is a page
    let index = branch.find(key)
    guard let child = branch.unmanagedChild(index)?.takeUnretainedValue() else { return nil }
    guard let below = forget(key, below: child, level: level - 1) else { return nil }
    let isContained = branch.key(index).elementsEqualBytes(key.bytes)
    guard isContained || below.changed != nil else { return (nil, below.lowest) }
    var parts = (0..<branch.count).map { branch.part($0) }
    let new = withExtendedLifetime(below) {
      below.lowest.withUnsafeBytes { lowest in
        if let changed = below.changed { parts[index].child = NodeReference(changed) }
        if isContained { (parts[index].key, parts[index].rank) = (lowest, OrderedKey.rank(lowest)) }
        return parts.withUnsafeBufferPointer {
          PageBranch.make(level: branch.level, mayRefer: branch.mayRefer, $0)
        }
      }
    }
    return (new, below.lowest)
  }
}
