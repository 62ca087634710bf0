import HearthEngine
import HearthRules

/// The report of a trial: how staged rules would have decided the requests meanwhile.
public struct TrialReport: Sendable {
  /// The start time, in milliseconds since 1970.
  public var startedMilliseconds: Int64
  /// The time of the last judged decision; the start time when there was none.
  public var lastMilliseconds: Int64
  /// The number of judged decisions: equal, undecided or flipped.
  public var judgedCount = 0
  /// The number of decisions with the same answer from the staged rules.
  public var equalCount = 0
  /// The number of these decisions that needed no evaluation, because the relevant rules are the same.
  public var sameRulesCount = 0
  /// The number of decisions for which the staged rules took too many steps.
  public var undecidedCount = 0
  /// The number of decisions that were not judged because too many waited.
  public var droppedCount = 0
  /// The number of allowed requests that would be denied.
  public var closedCount = 0
  /// The number of denied requests that would be allowed.
  public var openedCount = 0
  /// The flips by the deciding rules and location, the most frequent ones first.
  public var flips: [TrialFlip] = []
  /// The number of flips outside ``flips``, which is bounded.
  public var unlistedFlipCount = 0
  /// The forecast of a promotion; nil when none was requested.
  public var forecast: TrialForecast?

  /// Creates an empty report.
  public init(startedMilliseconds: Int64) {
    self.startedMilliseconds = startedMilliseconds
    lastMilliseconds = startedMilliseconds
  }
}

/// Decisions that staged rules reverse, grouped by the deciding rules and the location.
public struct TrialFlip: Sendable {
  /// The direction of a flip.
  public enum Direction: String, Sendable, CaseIterable {
    /// Allowed, and denied by the staged rules.
    case closed
    /// Denied, and allowed by the staged rules.
    case opened
  }

  /// The direction of these flips.
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
  /// The number of flips.
  public var count = 0
  /// The time of the first flip, in milliseconds since 1970.
  public var firstMilliseconds: Int64
  /// The time of the last flip, in milliseconds since 1970.
  public var lastMilliseconds: Int64
  /// A sample of examples, of different users or locations.
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
  /// The trace of the staged rules' decision, one rule a line. Of data and credentials it shows only `true`, `false`,
  /// `null` and the lengths of texts.
  public var trace: [String]
}
