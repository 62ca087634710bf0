import HearthRules

/// The lint checks of all rules, from the root down, each together with the rules above it.
struct TreeLint {
  private(set) var collector: LintCollector
  private var reads: [GrantingRule] = []
  private var writes: [GrantingRule] = []
  private var validates: [(rule: Rule, expression: TypedExpression)] = []

  /// Facts about a node and all nodes below it.
  private struct SubtreeFacts {
    var usedWildcards: Set<Int> = []
    /// A `.write` that is open to every client, or to every signed-in one.
    var openWrite: Rule?
    var grantsWrites = false

    mutating func formUnion(_ other: SubtreeFacts) {
      usedWildcards.formUnion(other.usedWildcards)
      openWrite = openWrite ?? other.openWrite
      grantsWrites = grantsWrites || other.grantsWrites
    }
  }

  init(collector: LintCollector) { self.collector = collector }

  /// Adds the findings in all rules.
  mutating func check(_ root: RuleNode) { _ = visit(root, name: nil, depth: 0) }

  /// Visits a node and those below it.
  ///
  /// - Parameters:
  /// - name: The name of the node; nil for wildcards and the root.
  /// - depth: The depth of the node.
  private mutating func visit(_ node: RuleNode, name: String?, depth: Int) -> SubtreeFacts {
    let counts = (reads.count, writes.count, validates.count)
    var below = SubtreeFacts()
    if let rule = node.read, let granting = checkGrant(rule, below: reads) {
      reads.append(granting)
      below.usedWildcards.formUnion(granting.expression.wildcards)
    }
    if let rule = node.write, let granting = checkGrant(rule, below: writes) {
      writes.append(granting)
      checkWidth(granting)
      below.usedWildcards.formUnion(granting.expression.wildcards)
      below.grantsWrites = granting.outcomes.contains(.yes)
      if granting.isOpen { below.openWrite = rule }
    }
    if let rule = node.validate, let expression = rule.expression {
      ConditionLint.check(rule, expression, &collector)
      DeleteLint(rule: rule, expression: expression, writes: writes, validatesAbove: validates).check(&collector)
      validates.append((rule, expression))
      below.usedWildcards.formUnion(expression.wildcards)
    }
    for child in node.children.list { below.formUnion(visit(child.node, name: child.key.text, depth: depth + 1)) }
    if let wildcard = node.wildcard {
      let matched = visit(wildcard, name: nil, depth: depth + 1)
      checkWildcard(matched, parent: name, index: depth)
      below.formUnion(matched)
    }
    if let rule = node.validate, validates.count == counts.2 + 1 { checkReachable(rule, below) }
    reads.removeLast(reads.count - counts.0)
    writes.removeLast(writes.count - counts.1)
    validates.removeLast(validates.count - counts.2)
    return below
  }

  // MARK: Grants

  /// Checks a `.read` or `.write` rule.
  ///
  /// - Parameter above: The rules of the same kind above it.
  private mutating func checkGrant(_ rule: Rule, below above: [GrantingRule]) -> GrantingRule? {
    guard let expression = rule.expression else { return nil }
    ConditionLint.check(rule, expression, &collector)
    let granting = GrantingRule(rule, expression)
    let name = "." + rule.kind.rawValue
    if let open = above.first(where: { $0.outcomes == .yes }) {
      collector.add(
        .shadowedRule, "This \(name) has no effect: the one at \(open.rule.pathTemplate) is always true.", in: rule)
    } else if !granting.outcomes.contains(.yes) {
      if case .constant = expression.form, let grants = above.first(where: { $0.outcomes.contains(.yes) }) {
        collector.add(
          .revokingFalse,
          "This \(name) revokes nothing: the one at \(grants.rule.pathTemplate) grants access here as well.",
          in: rule)
      }
    } else if let same = above.first(where: { $0.shape.follows(from: granting.shape) }) {
      collector.add(
        .impliedRule,
        "This \(name) has no effect: every request that passes it also passes the one at \(same.rule.pathTemplate).",
        in: rule)
    }
    if rule.place.isEmpty, granting.outcomes == .yes {
      collector.add(
        .openRoot,
        rule.kind == .read ? "Everyone can read the whole database." : "Everyone can write the whole database.",
        in: rule)
    }
    return granting
  }

  private mutating func checkWidth(_ granting: GrantingRule) {
    let rule = granting.rule
    guard rule.place.count <= 1, rule.place.first?.hasPrefix("$") != true,
      let text = CanonicalText(place: rule.place).text(of: granting.expression), GrantShape.signedIn.contains(text)
    else { return }
    collector.add(.wideWrite, "Every signed-in user can write all of \(rule.pathTemplate).", in: rule)
  }

  // MARK: Nodes

  private mutating func checkWildcard(_ matched: SubtreeFacts, parent: String?, index: Int) {
    guard !matched.usedWildcards.contains(index), let rule = matched.openWrite, index < rule.place.count else { return }
    let name = rule.place[index]
    guard Self.meansUser(name, below: parent) else { return }
    collector.add(
      .unusedWildcard, "No rule here uses \(name), so each user can write below every \(name).", in: rule)
  }

  private static func meansUser(_ name: String, below parent: String?) -> Bool {
    let plain = name.lowercased()
    if plain.contains("uid") || plain.contains("user") { return true }
    return ["users", "profiles", "accounts"].contains(parent?.lowercased())
  }

  /// Checks the topmost `.validate` at a path that no rule allows to write.
  private mutating func checkReachable(_ rule: Rule, _ below: SubtreeFacts) {
    guard validates.count == 1, !below.grantsWrites, !writes.contains(where: { $0.outcomes.contains(.yes) }) else {
      return
    }
    collector.add(
      .deadValidate, "This .validate is never evaluated: no .write at, above or below it can grant access.", in: rule)
  }
}

extension GrantingRule {
  /// True when it is open to every client, or to every signed-in one, regardless of the stored data.
  fileprivate var isOpen: Bool {
    guard outcomes.contains(.yes) else { return false }
    let canonical = CanonicalText(place: rule.place)
    return expression.conjuncts.allSatisfy { condition in
      if let text = canonical.text(of: condition), GrantShape.signedIn.contains(text) { return true }
      return !condition.contains { part in
        switch part.form {
        case .snapshot(.data), .snapshot(.root): true
        default: part.isClaim
        }
      }
    }
  }
}

extension TypedExpression {
  /// The wildcards that are used in it, by their index in the path.
  fileprivate var wildcards: Set<Int> {
    var found: Set<Int> = []
    collectWildcards(&found)
    return found
  }

  private func collectWildcards(_ found: inout Set<Int>) {
    if case .wildcard(let index) = form { found.insert(index) }
    for operand in operands { operand.collectWildcards(&found) }
  }
}
