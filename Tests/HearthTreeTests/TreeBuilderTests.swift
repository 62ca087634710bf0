import HearthTree
import RandomTestKit
import Testing

@Suite struct TreeBuilderTests {
  /// Passes a model's values to a builder, the children in random order, with values that are replaced later.
  private func build(_ model: TreeModel, _ builder: inout NodeBuilder, _ random: inout SeededRandom) {
    if let scalar = model.scalar {
      if case .string(let text) = scalar, random.chance(50) {
        Array(text.utf8).withUnsafeBytes { builder.string(utf8: $0, priority: model.priority) }
      } else {
        builder.leaf(scalar, priority: model.priority)
      }
      return
    }
    if random.chance(20) { return builder.node(model.node) }
    builder.open()
    for key in random.chance(70) ? model.sortedKeys : Array(model.children.keys).shuffled(using: &random) {
      if random.chance(10) {
        builder.key(key)
        build(random.model(depth: 1, variety: 9), &builder, &random)
      }
      if random.chance(5) {
        builder.key(Key("taken back"))
        builder.open()
        builder.close(priority: .int(1))
      }
      Array(key.text.utf8).withUnsafeBytes { builder.key(utf8: $0) }
      build(model.children[key] ?? TreeModel(), &builder, &random)
    }
    builder.close(priority: model.priority)
  }

  @Test(arguments: UInt64(1)...24)
  func `A built tree has the given values for any order of insertion`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var model = random.model(depth: 4, variety: [5, 50, 5000][Int(seed % 3)])
    if seed % 5 == 0 {
      for _ in 0..<500 { model.children[random.key(of: 5000)] = random.model(depth: 1, variety: 9) }
      model.scalar = nil
    }
    var builder = NodeBuilder()
    build(model, &builder, &random)
    let node = builder.finish()
    if let fault = model.difference(from: node) { Issue.record("seed \(seed): \(fault)") }
    #expect(node == model.node, "seed \(seed)")
    #expect(model.node == node, "seed \(seed)")
  }

  @Test func `An interior node without children is removed, and so is its parent`() {
    var builder = NodeBuilder()
    builder.open()
    builder.key(Key("a"))
    builder.open()
    builder.key(Key("b"))
    builder.nothing()
    builder.close(priority: .int(1))
    builder.close(priority: .int(2))
    #expect(builder.finish().isEmpty)
  }

  @Test func `For a repeated key the last value is used, also null`() {
    var builder = NodeBuilder()
    builder.open()
    for (key, value) in [("a", 1), ("b", 2), ("a", 3), ("c", 4), ("b", nil)] {
      builder.key(Key(key))
      if let value { builder.leaf(.int(Int64(value))) } else { builder.nothing() }
    }
    builder.close()
    let node = builder.finish()
    #expect(node.children.map(\.key) == ["a", "c"])
    #expect(node.child("a").scalar == .int(3))
  }

  @Test func `Calls in a wrong order do not trap`() {
    var builder = NodeBuilder()
    builder.close()
    builder.key(Key("a"))
    #expect(builder.finish().isEmpty)
    builder.open()
    #expect(builder.finish().isEmpty)
    builder.leaf(.int(1))
    builder.key(Key("a"))
    builder.key(Key("b"))
    builder.leaf(.int(2))
    builder.key(Key("c"))
    builder.close()
    let node = builder.finish()
    #expect(node.children.map(\.key) == ["", "b"])
    builder.leaf(.int(5))
    #expect(builder.finish() == Node(.int(5)))
  }

  @Test func `Bytes that are not UTF-8 become replacement characters`() {
    var builder = NodeBuilder()
    builder.open()
    [UInt8(0x61), 0xFF].withUnsafeBytes { builder.key(utf8: $0) }
    [UInt8(0xC3)].withUnsafeBytes { builder.string(utf8: $0) }
    builder.close()
    #expect(builder.finish().child("a\u{FFFD}").scalar == .string("\u{FFFD}"))
  }
}
