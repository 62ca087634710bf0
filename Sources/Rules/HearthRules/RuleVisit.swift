import HearthTree

/// The evaluation of one rule in a decision.
public struct RuleVisit: Sendable, Equatable {
  /// The result of a rule.
  public enum Result: Sendable, Equatable {
    /// The rule has this truth value.
    case value(Bool)
    /// The rule could not be evaluated, and counts as false.
    case error(EvaluationError)
  }

  /// The rule.
  public var rule: RuleReference
  /// The path, with the keys that the wildcards matched.
  public var path: Path
  /// The rule's result.
  public var result: Result
  /// The results of the rule's parts. nil when the rules were compiled without `keepsExpressions`.
  public var expression: TracedExpression?
  /// The part that decided: an operand that made an `&&` false or an `||` true, the condition of a conditional that
  /// selected a constant, or the source of an error. It has operands, but these have none. It is nil when
  /// ``expression`` is nil.
  public var decisive: TracedExpression?
  /// The reads of data, in order; empty when the rules were compiled without `keepsExpressions`.
  public var reads: [TracedRead] = []
  /// True when more was evaluated or read than is recorded.
  public var isCut = false
}
