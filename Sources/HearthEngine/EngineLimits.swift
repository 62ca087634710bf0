import HearthTree

/// The engine's limits, one reason each.
public struct EngineLimits: Sendable {
  /// Listens of one connection. Each costs some hundred bytes for every level of its path, and a few microseconds on
  /// every change of rules or identity, during which the database decides nothing else.
  public var listensPerConnectionMax = 10_000

  /// How much is hashed for whoever may read it. While it hashes, the database decides nothing else: a larger value is
  /// sent to a listener uncompared, and compared for a write only after the rules allowed the write.
  public var hashSizeBytesMax = 16 << 20

  /// The record of one write. The journal takes batches of twice this, and one write is held in memory a few times.
  public var recordBytesMax = 256 << 20

  /// Record bytes after which a batch ends, so that one append does not keep everybody waiting.
  public var batchBytes = 4 << 20

  /// Commands after which a batch ends, so that answers do not wait for a long queue behind them.
  public var batchCommandsMax = 8_192

  /// The levels of the tree, and the keys of a path.
  public var depthMax = DataLimits.depthMax

  /// How often listens whose rules look at the time are decided again, besides before each event that they would get.
  public var clockIntervalMilliseconds: Int64 = 1_000

  /// Commands that may wait before ``Database/submit(_:sizeBytes:)`` asks its callers to read no more from their
  /// sockets.
  public var commandsPendingMax = 65_536

  /// Bytes of commands that may wait before callers are asked the same: a few large writes are as much as many small
  /// ones. As much again may be in the hands of the engine.
  public var commandBytesPendingMax = 64 << 20

  /// Record bytes that may wait for the disk before the engine decides no more.
  public var bytesPendingMax = 64 << 20

  /// Batches that may wait for the disk before the engine decides no more.
  public var batchesPendingMax = 64

  /// Log bytes since the last snapshot after which a new one is written, unless the last snapshot was larger: then its
  /// size. A restart thus replays at most about as much as it loads, and snapshots cost at most as much as the log.
  public var snapshotIntervalBytes = 16 << 20

  public init() {}
}
