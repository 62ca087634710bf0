/// A snapshot that is being written.
public struct SnapshotTicket: Sendable, Hashable {
  /// The snapshot's identifier within its journal.
  public let identifier: Int64

  /// The position of its state.
  public let position: Int64

  /// Creates a ticket for a new snapshot.
  public init(identifier: Int64, position: Int64) {
    self.identifier = identifier
    self.position = position
  }
}

/// A completed snapshot.
public struct SnapshotInfo: Sendable, Equatable {
  /// The snapshot's identifier within its journal.
  public let identifier: Int64

  /// The position of its state; the log is replayed after it.
  public let position: Int64

  /// The running hash of the log at `position`.
  public let runningHash: RunningHash

  /// The number of chunks.
  public let chunkCount: Int

  /// The size of all chunks in bytes.
  public let sizeBytes: Int

  /// Creates a description of a completed snapshot.
  public init(identifier: Int64, position: Int64, runningHash: RunningHash, chunkCount: Int, sizeBytes: Int) {
    self.identifier = identifier
    self.position = position
    self.runningHash = runningHash
    self.chunkCount = chunkCount
    self.sizeBytes = sizeBytes
  }
}
