/// A completed checkpoint: the state at a position, which its owner stores elsewhere.
public struct Checkpoint: Sendable, Equatable {
  /// The position of its state; the log is replayed after it.
  public let position: Int64

  /// The running hash of the log at ``position``.
  public let runningHash: RunningHash

  /// The place of the state, in the format of the owner. The journal does not interpret it.
  public let payload: [UInt8]

  /// Creates a checkpoint.
  public init(position: Int64, runningHash: RunningHash, payload: [UInt8]) {
    (self.position, self.runningHash, self.payload) = (position, runningHash, payload)
  }
}
