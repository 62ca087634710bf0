import Testing

@testable import HearthTree

@Suite struct QueryOrderTests {
  private static let wide = (0..<100).reduce(Node.empty) { $0.replacing(Key("k\($1)"), with: Node(.int(1))) }
  private static let narrow = Node.empty.replacing("k", with: Node(.bool(true)))

  /// Values in ascending order.
  private static let values: [Node] = [
    Node(.bool(false)), Node(.bool(true)), Node(.double(-1e300)), Node(.int(.min)), Node(.int(-1)),
    Node(.double(-0.5)), Node(.int(0)), Node(.double(.leastNonzeroMagnitude)), Node(.int(1)), Node(.double(1.5)),
    Node(.int(.max)), Node(.string("")), Node(.string("10")), Node(.string("9")), Node(.string("\u{10000}")),
    Node(.string("\u{E000}")), wide,
  ]

  private func keys(_ node: Node, _ query: Query) -> [String] {
    var cost = QueryCost()
    let index = ChildIndex(node, by: query.effectiveOrder, cost: &cost)
    let with = QueryResult(query, of: node, index: index).node
    let without = QueryResult(query, of: node).node
    #expect(with == without)
    return with.children.map(\.key.text)
  }

  @Test func `Values of all kinds have one order, for any keys`() {
    var (node, byChild, byPriority) = (Node.empty, Node.empty, Node.empty)
    for (i, value) in Self.values.enumerated() {
      let key = Key("\(100 - i)")
      node = node.replacing(key, with: value)
      byChild = byChild.replacing(Path([key, "a", "b"]), with: value)
      let priority: Scalar? = if case .bool? = value.scalar { nil } else { value.scalar }
      byPriority = byPriority.replacing(key, with: Node(.int(1), priority: priority))
    }
    let names = Self.values.indices.map { "\(100 - $0)" }
    for count in 1...Self.values.count {
      let expected = names.prefix(count).reversed().map { $0 }
      #expect(keys(node, Query(order: .value, limit: .first(count))) == expected)
      #expect(keys(byChild, Query(order: .child(Path("a/b")), limit: .first(count))) == expected)
    }
    // Without a priority: the Booleans and the interior node, in key order.
    let ordered = ["84", "99", "100"] + names[2..<16]
    for count in 1...ordered.count {
      #expect(Set(keys(byPriority, Query(limit: .first(count)))) == Set(ordered.prefix(count)))
    }
  }

  @Test func `Interior nodes of any size are equal in the order, and are ordered by their keys`() {
    let node = Node.empty.replacing("b", with: Self.wide).replacing("a", with: Self.narrow)
      .replacing("c", with: Self.wide).replacing("0", with: Node(.string("text")))
    #expect(keys(node, Query(order: .value, limit: .first(2))) == ["0", "a"])
    #expect(keys(node, Query(order: .value, limit: .last(2))) == ["b", "c"])
    #expect(keys(node, Query(order: .value, end: Query.Bound(value: .string("zzz")))) == ["0"])
    #expect(keys(node, Query(order: .value, start: .after(.string("text")))) == ["a", "b", "c"])
  }

  @Test func `Bounds with a key lie between children of equal value`() {
    var node = Node.empty
    for key in ["1", "2", "10", "a", "b"] { node = node.replacing(Path([Key(key), "n"]), with: Node(.int(5))) }
    node = node.replacing(Path(["c", "n"]), with: Node(.int(6))).replacing(Path(["d", "x"]), with: Node(.int(1)))
    let order = Query.Order.child(Path("n"))
    func from(_ bound: Query.Bound) -> [String] { keys(node, Query(order: order, start: bound)) }
    func to(_ bound: Query.Bound) -> [String] { keys(node, Query(order: order, end: bound)) }
    #expect(from(.init(value: .int(5), key: .key("10"))) == ["10", "a", "b", "c"])
    #expect(from(.after(.double(5), key: .key("10"))) == ["a", "b", "c"])
    #expect(from(.after(.int(5))) == ["c"])
    #expect(from(.init(value: .int(5), isInclusive: false)) == ["1", "2", "10", "a", "b", "c"])
    #expect(from(.init(value: .int(5), key: .key("3"))) == ["10", "a", "b", "c"])
    #expect(to(.init(value: .int(5), key: .key("2"))) == ["1", "2", "d"])
    #expect(to(.before(.int(5), key: .key("2"))) == ["1", "d"])
    #expect(to(.before(.int(5))) == ["d"])
    #expect(to(.init(value: nil)) == ["d"])
    #expect(to(.before(nil)) == [])
    #expect(from(.after(nil)) == ["1", "2", "10", "a", "b", "c"])
    #expect(from(.init(value: .int(5), key: .key(Key(String(repeating: "z", count: 5000))))) == ["c"])
  }

  @Test func `In key order bounds are keys, and invalid keys have a position, too`() {
    var node = Node.empty
    for key in ["-1", "2", "10", "01", "a", "\u{10000}", "\u{E000}"] {
      node = node.replacing(Key(key), with: Node(.int(1)))
    }
    func from(_ text: String, isInclusive: Bool = true) -> [String] {
      keys(node, Query(order: .key, start: Query.Bound(value: .string(text), isInclusive: isInclusive)))
    }
    #expect(from("2") == ["2", "10", "a", "\u{10000}", "\u{E000}"])
    #expect(from("2", isInclusive: false) == ["10", "a", "\u{10000}", "\u{E000}"])
    #expect(from("1") == ["01", "2", "10", "a", "\u{10000}", "\u{E000}"])
    #expect(from("\u{10000}" + String(repeating: "\u{FFFF}", count: 786)) == ["\u{E000}"])
    #expect(from("[MIN_NAME]").count == 7)
    #expect(from("[MAX_KEY]") == [])
    #expect(from("") == ["a", "\u{10000}", "\u{E000}"])
    #expect(keys(node, Query(order: .key, limit: .last(2))) == ["\u{10000}", "\u{E000}"])
    // A bound that is not a string lies before all keys.
    #expect(keys(node, Query(order: .key, start: Query.Bound(value: .int(2)))).count == 7)
    #expect(keys(node, Query(order: .key, end: Query.Bound(value: nil))) == [])
  }

  @Test func `Keys of an index are encoded as described`() {
    func hex(_ value: SortValue, _ key: Key) -> String {
      key.withUTF8 { IndexKey(value, $0).bytes }
        .map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }
    #expect(hex(.number(1), "a") == "44 01 3F 78 00 00 00 00 00 00 00 02 61")
    #expect(hex(.missing, "1") == "41 01 10 00 00 00 02 03 31")
    #expect(hex(.text("\0\u{1}\u{2}\u{3}"), "") == "45 01 01 01 02 01 03 03 00 02")
    #expect(hex(.text(Key(String(repeating: "x", count: 257))), "k").hasSuffix(" 78 78 02 02 6B"))
    #expect(hex(.text(Key(String(repeating: "x", count: 256))), "k").hasSuffix(" 78 78 00 02 6B"))
  }

  @Test func `Bytes that are not a valid key of an index are ignored`() {
    for bytes in [[], [0x41], [0x44, 1, 2], [0x45, 0x61], [0x45, 0x01], [0x45, 0x00], [0x41, 0x01, 0x00]] as [[UInt8]] {
      bytes.withUnsafeBytes { #expect(IndexKey.Parts($0) == nil) }
    }
  }
}
