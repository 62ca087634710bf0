/// The journal's limits, one reason each.
public enum JournalLimits {
  /// The payload of one batch. SQLite holds at most 1,000,000,000 bytes in a value, and a batch is held in memory a few
  /// times over while it is written and read.
  public static let batchBytesMax = 512 << 20

  /// One snapshot chunk. A chunk is one transaction, and an append waits while it is written.
  public static let snapshotChunkBytesMax = 4 << 20

  /// The chunk size that writers should aim for: an append that meets a chunk waits for one more sync and about a
  /// millisecond of writing, and a sync is paid for many bytes.
  public static let snapshotChunkBytes = 512 << 10

  /// How much `forEachBatch` holds in memory at a time.
  public static let readBytes = 4 << 20
}
