import HearthTree

/// What a rule set answers to a request, and why.
public struct Decision: Sendable {
  /// The reason why the answer is what it is.
  public enum Outcome: String, Sendable, Equatable {
    /// A read or write rule was true, and for a write so was every validate rule concerned.
    case granted
    /// No rule of the asked kind stands on the path.
    case noRule
    /// Rules stand on the path and none of them was true.
    case noGrant
    /// A write was granted, but a validate rule was not true.
    case invalid
  }

  /// The reason why it was allowed or not.
  public var outcome: Outcome
  /// The rule that decided: the one that granted, the validate rule that refused, or, when nothing granted, the
  /// deepest rule that was asked. Nil when no rule stands on the path.
  public var rule: RuleReference?
  /// The place where the deciding rule was evaluated; the requested path when there is no rule.
  public var path: Path
  /// The reason why the deciding rule has no value; it then counts as false. Nil when it was simply true or false.
  public var error: EvaluationError?
  /// How it came to that. Nil unless ``DecisionDetail/trace`` was asked for.
  public var trace: Trace?
  /// What was asked, when the answer is no: to explain it later. Nil for a request that is allowed.
  package internal(set) var denied: DeniedRequest?
  /// Steps that the rules took, for those who share time among decisions; 0 for a decision that was not counted.
  package internal(set) var stepCount = 0
  /// What the decision depends on. Nil unless ``DecisionDetail/dependencies`` was asked for.
  public var dependencies: ReadDependencies?

  /// Every rule that was evaluated, in order. Empty unless ``DecisionDetail/trace`` was asked for.
  public var visited: [RuleVisit] { trace?.visits ?? [] }

  /// True when some rule grants it and nothing refuses it.
  public var isAllowed: Bool { outcome == .granted }

  /// A decision of these parts.
  public init(
    outcome: Outcome, rule: RuleReference?, path: Path, error: EvaluationError? = nil, trace: Trace? = nil,
    dependencies: ReadDependencies? = nil
  ) {
    self.outcome = outcome
    self.rule = rule
    self.path = path
    self.error = error
    self.trace = trace
    self.dependencies = dependencies
  }
}

/// What a caller wants to know beyond the answer. Nothing of it costs anything unless asked for.
public struct DecisionDetail: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Fill in ``Decision/trace``.
  public static let trace = DecisionDetail(rawValue: 1)
  /// Fill in ``Decision/dependencies``.
  public static let dependencies = DecisionDetail(rawValue: 2)
}
