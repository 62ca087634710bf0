import HearthTree
import Testing

/// Tests of the size of a node, which is stored with the node.
@Suite struct TreeSizeTests {
  private func list(_ count: Int, _ value: (Int) -> Node) -> Node {
    (0..<count).reduce(Node.empty) { $0.replacing(Key("key\($1)"), with: value($1)) }
  }

  @Test func `the size of small values is their bytes`() {
    #expect(Node.empty.heldBytes() == 0)
    #expect((1...16).contains(Node(.int(5)).heldBytes()))
    #expect((100...110).contains(Node(.string(String(repeating: "x", count: 100))).heldBytes()))
  }

  @Test func `long texts, large nodes and their content are counted`() {
    let text = Node(.string(String(repeating: "x", count: 5_000)))
    #expect((5_000...5_020).contains(text.heldBytes()))
    let texts = list(40) { _ in text }
    #expect((200_000...204_000).contains(texts.heldBytes()))
    let numbers = list(1_000) { Node(.int(Int64($0))) }
    #expect((8_000...30_000).contains(numbers.heldBytes()))
    let nested = list(3) { _ in numbers }
    #expect((3 * numbers.heldBytes()...3 * numbers.heldBytes() + 200).contains(nested.heldBytes()))
  }

  @Test func `the size of a page counts only the members on it`() {
    let node = list(20) { Node(.int(Int64($0))) }
    #expect(node.child("key3").heldBytes() < 10)
    #expect(node.heldBytes() > 100)
  }

  @Test func `counting stops soon after the limit`() {
    let node = list(3_000) { Node(.int(Int64($0))) }
    let texts = list(100) { _ in Node(.string(String(repeating: "x", count: 5_000))) }
    #expect(node.heldBytes() > 30_000)
    #expect((1_001...4_000).contains(node.heldBytes(upTo: 1_000)))
    #expect((10_001...20_000).contains(texts.heldBytes(upTo: 10_000)))
  }

  @Test("each scalar value counts as a leaf, and no other node does")
  func leaves() throws {
    #expect(Node.empty.leafCount == 0)
    #expect(Node(.int(5)).leafCount == 1)
    var root = Node.empty
    for index in 0..<5_000 { root = root.replacing(Path("a/\(index % 7)/k\(index)"), with: Node(.int(Int64(index)))) }
    root = root.replacing(Path("b"), with: Node(.string(String(repeating: "x", count: 5_000))))
    #expect(root.leafCount == 5_001)
  }
}
