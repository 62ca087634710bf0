import HearthRules

/// Looks for conditions of a `.validate` that do not hold for deletes, where deletes are granted.
struct DeleteLint {
  let rule: Rule
  let expression: TypedExpression
  /// The `.write` rules on the way to it, and at it.
  let writes: [GrantingRule]
  /// The `.validate` rules above it.
  let validatesAbove: [(rule: Rule, expression: TypedExpression)]

  /// Adds what is found.
  func check(_ notes: inout LintNotes) {
    guard writes.contains(where: \.ignoresData) else { return }
    let canonical = CanonicalText(place: rule.place)
    for condition in expression.conjuncts {
      if Self.asksWhetherThere(condition, canonical) {
        guard !isRequiredAbove else { continue }
        notes.add(
          .deleteSkipsValidate, "This does not keep anybody from deleting the place, and is true of everything else.",
          in: rule, at: condition)
      } else if isGuard(condition), writes.contains(where: { $0.ignoresData && !$0.asks(condition, canonical) }) {
        notes.add(.deleteSkipsValidate, "Deletes of this place pass without this condition.", in: rule, at: condition)
      }
    }
  }

  /// `newData.exists()` and `newData.val() != null`, of the rule's own place.
  private static func asksWhetherThere(_ condition: TypedExpression, _ canonical: CanonicalText) -> Bool {
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

  /// It is about who asks, or about what is there, and not about what is written.
  private func isGuard(_ condition: TypedExpression) -> Bool {
    if condition.contains(where: { $0.isNewData }) { return false }
    return condition.contains { part in
      if case .snapshot(.data) = part.form { return true }
      return part.isClaim
    }
  }

  /// A `.validate` above, which is asked when this place is deleted, wants it to be there.
  private var isRequiredAbove: Bool {
    validatesAbove.contains { above in
      let canonical = CanonicalText(place: above.rule.place)
      let own = CanonicalText(place: rule.place).ownPath(isAfter: true, depth: rule.place.count)
      return canonical.existing(where: above.expression.conjuncts).contains(own)
    }
  }
}

/// A `.read` or `.write`, and what its text tells of it.
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

  /// It can grant, and whatever there is and is written: deletes are granted as all else is.
  var ignoresData: Bool {
    guard outcomes.contains(.yes) else { return false }
    return !expression.contains { part in
      switch part.form {
      case .snapshot(.data), .snapshot(.newData): true
      default: false
      }
    }
  }

  /// Whoever passes it has passed this condition.
  func asks(_ condition: TypedExpression, _ canonical: CanonicalText) -> Bool {
    guard let text = canonical.text(of: condition) else { return false }
    return shape.always(text)
  }
}

extension TypedExpression {
  /// `newData`
  var isNewData: Bool { if case .snapshot(.newData) = form { true } else { false } }
}
