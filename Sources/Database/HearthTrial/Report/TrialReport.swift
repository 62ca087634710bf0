import HearthEngine
import HearthRules

/// The report of a trial: how staged rules would have decided the requests during the trial.
public struct TrialReport: Sendable {
  /// The start time, in milliseconds since 1970.
  public var startedMilliseconds: Int64
  /// The time of the last repeated decision; the start time when there was none.
  public var lastMilliseconds: Int64
  /// The number of decisions that were repeated with the staged rules: equal, undecided or reversed.
  public var judgedCount = 0
  /// The number of decisions with the same answer from the staged rules.
  public var equalCount = 0
  /// The number of these decisions that needed no evaluation, because the relevant rules are the same.
  public var sameRulesCount = 0
  /// The number of decisions for which the staged rules took too many steps.
  public var undecidedCount = 0
  /// The number of decisions that were not repeated because too many waited.
  public var droppedCount = 0
  /// The number of allowed requests that would be denied.
  public var closedCount = 0
  /// The number of denied requests that would be allowed.
  public var openedCount = 0
  /// The reversals, grouped by the deciding rules and the location, the most frequent ones first.
  public var flips: [ReversalGroup] = []
  /// The number of reversed decisions that ``flips``, which is bounded, does not contain.
  public var unlistedReversalCount = 0
  /// The forecast of a promotion; nil when none was requested.
  public var forecast: TrialForecast?

  /// Creates an empty report.
  public init(startedMilliseconds: Int64) {
    self.startedMilliseconds = startedMilliseconds
    lastMilliseconds = startedMilliseconds
  }
}

/// Decisions that staged rules reverse, grouped by the deciding rules and the location.
public struct ReversalGroup: Sendable {
  /// The direction of a reversal.
  public enum Direction: String, Sendable, CaseIterable {
    /// Requests that were allowed, and that the staged rules deny.
    case closed
    /// Requests that were denied, and that the staged rules allow.
    case opened
  }

  /// The direction of these reversals.
  public var direction: Direction
  /// The requested operation.
  public var operation: RecordedDecision.Operation
  /// The pattern of the location in the rules: `/rooms/$room`. An `…` at its end stands for all locations below the
  /// rules.
  public var pattern: String
  /// The deciding rule of the staged rules; nil when no rule applies there.
  public var stagedRule: RuleReference?
  /// The deciding rule of the rules in force; nil when no rule applies there.
  public var rule: RuleReference?
  /// The number of reversed decisions.
  public var count = 0
  /// The time of the first reversed decision, in milliseconds since 1970.
  public var firstMilliseconds: Int64
  /// The time of the last reversed decision, in milliseconds since 1970.
  public var lastMilliseconds: Int64
  /// Some examples, of different users or locations.
  public var examples: [TrialExample] = []

  init(
    direction: Direction, operation: RecordedDecision.Operation, pattern: String, stagedRule: RuleReference?,
    rule: RuleReference?, firstMilliseconds: Int64
  ) {
    self.direction = direction
    self.operation = operation
    self.pattern = pattern
    self.stagedRule = stagedRule
    self.rule = rule
    self.firstMilliseconds = firstMilliseconds
    lastMilliseconds = firstMilliseconds
  }
}

/// One decision that would be reversed.
public struct TrialExample: Sendable {
  /// The path of the request.
  public var path: String
  /// The user ID of the caller; nil for a signed-out client.
  public var uid: String?
  /// The time of the decision, in milliseconds since 1970.
  public var milliseconds: Int64
  /// The trace of the staged rules' decision, one line for each rule. Of data and credentials it shows only `true`,
  /// `false`, `null` and the lengths of texts.
  public var trace: [String]
}
