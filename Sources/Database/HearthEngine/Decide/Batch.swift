import HearthRules
import HearthTree

/// The result of one round of decisions: records to make durable, and effects to release afterwards.
public struct Batch: Sendable {
  /// The records of the commits, in the format of ``CommitRecord``; empty when nothing was committed.
  public var payload: [UInt8]

  /// The position of the first commit in ``payload``; the last one's is `state.position`.
  public var firstPosition: Int64

  /// The number of decided commands. The others belong to the next batch.
  public var commandCount: Int

  /// The effects in order. They must not be released before ``payload`` is durable.
  public var effects: [Effect]

  /// The state after the batch, to be published once it is durable.
  public var state: DatabaseState

  /// The command that takes long and was not decided: the last of the ``commandCount`` commands, or a waiting write
  /// that precedes the next command. nil when there is none.
  public var largeCommand: LargeCommand?

  /// The live query to evaluate in the background, then to settle by ``Engine/settle(evaluated:at:)``; nil when there
  /// is none.
  public var liveQuery: LargeQuery?

  /// The number of the last transaction turn that begins with ``effects``; nil when none does: see
  /// ``Command/Action/turnsDelivered(upTo:)``.
  public var turn: UInt64?

  /// The rules decisions of the batch; nil unless ``Engine/recordDecisions(_:)`` was called.
  public var decided: RecordedDecisions?

  /// The commits that changed data, in order; empty unless ``Engine/observeCommits(_:)`` was called.
  public var changes: [CommittedChange] = []

  /// The locations that each commit changed, in order; empty unless ``Engine/locationRecorder`` is on.
  public var places = CommitLocations()

  /// The counts of answers to requests.
  public var tally = RequestTally()

  /// The commands and redecisions with many steps, in order.
  public var work: [ConnectionWork] = []

  /// The background work with many steps whose result the batch commits.
  public var backgroundWork: [ConnectionWork] = []

  /// The path of the first command that was refused because a page cannot be read; nil when there is none.
  public var unreadPath: Path?

  /// True when a page could not be read while the batch was changing the engine: its decisions may be wrong, and it
  /// must be neither stored nor delivered. The engine must not be used again.
  public var isUnsound = false

  /// The arrival time of the batch's first command, on the owner's clock; 0 when it was not recorded.
  public var arrivalNanoseconds: UInt64 = 0

  /// True when there are records to make durable.
  public var hasCommits: Bool { !payload.isEmpty }
}

extension Batch {
  /// Returns the batch with `steps` of background work added for its command; the same batch when the command was not
  /// decided.
  func noting(_ steps: Int, of command: Command) -> Batch {
    guard commandCount > 0, steps >= EngineLimits.notedStepsMin else { return self }
    var batch = self
    batch.backgroundWork.append(ConnectionWork(WorkPayer(command), steps: steps))
    return batch
  }
}
