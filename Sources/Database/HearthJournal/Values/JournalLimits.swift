/// The journal's limits, with one reason each.
public enum JournalLimits {
  /// The largest payload of one batch, in bytes. SQLite stores at most 1,000,000,000 bytes in a value, and memory holds
  /// a batch a few times while it is written and read.
  public static let batchBytesMax = 512 << 20

  /// The largest snapshot chunk, in bytes. A chunk is one transaction, and an append waits while it is written.
  public static let snapshotChunkBytesMax = 4 << 20

  /// The recommended chunk size, in bytes: small enough that an append waits at most for one more sync and about a
  /// millisecond of writing, and large enough that each sync covers many bytes.
  public static let snapshotChunkBytes = 512 << 10

  /// The largest payload of a checkpoint, in bytes: the locations of two roots, with priorities of up to 10 MiB, and a
  /// list of thousands of files. Usually it is a few hundred bytes; an append waits while it is written.
  public static let checkpointBytesMax = 24 << 20

  /// The unreadable parts of a checkpoint's state that a report lists; a missing file has tens of thousands of pages.
  public static let listedDamagesMax = 1_000

  /// The bytes that `forEachBatch` holds in memory at a time.
  public static let readBytes = 4 << 20
}
