import HearthRules

/// The forecast of a promotion of staged rules: the current listeners that it would cancel, and the stored data that it
/// would refuse.
public struct TrialForecast: Sendable {
  /// The progress of a forecast.
  public enum State: String, Sendable, CaseIterable {
    /// The forecast is in progress.
    case running
    /// All listeners and data were checked.
    case complete
    /// An operator cancelled the forecast.
    case cancelled
    /// The forecast exceeded its time limit.
    case timedOut
  }

  /// The progress. The counts cover the part that has been checked.
  public var state = State.running
  /// The start time, in milliseconds since 1970.
  public var startedMilliseconds: Int64
  /// The duration so far, in milliseconds.
  public var tookMilliseconds: Int64 = 0
  /// The effects on current listeners.
  public var listeners = ListenerForecast()
  /// The effects on stored data.
  public var data = DataForecast()

  /// Creates an empty forecast.
  public init(startedMilliseconds: Int64) { self.startedMilliseconds = startedMilliseconds }
}

/// The listeners, live queries and streams that a promotion would cancel.
public struct ListenerForecast: Sendable {
  /// The listeners at one location that one rule denies.
  public struct Pattern: Sendable {
    /// The pattern of the location in the rules.
    public var pattern: String
    /// The denying rule; nil when no rule applies there.
    public var stagedRule: RuleReference?
    /// The number of listeners.
    public var count = 0
    /// The number of listeners with a query.
    public var queryCount = 0
    /// The user IDs of some listeners; nil for a signed-out client.
    public var uids: [String?] = []
  }

  /// The number of checked listeners, without administrators'.
  public var examinedCount = 0
  /// The number of listeners that would be cancelled.
  public var cancelledCount = 0
  /// The number of listeners for which the rules took too many steps.
  public var undecidedCount = 0
  /// The listeners that would be cancelled, the most frequent patterns first.
  public var patterns: [Pattern] = []
  /// The number of cancelled listeners outside ``patterns``, which is bounded.
  public var unlistedCount = 0

  /// Creates an empty forecast.
  public init() {}
}

/// The stored data that the staged `.validate` rules would refuse if it were written again unchanged.
public struct DataForecast: Sendable {
  /// The data that one rule refuses.
  public struct Failure: Sendable {
    /// The pattern of the location in the rules.
    public var pattern: String
    /// The refusing rule.
    public var rule: RuleReference
    /// The number of locations.
    public var count = 0
    /// The number of these locations that the rules in force refuse as well.
    public var alreadyFailingCount = 0
    /// Some of the paths.
    public var paths: [String] = []
  }

  /// The number of checked locations. Locations with unchanged `.validate` rules are not checked.
  public var checkedCount = 0
  /// The number of locations that would be refused.
  public var failedCount = 0
  /// The number of these locations that the rules in force refuse as well.
  public var alreadyFailingCount = 0
  /// The number of locations whose rule denies a signed-out client and reads `auth`, so that the result depends on the
  /// writer. They are not in ``failedCount``.
  public var dependsOnAuthCount = 0
  /// The number of locations whose rule denies and reads `now`, so that the result depends on the time. They are not in
  /// ``failedCount``.
  public var dependsOnTimeCount = 0
  /// The data that would be refused, the most frequent patterns first.
  public var failures: [Failure] = []
  /// The number of refused locations outside ``failures``, which is bounded.
  public var unlistedCount = 0
  /// The estimated part of the data that has been checked, from 0 to 1.
  public var progress = 0.0

  /// Creates an empty forecast.
  public init() {}
}
