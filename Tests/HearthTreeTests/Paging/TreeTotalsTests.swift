import RandomTestKit
import Testing

@testable import HearthTree

/// Tests of the sizes and numbers of leaves that trees keep.
@Suite struct TreeTotalsTests {
  /// Counts the pages and texts of a node, and its leaves.
  func recount(_ node: Node) -> (bytes: Int, leaves: Int) {
    var totals = (bytes: 0, leaves: 0)
    func add(_ value: PackedValue) {
      if value.hasPriority, value.priority.kind == PackedKind.text {
        totals.bytes += value.priority.text.string.utf8.count
      }
      switch value.kind {
      case PackedKind.tree: add(value.tree.takeUnretainedValue())
      case PackedKind.interior: for entry in value.entries { add(entry.value) }
      default:
        totals.leaves += 1
        if value.kind == PackedKind.text { totals.bytes += value.text.string.utf8.count }
      }
    }
    func add(_ tree: PageTree) {
      _ = tree.forEachPage { page in
        let page = page.takeUnretainedValue()
        totals.bytes += page.byteCount
        for entry in page.entries(0..<page.count) { add(entry.value) }
        return true
      }
    }
    switch node.content {
    case .empty: break
    case .packed(let page, let offset):
      totals.bytes += page.value(at: offset).size
      withExtendedLifetime(page) { add(page.value(at: offset)) }
    case .tree(let tree): add(tree)
    }
    return totals
  }

  @Test(arguments: Residency.runs(5))
  func `The sizes that updates keep are those of a recount`(seed: UInt64, residency: Residency) throws {
    var (random, paged) = (SeededRandom(seed: seed), PagedTree(residency))
    let variety = [3, 30, 400][Int(seed % 3)]
    var node = Node.empty
    for step in 0..<120 {
      var replacements: [(path: Path, node: Node)] = []
      for _ in 0..<(step % 3 == 0 ? 1 : random.below(30)) {
        let path = (0..<(1 + random.below(3))).map { _ in random.key(of: variety) }
        let value = random.chance(30) ? TreeModel() : random.model(depth: random.below(4), variety: variety)
        replacements.append((Path(path), value.node))
      }
      node = try paged.step(node.replacing(replacements))
      guard step % 8 == 0 else { continue }
      let expected = recount(node)
      #expect(node.heldBytes() == expected.bytes && node.leafCount == expected.leaves, "seed \(seed), step \(step)")
    }
    #expect(node.heldBytes(upTo: 5) == 6)
  }

  @Test func `A builder counts the leaves of repeated keys and given nodes once`() {
    let part = StoredNodeTests.sample(400).child("room1")
    var builder = NodeBuilder()
    builder.open()
    for i in 0..<300 {
      builder.key(Key("k\(i * 7 % 200)"))
      if i % 3 == 0 { builder.node(part) } else if i % 5 == 0 { builder.nothing() } else { builder.leaf(.int(1)) }
    }
    builder.close()
    let node = builder.finish()
    #expect(node.heldBytes() == recount(node).bytes && node.leafCount == recount(node).leaves)
  }
}
