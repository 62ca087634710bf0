/// The result of a decision without any reference count. The rule is the rule set's, which outlasts the decision.
struct Verdict {
  var outcome: Decision.Outcome
  /// The rule; nil when the path has none.
  var rule: Unmanaged<Rule>?
  /// The number of keys of the path to the place of the rule.
  var depth: Int
  var error: EvaluationError?

  var isAllowed: Bool { outcome == .granted }
}
