import HearthRules
import HearthTree

extension ExposureWitness {
  /// Returns notes for the author of the rules about comparisons that are true because a value is missing.
  package func nullComparisonNotes(_ rules: RuleSet) -> [String] {
    guard let granting = decision(by: rules, detail: .trace).trace?.visits.first(where: Self.grants),
      let expression = granting.rule.rule.expression, let traced = granting.expression
    else { return [] }
    var results: [Range<Int>: TracedExpression] = [:]
    Self.collect(traced, &results)
    var found: [String] = []
    expression.visit { part in
      guard case .binary(let binary, let a, let b) = part.form, binary == .equal || binary == .notEqual,
        let whole = results[part.range], whole.result == .value(.bool(true)), let left = results[a.range],
        let right = results[b.range], !left.isLiteral, !right.isLiteral
      else { return }
      let (isLeftNull, isRightNull) = (left.result == .value(.null), right.result == .value(.null))
      if binary == .equal, isLeftNull, isRightNull {
        found.append("\(whole.text) is true because both sides are null")
      } else if binary == .notEqual, isLeftNull != isRightNull {
        found.append("\(whole.text) is true because \((isLeftNull ? left : right).text) is null")
      }
    }
    return found
  }

  private static func grants(_ visit: RuleVisit) -> Bool {
    visit.rule.kind != .validate && visit.result == .value(true)
  }

  private static func collect(_ traced: TracedExpression, _ results: inout [Range<Int>: TracedExpression]) {
    results[traced.range] = traced
    for operand in traced.operands { collect(operand, &results) }
  }
}
