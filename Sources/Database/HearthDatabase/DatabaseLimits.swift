import HearthEngine

/// The limits of one open database: of waiting commands, of batches waiting for the disk, of snapshots and of history.
/// ``engine`` has those of its engine.
public struct DatabaseLimits: Sendable {
  /// The limits of the engine.
  public var engine = EngineLimits()

  /// The number of waiting commands from which ``Database/submit(_:sizeBytes:)`` tells its callers to stop reading from
  /// their sockets.
  public var commandsPendingMax = 65_536

  /// The bytes of waiting commands from which callers are told to stop reading, because a few large writes cost as much
  /// memory as many small ones. The engine may hold as much again.
  public var commandBytesPendingMax = 64 << 20

  /// The most commands of one connection in a round of ``Mailbox``: enough for busy connections to share batches, few
  /// enough to keep other connections' wait short when one sends thousands.
  public var roundCommandsMax = 32

  /// The most commands of a round, roughly: while many connections have commands, each has fewer than
  /// ``roundCommandsMax`` in a round, but at least ``roundCommandsMin``.
  public var roundCommandsAllMax = 256

  /// The fewest commands of one connection in a round, so that few rounds are needed for a burst.
  public var roundCommandsMin = 4

  /// The bytes of commands that count as one more command, so that few large ones weigh as much as many small ones.
  public var roundBytesPerCommand = 4 << 10

  /// The steps that one connection's commands may take in a round. A connection whose commands took n times as many
  /// skips about n rounds, so that waiting connections share the database's time rather than its command count.
  public var roundSteps = 8_000

  /// The most connections whose excess over ``roundSteps`` is recorded; further connections skip no rounds.
  public var debtorsMax = 65_536

  /// The number of rounds after which a paid debt is forgotten.
  public var debtRounds = 64

  /// The number of rounds that one connection's commands may fill before the server stops reading from this connection.
  public var roundsPendingPerConnectionMax = 128

  /// The most attempts to decide a large write in the background. After that it is decided on the deciding queue, while
  /// other commands wait. An attempt fails when another write changed a location that the large write reads.
  public var largeWriteAttemptsMax = 4

  /// The most listens waiting for a background comparison. Any further listen receives the whole value at once, without
  /// a comparison.
  public var comparedListensWaitingMax = 64

  /// The bytes of a large write's record that one append takes before other batches can be written.
  public var recordPieceBytes = 1 << 20

  /// The record bytes waiting for the disk at which the engine stops deciding.
  public var bytesPendingMax = 64 << 20

  /// The number of batches waiting for the disk at which the engine stops deciding.
  public var batchesPendingMax = 64

  /// The first delay before retrying an append that found no room on the disk. Each retry doubles it.
  public var appendRetryMillisecondsMin: Int64 = 100

  /// The longest delay before a retry: after an operator frees space, writes continue within this time.
  public var appendRetryMillisecondsMax: Int64 = 5_000

  /// The time that a one-off request waits for room on the disk before it is answered that its outcome is unknown. HTTP
  /// clients give up after a minute or two, and some then resend the request on their own.
  public var stallAnswerSeconds: Int64 = 10

  /// The shortest interval at which the log reports pages that cannot be read.
  public var pageNoticeSeconds: Int64 = 5

  /// The interval at which the log repeats that the disk is full.
  public var stallNoticeSeconds: Int64 = 60

  /// The log bytes since the last snapshot after which a new one is written; when the last snapshot was larger, its
  /// size counts instead. Each batch counts for ``replayBytesPerBatch`` more. At a restart, replaying the log thus
  /// takes at most about as long as loading the snapshot.
  public var snapshotIntervalBytes = 16 << 20

  /// The cost of replaying a batch in addition to its bytes, as the number of snapshot bytes that load in the same
  /// time. Measured: 3.8 microseconds for a batch of one 260-byte commit, 6 nanoseconds for a byte of a snapshot; both
  /// are higher on a busy machine.
  public var replayBytesPerBatch = 512

  /// The log bytes, counted in the same way, above which a snapshot is written when the server stops, if they also
  /// exceed an eighth of the last snapshot: a shorter log is replayed in a tenth of a second.
  public var closingLogBytes = 8 << 20

  /// The largest snapshot that is written when the server stops: writing it takes about a second.
  public var closingSnapshotBytesMax = 128 << 20

  /// The bytes of data from which on a database stores pages and checkpoints instead of snapshots, if it has a
  /// ``PageCache``. A smaller database is loaded in a fraction of a second.
  public var pagedBytesMin = 32 << 20

  /// The cost of replaying a commit on pages that are on the disk, in addition to its bytes, as for
  /// ``replayBytesPerBatch``: a checkpoint is due after 2,048 commits or ``snapshotIntervalBytes`` of log. Measured: 100
  /// to 300 microseconds for a commit.
  public var coldReplayBytesPerCommit = 8 << 10

  /// The dead bytes of page files that are worth a cleaning. Smaller files are not cleaned: each cleaning uses up the rest
  /// of a segment's addresses.
  public var cleanedBytesMin = 32 << 20

  /// The time for which pages stay that only versions had which no reader holds: effects on their way to clients may
  /// have values of these.
  public var cleaningGraceMilliseconds: Int64 = 5_000

  /// The time without commits after which a checkpoint is written although it is not due.
  public var quietCheckpointMilliseconds: Int64 = 1_000

  /// The number of commits from which on such a checkpoint does not wait for ``quietCheckpointIntervalMilliseconds``.
  public var quietCheckpointCommitsMin = 256

  /// The time between such checkpoints of fewer commits, because each one writes the path to every changed page.
  public var quietCheckpointIntervalMilliseconds: Int64 = 60_000

  /// The time between two checkpoints, as a multiple of the first one's duration, so that commits have most of the disk.
  public var checkpointPauseFactor: Int64 = 5

  /// The time after which another checkpoint is retained for the history, even if there is less log between the two than
  /// ``snapshotIntervalBytes``.
  public var historyIntervalMilliseconds: Int64 = 3_600_000

  /// The history to retain beside the data that a restart needs.
  public var history = HistoryRetention.none

  /// The limits of reading history.
  public var historyReads = HistoryLimits()

  /// Creates the limits of a server, for tests to narrow.
  public init() {}

  /// The same limits, with an engine whose live queries are evaluated in the background.
  var evaluatingInBackground: DatabaseLimits {
    var limits = self
    limits.engine.evaluatesInBackground = true
    return limits
  }
}
