/// What came of a decision, in a few words that no reference count hangs on. The rule is the rule set's, which outlasts
/// the decision.
struct Verdict {
  var outcome: Decision.Outcome
  /// Nil when no rule stands on the path.
  var rule: Unmanaged<Rule>?
  /// How many keys of the path lead to where the rule was asked.
  var depth: Int
  var error: EvaluationError?

  var isAllowed: Bool { outcome == .granted }
}
