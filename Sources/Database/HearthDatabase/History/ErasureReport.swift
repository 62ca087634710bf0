/// What was erased of a database's past.
public struct ErasureReport: Sendable, Equatable {
  /// Batches of the log that were written anew.
  public var batchCount = 0
  /// Kept snapshots that were.
  public var snapshotCount = 0
  /// What comes after this position is as it was: it was written after the erasure began.
  public var position: Int64 = 0

  /// Nothing was.
  public init() {}
}
