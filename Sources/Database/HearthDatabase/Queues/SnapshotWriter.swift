/// A component that writes snapshots of itself to the disk, within a set amount of room.
public protocol SnapshotWriter: Sendable {
  /// The bytes still needed by a snapshot that is under way or soon due, an estimate on the high side; 0 when none is.
  var snapshotNeedBytes: Int { get }

  /// The free bytes inside its file, which are used before the file grows; 0 when they cannot be read.
  var reusableBytes: Int { get }

  /// Limits snapshots to so many bytes, of the disk and of the room inside the file, until the next call. A snapshot
  /// that takes more is abandoned, and its space is freed; meanwhile the log grows. It is retried when there is clearly
  /// more room, or when the log is clearly longer.
  func setSnapshotRoom(_ bytes: Int)
}
