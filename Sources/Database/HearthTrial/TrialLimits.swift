import HearthRules

/// The limits of a trial, with one reason each. Clients decide how many decisions are judged, so no part of a trial may
/// grow with them.
public struct TrialLimits: Sendable {
  /// The most decisions that wait to be judged, at about half a kilobyte each. Further ones are dropped.
  public var waitingCountMax = 16_384

  /// The most bytes that waiting decisions retain: their own, and the data replaced since the oldest of them, which
  /// retains the tree of its time. Beyond it the oldest are dropped.
  public var waitingBytesMax = 64 << 20

  /// The most steps of rules for one decision, some tens of milliseconds. A decision with more is undecided.
  public var stepsMax = 1_000_000

  /// The time that the judge works without a pause. Then it rests for as long, so that it takes at most half of one
  /// processor.
  public var sliceMilliseconds: Int64 = 4

  /// The most groups of flips in a report, at some kilobytes each.
  public var flipGroupsMax = 256

  /// The most examples of each group.
  public var examplesMax = 3

  /// The most patterns of listeners and of stored data in a forecast.
  public var forecastGroupsMax = 256

  /// The most users and paths for each pattern in a forecast.
  public var samplesMax = 5

  /// The most seconds of a forecast, which retains the tree of its beginning.
  public var forecastSecondsMax: Int64 = 600

  /// The steps of rules between two readings of the clock.
  public var forecastSteps = 20_000

  /// The most bytes of a text in a report: a path, a user ID.
  public static let textBytesMax = 200

  /// The most rules in the trace of an example: the first ones, and the last.
  public static let traceRulesMax = 8

  /// The most parts of a rule's deciding expression whose values a trace shows.
  public static let traceValuesMax = 8

  /// The most locations for which the comparison of the two files' rules is cached.
  public static let placesMax = 65_536

  /// Creates the limits of a server, which tests may lower.
  public init() {}
}
