import RandomTestKit
import Testing

@testable import HearthTree

/// Tests of the removal of deleted children's keys from branches.
@Suite struct ForgottenKeyTests {
  /// Returns the keys in all branches of a tree of children.
  private func branchKeys(_ node: Node) -> Set<String> {
    guard case .tree(let tree) = node.content, let root = tree.unmanagedRoot?.takeUnretainedValue() else { return [] }
    var found: Set<String> = []
    func collect(_ object: AnyObject, level: Int) {
      guard level > 0 else { return }
      let branch = unsafeDowncast(object, to: PageBranch.self)  // because only level 0 is a page
      for i in 0..<branch.count {
        found.insert(String(decoding: branch.key(i), as: UTF8.self))
        if let child = branch.child(i) { collect(child, level: level - 1) }
      }
    }
    withExtendedLifetime(tree) { collect(root, level: tree.height) }
    return found
  }

  @Test("no branch contains the key of a deleted child, and all other children are found", arguments: 1...20)
  func deletedKeys(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let count = 3_000
    let keys = (0..<count).map { i in
      let number = random.chance(50) ? "\(i)" : "key \(i) \(random.below(1_000))"
      return Key(number)
    }
    let text = Node(.string("a text of some length"))
    var (node, left) = (Node.empty, Set(keys))
    for key in keys.shuffled(using: &random) { node = node.replacing(key, with: text) }
    var deletedKeys: Set<String> = []
    for _ in 0..<8 {
      let deleted = keys.filter { left.contains($0) && random.chance(20) }
      for key in deleted { node = node.replacing(key, with: .empty) }
      left.subtract(deleted)
      deletedKeys.formUnion(deleted.map(\.text))
      var root = Node.empty.replacing("a", with: node)
      let before = root
      for key in deleted { root = root.forgettingKey(at: Path(["a", key])) }
      node = root.child("a")
      #expect(root == before && branchKeys(node).isDisjoint(with: deletedKeys))
    }
    #expect(keys.allSatisfy { node.child($0).isEmpty != left.contains($0) } && node.childCount == left.count)
    // The order is kept for later changes.
    for key in keys { node = node.replacing(key, with: text) }
    #expect(node.childCount == Set(keys).count && node.children.map(\.key) == Set(keys).sorted())
  }

  @Test("the key of a child stays, and so does a tree without the key")
  func presentKeys() {
    let keys = (0..<2_000).map { Key("k\($0)") }
    let node = Node.empty.replacing(keys.map { (Path([$0]), Node(.string("some text, some text"))) })
    let root = Node.empty.replacing("a", with: node)
    for path in [Path("a/k7"), Path("a/none"), Path("b/k7"), Path.root, Path("a/k7/x")] {
      #expect(root.forgettingKey(at: path).isSameVersion(as: root), "\(path)")
    }
  }
}
