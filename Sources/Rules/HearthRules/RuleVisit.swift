import HearthTree

/// One rule that was evaluated for a decision.
public struct RuleVisit: Sendable, Equatable {
  /// What a rule said.
  public enum Result: Sendable, Equatable {
    /// It came to an end with that truth value.
    case value(Bool)
    /// It could not be evaluated, and counts as false.
    case error(EvaluationError)
  }

  /// Which rule.
  public var rule: RuleReference
  /// The concrete place, wildcards filled in.
  public var path: Path
  /// What it said.
  public var result: Result
  /// What its parts came to. Nil when the rules were compiled for deciding alone.
  public var expression: TracedExpression?
  /// The part that decided: an operand that made an `&&` false or an `||` true, the condition of a conditional that
  /// chose a constant, or where an error arose. With its operands and nothing below
  /// them. Nil like ``expression``.
  public var decisive: TracedExpression?
  /// What data it looked at, in order; empty when the rules were compiled for deciding alone.
  public var reads: [TracedRead] = []
  /// More was evaluated or looked at than is shown.
  public var isCut = false
}
