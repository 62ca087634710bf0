import HearthRules

/// The bounds of a trial, one reason each. Clients decide what is judged, so that none of it may grow with them.
public struct TrialLimits: Sendable {
  /// Decisions that wait to be judged, at about half a kilobyte each. When there are more, further ones are dropped.
  public var waitingCountMax = 16_384

  /// Bytes that those hold: what they carry, and what was replaced since the oldest of them, which keeps the tree of its
  /// moment. When there are more, the oldest are dropped.
  public var waitingBytesMax = 64 << 20

  /// Steps of rules for one decision, some tens of milliseconds. One that takes more is undecided.
  public var stepsMax = 1_000_000

  /// The time that the judge works at a stretch. Then it rests as long as it worked: it takes half of one processor at
  /// most.
  public var sliceMilliseconds: Int64 = 4

  /// Groups of flips that are told apart, at some kilobytes each.
  public var flipGroupsMax = 256

  /// Examples of each group.
  public var examplesMax = 3

  /// Patterns of listeners and of stored data that a forecast tells apart.
  public var forecastGroupsMax = 256

  /// Users and paths that a forecast names of each.
  public var samplesMax = 5

  /// The time that a forecast may take. It holds on to the tree of its beginning.
  public var forecastSecondsMax: Int64 = 600

  /// Steps of rules between two looks at the clock.
  public var forecastSteps = 20_000

  /// Bytes of a text that is shown: a path, a user id.
  public static let textBytesMax = 200

  /// Rules that the trace of an example shows: the first ones, and the last.
  public static let traceRulesMax = 8

  /// Parts of the deciding expression of a rule whose values a trace shows.
  public static let traceValuesMax = 8

  /// Places for which it is known whether two files have the same rules there.
  public static let placesMax = 65_536

  /// The limits of a server, to be narrowed by tests.
  public init() {}
}
