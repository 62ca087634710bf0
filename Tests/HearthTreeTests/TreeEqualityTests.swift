import HearthTree
import Testing

@Suite struct TreeEqualityTests {
  private static let text = Scalar.string(String(repeating: "x", count: 500))

  /// Returns one level of a deep tree: 130 children in pages of four, with the level below as the first child.
  private func level(above below: Node, grown: Bool) -> Node {
    let keys = (100..<230).map { Key("k\($0)") }
    let late = grown ? keys[110...111] : []
    var builder = NodeBuilder()
    builder.open()
    builder.key("a")
    builder.node(below)
    for key in keys where !late.contains(key) {
      builder.key(key)
      builder.leaf(Self.text)
    }
    builder.close()
    return late.reduce(builder.finish()) { $0.replacing($1, with: Node(Self.text)) }
  }

  @Test(.timeLimit(.minutes(1)))
  func `Deep trees with the same content in different pages are equal, and are compared in one pass`() {
    var (loaded, grown) = (Node(.int(1)), Node(.int(1)))
    for _ in 0..<24 {
      loaded = level(above: loaded, grown: false)
      grown = level(above: grown, grown: true)
    }
    #expect(!loaded.isIdentical(to: grown))
    #expect(loaded == grown)
    let path = Path(Array(repeating: "a", count: 24))
    #expect(loaded != grown.replacing(path, with: Node(.int(2))))
  }

  @Test func `Large trees of the same structure differ when one child, one key or the priority differs`() {
    let node = level(above: Node(.int(1)), grown: false)
    #expect(node == level(above: Node(.int(1)), grown: false))
    #expect(node != node.replacing("k229", with: Node(.int(2))))
    #expect(node != node.replacing("k229", with: .empty).replacing("k22:", with: Node(Self.text)))
    #expect(node != node.with(priority: .int(1)))
  }
}
