import HearthEngine

/// The limits of one live database around its engine: what waits for it, and what of it waits for the disk. One reason
/// each.
public struct DatabaseLimits: Sendable {
  /// Those of the engine.
  public var engine = EngineLimits()

  /// Commands that may wait before ``Database/submit(_:sizeBytes:)`` asks its callers to read no more from their
  /// sockets.
  public var commandsPendingMax = 65_536

  /// Bytes of commands that may wait before callers are asked the same: a few large writes are as much as many small
  /// ones. As much again may be in the hands of the engine.
  public var commandBytesPendingMax = 64 << 20

  /// Commands that are taken from one connection before the others have their turn: enough that busy connections share
  /// batches, few enough that nobody waits long for one that sends thousands at once.
  public var roundCommandsMax = 32

  /// Bytes of commands that count as one more command, so that few large ones are as much as many small ones.
  public var roundBytesPerCommand = 4 << 10

  /// Steps that one connection's commands may take in a round. One whose commands took more has none decided until as many
  /// rounds have passed as they took shares; so those who wait share the database's time, and not its commands.
  public var roundSteps = 8_000

  /// Connections that are known to have taken more than their share; further ones are not held to it.
  public var debtorsMax = 65_536

  /// Rounds that one connection's commands may fill before it alone is asked to send no more.
  public var roundsPendingPerConnectionMax = 128

  /// How often a large write is decided beside the others before it is decided in line, because what it looks at was
  /// changed each time by something that cannot wait.
  public var largeWriteAttemptsMax = 4

  /// Listens that may wait to be compared beside the others. Of more, each is sent the whole value at once.
  public var comparedListensWaitingMax = 64

  /// Bytes of the record of a large write that one append takes, before others have their turn at the disk.
  public var recordPieceBytes = 1 << 20

  /// Record bytes that may wait for the disk before the engine decides no more.
  public var bytesPendingMax = 64 << 20

  /// Batches that may wait for the disk before the engine decides no more.
  public var batchesPendingMax = 64

  /// How soon an append is tried again that found no room on the disk, at first. Each try doubles it.
  public var appendRetryMillisecondsMin: Int64 = 100

  /// How soon at the latest: what an operator waits for after making room.
  public var appendRetryMillisecondsMax: Int64 = 5_000

  /// The time that a one-off request waits for room on the disk before it is told that its outcome is not known.
  /// Clients of HTTP give up after a minute or two, and some then send the request again by themselves.
  public var stallAnswerSeconds: Int64 = 10

  /// How often the log says that there is no room.
  public var stallNoticeSeconds: Int64 = 60

  /// Log bytes since the last snapshot after which a new one is written, unless the last snapshot was larger: then its
  /// size. Each batch counts as ``replayBytesPerBatch`` more. A restart thus replays for at most about as long as it loads.
  public var snapshotIntervalBytes = 16 << 20

  /// What replaying a batch takes beside its bytes, in bytes of a snapshot that are loaded in the same time: 3.8 microseconds
  /// were measured for a batch of one commit of 260 bytes, and 6 nanoseconds for a byte of a snapshot; more of both on a
  /// busy machine.
  public var replayBytesPerBatch = 512

  /// Log bytes, counted in the same way, above which a snapshot is written when the server stops, if they are also more
  /// than an eighth of the last snapshot: less is replayed in a tenth of a second.
  public var endLogBytes = 8 << 20

  /// The largest snapshot that is written then: about a second's work.
  public var endSnapshotBytesMax = 128 << 20

  /// What of the past is kept beside what a restart needs.
  public var history = HistoryRetention.none

  /// Those of looking back.
  public var lookingBack = HistoryLimits()

  /// The limits of a server, to be narrowed by tests.
  public init() {}
}
