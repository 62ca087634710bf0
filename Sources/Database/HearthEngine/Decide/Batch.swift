import HearthRules
import HearthTree

/// What one round of decisions comes to: records to make durable, then effects to release.
public struct Batch: Sendable {
  /// The records of the commits, in the format of ``CommitRecord``; empty when nothing was committed.
  public var payload: [UInt8]

  /// The position of the first commit in ``payload``; the last one's is `state.position`.
  public var firstPosition: Int64

  /// How many of the commands given were decided. The others go to the next batch.
  public var commandCount: Int

  /// In order. They must not be released before ``payload`` is durable.
  public var effects: [Effect]

  /// The state after the batch, to be published once it is durable.
  public var state: Published

  /// The command that takes long and was set aside: the last of those that were decided, or one that was sent before the first
  /// that was not. nil when there is none.
  public var largeCommand: LargeCommand?

  /// The last of the turns that are given by ``effects``: see ``Command/Action/turnsTold(upTo:)``.
  public var turn: UInt64?

  /// The decisions of the rules that it took; nil unless ``Engine/tapDecisions(_:)`` was called.
  public var decided: DecidedCases?

  /// The commits that changed data, in order; empty unless ``Engine/tapChanges(_:)`` was called.
  public var changes: [CommittedChange] = []

  /// The places that each commit changed, in order; empty unless ``Engine/placeTap`` is on.
  public var places = CommitPlaces()

  /// How requests were answered.
  public var tally = RequestTally()

  /// What took many steps, in order.
  public var work: [ConnectionWork] = []

  /// The same of work that was done elsewhere, and that the batch settles.
  public var besideWork: [ConnectionWork] = []

  /// When the first of its commands came, on whatever clock its owner notes that by; 0 when nobody noted it.
  public var arrivalNanoseconds: UInt64 = 0

  /// True when there is something to make durable.
  public var hasCommits: Bool { !payload.isEmpty }
}
