import HearthTree

/// The decision of a rule set on a request, with its reason.
public struct Decision: Sendable {
  /// The reason for the decision.
  public enum Outcome: String, Sendable, Equatable {
    /// A read or write rule was true, and, for a write, every applicable validate rule was true.
    case granted
    /// The path has no rule of the required kind.
    case noRule
    /// The path has rules, and none of them was true.
    case noGrant
    /// A write was granted, but a validate rule was not true.
    case invalid
  }

  /// The reason for allowing or refusing the request.
  public var outcome: Outcome
  /// The rule that decided: the one that granted, the validate rule that refused, or, when none granted, the deepest
  /// rule that was evaluated. nil when the path has no rule.
  public var rule: RuleReference?
  /// The path at which the deciding rule was evaluated; the requested path when there is no rule.
  public var path: Path
  /// The reason why the deciding rule has no value; it then counts as false. nil when it was true or false.
  public var error: EvaluationError?
  /// The evaluation in detail. nil unless ``DecisionDetail/trace`` was requested.
  public var trace: Trace?
  /// The denied request, for a later explanation. nil for an allowed request.
  package internal(set) var denied: DeniedRequest?
  /// The number of evaluation steps, for callers that share time among decisions; 0 when the steps were not counted.
  package internal(set) var stepCount = 0
  /// The data and variables that the decision depends on. nil unless ``DecisionDetail/dependencies`` was requested.
  public var dependencies: ReadDependencies?

  /// Every rule that was evaluated, in order. Empty unless ``DecisionDetail/trace`` was requested.
  public var visited: [RuleVisit] { trace?.visits ?? [] }

  /// True when some rule grants the request and none refuses it.
  public var isAllowed: Bool { outcome == .granted }

  /// Creates a decision.
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

/// The details of a decision that a caller requests. Details that are not requested cost nothing.
public struct DecisionDetail: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Fills in ``Decision/trace``.
  public static let trace = DecisionDetail(rawValue: 1)
  /// Fills in ``Decision/dependencies``.
  public static let dependencies = DecisionDetail(rawValue: 2)
}
