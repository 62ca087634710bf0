/// The result of a decision, without reference counting. The rule belongs to the rule set, which outlives the decision.
struct Verdict {
  var outcome: Decision.Outcome
  /// The rule; nil when the path has none.
  var rule: Unmanaged<Rule>?
  /// The depth of the rule: the number of keys in its path.
  var depth: Int
  var error: EvaluationError?

  var isAllowed: Bool { outcome == .granted }
}
