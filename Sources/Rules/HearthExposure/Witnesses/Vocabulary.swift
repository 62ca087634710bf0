import HearthRules
import HearthTree

/// The keys, texts, numbers and claims in the rules above, at and below a location, for random requests.
struct Vocabulary {
  private(set) var keys: [String] = []
  private(set) var texts: [String] = ["", "a", "/", "a/b"]
  private(set) var numbers: [Double] = [0, 1, 2, -1]
  /// The claims below `auth.token`, by their member names.
  private(set) var claims: [[String]] = []

  init(_ chains: [[RuleNode?]], _ languages: Languages, nowMilliseconds: Int64) {
    numbers.append(Double(nowMilliseconds))
    for chain in chains {
      for case let node? in chain { add(node, languages) }
      if let last = chain.last ?? nil { addBelow(last, languages, depth: 0) }
    }
    if keys.isEmpty { keys = ["x"] }
  }

  private mutating func addBelow(_ node: RuleNode, _ languages: Languages, depth: Int) {
    guard depth < 4, keys.count < 40 else { return }
    for (key, child) in node.children.list {
      add(key.text, to: \.keys)
      add(child, languages)
      addBelow(child, languages, depth: depth + 1)
    }
    if let wildcard = node.wildcard {
      add(wildcard, languages)
      addBelow(wildcard, languages, depth: depth + 1)
    }
  }

  private mutating func add(_ node: RuleNode, _ languages: Languages) {
    for case let rule? in [node.read, node.write, node.validate] {
      for name in rule.place where !name.hasPrefix("$") { add(name, to: \.keys) }
      var found: [TypedExpression] = []
      rule.expression?.visit { if found.count < 400 { found.append($0) } }
      for expression in found { add(expression, languages) }
    }
  }

  private mutating func add(_ expression: TypedExpression, _ languages: Languages) {
    switch expression.form {
    case .constant(.string(let text)):
      add(text, to: \.texts)
      for key in Path(text).keys where key.problem == nil { add(key.text, to: \.keys) }
    case .constant(.number(let value)):
      for number in [value, value + 1, value - 1] where number.isFinite && !numbers.contains(number) {
        numbers.append(number)
      }
    case .matches(_, let regex):
      let language = languages.matching(regex)
      for side in [language, languages.complement(language)] {
        if case .word(let word) = languages.readableWord(of: side) { add(word, to: \.texts) }
      }
    case .claim:
      guard let names = expression.claimNames, names.count > 1, names[0] == "token" else { return }
      if !claims.contains(Array(names.dropFirst())) { claims.append(Array(names.dropFirst())) }
    default: break
    }
  }

  private mutating func add(_ text: String, to list: WritableKeyPath<Vocabulary, [String]>) {
    if !self[keyPath: list].contains(where: { Text.areEqual($0, text) }) { self[keyPath: list].append(text) }
  }
}
