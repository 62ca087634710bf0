import HearthTree
import Testing

@Suite struct TreeShapeTests {
  /// Every tree of up to two levels over two keys, with and without priorities.
  private static let small: [TreeModel] = {
    let leaves = [TreeModel(), TreeModel(scalar: .int(1)), TreeModel(scalar: .string("s"), priority: .int(2))]
    func above(_ below: [TreeModel]) -> [TreeModel] {
      var result = leaves
      for a in below {
        for b in below where !(a.isEmpty && b.isEmpty) {
          for priority in [nil, Scalar.string("p")] {
            var model = TreeModel(priority: priority)
            if !a.isEmpty { model.children["a"] = a }
            if !b.isEmpty { model.children["b"] = b }
            result.append(model)
          }
        }
      }
      return result
    }
    return above(above(leaves).filter { $0.children.count < 2 })
  }()

  @Test func `Every write into every small tree agrees with the model`() {
    let interior = TreeModel(priority: .int(1), children: ["a": TreeModel(scalar: .int(7))])
    let values = [TreeModel(), TreeModel(scalar: .bool(true)), interior]
    let paths: [[Key]] = [[], ["a"], ["b"], ["c"], ["a", "a"], ["a", "b"], ["b", "a"], ["a", "a", "a"]]
    for model in Self.small {
      let node = model.node
      for path in paths {
        for value in values {
          var expected = model
          expected.replace(path[...], with: value)
          let result = node.replacing(Path(path), with: value.node)
          if let fault = expected.difference(from: result) { Issue.record("\(model) \(path): \(fault)") }
        }
      }
      if let fault = model.difference(from: node) { Issue.record("\(model): \(fault)") }
    }
  }

  @Test func `Small trees are equal exactly when they are the same`() {
    let nodes = Self.small.map(\.node)
    for (i, a) in nodes.enumerated() {
      for (j, b) in Self.small.map(\.node).enumerated() where (a == b) != (i == j) {
        Issue.record("\(Self.small[i]) and \(Self.small[j])")
      }
    }
  }

  @Test func `A node keeps its content while it outgrows its page and shrinks again`() {
    for size in [1, 30, 1100] {
      var (model, node) = (TreeModel(priority: .string("kept")), Node.empty)
      for i in 0..<50 {
        model.children[Key("k\(i)")] = TreeModel(scalar: .string(String(repeating: "x", count: size)))
        node = node.replacing(Path([Key("k\(i)")]), with: Node(.string(String(repeating: "x", count: size))))
        if i == 0 { node = node.with(priority: .string("kept")) }
        if let fault = model.difference(from: node) { Issue.record("\(size), \(i): \(fault)") }
      }
      for i in 0..<49 {
        model.children[Key("k\(i)")] = nil
        node = node.replacing(Path([Key("k\(i)")]), with: .empty)
        if let fault = model.difference(from: node) { Issue.record("\(size), \(i): \(fault)") }
      }
    }
  }

  @Test func `Long texts and large children survive moves between pages`() {
    let long = Scalar.string(String(repeating: "é", count: 5000))
    var big = TreeModel(priority: long)
    for i in 0..<100 { big.children[Key("\(i)")] = TreeModel(scalar: .int(Int64(i)), priority: .string("p")) }
    var (model, node) = (TreeModel(), Node.empty)
    for i in 0..<300 {
      var record = TreeModel(children: ["name": TreeModel(scalar: long), "n": TreeModel(scalar: .int(Int64(i)))])
      if i % 3 == 0 { record.children["big"] = big }
      if i % 5 == 0 { record.children["in"] = TreeModel(priority: long, children: ["big": big]) }
      model.children[Key("r\(i * 7919 % 1000)")] = record
      node = node.replacing(Path([Key("r\(i * 7919 % 1000)")]), with: record.node)
    }
    if let fault = model.difference(from: node) { Issue.record("\(fault)") }
  }

  @Test func `Numbers are equal by value, strings by code units`() {
    #expect(Node(.int(1)) == Node(.double(1)))
    #expect(Node(.string("é")) != Node(.string("e\u{301}")))
    #expect(Node(.bool(true)) != Node(.int(1)))
    #expect(Node(.int(1), priority: .int(2)) == Node(.int(1), priority: .double(2)))
    #expect(Node(.int(1), priority: .int(2)) != Node(.int(1)))
  }

  @Test func `Unchanged nodes are identical in the next version`() {
    var node = Node.empty
    for i in 0..<2000 {
      node = node.replacing(Path("rooms/r\(i % 50)/messages/m\(i)/text"), with: Node(.string("text \(i)")))
    }
    let next = node.replacing(Path("rooms/r7/messages/m7/text"), with: Node(.string("new")))
    #expect(!next.isIdentical(to: node))
    #expect(!next[Path("rooms/r7/messages")].isIdentical(to: node[Path("rooms/r7/messages")]))
    #expect(next[Path("rooms/r8")].isIdentical(to: node[Path("rooms/r8")]))
    #expect(next[Path("rooms/r7/messages/m57")].isIdentical(to: node[Path("rooms/r7/messages/m57")]))
    #expect(next != node)
    #expect(next.replacing(Path("rooms/r7/messages/m7/text"), with: Node(.string("text 7"))) == node)
  }

  @Test func `Keys far longer than writes may have are stored nevertheless`() {
    var (model, node) = (TreeModel(), Node.empty)
    for i in 0..<40 {
      let key = Key(String(repeating: "long", count: i % 4 == 0 ? 20_000 : 10) + "\(i * 7 % 40)")
      model.children[key] = TreeModel(scalar: .int(Int64(i)))
      node = node.replacing(key, with: Node(.int(Int64(i))))
    }
    if let fault = model.difference(from: node) { Issue.record("\(fault.prefix(200))") }
    var builder = NodeBuilder()
    builder.node(node)
    #expect(builder.finish() == node)
  }

  @Test func `Every integer and every string length is stored unchanged`() {
    var numbers: [Int64] = [0, .min, .max]
    for shift in Int64(0)..<62 {
      for near in [Int64(-1), 0, 1] { numbers += [(1 << shift) + near, -(1 << shift) - near] }
    }
    for number in numbers { #expect(Node(.int(number), priority: .int(number)).scalar == .int(number)) }
    for length in 0..<600 {
      let text = Scalar.string(String(repeating: "x", count: length))
      let node = Node.empty.replacing("a", with: Node(text, priority: text)).replacing("b", with: Node(.bool(false)))
      #expect(
        node.child("a").scalar == text && node.child("a").priority == text && node.child("b").scalar == .bool(false))
      #expect(node.child("a").withStringUTF8 { $0.count } == length)
    }
  }
}
