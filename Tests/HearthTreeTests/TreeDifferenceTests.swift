import HearthTree
import RandomTestKit
import Testing

/// Tests of differences between versions of a node, and of an ordered list of children that is updated by them.
@Suite struct TreeDifferenceTests {
  private static func large(_ count: Int) -> Node {
    var builder = NodeBuilder()
    builder.open()
    for i in 0..<count {
      builder.key(Key("k\(String(100_000 + i).dropFirst())"))
      builder.leaf(.int(Int64(i % 7)))
    }
    builder.close()
    return builder.finish()
  }

  private static func differences(_ old: Node, _ new: Node) -> [String] {
    var found: [String] = []
    new.forEachDifference(from: old) { key, old, new in
      found.append(
        "\(key) \(String(decoding: old.json(), as: UTF8.self)) \(String(decoding: new.json(), as: UTF8.self))")
    }
    return found
  }

  @Test("differing children are reported in key order, each with both versions")
  func tells() {
    let old = Node.empty.replacing("a", with: Node(.int(1))).replacing("b", with: Node(.int(2)))
      .replacing("c", with: Node(.int(3)))
    let new = old.replacing("a", with: .empty).replacing("b", with: Node(.double(2)))
      .replacing("c", with: Node(.int(3), priority: .int(1))).replacing("2", with: Node(.bool(true)))
    #expect(
      Self.differences(old, new) == ["2 null true", "a 1 null", #"c 3 {".priority":1,".value":3}"#]
        || Self.differences(old, new) == ["2 null true", "a 1 null", #"c 3 {".value":3,".priority":1}"#])
    #expect(Self.differences(.empty, Node(.int(1))).isEmpty)
    #expect(Self.differences(Node(.int(1)), old).count == 3)
    #expect(Self.differences(old, .empty).count == 3)
  }

  @Test func `an iteration stops when its callback requests it`() {
    var count = 0
    let isWhole = Self.large(1_000).walkDifferences(from: .empty) { _, _, _ in
      count += 1
      return count < 10
    }
    #expect(!isWhole && count == 10)
    #expect(Self.large(3).walkDifferences(from: .empty) { _, _, _ in true })
  }

  @Test("large nodes that share pages have the same differences as copies", arguments: Residency.allCases)
  func findsTheSame(residency: Residency) throws {
    var paged = PagedTree(residency)
    var random = SeededRandom(seed: 7)
    for round in 0..<15 {
      let old = try paged.step(Self.large(2_000))
      var new = old
      for _ in 0..<(round % 5 == 0 ? 400 : 6) {
        let key = Key("k\(String(100_000 + Int(random.next() % 4_000)).dropFirst())")
        new = new.replacing(key, with: random.next() % 3 == 0 ? .empty : Node(.int(Int64(random.next() % 9))))
      }
      new = try paged.step(new)
      var builder = NodeBuilder()
      builder.open()
      for (key, child) in new.children {
        builder.key(key)
        builder.node(child)
      }
      builder.close()
      #expect(Self.differences(old, new) == Self.differences(old, builder.finish()))
    }
  }

  @Test(
    "an ordered list of children is updated from version to version", arguments: [Query.Order.key, .value, .priority])
  func follows(order: Query.Order) {
    var random = SeededRandom(seed: 3)
    var node = Self.large(500)
    var ordered = OrderedChildren(node, by: order)
    for _ in 0..<30 {
      let key = Key("k\(String(100_000 + Int(random.next() % 600)).dropFirst())")
      let priority: Scalar? = random.next() % 2 == 0 ? .int(Int64(random.next() % 5)) : nil
      node = node.replacing(
        key, with: random.next() % 3 == 0 ? .empty : Node(.int(Int64(random.next() % 9)), priority: priority))
      ordered.move(to: node)
      let expected = node.children.map { ($0.key, $0.node) }.sorted { order.compare($0, $1) < 0 }
      #expect(ordered.map(\.key) == expected.map(\.0))
      #expect(ordered.end(isLast: false)?.key == expected.first?.0)
      #expect(ordered.end(isLast: true)?.key == expected.last?.0)
      let place = Int(random.next() % UInt64(expected.count))
      let (here, child) = expected[place]
      #expect(ordered.neighbour(of: here, child, isBefore: true)?.key == (place > 0 ? expected[place - 1].0 : nil))
      #expect(
        ordered.neighbour(of: here, child, isBefore: false)?.key
          == (place + 1 < expected.count ? expected[place + 1].0 : nil))
    }
  }

  @Test("changes that move a child in an order")
  func moves() {
    let (one, same, two) = (Node(.int(1)), Node(.double(1)), Node(.int(1), priority: .int(2)))
    #expect(!Query.Order.key.isMoved(from: one, to: two))
    #expect(!Query.Order.value.isMoved(from: one, to: same))
    #expect(Query.Order.value.isMoved(from: one, to: two))
    #expect(Query.Order.priority.isMoved(from: one, to: two))
    let (a, b) = (Node.empty.replacing("x", with: one), Node.empty.replacing("x", with: two))
    #expect(!Query.Order.child(Path("x")).isMoved(from: a, to: b))
    #expect(Query.Order.child(Path("x")).isMoved(from: a, to: one))
  }
}
