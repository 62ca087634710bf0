import HearthTree
import Testing

@testable import HearthConsole

@Suite struct OutlineTests {
  private static let root = Self.node(
    #"{"a":1,"b":"text","c":true,"d":{"x":1,"y":{"z":2}},"10":0,"9":{".value":3,".priority":"p"}}"#)

  private static func node(_ text: String) -> Node {
    Array(text.utf8).withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      return (try? reader.receivedValue()) ?? .empty
    }
  }

  private static func page(
    _ order: Query.Order = .key, from: Key? = nil, isReversed: Bool = false, limit: Int = 200
  ) -> Outline.Page {
    var page = Outline.Page()
    (page.order, page.from, page.isReversed, page.limit) = (order, from, isReversed, limit)
    return page
  }

  @Test("rows have keys and kinds in the database's order, and no values")
  func rows() throws {
    let outline = try Outline(Self.root, Self.page())
    #expect(outline.kind == .object && outline.count == 6 && !outline.hasPriority && !outline.hasMore)
    #expect(outline.rows.map(\.key.text) == ["9", "10", "a", "b", "c", "d"])
    #expect(outline.rows.map(\.kind) == [.number, .number, .number, .string, .boolean, .object])
    #expect(outline.rows.map(\.count) == [0, 0, 0, 0, 0, 2])
    #expect(try Outline(Self.root.child("9"), Self.page()).hasPriority)
    #expect(try Outline(.empty, Self.page()).kind == .null)
  }

  @Test("pages in both directions agree from any starting key")
  func pages() throws {
    var forward: [String] = []
    var from: Key?
    repeat {
      let outline = try Outline(Self.root, Self.page(from: from, limit: 4))
      forward += outline.rows.map(\.key.text)
      from = outline.hasMore ? outline.rows.last?.key : nil
    } while from != nil
    #expect(forward == ["9", "10", "a", "b", "c", "d"])
    let backward = try Outline(Self.root, Self.page(from: "b", isReversed: true, limit: 2))
    #expect(backward.rows.map(\.key.text) == ["a", "10"] && backward.hasMore)
    let absent = try Outline(Self.root, Self.page(from: "bb"))
    #expect(absent.rows.map(\.key.text) == ["c", "d"] && !absent.hasMore)
  }

  @Test("other orders, and their limits of paging")
  func orders() throws {
    let node = Self.node(#"{"a":{"n":2},"b":{"n":1},"c":{"n":3},"d":{}, "e":{"n":1}}"#)
    let order = Query.Order.child(Path("n"))
    #expect(try Outline(node, Self.page(order)).rows.map(\.key.text) == ["b", "e", "a", "c"])
    #expect(try Outline(node, Self.page(order, from: "e")).rows.map(\.key.text) == ["a", "c"])
    #expect(try Outline(node, Self.page(order, isReversed: true, limit: 2)).rows.map(\.key.text) == ["c", "a"])
    #expect(throws: Outline.Problem.unknownChild) { try Outline(node, Self.page(order, from: "zz")) }
  }

  @Test("the size of a node is at least the sum of its children's sizes, whichever of them is large")
  func sizes() throws {
    var builder = NodeBuilder()
    builder.open()
    for name in ["a", "m", "z"] {
      builder.key(Key(name))
      builder.open()
      for number in 0..<(name == "m" ? 50_000 : 3) {
        builder.key(Key("key\(100_000 + number)"))
        builder.open()
        builder.key("at")
        builder.leaf(.int(Int64(1_700_000_000_000 + number)))
        builder.key("text")
        builder.leaf(.string("hello, everybody"))
        builder.close()
      }
      builder.close()
    }
    builder.close()
    let node = builder.finish()
    let outline = try Outline(node, Self.page())
    let exact = node.child("m").childCount * (13 + 2 + 6 + 13 + 8 + 18)
    #expect((exact * 9 / 10...exact * 11 / 10).contains(outline.rows[1].bytes), "\(outline.rows[1].bytes) of \(exact)")
    #expect((exact * 9 / 10...exact * 11 / 10).contains(outline.bytes), "\(outline.bytes) of \(exact)")
    #expect(outline.bytes >= outline.rows.reduce(0) { $0 + $1.bytes })
    #expect(outline.rows[0].bytes < 300 && outline.rows[2].bytes < 300)
  }

  @Test("a page is bounded, and does not visit a million children")
  func large() throws {
    var builder = NodeBuilder()
    builder.open()
    for number in 0..<200_000 {
      builder.key(Key("\(number)"))
      builder.leaf(.int(Int64(number)))
    }
    builder.close()
    let node = builder.finish()
    let outline = try Outline(node, Self.page(from: "100000", limit: 1_000_000))
    #expect(outline.rows.count == Outline.limitMax && outline.hasMore && outline.count == 200_000)
    #expect(outline.rows.first?.key == "100001")
    #expect(throws: Outline.Problem.tooManyToOrder) { try Outline(node, Self.page(.value)) }
    let exact = 2 + (0..<200_000).reduce(0) { $0 + 2 * String($1).utf8.count + 4 }
    #expect((exact / 2...exact * 2).contains(outline.bytes), "about: \(outline.bytes) of \(exact)")
  }
}
