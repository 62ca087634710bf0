/// The limits of backups, with their reasons.
public enum BackupLimits {
  /// The minimum size of a stream's piece, so that a small change makes few new pieces, and a large database few files.
  static let pieceBytesMin = 256 << 10

  /// The average distance of cuts beyond the minimum size: each further byte ends the piece with a probability of 1 in
  /// this number, a power of two (content-defined chunking, see ``StreamCutter``).
  static let cutDistanceBytesAverage = 1 << 20

  /// The maximum size of a piece, which is held in memory. It equals that of a snapshot's chunk.
  static let pieceBytesMax = 4 << 20

  /// The maximum size of a stream: far above that of a database in memory, and small enough that sums over untrusted
  /// manifests do not overflow.
  static let streamBytesMax: Int64 = 1 << 40

  /// The maximum size of a manifest's file. A manifest names each piece of a short stream, and for a stream of more
  /// than ``inlinePiecesMax`` pieces only the lists of its pieces.
  static let manifestBytesMax = 16 << 20

  /// The maximum size of a folder's keys and secrets, which are sealed in memory.
  static let secretBytesMax = 64 << 20

  /// The number of pieces that a manifest names directly; those of a longer stream are in a list, which the next
  /// manifest can reuse.
  static let inlinePiecesMax = 8

  /// The number of segments of a database's log after which small ones are merged: a continuous archive adds one every
  /// few seconds.
  static let segmentsBeforeMerge = 32

  /// The size below which segments are merged.
  static let smallSegmentBytes = 1 << 20

  /// The minimum size of the log before a new base is taken; for a larger base, the base's size. A restore then replays
  /// at most about this size, or as many bytes as it loads.
  static let rebaseBytes = 64 << 20

  /// The number of attempts when the folder changes during a backup.
  static let attemptsMax = 5

  /// The maximum size of a file's path in a data folder.
  static let pathBytesMax = 4_096

  /// The maximum depth of folders in a data folder.
  static let folderDepthMax = 32
}
