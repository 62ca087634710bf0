import HearthRules

/// The limits of a trial, with one reason each. Clients determine the number of decisions, so no part of a trial may
/// grow with it.
public struct TrialLimits: Sendable {
  /// The most decisions that wait to be repeated, at about half a kilobyte each. Further ones are dropped.
  public var waitingCountMax = 16_384

  /// The most bytes that waiting decisions retain: their own, and the data that was replaced since the oldest of them,
  /// which retains the tree that it was made on. Beyond this limit the oldest are dropped.
  public var waitingBytesMax = 64 << 20

  /// The most steps of rules for one decision, some tens of milliseconds. A decision that takes more counts as
  /// undecided.
  public var stepsMax = 1_000_000

  /// The time in milliseconds for which a trial repeats decisions without a pause. Then it pauses for as long, so that
  /// it takes at most half of one processor.
  public var sliceMilliseconds: Int64 = 4

  /// The most groups of reversed decisions in a report, at some kilobytes each.
  public var reversalGroupsMax = 256

  /// The most examples of each group.
  public var examplesMax = 3

  /// The most patterns of listeners and of stored data in a forecast.
  public var forecastGroupsMax = 256

  /// The most users and paths for each pattern in a forecast.
  public var samplesMax = 5

  /// The most seconds of a forecast, which retains the tree that it began with.
  public var forecastSecondsMax: Int64 = 600

  /// The steps of rules between two readings of the clock.
  public var forecastSteps = 20_000

  /// The most bytes of a string from a client in a report, such as a path or a user ID.
  public static let textBytesMax = 200

  /// The most rules in the trace of an example: the first ones and the last one.
  public static let traceRulesMax = 8

  /// The most subexpressions of a rule's deciding expression whose values a trace shows.
  public static let traceValuesMax = 8

  /// The most locations for which the comparison of the two files' rules is cached.
  public static let locationsMax = 65_536

  /// Creates the limits of a server, which tests may lower.
  public init() {}
}
