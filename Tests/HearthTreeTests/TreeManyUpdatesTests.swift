import HearthTree
import RandomTestKit
import Testing

/// Tests that many replacements in one batch have the same result as the same replacements one by one.
@Suite struct TreeManyUpdatesTests {
  private typealias Replacement = (path: Path, node: Node)

  private static func oneByOne(_ replacements: [Replacement], in node: Node) -> Node {
    replacements.reduce(node) { $0.replacing($1.path, with: $1.node) }
  }

  @Test(arguments: Residency.runs(18))
  func `Batched replacements agree with single ones`(seed: UInt64, residency: Residency) throws {
    var paged = PagedTree(residency)
    var random = SeededRandom(seed: seed)
    let variety = [3, 30, 400][Int(seed % 3)]
    let depth = [2, 3, 6][Int(seed / 3 % 3)]
    var (model, node) = (TreeModel(), Node.empty)
    for step in 0..<24 {
      let old = (model, node)
      var replacements: [Replacement] = []
      for _ in 0..<random.below([2, 12, 90][step % 3]) {
        // Some locations are inside others, and some occur twice.
        let path = (0..<(1 + random.below(depth))).map { _ in random.key(of: variety) }
        let value = random.chance(30) ? TreeModel() : random.model(depth: random.below(3), variety: variety)
        model.replace(path[...], with: value)
        replacements.append((Path(path), value.node))
      }
      node = try paged.step(node.replacing(replacements))
      #expect(node == Self.oneByOne(replacements, in: old.1), "seed \(seed), step \(step)")
      if let fault = model.difference(from: node) ?? old.0.difference(from: old.1) {
        Issue.record("seed \(seed), step \(step): \(fault)")
        return
      }
      if random.chance(50) {
        let path = [random.key(of: variety)]
        var changed = model[path[...]]
        if changed.isEmpty { continue }
        changed.priority = random.priority()
        model.replace(path[...], with: changed)
        node = node.replacing(Path(path), with: node[Path(path)].with(priority: changed.priority))
      }
    }
  }

  @Test(arguments: Residency.runs(12))
  func `A node gains and loses many children at once, in any order`(seed: UInt64, residency: Residency) throws {
    var paged = PagedTree(residency)
    var random = SeededRandom(seed: seed)
    let long = Node(.string(String(repeating: "é", count: 700)))
    let big = Node.empty.replacing((0..<100).map { (Path([Key("\($0)")]), Node(.int($0))) })
    func key(_ i: Int) -> Key {
      switch seed % 4 {
      case 0: Key("-N\(i)\(String(repeating: "x", count: i % 40))")
      case 1: Key(String(i * 37 % 100_003))
      case 2: Key("user_with_a_long_common_prefix_\(i * 7919 % 10_007)")
      default: Key(String(repeating: ["é", "\u{FFFF}", "\u{1F600}"][i % 3], count: 1 + i % 7) + "\(i)")
      }
    }
    func value(_ i: Int) -> Node {
      switch (i + Int(seed)) % 9 {
      case 0: long
      case 1: big
      case 2: Node.empty.replacing([(Path([Key("in")]), long), (Path([Key("n")]), Node(.int(Int64(i))))])
      default: Node(.string(String(repeating: "v", count: i % 9 == 3 ? 600 : i % 90)))
      }
    }
    var (together, single) = (Node.empty, Node.empty)
    var steps: [Range<Int>] = [0..<300, 300..<303, 303..<700, 700..<701]
    if seed % 2 == 0 { steps.reverse() }
    for (number, step) in steps.enumerated() {
      var replacements: [Replacement] = step.map { (Path([key($0)]), value($0)) }
      if seed % 3 == 0 { replacements.shuffle(using: &random) }
      together = try paged.step(together.replacing(replacements))
      single = Self.oneByOne(replacements, in: single)
      check(together, single, "seed \(seed), step \(number)")
      if number == 0, let first = replacements.first {
        let priority = Scalar.string("kept")
        (together, single) = (together.with(priority: priority), single.with(priority: priority))
        check(together, single, "seed \(seed), priority beside \(first.path)")
      }
    }
    // Some keys change, some are removed, and some never existed.
    for round in 0..<6 {
      let numbers = (0..<720).filter { _ in random.chance([2, 30, 95][round % 3]) }
      let replacements: [Replacement] = numbers.map {
        (Path([key($0)]), random.chance(80) ? .empty : value($0 + round))
      }
      let before = together
      together = try paged.step(together.replacing(replacements))
      check(before, single, "seed \(seed), before round \(round)")
      single = Self.oneByOne(replacements, in: single)
      check(together, single, "seed \(seed), round \(round)")
    }
    let all: [Replacement] = (0..<720).map { (Path([key($0)]), Node.empty) }
    #expect(together.replacing(all).isEmpty)
    #expect(together.with(priority: nil).replacing(all).isEmpty)
  }

  /// Expects equal nodes with the same order, in which each child is found by its key.
  private func check(_ node: Node, _ expected: Node, _ comment: Comment) {
    #expect(node == expected, comment)
    #expect(node.childCount == expected.childCount, comment)
    #expect(node.priority == expected.priority, comment)
    #expect(expected.children.allSatisfy { node.child($0.key) == $0.node }, comment)
    #expect(zip(node.children, expected.children).allSatisfy { $0.key == $1.key }, comment)
  }

  @Test func `A priority that was removed with a node's last child does not return`() {
    let a = Node(.int(1)).with(priority: nil)
    let node = Node.empty.replacing(Path("p/q/x"), with: a).replacing(
      Path("p"), with: Node.empty.replacing(Path("q/x"), with: a).with(priority: .string("gone")))
    let replacements: [Replacement] = [(Path("p/q/x"), .empty), (Path("p/q/y"), a)]
    #expect(node.replacing(replacements)[Path("p")].priority == nil)
    #expect(node.replacing(Array(replacements.reversed()))[Path("p")].priority == .string("gone"))
  }

  @Test func `A leaf that had a child in between is removed`() {
    let node = Node.empty.replacing(Path("a/b"), with: Node(.int(5))).replacing(Path("c"), with: Node(.int(6)))
    let pairs: [[Replacement]] = [
      [(Path("a/b/x"), Node(.int(1))), (Path("a/b/x"), .empty)],
      [(Path("a/b/x/y"), Node(.int(1))), (Path("a/b/x"), .empty)],
      [(Path("a/b/x"), .empty), (Path("a/b/x"), Node(.int(1)))],
    ]
    for pair in pairs { #expect(node.replacing(pair) == Self.oneByOne(pair, in: node)) }
    #expect(node.replacing(pairs[0])[Path("a/b")].isEmpty)
  }

  @Test func `Empty batches, and deletions below a leaf, have no effect`() {
    let leaf = Node(.int(5), priority: .string("p"))
    #expect(leaf.replacing([]) == leaf)
    #expect(leaf.replacing([(Path("a"), .empty), (Path("b/c"), .empty)]) == leaf)
    #expect(Node.empty.replacing([(Path("a"), .empty), (Path("b/c"), .empty)]).isEmpty)
    #expect(leaf.replacing([(Path("a"), Node(.int(1))), (Path("b"), Node(.int(2)))]).priority == .string("p"))
  }
}
