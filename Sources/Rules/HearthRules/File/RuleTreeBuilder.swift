import HearthTree

/// A builder of the tree of rules from a file's document, which also collects the problems.
struct RuleTreeBuilder {
  private let document: RulesDocument
  private let keepsExpressions: Bool
  private let wasAccepted: Bool
  private let regexBudget = RegexBudget()
  private var ruleCount = 0
  private var diagnostics: [(offset: Int, diagnostic: RulesError.Diagnostic)] = []
  private var warnings: [(offset: Int, diagnostic: RulesError.Diagnostic)] = []

  /// Builds the tree.
  ///
  /// - Throws: ``RulesError`` with the first problem of each expression and of each node, in file order.
  /// - Returns: The root node, the number of rules when their expressions are kept, and warnings about parts that are
  ///   allowed but probably mistakes, in file order.
  static func build(
    _ document: RulesDocument, keepsExpressions: Bool, wasAccepted: Bool
  ) throws(RulesError) -> (root: RuleNode, ruleCount: Int, warnings: [RulesError.Diagnostic]) {
    var builder = RuleTreeBuilder(document: document, keepsExpressions: keepsExpressions, wasAccepted: wasAccepted)
    let root = builder.root()
    guard builder.diagnostics.isEmpty, let root else { throw RulesError(inOrder(builder.diagnostics)) }
    return (root, builder.ruleCount, inOrder(builder.warnings))
  }

  private static func inOrder(
    _ found: [(offset: Int, diagnostic: RulesError.Diagnostic)]
  ) -> [RulesError.Diagnostic] {
    found.sorted { $0.offset < $1.offset }.map(\.diagnostic)
  }

  private init(document: RulesDocument, keepsExpressions: Bool, wasAccepted: Bool) {
    self.document = document
    self.keepsExpressions = keepsExpressions
    self.wasAccepted = wasAccepted
  }

  private mutating func root() -> RuleNode? {
    guard case .object(let members) = document.root.form else {
      report("Expected '{'.", at: document.root.offset)
      return nil
    }
    guard let rules = members.first(where: { $0.name.value == "rules" }) else {
      report(
        "Expected 'rules' property.", help: #"A rules file is { "rules": { … } }."#, at: document.root.offset + 1)
      return nil
    }
    for member in members where member.name.value != "rules" {
      report(
        "Unexpected property '\(member.name.value)'.", help: "Only 'rules' is allowed here.",
        at: member.name.offset)
    }
    return node(rules.value, Scope())
  }

  /// The path of the current node, and the wildcards in scope.
  private struct Scope {
    var keys: [String] = []
    var wildcards: [Key: Int] = [:]
  }

  private mutating func node(_ value: RulesDocument.Value, _ scope: Scope) -> RuleNode? {
    guard case .object(let members) = value.form else {
      report("Expected '{'.", help: "Each location in the rules must be an object.", at: value.offset)
      return nil
    }
    var rules: [RuleKind: Rule] = [:]
    var indexes: [RuleIndex] = []
    var children: [(key: Key, node: RuleNode)] = []
    var wildcard: (name: String, node: RuleNode?)?
    for member in members {
      let name = member.name.value
      if let kind = Self.kinds[name] {
        rules[kind] = rule(kind, member.value, scope)
      } else if name == ".indexOn" {
        indexes = self.indexes(member.value)
      } else if name.hasPrefix("$") {
        if let first = wildcard {
          report(
            "Cannot have multiple default rules ('\(first.name)' and '\(name)').",
            help: "A location can have only one wildcard below it.", at: member.name.offset)
          continue
        }
        wildcard = (name, wildcardNode(member, scope))
      } else if let child = childNode(member, scope) {
        children.append((Key(name), child))
      }
    }
    return RuleNode(
      read: rules[.read], write: rules[.write], validate: rules[.validate], indexes: indexes,
      children: RuleChildren(children), wildcard: wildcard?.node)
  }

  private static let kinds: [String: RuleKind] = [".read": .read, ".write": .write, ".validate": .validate]

  private mutating func wildcardNode(_ member: RulesDocument.Member, _ scope: Scope) -> RuleNode? {
    let name = member.name.value
    guard isLegal(name.dropFirst(), at: member.name.offset) else { return nil }
    if scope.wildcards[Key(name)] != nil {
      warn(
        "Wildcard '\(name)' is also used above: from here on it stands for the key that it matches here.",
        help: "Rename one of the two; rules below cannot refer to the key above.", at: member.name.offset)
    }
    var inner = scope
    inner.wildcards[Key(name)] = scope.keys.count
    inner.keys.append(name)
    return node(member.value, inner)
  }

  private mutating func childNode(_ member: RulesDocument.Member, _ scope: Scope) -> RuleNode? {
    let name = member.name.value
    if name.hasPrefix("."), !member.value.isObject {
      report(
        "Expected '{'.", help: "'\(name)' is not a rule; the rules are .read, .write, .validate and .indexOn.",
        at: member.value.offset)
      return nil
    }
    guard isLegal(name[...], at: member.name.offset) else { return nil }
    var inner = scope
    inner.keys.append(name)
    return node(member.value, inner)
  }

  private mutating func isLegal(_ name: Substring, at offset: Int) -> Bool {
    let forbidden = Array(".#$/[]".utf8)
    guard !name.utf8.contains(where: { forbidden.contains($0) }) else {
      report(##"String can't contain ".", "#", "$", "/", "[", or "]""##, at: offset)
      return false
    }
    return true
  }

  // MARK: Rules

  private mutating func rule(_ kind: RuleKind, _ value: RulesDocument.Value, _ scope: Scope) -> Rule? {
    switch value.form {
    case .bool(let constant):
      let text = constant ? "true" : "false"
      let position = document.source.position(ofByte: value.offset)
      return rule(
        kind, scope, text, position, TypedExpression(constant: constant, text: text), value.offset, origin: nil)
    case .text(let text): return rule(kind, text, scope)
    default:
      report(Self.notARule, at: value.offset)
      return nil
    }
  }

  private static let notARule = "Invalid rule expression.  Expected 'true', 'false', or an expression string."

  private mutating func rule(_ kind: RuleKind, _ text: RulesDocument.Text, _ scope: Scope) -> Rule? {
    do {
      let expression = try Parser.parse(text.value)
      let checker = Checker(
        kind: kind, wildcards: scope.wildcards, regexBudget: regexBudget, wasAccepted: wasAccepted)
      let checked = try checker.check(rule: expression)
      warnOfCosts(in: text)
      let start = text.fileOffset(of: expression.offset)
      let position = document.source.position(ofValueAt: start, quotedAt: text.offset)
      return rule(kind, scope, text.value, position, checked, text.offset, origin: text)
    } catch {
      _ = regexBudget.takeCostly()
      report(error.message, help: error.help, at: text.fileOffset(of: error.offset))
      return nil
    }
  }

  private mutating func rule(
    _ kind: RuleKind, _ scope: Scope, _ text: String, _ position: SourcePosition, _ checked: TypedExpression,
    _ fileOffset: Int, origin: RulesDocument.Text?
  ) -> Rule {
    guard keepsExpressions else {
      return Rule(kind: kind, place: scope.keys, text: text, position: position, program: Program(checked))
    }
    let (program, sites) = Program.observable(checked)
    let inspection = RuleInspection(
      number: ruleCount, expression: checked, sites: sites, source: document.source, fileOffset: fileOffset,
      origin: origin)
    ruleCount += 1
    return Rule(kind: kind, place: scope.keys, text: text, position: position, program: program, inspection: inspection)
  }

  private mutating func warnOfCosts(in rule: RulesDocument.Text) {
    for costly in regexBudget.takeCostly() {
      warn(
        "This regular expression is expensive: a string of more than \(costly.textBytesMax) bytes fails the rule.",
        help:
          "A counted gap such as .{0,1000} that can begin anywhere is expensive. Use "
          + "smaller counts, or check the length first: newData.val().length < 1000 && …",
        at: rule.fileOffset(of: costly.offset))
    }
  }

  // MARK: Indexes

  private mutating func indexes(_ value: RulesDocument.Value) -> [RuleIndex] {
    switch value.form {
    case .text(let text): return index(text).map { [$0] } ?? []
    case .array(let elements):
      return elements.compactMap { element in
        guard case .text(let text) = element.form else { return notAnIndex(element.offset) }
        return index(text)
      }
    default:
      _ = notAnIndex(value.offset)
      return []
    }
  }

  private mutating func notAnIndex(_ offset: Int) -> RuleIndex? {
    report("Invalid indexOn expression. Must be either a string or an array of strings", at: offset)
    return nil
  }

  private mutating func index(_ text: RulesDocument.Text) -> RuleIndex? {
    if text.value == ".value" { return .value }
    // `.key` occurs in published files. Every location can be queried in the order of keys, so it has no effect.
    if text.value == ".key" { return nil }
    let path = Path(text.value)
    guard !path.isRoot else { return notAnIndex(text.offset) }
    guard path.keys.allSatisfy({ isLegal($0.text[...], at: text.offset) }) else { return nil }
    return .child(path)
  }

  private mutating func warn(_ message: String, help: String, at offset: Int) {
    if warnings.count == RulesLimits.diagnosticsMax { return }
    warnings.append((offset, document.source.diagnostic(message, help: help, atByte: offset)))
  }

  private mutating func report(_ message: String, help: String? = nil, at offset: Int) {
    if diagnostics.count == RulesLimits.diagnosticsMax { return }
    diagnostics.append((offset, document.source.diagnostic(message, help: help, atByte: offset)))
  }
}

extension RulesDocument.Value {
  fileprivate var isObject: Bool { if case .object = form { true } else { false } }
}
