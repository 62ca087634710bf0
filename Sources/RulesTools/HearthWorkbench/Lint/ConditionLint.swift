import HearthRules

/// The lint checks of the parts of one rule.
struct ConditionLint {
  let rule: Rule
  let expression: TypedExpression
  var collector: LintCollector

  /// The smallest number that can be a time in milliseconds since 1973.
  private static let millisecondsMin = 1e11

  /// Adds the findings of a rule.
  static func check(_ rule: Rule, _ expression: TypedExpression, _ collector: inout LintCollector) {
    let count = collector.findings.count
    var lint = ConditionLint(rule: rule, expression: expression, collector: collector)
    lint.checkParts(expression)
    if rule.kind != .validate { lint.checkNulls(expression, isSignedIn: false, existing: []) }
    if lint.collector.findings.count == count { lint.checkConstant() }
    collector = lint.collector
  }

  // MARK: Constants

  private mutating func checkConstant() {
    if case .constant = expression.form { return }
    let outcomes = Outcomes(of: expression)
    if outcomes == .yes {
      collector.add(
        .constantRule, "This .\(rule.kind.rawValue) is always true.", in: rule, at: cause(in: expression, of: .yes))
    } else if !outcomes.contains(.yes) {
      collector.add(
        .constantRule, "This .\(rule.kind.rawValue) is never true.", in: rule, at: cause(in: expression, of: .no))
    }
  }

  /// Returns the smallest part that determines the outcome of the whole expression.
  private func cause(in expression: TypedExpression, of outcome: Outcomes) -> TypedExpression {
    switch (expression.form, outcome) {
    case (.any(let operands), .yes):
      operands.first { Outcomes(of: $0) == .yes }.map { cause(in: $0, of: .yes) } ?? expression
    case (.all(let operands), .no):
      operands.first { !Outcomes(of: $0).contains(.yes) }.map { cause(in: $0, of: .no) } ?? expression
    default: expression
    }
  }

  // MARK: Parts

  private mutating func checkParts(_ part: TypedExpression) {
    if case .binary(let binary, let left, let right) = part.form, binary.isComparison {
      checkComparison(part, left, right)
    }
    if case .claim(let receiver, let name) = part.form { checkClaim(part, receiver, name) }
    for operand in part.operands { checkParts(operand) }
  }

  private mutating func checkComparison(_ part: TypedExpression, _ left: TypedExpression, _ right: TypedExpression) {
    for (value, other) in [(left, right), (right, left)] {
      if case .now = value.form, case .number(let number)? = other.constant, number > 0, number < Self.millisecondsMin {
        collector.add(
          .secondsNotMilliseconds, "now is in milliseconds; this number looks like seconds.", in: rule, at: part)
        return
      }
      if case .string(let text)? = other.constant, text == "true" || text == "false", isStored(value) {
        collector.add(.textBoolean, "This is true for the string '\(text)', not for the boolean.", in: rule, at: part)
        return
      }
    }
    guard left.constant == nil || right.constant == nil else { return }
    let (first, second) = (ValueKinds(of: left), ValueKinds(of: right))
    if first != .null, second != .null, first.isDisjoint(with: second) {
      collector.add(
        .typeMismatch,
        "\(first.words) is compared with \(second.words.lowercased()): they are never equal, and neither is smaller.",
        in: rule, at: part)
    }
  }

  /// Returns true for a claim or existing data, but not for written data.
  private func isStored(_ value: TypedExpression) -> Bool {
    if case .snapshotTest(let snapshot, .val) = value.form {
      return rule.kind != .validate && !snapshot.contains { $0.isNewData }
    }
    return value.isClaim
  }

  private mutating func checkClaim(_ part: TypedExpression, _ receiver: TypedExpression, _ name: String) {
    if case .auth = receiver.form {
      guard !["uid", "provider", "token"].contains(name) else { return }
      if let meant = ClaimNames.path(ofMember: name) {
        collector.add(.misplacedClaim, "auth.\(name) is always null; you probably mean \(meant).", in: rule, at: part)
      } else {
        collector.add(
          .secretClaim, "auth.\(name) is null for every user with an ID token.", in: rule, at: part)
      }
    } else if case .claim(let base, "token") = receiver.form, case .auth = base.form,
      let meant = ClaimNames.path(ofClaim: name)
    {
      collector.add(
        .misspelledClaim, "auth.token.\(name) is always null; you probably mean \(meant).", in: rule, at: part)
    }
  }

  // MARK: Null equals null

  /// Checks the parts that allow access when they are true.
  private mutating func checkNulls(_ part: TypedExpression, isSignedIn: Bool, existing: Set<String>) {
    if isSignedIn { return }
    switch part.form {
    case .all(let operands):
      if operands.contains(where: \.needsSignedIn) { return }
      let existing = existing.union(CanonicalText(place: rule.place).existing(where: operands))
      for operand in operands { checkNulls(operand, isSignedIn: false, existing: existing) }
    case .any(let operands): for operand in operands { checkNulls(operand, isSignedIn: false, existing: existing) }
    case .conditional(let condition, let then, let otherwise):
      let known = existing.union(CanonicalText(place: rule.place).existing(where: condition.conjuncts))
      checkNulls(then, isSignedIn: condition.needsSignedIn, existing: known)
      checkNulls(otherwise, isSignedIn: condition.holdsSignedOut, existing: existing)
    case .binary(.equal, let left, let right):
      guard !part.needsSignedIn, isOpen(left, right, existing) || isOpen(right, left, existing) else { return }
      collector.add(
        .nullEqualsNull, "A signed-out client passes this if the data is missing: both sides are null.",
        in: rule, at: part)
    default: return
    }
  }

  private func isOpen(_ claim: TypedExpression, _ value: TypedExpression, _ existing: Set<String>) -> Bool {
    guard claim.isClaim, case .snapshotTest(_, .val) = value.form else { return false }
    return CanonicalText(place: rule.place).valuePath(value).map { !existing.contains($0) } ?? true
  }
}

extension BinaryOperator {
  fileprivate var isComparison: Bool {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }
}

extension ValueKinds {
  fileprivate var words: String {
    switch subtracting(.null) {
    case .boolean: "A boolean"
    case .number: "A number"
    case .string: "A string"
    default: "A value"
    }
  }
}
