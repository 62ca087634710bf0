import HearthTree
import RandomTestKit
import Testing

@Suite struct TreePropertyTests {
  @Test(arguments: Residency.runs(12))
  func `Any sequence of writes agrees with the model, and old versions are unchanged`(
    seed: UInt64, residency: Residency
  ) throws {
    var paged = PagedTree(residency)
    var random = SeededRandom(seed: seed)
    let variety = [3, 30, 400][Int(seed % 3)]
    let depth = [2, 4, 7][Int(seed / 3 % 3)]
    var (model, node) = (TreeModel(), Node.empty)
    var old: [(model: TreeModel, node: Node)] = []
    for step in 0..<240 {
      let path = (0..<random.below(depth)).map { _ in random.key(of: variety) }
      if random.chance(15) {
        let priority = random.priority()
        var changed = model[path[...]]
        if changed.isEmpty { continue }
        changed.priority = priority
        model.replace(path[...], with: changed)
        node = node.replacing(Path(path), with: node[Path(path)].with(priority: priority))
      } else {
        let value = random.chance(25) ? TreeModel() : random.model(depth: random.below(4), variety: variety)
        if path.isEmpty && random.chance(95) { continue }
        model.replace(path[...], with: value)
        node = node.replacing(Path(path), with: value.node)
      }
      node = try paged.step(node)
      if step % 40 == 0 { old.append((model, node)) }
      if step % 20 == 0, let fault = model.difference(from: node) {
        Issue.record("seed \(seed), step \(step): \(fault)")
        return
      }
    }
    old.append((model, node))
    for (i, version) in old.enumerated() {
      let fault = version.model.difference(from: version.node)
      #expect(fault == nil, "seed \(seed), version \(i)")
      #expect(version.node == version.model.node, "seed \(seed), version \(i)")
    }
  }

  @Test(arguments: Residency.runs(8))
  func `A node of many children gains and loses them in any order`(seed: UInt64, residency: Residency) throws {
    var paged = PagedTree(residency)
    var random = SeededRandom(seed: seed)
    let keys = (0..<500).map { i in
      switch seed % 4 {
      case 0: Key("-N\(String(i, radix: 36))\(String(repeating: "x", count: i % 40))")
      case 1: Key(String(i * 37 % 100_003))
      case 2: Key("user_with_a_long_common_prefix_\(i * 7919 % 10_007)")
      default: Key(String(repeating: ["é", "\u{FFFF}", "\u{1F600}"][i % 3], count: 1 + i % 7) + "\(i)")
      }
    }
    let value = Node(.string(String(repeating: "v", count: Int(seed) * 17)))
    var (model, node) = (TreeModel(), Node.empty)
    for key in seed % 3 == 0 ? keys : seed % 3 == 1 ? keys.reversed() : keys.shuffled(using: &random) {
      model.children[key] = TreeModel(scalar: value.scalar)
      node = try paged.step(node.replacing(Path([key]), with: value))
    }
    if let fault = model.difference(from: node) { Issue.record("seed \(seed): \(fault)") }
    let (full, fullModel) = (node, model)
    for (i, key) in keys.shuffled(using: &random).enumerated() {
      model.children[key] = nil
      node = try paged.step(node.replacing(Path([key]), with: .empty))
      guard i % 100 == 0 || i > 485 else { continue }
      if let fault = model.difference(from: node) { Issue.record("seed \(seed), \(i): \(fault)") }
    }
    #expect(node.isEmpty)
    if let fault = fullModel.difference(from: full) { Issue.record("seed \(seed): \(fault)") }
  }

  @Test(arguments: Residency.runs(8))
  func `Seeking finds the children at and around any key, forward and backward`(seed: UInt64, residency: Residency)
    throws
  {
    var paged = PagedTree(residency)
    var random = SeededRandom(seed: seed)
    var model = TreeModel()
    for _ in 0..<[5, 30, 300, 600][Int(seed % 4)] {
      model.children[random.key(of: 2000)] = TreeModel(scalar: random.scalar())
    }
    let keys = model.sortedKeys
    for _ in 0..<25 {
      let node = try paged.step(model.node)
      let key = random.chance(50) ? random.key(of: 2000) : keys[random.below(keys.count)]
      let (before, after) = (keys.filter { $0 < key }, keys.filter { key < $0 })
      let here = model.children[key] == nil ? [] : [key]
      #expect(node.children(from: key).map(\.key) == here + after, "seed \(seed) \(key)")
      #expect(node.children(from: key, isInclusive: false).map(\.key) == after, "seed \(seed) \(key)")
      #expect(node.childrenReversed(from: key).map(\.key) == here + before.reversed(), "seed \(seed) \(key)")
      let exclusive = node.childrenReversed(from: key, isInclusive: false).map(\.key)
      #expect(exclusive == before.reversed(), "seed \(seed) \(key)")
    }
  }

  @Test func `A path a thousand levels deep is written, read and removed`() {
    let path = Path((0..<1000).map { Key("level\($0 % 7)") })
    let node = Node.empty.replacing(path, with: Node(.bool(true), priority: .int(1)))
    #expect(node[path] == Node(.bool(true), priority: .int(1)))
    #expect(node.replacing(path, with: .empty).isEmpty)
  }
}
