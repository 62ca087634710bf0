import RandomTestKit
import Testing

@testable import HearthTree

@Suite struct TreePackedValueTests {
  private func bytes(_ node: Node) -> [UInt8] {
    guard case .packed(let page, let offset) = node.content else { return [] }
    return withExtendedLifetime(page) {
      let value = page.value(at: offset)
      return Array(UnsafeRawBufferPointer(start: value.start, count: value.size))
    }
  }

  @Test func `The example in the description of the layout is what is encoded`() {
    let node = Node.empty.replacing("n", with: Node(.int(7))).replacing("on", with: Node(.bool(true)))
    #expect(bytes(node) == [0x05, 0x02, 0x08, 0x00, 0x01, 0x6E, 0x12, 0x07, 0x02, 0x6F, 0x6E, 0x11])
  }

  @Test func `A priority is encoded between tag and payload`() {
    #expect(bytes(Node(.string("ab"), priority: .int(-1))) == [0x2C, 0x12, 0xFF, 0x61, 0x62])
  }

  @Test func `A builder encodes values like a write`() {
    var builder = NodeBuilder()
    builder.open()
    builder.key("on")
    builder.leaf(.bool(true))
    builder.key("n")
    builder.leaf(.int(7))
    builder.close(priority: .int(-1))
    let written = Node.empty.replacing("n", with: Node(.int(7))).replacing("on", with: Node(.bool(true)))
    #expect(bytes(builder.finish()) == bytes(written.with(priority: .int(-1))))
  }

  @Test func `A tree of pages keeps its pages within their limits while it grows and shrinks`() {
    func pages(_ node: Node) -> [Int] {
      guard case .tree(let tree) = node.content else { return [] }
      var sizes: [Int] = []
      _ = tree.forEachPage { page in
        sizes.append(page._withUnsafeGuaranteedRef { $0.byteCount })
        return true
      }
      return sizes
    }
    var random = SeededRandom(seed: 5)
    let value = Node(.string(String(repeating: "x", count: 100)))
    var (ordered, shuffled) = (Node.empty, Node.empty)
    let keys = (0..<2000).map { Key("key\($0 + 10_000)") }
    for key in keys { ordered = ordered.replacing(key, with: value) }
    for key in keys.shuffled(using: &random) { shuffled = shuffled.replacing(key, with: value) }
    #expect(ordered == shuffled)
    #expect(pages(ordered).dropLast().allSatisfy { $0 > Page.sizeBytesMax * 9 / 10 })
    #expect(pages(shuffled).allSatisfy { $0 <= Page.sizeBytesMax && $0 > Page.sizeBytesMax / 3 })
    for key in keys.shuffled(using: &random).dropLast(200) { shuffled = shuffled.replacing(key, with: .empty) }
    #expect(shuffled.childCount == 200)
    #expect(pages(shuffled).count < 50)
  }
}
