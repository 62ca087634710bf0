extension Node {
  /// True when all data of the node is in memory, so that no read of it waits or is refused while the node is held. It
  /// passes the pages of the node, and ends at the first one that is not in memory.
  package var isResident: Bool {
    switch content {
    case .empty: return true
    case .packed(let page, let offset):
      guard page.hasReferences else { return true }
      return withExtendedLifetime(page) { page.value(at: offset).hasResidentReferences }
    case .tree(let tree): return tree.isResident
    }
  }
}

extension PageTree {
  /// True when the pages of the tree, and what they refer to, are in memory.
  fileprivate var isResident: Bool {
    guard let root = root.object else { return false }
    return Self.isResident(root, level: height)
  }

  /// The recursion is as deep as the data and its trees.
  private static func isResident(_ object: Unmanaged<AnyObject>, level: Int) -> Bool {
    // Only level 0 is a page.
    if level == 0 {
      return Unmanaged<Page>.fromOpaque(object.toOpaque())._withUnsafeGuaranteedRef { page in
        !page.hasReferences || page.entries(0..<page.count).allSatisfy { $0.value.hasResidentReferences }
      }
    }
    return Unmanaged<PageBranch>.fromOpaque(object.toOpaque())._withUnsafeGuaranteedRef { branch in
      let visitsChildren = level > 1 || branch.mayRefer
      return (0..<branch.count).allSatisfy { i in
        guard let child = branch.reference(i).object else { return false }
        return !visitsChildren || isResident(child, level: level - 1)
      }
    }
  }
}

extension PackedValue {
  /// True when the trees and texts to which the value refers are in memory.
  fileprivate var hasResidentReferences: Bool {
    var isResident = true
    forEachReference { object, kind in
      guard isResident else { return }
      isResident =
        kind == PackedKind.text
        ? Unmanaged<PageText>.fromOpaque(object.toOpaque())._withUnsafeGuaranteedRef { $0.content.isResident }
        : Unmanaged<PageTree>.fromOpaque(object.toOpaque())._withUnsafeGuaranteedRef { $0.isResident }
    }
    return isResident
  }
}
