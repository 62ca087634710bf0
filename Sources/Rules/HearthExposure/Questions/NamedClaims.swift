import HearthRules
import HearthTree

/// The custom claims in a rules file, each with the values with which it is compared.
enum NamedClaims {
  static func all(in rules: RuleSet) -> [ExposureIdentity] {
    var found: [ExposureIdentity] = []
    visit(rules.root) { add($0, &found) }
    return found
  }

  /// Returns the claims in the rules above, at and below a location.
  static func all(at location: ExposureLocation) -> [ExposureIdentity] {
    var found: [ExposureIdentity] = []
    for chain in location.chains {
      for case let node? in chain.dropLast() {
        for case let rule? in [node.read, node.write, node.validate] { add(rule, &found) }
      }
      if let last = chain.last ?? nil { visit(last) { add($0, &found) } }
    }
    return found
  }

  private static func add(_ rule: Rule, _ found: inout [ExposureIdentity]) {
    rule.expression?.visit { expression in
      if case .binary(let binary, let a, let b) = expression.form, binary == .equal || binary == .notEqual {
        for (claim, other) in [(a, b), (b, a)] {
          guard let names = claim.claimNames else { continue }
          if case .constant(let value) = other.form, let scalar = scalar(value) { add(names, scalar, &found) }
        }
      }
      for operand in expression.operands {
        guard let names = operand.claimNames, !isCompared(expression) else { continue }
        if case .claim = expression.form { continue }
        add(names, .bool(true), &found)
      }
    }
  }

  private static func isCompared(_ expression: TypedExpression) -> Bool {
    guard case .binary(let binary, let a, let b) = expression.form, binary == .equal || binary == .notEqual else {
      return false
    }
    return [a, b].contains { operand in
      if case .constant(let value) = operand.form { scalar(value) != nil } else { false }
    }
  }

  /// Adds a custom claim: a claim below `auth.token` that users do not get by signing up.
  private static func add(_ names: [String], _ value: Scalar, _ found: inout [ExposureIdentity]) {
    let everybody = ClaimTypes(isSignedIn: true, knownClaims: [])
    guard names.count > 1, names[0] == "token",
      everybody.types(everybody.canonical(names.map { Key($0) })) == .null,
      everybody.types(everybody.canonical([Key("token"), Key(names[1])])) == .null
    else { return }
    let identity = ExposureIdentity.holder(Array(names.dropFirst()), value)
    if !found.contains(identity) { found.append(identity) }
  }

  private static func scalar(_ value: Value) -> Scalar? {
    switch value {
    case .bool(let value): .bool(value)
    case .number(let value): Int64(exactly: value).map { .int($0) } ?? (value.isFinite ? .double(value) : nil)
    case .string(let text): .string(text)
    case .null, .container: nil
    }
  }

  private static func visit(_ node: RuleNode, _ body: (Rule) -> Void) {
    for case let rule? in [node.read, node.write, node.validate] { body(rule) }
    for (_, child) in node.children.list { visit(child, body) }
    if let wildcard = node.wildcard { visit(wildcard, body) }
  }
}
