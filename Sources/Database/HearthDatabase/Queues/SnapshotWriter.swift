/// Something that writes snapshots of itself to the disk, and is told how much room there is for them.
public protocol SnapshotWriter: Sendable {
  /// What a snapshot that is under way, or soon due, still takes, roughly and rather too much, in bytes; 0 when none is.
  var snapshotNeedBytes: Int { get }

  /// What of its file holds nothing any more and is written to before the file grows, in bytes; 0 when it cannot be read.
  var reusableBytes: Int { get }

  /// Has snapshots take no more than so many bytes from now on, of the disk and of the room inside the file, until
  /// something else is said. One that takes more is given up, and what it wrote is freed; meanwhile the log grows. It is
  /// tried again when there is clearly more room, and when the log is clearly longer.
  func setSnapshotRoom(_ bytes: Int)
}
