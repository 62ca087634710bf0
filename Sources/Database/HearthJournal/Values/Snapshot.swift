/// A snapshot that is being written.
public struct SnapshotTicket: Sendable, Hashable {
  /// Names the snapshot within its journal.
  public let identifier: Int64

  /// The position whose state it holds.
  public let position: Int64

  /// A snapshot that begins.
  public init(identifier: Int64, position: Int64) {
    self.identifier = identifier
    self.position = position
  }
}

/// A completed snapshot.
public struct SnapshotInfo: Sendable, Equatable {
  /// Names the snapshot within its journal.
  public let identifier: Int64

  /// The position whose state it holds; the log is replayed after it.
  public let position: Int64

  /// The running hash of the log at `position`.
  public let runningHash: RunningHash

  /// The number of chunks that there are.
  public let chunkCount: Int

  /// The bytes of all chunks together.
  public let sizeBytes: Int

  /// A snapshot that is complete.
  public init(identifier: Int64, position: Int64, runningHash: RunningHash, chunkCount: Int, sizeBytes: Int) {
    self.identifier = identifier
    self.position = position
    self.runningHash = runningHash
    self.chunkCount = chunkCount
    self.sizeBytes = sizeBytes
  }
}
