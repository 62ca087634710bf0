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

  /// So many children, each its own number.
  private static func numbers(_ count: Int) -> Node {
    var builder = NodeBuilder()
    builder.open()
    for number in 0..<count {
      builder.key(Key("\(number)"))
      builder.leaf(.int(Int64(number)))
    }
    builder.close()
    return builder.finish()
  }

  /// The bytes of these in JSON.
  private static func numbersBytes(_ count: Int) -> Int {
    2 + (0..<count).reduce(0) { $0 + 2 * String($1).utf8.count + 4 }
  }

  private static func page(
    _ order: Query.Order = .key, from: Key? = nil, isReversed: Bool = false, limit: Int = 200
  ) -> Outline.Page {
    var page = Outline.Page()
    (page.order, page.from, page.isReversed, page.limit) = (order, from, isReversed, limit)
    return page
  }

  @Test("rows say what is there, in the database's order, and no value")
  func rows() throws {
    let outline = try Outline(Self.root, Self.page())
    #expect(outline.kind == .object && outline.count == 6 && !outline.hasPriority && !outline.hasMore)
    #expect(outline.rows.map(\.key.text) == ["9", "10", "a", "b", "c", "d"])
    #expect(outline.rows.map(\.kind) == [.number, .number, .number, .string, .boolean, .object])
    #expect(outline.rows.map(\.count) == [0, 0, 0, 0, 0, 2])
    #expect(try Outline(Self.root.child("9"), Self.page()).hasPriority)
    #expect(try Outline(.empty, Self.page()).kind == .null)
  }

  @Test("pages in both directions meet, whatever the key they begin behind")
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

  @Test("other orders, and where they cannot go on")
  func orders() throws {
    let node = Self.node(#"{"a":{"n":2},"b":{"n":1},"c":{"n":3},"d":{}, "e":{"n":1}}"#)
    let order = Query.Order.child(Path("n"))
    #expect(try Outline(node, Self.page(order)).rows.map(\.key.text) == ["b", "e", "a", "c"])
    #expect(try Outline(node, Self.page(order, from: "e")).rows.map(\.key.text) == ["a", "c"])
    #expect(try Outline(node, Self.page(order, isReversed: true, limit: 2)).rows.map(\.key.text) == ["c", "a"])
    #expect(throws: Outline.Problem.unknownChild) { try Outline(node, Self.page(order, from: "zz")) }
  }

  @Test("a page is bounded, and a million children are not walked over")
  func large() throws {
    let node = Self.numbers(200_000)
    let outline = try Outline(node, Self.page(from: "100000", limit: 1_000_000))
    #expect(outline.rows.count == Outline.limitMax && outline.hasMore && outline.count == 200_000)
    #expect(outline.rows.first?.key == "100001")
    #expect(throws: Outline.Problem.tooManyToOrder) { try Outline(node, Self.page(.value)) }
    let exact = Self.numbersBytes(200_000)
    #expect((exact / 2...exact * 2).contains(outline.bytes), "about: \(outline.bytes) of \(exact)")
  }

  @Test("a large child is seen as such behind small ones")
  func sizes() throws {
    let small = Self.node(#"{"members": {"ann": true, "bob": true}, "notices": ["one", "two", "three"], "title": "x"}"#)
    #expect(try Outline(small, Self.page()).bytes == 94, "what is small is counted")
    let root = small.replacing(Path("sensors"), with: Self.numbers(20_000))
    let exact = Self.numbersBytes(20_000)
    let outline = try Outline(root, Self.page())
    #expect((exact / 2...exact * 2).contains(outline.bytes), "about: \(outline.bytes) of \(exact)")
    #expect((exact / 2...exact * 2).contains(outline.rows.first { $0.key == "sensors" }?.bytes ?? 0))
  }
}
