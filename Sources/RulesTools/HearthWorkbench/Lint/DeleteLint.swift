import HearthRules

/// A search for conditions in a `.validate` rule that are not checked for deletes, although deletes are allowed.
struct DeleteLint {
  let rule: Rule
  let expression: TypedExpression
  /// The `.write` rules from the root to the rule's place.
  let writes: [GrantingRule]
  /// The `.validate` rules above the rule.
  let validatesAbove: [(rule: Rule, expression: TypedExpression)]

  /// Adds the findings.
  func check(_ collector: inout LintCollector) {
    guard writes.contains(where: \.ignoresData) else { return }
    let canonical = CanonicalText(place: rule.place)
    for condition in expression.conjuncts {
      if Self.requiresExistence(condition, canonical) {
        guard !isRequiredAbove else { continue }
        collector.add(
          .deleteSkipsValidate,
          "This condition never fails: deletes skip .validate, and it is true for all other writes.",
          in: rule, at: condition)
      } else if isGuard(condition), writes.contains(where: { $0.ignoresData && !$0.requires(condition, canonical) }) {
        collector.add(
          .deleteSkipsValidate, "Deletes skip this condition.", in: rule, at: condition)
      }
    }
  }

  /// Returns true for `newData.exists()` and `newData.val() != null`, for the rule's own place.
  private static func requiresExistence(_ condition: TypedExpression, _ canonical: CanonicalText) -> Bool {
    let snapshot: TypedExpression
    switch condition.form {
    case .snapshotTest(let receiver, .exists): snapshot = receiver
    case .binary(.notEqual, let left, let right):
      guard case .snapshotTest(let receiver, .val) = left.form, case .constant(.null) = right.form else { return false }
      snapshot = receiver
    default: return false
    }
    if case .snapshot(.newData) = snapshot.form { return true }
    return false
  }

  /// Returns true for a condition about the client or the existing data, and not about the written value.
  private func isGuard(_ condition: TypedExpression) -> Bool {
    if condition.contains(where: { $0.isNewData }) { return false }
    return condition.contains { part in
      if case .snapshot(.data) = part.form { return true }
      return part.isClaim
    }
  }

  /// True when a `.validate` above, which is evaluated when this place is deleted, requires it to exist.
  private var isRequiredAbove: Bool {
    validatesAbove.contains { above in
      let canonical = CanonicalText(place: above.rule.place)
      let own = CanonicalText(place: rule.place).ownPath(isAfter: true, depth: rule.place.count)
      return canonical.existing(where: above.expression.conjuncts).contains(own)
    }
  }
}

/// A `.read` or `.write`, with the results of its analysis.
struct GrantingRule {
  let rule: Rule
  let expression: TypedExpression
  let outcomes: Outcomes
  let shape: GrantShape

  init(_ rule: Rule, _ expression: TypedExpression) {
    self.rule = rule
    self.expression = expression
    outcomes = Outcomes(of: expression)
    shape = GrantShape(rule, expression)
  }

  /// True when it can be true regardless of the stored and written data, so that it allows deletes like all other
  /// writes.
  var ignoresData: Bool {
    guard outcomes.contains(.yes) else { return false }
    return !expression.contains { part in
      switch part.form {
      case .snapshot(.data), .snapshot(.newData): true
      default: false
      }
    }
  }

  /// Returns true when the condition is true for every request that the rule allows.
  func requires(_ condition: TypedExpression, _ canonical: CanonicalText) -> Bool {
    guard let text = canonical.text(of: condition) else { return false }
    return shape.always(text)
  }
}

extension TypedExpression {
  /// True for `newData`.
  var isNewData: Bool { if case .snapshot(.newData) = form { true } else { false } }
}
