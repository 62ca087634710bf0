import HearthTree
import RandomTestKit

/// A simple model of the data: the expected tree after any sequence of writes.
struct TreeModel {
  var scalar: Scalar?
  var priority: Scalar?
  var children: [Key: TreeModel] = [:]

  var isEmpty: Bool { scalar == nil && children.isEmpty }

  mutating func replace(_ path: ArraySlice<Key>, with model: TreeModel) {
    guard let key = path.first else {
      self = model
      return
    }
    var child = children[key] ?? TreeModel()
    child.replace(path.dropFirst(), with: model)
    if child.isEmpty {
      let existed = children.removeValue(forKey: key) != nil
      if existed && children.isEmpty { self = TreeModel() }
    } else {
      children[key] = child
      scalar = nil
    }
  }

  subscript(path: ArraySlice<Key>) -> TreeModel {
    guard let key = path.first else { return self }
    return children[key]?[path.dropFirst()] ?? TreeModel()
  }

  /// The tree as a node, built leaf by leaf.
  var node: Node {
    if let scalar { return Node(scalar, priority: priority) }
    var result = Node.empty
    for (key, child) in children { result = result.replacing(Path([key]), with: child.node) }
    return result.with(priority: priority)
  }

  var sortedKeys: [Key] {
    let ordered = children.keys.map { (key: $0, position: OrderedKeyModel($0.text)) }
    return ordered.sorted { $0.position.isBefore($1.position) }.map(\.key)
  }

  static func isBefore(_ a: String, _ b: String) -> Bool { OrderedKeyModel(a).isBefore(OrderedKeyModel(b)) }

  /// The key order by its definition, on UTF-16 arrays.
  private struct OrderedKeyModel {
    let units: [UInt16]
    let integer: Int64?

    init(_ text: String) {
      units = Array(text.utf16)
      integer = TreeModel.integer(units)
    }

    func isBefore(_ other: OrderedKeyModel) -> Bool {
      switch (integer, other.integer) {
      case (let m?, let n?):
        if m != n { return m < n }
        if units.count != other.units.count { return units.count < other.units.count }
      case (_?, nil): return true
      case (nil, _?): return false
      case (nil, nil): break
      }
      return units.lexicographicallyPrecedes(other.units)
    }
  }

  private static func integer(_ text: [UInt16]) -> Int64? {
    guard text.count <= 11, text.first.map({ $0 < 0x3A }) == true else { return nil }
    let digits = text.first == 0x2D ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let size = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    let value = text.first == 0x2D ? -size : size
    return Int32(exactly: value) == nil ? nil : value
  }

  /// Returns the first difference between the model and a tree, as a path and a sentence, or nil when there is none.
  func difference(from node: Node, at path: Path = .root) -> String? {
    func fault(_ text: String) -> String { "/\(path.keys.map(\.text).joined(separator: "/")): \(text)" }
    guard node.isEmpty == isEmpty else { return fault("empty: \(node.isEmpty)") }
    guard node.scalar == scalar else { return fault("value \(String(describing: node.scalar))") }
    guard node.priority == priority else { return fault("priority \(String(describing: node.priority))") }
    guard node.isInterior == !children.isEmpty, node.isLeaf == (scalar != nil) else { return fault("kind") }
    guard node.childCount == children.count else { return fault("\(node.childCount) children, not \(children.count)") }
    let keys = sortedKeys
    guard node.children.map(\.key) == keys else { return fault("children \(node.children.map(\.key.text))") }
    guard node.childrenReversed.map(\.key) == keys.reversed() else { return fault("children backward") }
    for (key, child) in node.children {
      let expected = children[key] ?? TreeModel()
      if let below = expected.difference(from: child, at: path.appending(key)) { return below }
      guard node.child(key).isIdentical(to: child) else { return fault("lookup of \(key)") }
    }
    return nil
  }
}

extension SeededRandom {
  private static let oddKeys = [
    "0", "1", "2", "10", "01", "001", "-0", "00", "-1", "-01", "2147483647", "2147483648", "-2147483648", "-2147483649",
    "00000000001", "000000000001", "-", "--1", "1a", "a", "a ", "A", "ab", "abcdefg", "abcdefgh", "abcdefghi",
    "abcdefgi", "é", "e\u{301}", "\u{D7FF}", "\u{E000}", "\u{EFFF}", "\u{F000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
    "x\u{E000}", "x\u{10000}", "abcdefg\u{FFFF}", "abcdefg\u{1F600}", "text", "uid", "ts", "messages",
  ]

  mutating func key(of variety: Int) -> Key {
    switch below(10) {
    case 0...4: Key("-N" + String(below(variety) &* 7919 % 100_000, radix: 36))
    case 5: Key(String(below(variety)))
    case 6: Key(String(repeating: "k", count: below(40)) + String(below(9)))
    case 7 where chance(3): Key(String(repeating: "long", count: 30 + below(160)) + String(below(9)))
    default: Key(Self.oddKeys[below(Self.oddKeys.count)])
    }
  }

  mutating func scalar() -> Scalar {
    switch below(12) {
    case 0: .bool(chance(50))
    case 1: .double(Double(below(1000)) / 8 + 0.5)
    case 2: .int(Int64(truncatingIfNeeded: next()) >> Int64(below(64)))
    case 3: .int([0, 1, -1, 127, 128, -128, -129, 32767, 32768, .max, .min][below(11)])
    case 4 where chance(30): .string(String(repeating: "é long ", count: below(200)))
    case 5: .string(String(repeating: "x", count: below(20)))
    default: .string("text \(below(1000))")
    }
  }

  mutating func priority() -> Scalar? {
    switch below(20) {
    case 0: .int(Int64(below(100)))
    case 1: .string(String(repeating: "p", count: below(30)))
    case 2: .double(1.5)
    case 3 where chance(20): .string(String(repeating: "long", count: 200))
    default: nil
    }
  }

  mutating func model(depth: Int, variety: Int) -> TreeModel {
    if depth == 0 || chance(40) { return TreeModel(scalar: scalar(), priority: priority()) }
    var result = TreeModel(priority: priority())
    for _ in 0..<(1 + below(chance(10) ? 60 : 5)) {
      result.children[key(of: variety)] = model(depth: depth - 1, variety: variety)
    }
    return result
  }
}
