/// One group commit: the records of a range of positions, made durable together.
public struct JournalBatch: Sendable, Equatable {
  /// The position of the first commit in the payload. Positions count commits of one database from 1.
  public var firstPosition: Int64

  /// The position of the last commit in the payload; at least `firstPosition`.
  public var lastPosition: Int64

  /// The records, in the engine's format.
  public var payload: [UInt8]

  /// Creates a batch of these positions.
  public init(firstPosition: Int64, lastPosition: Int64, payload: [UInt8]) {
    self.firstPosition = firstPosition
    self.lastPosition = lastPosition
    self.payload = payload
  }
}

/// The end of a log with its owner's epoch.
public struct JournalHead: Sendable, Equatable {
  /// The epoch that `acquire()` returned; grows with every owner, from 1.
  public var epoch: Int64

  /// The last durable position; 0 for an empty log.
  public var position: Int64

  /// The running hash over every batch up to `position`. Two logs with the same hash contain the same batches.
  public var runningHash: RunningHash

  /// Creates the end of a log.
  public init(epoch: Int64, position: Int64, runningHash: RunningHash) {
    self.epoch = epoch
    self.position = position
    self.runningHash = runningHash
  }
}

extension JournalBatch {
  /// Checks that the batch can follow `head`.
  ///
  /// - Throws: `.positionMismatch` or `.tooLarge`.
  public func validate(after head: JournalHead) throws(JournalError) {
    guard head.position >= 0, head.position < .max, firstPosition == head.position + 1, lastPosition >= firstPosition
    else {
      throw JournalError(
        .positionMismatch, "positions \(firstPosition) to \(lastPosition) do not follow \(head.position)",
        at: JournalError.Place(position: head.position))
    }
    guard payload.count <= JournalLimits.batchBytesMax else {
      throw JournalError(
        .tooLarge, "a batch of \(payload.count) bytes is over the limit of \(JournalLimits.batchBytesMax)",
        at: JournalError.Place(position: firstPosition))
    }
  }
}
