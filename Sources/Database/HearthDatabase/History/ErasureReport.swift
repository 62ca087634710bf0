/// The result of erasing history.
public struct ErasureReport: Sendable, Equatable {
  /// The number of rewritten batches of the log.
  public var batchCount = 0
  /// The number of rewritten snapshots.
  public var snapshotCount = 0
  /// The position up to which history was erased: later commits were written after the erasure began.
  public var position: Int64 = 0

  /// Creates an empty report.
  public init() {}
}
