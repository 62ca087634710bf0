/// The checks of a checkpoint that storage engines share.
extension Checkpoint {
  /// The checksum of the position, the running hash and the payload: the running hash after a batch of epoch 0 with
  /// this payload at ``position``.
  package var checksum: RunningHash {
    runningHash.appending(epoch: 0, first: position, last: position, payload: payload.span)
  }

  /// Checks that a checkpoint can replace the present start: its size, and that it is not older.
  ///
  /// - Parameter current: The position of the current checkpoint or snapshot; 0 without one.
  /// - Throws: `.tooLarge`, `.positionMismatch`.
  package static func validate(
    _ payload: [UInt8], at position: Int64, current: Int64, file: String? = nil
  ) throws(JournalError) {
    try validateSize(of: payload, at: position, file: file)
    guard position >= current else {
      throw JournalError(
        .positionMismatch, "a checkpoint at position \(position) is older than the current start at \(current)",
        at: JournalError.Place(file: file, position: position))
    }
  }

  /// Checks the size of a checkpoint's content.
  ///
  /// - Throws: `.tooLarge`.
  package static func validateSize(
    of payload: [UInt8], at position: Int64, file: String? = nil
  ) throws(JournalError) {
    guard (1...JournalLimits.checkpointBytesMax).contains(payload.count) else {
      throw JournalError(
        .tooLarge, "a checkpoint has 1 to \(JournalLimits.checkpointBytesMax) bytes, not \(payload.count)",
        at: JournalError.Place(file: file, position: position))
    }
  }
}
