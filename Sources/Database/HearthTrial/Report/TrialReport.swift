import HearthEngine
import HearthRules

/// What a trial has found: how staged rules would have answered what was asked meanwhile.
public struct TrialReport: Sendable {
  /// When it began, in milliseconds since 1970.
  public var startedMilliseconds: Int64
  /// The time when the last decision was made that was judged; the beginning when none was.
  public var lastMilliseconds: Int64
  /// Decisions that were judged: those that are equal, undecided or flipped.
  public var judgedCount = 0
  /// The staged rules answer the same.
  public var equalCount = 0
  /// Of those, how many needed no evaluation, because the rules on the whole way are the same.
  public var sameRulesCount = 0
  /// The staged rules took too many steps.
  public var undecidedCount = 0
  /// Decisions that were not judged, because too many waited.
  public var droppedCount = 0
  /// What is allowed and would be denied.
  public var closedCount = 0
  /// What is denied and would be allowed.
  public var openedCount = 0
  /// The flips by the rules that decided and by place, the most frequent ones first.
  public var flips: [TrialFlip] = []
  /// Flips that are in none of ``flips``, because there are too many.
  public var unlistedFlipCount = 0
  /// What promoting would do to listeners and to stored data, as far as it was asked for and is known.
  public var forecast: TrialForecast?

  /// Nothing was judged yet.
  public init(startedMilliseconds: Int64) {
    self.startedMilliseconds = startedMilliseconds
    lastMilliseconds = startedMilliseconds
  }
}

/// Decisions that two rules made, and that staged rules make the other way.
public struct TrialFlip: Sendable {
  /// Which way.
  public enum Direction: String, Sendable, CaseIterable {
    /// Allowed, and denied by the staged rules.
    case closed
    /// Denied, and allowed by the staged rules.
    case opened
  }

  /// Which way they went.
  public var direction: Direction
  /// What was asked.
  public var operation: DecidedCase.Operation
  /// Where, as the rules name it: `/rooms/$room`. An `…` at its end stands for all below the rules.
  public var pattern: String
  /// What decided of the staged rules; nil when no rule applies there.
  public var stagedRule: RuleReference?
  /// What decided of the rules in force; nil when no rule applies there.
  public var rule: RuleReference?
  /// How many.
  public var count = 0
  /// The first of them, in milliseconds since 1970.
  public var firstMilliseconds: Int64
  /// The last of them.
  public var lastMilliseconds: Int64
  /// A few of them, of different users or places.
  public var examples: [TrialExample] = []

  init(
    direction: Direction, operation: DecidedCase.Operation, pattern: String, stagedRule: RuleReference?,
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

/// One decision that would be another.
public struct TrialExample: Sendable {
  /// Where.
  public var path: String
  /// Who asked; nil for somebody who was signed out.
  public var uid: String?
  /// When, in milliseconds since 1970.
  public var milliseconds: Int64
  /// How the staged rules came to their answer, one rule a line. Nothing of the data or of credentials is in it but
  /// `true`, `false`, `null` and the lengths of texts.
  public var trace: [String]
}
