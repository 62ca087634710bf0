import HearthRules

/// What promoting staged rules would do to those who listen now, and what of the stored data they would not take.
public struct TrialForecast: Sendable {
  /// How far it is.
  public enum State: String, Sendable, CaseIterable {
    /// It goes on.
    case running
    /// Everything was looked at.
    case complete
    /// Somebody ended it.
    case cancelled
    /// It took too long.
    case timedOut
  }

  /// How far it is. The counts are of what was looked at.
  public var state = State.running
  /// When it began, in milliseconds since 1970.
  public var startedMilliseconds: Int64
  /// The time that it has taken.
  public var tookMilliseconds: Int64 = 0
  /// Those who listen.
  public var listeners = ListenerForecast()
  /// What is stored.
  public var data = DataForecast()

  /// Nothing was looked at.
  public init(startedMilliseconds: Int64) { self.startedMilliseconds = startedMilliseconds }
}

/// Listeners, live queries and streams that promoting would cancel.
public struct ListenerForecast: Sendable {
  /// Those of one place that one rule denies.
  public struct Pattern: Sendable {
    /// Where, as the rules name it.
    public var pattern: String
    /// What denies it; nil when no rule applies there.
    public var stagedRule: RuleReference?
    /// How many.
    public var count = 0
    /// Of those, how many have a query.
    public var queryCount = 0
    /// Whose they are, a few; nil is somebody who is signed out.
    public var uids: [String?] = []
  }

  /// How many were asked about. Administrators' are not.
  public var examinedCount = 0
  /// How many would be cancelled.
  public var cancelledCount = 0
  /// For how many it took too many steps to say.
  public var undecidedCount = 0
  /// Those that would be, the most frequent places first.
  public var patterns: [Pattern] = []
  /// Those that are in none of ``patterns``, because there are too many.
  public var unlistedCount = 0

  /// Nobody was asked about.
  public init() {}
}

/// Stored data that the staged `.validate` rules would not take if it were written again as it is.
public struct DataForecast: Sendable {
  /// What one rule refuses.
  public struct Failure: Sendable {
    /// Where, as the rules name it.
    public var pattern: String
    /// What refuses it.
    public var rule: RuleReference
    /// How many places.
    public var count = 0
    /// Of those, how many the rules in force would not take either.
    public var alreadyFailingCount = 0
    /// A few of them.
    public var paths: [String] = []
  }

  /// Places that were asked about. Where the `.validate` rules are the same, nothing is.
  public var checkedCount = 0
  /// Places that would be refused.
  public var failedCount = 0
  /// Of those, how many the rules in force would not take either.
  public var alreadyFailingCount = 0
  /// Places whose rule says no without a user, and looks at `auth`: it depends on who writes. They are not in
  /// ``failedCount``.
  public var dependsOnAuthCount = 0
  /// Places whose rule says no, and looks at `now`: it depends on when. They are not in ``failedCount``.
  public var dependsOnTimeCount = 0
  /// Those that would be refused, the most frequent ones first.
  public var failures: [Failure] = []
  /// Places that are in none of ``failures``, because there are too many.
  public var unlistedCount = 0
  /// How much was looked at, from 0 to 1: an estimate.
  public var progress = 0.0

  /// Nothing was looked at.
  public init() {}
}
