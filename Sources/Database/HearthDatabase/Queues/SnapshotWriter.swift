/// A component that writes snapshots of its data to the disk, within a set number of bytes.
public protocol SnapshotWriter: Sendable {
  /// The bytes still needed by a snapshot that is under way or soon due, an estimate on the high side; 0 when none is.
  var snapshotNeedBytes: Int { get }

  /// The free bytes inside the component's file, which are used before the file grows; 0 when they cannot be read.
  var reusableBytes: Int { get }

  /// Limits each snapshot to `bytes` until the next call, counting disk space and free space inside the file. A larger
  /// snapshot is abandoned, and its space is freed; meanwhile the log grows. It is retried when there is considerably
  /// more space, or when the log is considerably longer.
  func setSnapshotRoom(_ bytes: Int)
}
