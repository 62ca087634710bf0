import HearthEngine

/// The limits of one live database around its engine: of waiting commands and of batches waiting for the disk. Each has
/// one reason.
public struct DatabaseLimits: Sendable {
  /// The limits of the engine.
  public var engine = EngineLimits()

  /// The number of waiting commands from which ``Database/submit(_:sizeBytes:)`` asks its callers to stop reading from
  /// their sockets.
  public var commandsPendingMax = 65_536

  /// The bytes of waiting commands from which callers are asked the same: a few large writes cost as much as many small
  /// ones. As much again may be inside the engine.
  public var commandBytesPendingMax = 64 << 20

  /// The most commands taken from one connection before the others get their turn: enough for busy connections to share
  /// batches, few enough to keep the wait behind a sender of thousands short.
  public var roundCommandsMax = 32

  /// The bytes of commands that count as one more command, so that few large ones weigh as much as many small ones.
  public var roundBytesPerCommand = 4 << 10

  /// The steps that one connection's commands may take in a round. A connection that took more has no command decided
  /// until as many rounds have passed as it took shares: waiting connections share the database's time, not its command
  /// count.
  public var roundSteps = 8_000

  /// The most connections recorded as having exceeded their share; further ones are not held to it.
  public var debtorsMax = 65_536

  /// The number of rounds that one connection's commands may fill before it alone is asked to stop sending.
  public var roundsPendingPerConnectionMax = 128

  /// The most attempts to decide a large write in the background. After that it is decided in line: each attempt failed
  /// because a write that cannot wait changed a location that the large write reads.
  public var largeWriteAttemptsMax = 4

  /// The most listens waiting for a background comparison. Any further listen is sent the whole value at once.
  public var comparedListensWaitingMax = 64

  /// The bytes of a large write's record that one append takes before other batches get their turn at the disk.
  public var recordPieceBytes = 1 << 20

  /// The record bytes waiting for the disk at which the engine stops deciding.
  public var bytesPendingMax = 64 << 20

  /// The number of batches waiting for the disk at which the engine stops deciding.
  public var batchesPendingMax = 64

  /// The first delay before retrying an append that found no room on the disk. Each retry doubles it.
  public var appendRetryMillisecondsMin: Int64 = 100

  /// The longest delay before a retry: an operator waits this long after making room.
  public var appendRetryMillisecondsMax: Int64 = 5_000

  /// The time that a one-off request waits for room on the disk before it is answered that its outcome is unknown. HTTP
  /// clients give up after a minute or two, and some then resend the request on their own.
  public var stallAnswerSeconds: Int64 = 10

  /// The interval at which the log repeats that there is no room.
  public var stallNoticeSeconds: Int64 = 60

  /// The log bytes since the last snapshot after which a new one is written; when the last snapshot was larger, its
  /// size counts instead. Each batch counts as ``replayBytesPerBatch`` more. A restart thus replays for at most about
  /// as long as it loads.
  public var snapshotIntervalBytes = 16 << 20

  /// The cost of replaying a batch beside its bytes, in snapshot bytes that load in the same time: measured were 3.8
  /// microseconds for a batch of one 260-byte commit, and 6 nanoseconds for a byte of a snapshot; both are higher on a
  /// busy machine.
  public var replayBytesPerBatch = 512

  /// The log bytes, counted in the same way, above which a snapshot is written when the server stops, if they also
  /// exceed an eighth of the last snapshot: less is replayed in a tenth of a second.
  public var closingLogBytes = 8 << 20

  /// The largest snapshot that is written when the server stops: about a second's work.
  public var closingSnapshotBytesMax = 128 << 20

  /// The history to retain beside the data that a restart needs.
  public var history = HistoryRetention.none

  /// The limits of reading history.
  public var historyReads = HistoryLimits()

  /// Creates the limits of a server, for tests to narrow.
  public init() {}

  /// The limits with an engine whose live queries are evaluated in the background.
  var evaluatingBeside: DatabaseLimits {
    var limits = self
    limits.engine.evaluatesBeside = true
    return limits
  }
}
