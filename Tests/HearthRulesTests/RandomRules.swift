import HearthRules
import HearthTree
import RandomTestKit

/// Random well-typed rules, with data that sometimes has their paths. Every function of the language occurs, except
/// `matches`.
struct RandomRules {
  var generator: SeededRandom
  /// True when `newData` may occur.
  var hasNewData = true

  private static let keys = ["a", "b", "c", "é", "😀", "1"]
  /// The snapshot functions without arguments, separated by whether their result is a Boolean.
  private static let snapshots = Dictionary(grouping: SnapshotFunction.allCases) { $0.descriptor.type == .boolean }
  private static let texts = Dictionary(grouping: TextFunction.allCases, by: \.descriptor.type)

  mutating func expression() -> String { bool(4) }

  private mutating func bool(_ depth: Int) -> String {
    guard depth > 0 else { return generator.pick(["true", "false", "\(snapshot(1)).exists()"]) }
    switch generator.below(13) {
    case 0: return "!\(bool(depth - 1))"
    case 1: return "(\(bool(depth - 1)) && \(bool(depth - 1)))"
    case 2: return "(\(bool(depth - 1)) || \(bool(depth - 1)) || \(bool(depth - 1)))"
    case 3: return "(\(bool(depth - 1)) ? \(bool(depth - 1)) : \(bool(depth - 1)))"
    case 4: return "\(snapshot(depth)).\(generator.pick(Self.snapshots[true] ?? []))()"
    case 5: return "\(snapshot(depth)).hasChild(\(text(depth - 1)))"
    case 6: return "\(snapshot(depth)).hasChildren([\(text(depth - 1)), '\(generator.pick(Self.keys))'])"
    case 7, 8: return "(\(any(depth - 1)) \(generator.pick(["==", "!=", "===", "!=="])) \(any(depth - 1)))"
    case 9, 10: return "(\(ordered(depth - 1)) \(generator.pick(["<", "<=", ">", ">="])) \(ordered(depth - 1)))"
    case 11: return call(.boolean, depth) ?? "true"
    default: return generator.pick(["true", "false"])
    }
  }

  private mutating func any(_ depth: Int) -> String {
    switch generator.below(4) {
    case 0: "null"
    case 1: bool(depth)
    default: ordered(depth)
    }
  }

  private mutating func ordered(_ depth: Int) -> String {
    switch generator.below(3) {
    case 0: number(depth)
    case 1: text(depth)
    default: value(depth)
    }
  }

  private mutating func number(_ depth: Int) -> String {
    guard depth > 0 else { return generator.pick(["0", "1", "2.5", "now", "1e21"]) }
    switch generator.below(5) {
    case 0: return "(\(number(depth - 1)) \(generator.pick(["+", "-", "*", "/", "%"])) \(number(depth - 1)))"
    case 1: return "\(text(depth - 1)).length"
    case 2: return "-\(value(depth - 1))"
    case 3: return "(\(value(depth - 1)) - \(number(depth - 1)))"
    default: return call(.number, depth) ?? generator.pick(["0", "1", "3", "now"])
    }
  }

  private mutating func text(_ depth: Int) -> String {
    guard depth > 0 else { return literal() }
    switch generator.below(8) {
    case 0: return "(\(text(depth - 1)) + \(ordered(depth - 1)))"
    case 1: return "(\(ordered(depth - 1)) + \(text(depth - 1)))"
    case 2, 3: return call(.string, depth) ?? literal()
    case 4: return "$k"
    case 5: return "(\(text(depth - 1)) + '/' + \(text(depth - 1)))"
    case 6: return value(depth - 1)
    default: return literal()
    }
  }

  /// Returns a call of a string function; nil when no function has a result of this type.
  private mutating func call(_ type: StaticType, _ depth: Int) -> String? {
    guard let functions = Self.texts[type] else { return nil }
    let function = generator.pick(functions)
    var arguments: [String] = []
    while arguments.count < function.descriptor.textCount {
      arguments.append(arguments.isEmpty ? text(depth - 1) : literal())
    }
    return "\(text(depth - 1)).\(function)(\(arguments.joined(separator: ", ")))"
  }

  private mutating func literal() -> String {
    generator.pick(["''", "'a'", "'b'", "'a/b'", "'é'", "'😀'", "'/c/'", "'x.y'", "'aab'", "'1'"])
  }

  private mutating func value(_ depth: Int) -> String {
    switch generator.below(5) {
    case 0, 1: return "\(snapshot(depth)).val()"
    case 2: return "\(snapshot(depth)).\(generator.pick(Self.snapshots[false] ?? []))()"
    case 3: return generator.pick(["auth.uid", "auth.token.n", "auth.token.list[0]", "auth.token.none.deep", "auth"])
    default: return generator.pick(["auth.uid.length", "auth.token.list.length", "auth.token[$k]", "auth['uid']"])
    }
  }

  private mutating func snapshot(_ depth: Int) -> String {
    guard depth > 0 else { return generator.pick(hasNewData ? ["root", "data", "newData"] : ["root", "data"]) }
    switch generator.below(6) {
    case 0: return "\(snapshot(depth - 1)).parent()"
    case 1, 2: return "\(snapshot(depth - 1)).child(\(text(depth - 1)))"
    case 3: return "(\(bool(depth - 2 > 0 ? depth - 2 : 0)) ? \(snapshot(depth - 1)) : \(snapshot(depth - 1)))"
    default: return "\(snapshot(0)).child('\(generator.pick(Self.keys))')"
    }
  }

  mutating func tree(_ depth: Int = 3) -> Node {
    if depth == 0 || generator.below(4) == 0 { return leaf() }
    var node = Node.empty
    for key in Self.keys where generator.below(3) == 0 { node = node.replacing(Path(key), with: tree(depth - 1)) }
    return generator.below(5) == 0 ? node.with(priority: .string("a")) : node
  }

  private mutating func leaf() -> Node {
    let scalars: [Scalar] = [
      .bool(true), .int(1), .double(2.5), .string("a"), .string("b"), .string(""), .string("a/b"), .string("😀"),
    ]
    return Node(
      generator.pick(scalars), priority: generator.below(4) == 0 ? generator.pick([.int(1), .string("a")]) : nil)
  }

  mutating func auth() -> JSON? {
    if generator.below(4) == 0 { return nil }
    return .object([
      .init("uid", .string(generator.pick(["a", "b", "😀"]))),
      .init(
        "token",
        .object([
          .init("n", generator.pick([.int(1), .double(2.5), .bool(true), .null])),
          .init("list", .array([.string("a"), .int(2)])), .init("a", .string("b")),
        ])),
    ])
  }
}
