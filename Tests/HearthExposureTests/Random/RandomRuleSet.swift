import HearthRules
import RandomTestKit

/// Random rules files over the keys u, v, m and n: the few names make rules overlap.
///
/// Every operator and function of the language occurs, and common forms occur more often.
struct RandomRuleSet {
  var generator: SeededRandom
  private var wildcards: [String] = []
  private var kind = "read"

  static let keys = ["u", "v", "m", "n"]
  private static let tests = SnapshotFunction.allCases.filter { $0.descriptor.type == .boolean }
  private static let values = SnapshotFunction.allCases.filter { $0.descriptor.type != .boolean && $0 != .val }
  private static let relations = TextFunction.allCases.filter { $0.descriptor.type == .boolean }
  /// The string functions whose result is not a Boolean, separated by whether they take arguments.
  private static let changes = Dictionary(grouping: TextFunction.allCases.filter { $0.descriptor.type != .boolean }) {
    $0.descriptor.textCount > 0
  }
  /// The earliest time in questions about these files; constants in the rules are close to it.
  static let nowMilliseconds: Int64 = 10

  init(generator: SeededRandom) { self.generator = generator }

  /// Returns the text of a file, which nearly always compiles.
  mutating func file() -> String { draft().text() }

  /// Returns a file that can be written in several forms.
  mutating func draft() -> RuleDraft {
    wildcards = []
    return node(depth: 0)
  }

  private mutating func node(depth: Int) -> RuleDraft {
    var draft = RuleDraft()
    for kind in ["read", "write", "validate"] where generator.below(10) < (depth == 0 ? 1 : 4) {
      self.kind = kind
      draft.rules.append(.init(kind: kind, text: bool(generator.below(3))))
    }
    guard depth < 4 else { return draft }
    for key in Self.keys where generator.below(10) < (depth == 0 ? 3 : 2) {
      draft.children.append(.init(name: key, draft: node(depth: depth + 1)))
    }
    if generator.below(10) < 4 || depth == 0 && draft.rules.isEmpty && draft.children.isEmpty {
      let name = "$\(["a", "b", "c", "d"][depth])"
      wildcards.append(name)
      draft.children.append(.init(name: name, draft: node(depth: depth + 1)))
      wildcards.removeLast()
    }
    return draft
  }

  // MARK: Conditions

  private mutating func bool(_ depth: Int) -> String {
    guard depth > 0 else { return atom() }
    switch generator.below(12) {
    case 0, 1, 2, 3: return "\(bool(depth - 1)) && \(atom())"
    case 4: return "(\(bool(depth - 1)) || \(atom())) && \(atom())"
    case 5, 6: return "(\(bool(depth - 1)) || \(bool(depth - 1)))"
    case 7: return "!(\(bool(depth - 1)))"
    case 8: return "(\(atom()) ? \(bool(depth - 1)) : \(bool(depth - 1)))"
    case 9: return "(\(atom()) == \(atom()))"
    default: return atom()
    }
  }

  private mutating func atom() -> String {
    switch generator.below(24) {
    case 0: return generator.pick(["auth != null", "auth == null", "auth.uid != null"])
    case 1, 2: return "auth.uid \(equality()) \(owner())"
    case 3: return claim()
    case 4, 5, 6: return "\(snapshot()).\(generator.pick([.exists, .exists] + Self.tests))()"
    case 7: return "!\(snapshot()).exists()"
    case 8: return "\(snapshot()).hasChildren([\(generator.pick(["'u'", "'u','v'", "'m'", "", "auth.uid", "'u/v'"]))])"
    case 9: return "\(snapshot()).hasChild(\(path()))"
    case 10, 11, 12, 13: return "\(value(1)) \(equality()) \(value(1))"
    case 14: return "\(snapshot()).val() \(equality()) \(literal())"
    case 15, 16: return "\(ordered()) \(generator.pick(["<", "<=", ">", ">="])) \(ordered())"
    case 17: return call(Self.relations) { $0.generator.pick([$0.text(), $0.text(), $0.value(0)]) }
    case 18: return "\(subject()).matches(\(regex()))"
    case 19:
      return
        "\(subject()).length \(generator.pick(["<", "<=", ">", ">=", "==", "!="])) \(generator.pick(["0", "1", "2", "3"]))"
    case 20: return kind == "read" ? query() : "\(snapshot()).val() \(generator.pick(["==", "<=", ">", "<"])) now"
    case 21: return "now \(generator.pick(["<", "<=", ">", ">=", "=="])) \(generator.pick(["5", "10", "12", value(0)]))"
    case 22: return wildcard().map { "\($0) \(equality()) \(generator.pick([text(), value(0)]))" } ?? "auth != null"
    default: return generator.pick(["true", "false", "auth != null"])
    }
  }

  private mutating func equality() -> String { generator.pick(["==", "==", "===", "!=", "!=="]) }

  private mutating func owner() -> String { wildcard() ?? "\(snapshot()).val()" }

  private mutating func claim() -> String {
    generator.pick([
      "auth.token.admin == true", "auth.token.role == 'u'", "auth.provider == 'anonymous'", "auth.provider != 'v'",
      "auth.token.email_verified == true", "auth.token.email.endsWith('v')", "auth.token.email != null",
      "auth.token.firebase.sign_in_provider == 'u'", "auth.token.auth_time > 5", "auth.admin == true",
      "auth.token[\(wildcard() ?? "'x'")] == true", "auth.token.sub == \(owner())", "auth.token.admin != true",
    ])
  }

  private mutating func query() -> String {
    generator.pick([
      "query.limitToFirst <= 2", "query.limitToLast == 1", "query.orderByKey", "!query.orderByValue",
      "query.orderByChild == 'u'", "query.orderByChild == null", "query.equalTo == auth.uid", "query.startAt > 1",
      "query.orderByChild == 'u' && query.equalTo == 'v'", "query.endAt != null", "query.orderByPriority == false",
    ])
  }

  // MARK: Values

  private mutating func value(_ depth: Int) -> String {
    guard depth > 0 else {
      return generator.pick([
        "\(snapshot()).val()", "\(snapshot()).val()", "auth.uid", wildcard() ?? "auth.uid", text(),
      ])
    }
    switch generator.below(14) {
    case 0: return "\(snapshot()).\(pick(Self.values))()"
    case 1: return "(\(value(0)) + \(generator.pick(["1", "'u'", "''", "'/'", value(0)])))"
    case 2:
      return "(\(snapshot()).val() \(generator.pick(["-", "*", "/", "%"])) \(generator.pick(["0", "1", "2", "now"])))"
    case 3: return call(Self.changes[false] ?? []) { $0.text() }
    case 4: return call(Self.changes[true] ?? []) { $0.text() }
    case 5: return "(\(atom()) ? \(value(0)) : \(literal()))"
    case 6: return "(-\(snapshot()).val())"
    case 7: return "\(value(0)).length"
    case 8: return generator.pick(["auth.token.email", "auth.provider", "auth.token.admin", "auth"])
    case 9: return literal()
    default: return value(0)
    }
  }

  private mutating func call(_ functions: [TextFunction], argument: (inout Self) -> String) -> String {
    let (receiver, function) = (value(0), pick(functions))
    let arguments = (0..<function.descriptor.textCount).map { _ in argument(&self) }
    return "\(receiver).\(function)(\(arguments.joined(separator: ", ")))"
  }

  /// Picks one of a list; draws no random number for a list of one.
  private mutating func pick<Element>(_ list: [Element]) -> Element { list.count == 1 ? list[0] : generator.pick(list) }

  private mutating func ordered() -> String {
    generator.pick([
      "0", "1", "2", "now", "'u'", "\(snapshot()).val()", "\(snapshot()).val()", "\(snapshot()).val() + 1", "auth.uid",
    ])
  }

  private mutating func subject() -> String {
    generator.pick(["\(snapshot()).val()", "\(snapshot()).val()", "auth.uid", wildcard() ?? "auth.uid"])
  }

  private mutating func regex() -> String {
    generator.pick([
      "/^u/", "/v$/", "/^[uv]+$/", "/^[a-z]{2}$/", "/^U$/i", "/^[^u]*$/", "/u|v$/", "/^\\d+$/", "/^.{0,3}$/", "/m/",
    ])
  }

  private mutating func literal() -> String {
    generator.pick(["null", "true", "false", "0", "1", "2", "10", "''", "'u'", "'v'", "'uv'", "'U'"])
  }

  private mutating func text() -> String { generator.pick(["''", "'u'", "'v'", "'uv'", "'U'", "'/'"]) }

  private mutating func wildcard() -> String? { wildcards.isEmpty ? nil : generator.pick(wildcards) }

  // MARK: Locations

  private mutating func snapshot() -> String {
    var text = generator.pick(
      kind == "read" ? ["root", "data", "data"] : ["root", "data", "newData", "newData", "newData"])
    while generator.isOne(in: 6) { text += ".parent()" }
    while generator.below(5) < 2 { text += ".child(\(path()))" }
    return text
  }

  private mutating func path() -> String {
    let key = generator.pick(Self.keys)
    switch generator.below(12) {
    case 0, 1: return wildcard() ?? "'\(key)'"
    case 2, 3: return "auth.uid"
    case 4: return "'\(key)/\(generator.pick(Self.keys))'"
    case 5: return "'\(key)/' + \(generator.pick(["auth.uid", wildcard() ?? "auth.uid", "data.val()"]))"
    case 6: return "'\(key)/' + \(wildcard() ?? "auth.uid") + '/' + auth.uid"
    case 7: return generator.isOne(in: 3) ? "\(generator.pick(["data", "root.child('\(key)')"])).val()" : "'\(key)'"
    default: return "'\(key)'"
    }
  }
}
