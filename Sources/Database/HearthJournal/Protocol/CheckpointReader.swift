/// A reader of the states that checkpoints name, for copies and repairs of journals: a storage engine does not know the
/// files of a journal's owner.
package protocol CheckpointReader: Sendable {
  /// Calls `body` with the chunks of a snapshot of a checkpoint's state, in order.
  ///
  /// - Parameters:
  ///   - folder: The folder with the owner's files, which are not changed.
  ///   - skipsUnreadable: True to leave out what cannot be read.
  /// - Throws: `JournalError` with the file, the byte and the path of data that cannot be read; any error of `body`.
  func forEachChunk(
    of checkpoint: Checkpoint, in folder: String, skipsUnreadable: Bool, _ body: ([UInt8]) throws -> Void
  ) throws

  /// Reads all data of a checkpoint's state.
  ///
  /// - Returns: The first ``JournalLimits/listedDamagesMax`` parts that cannot be read, and the number of all.
  func examine(_ checkpoint: Checkpoint, in folder: String) -> (damages: [JournalRecovery.Damage], count: Int)
}
