/// The errors that all storage engines report with the same texts.
extension JournalError {
  /// The error for an append by an earlier owner.
  package static func staleEpoch(_ epoch: Int64, current: Int64, file: String? = nil) -> JournalError {
    JournalError(
      .staleEpoch, "epoch \(epoch) no longer owns the journal, epoch \(current) does", at: Place(file: file))
  }

  /// The error for an append that expects another end of the log.
  package static func positionMismatch(
    _ head: JournalHead, current: JournalHead, file: String? = nil
  ) -> JournalError {
    JournalError(
      .positionMismatch,
      "the append expects the log to end at \(head.position) (hash \(head.runningHash), epoch \(head.epoch)), and it "
        + "ends at \(current.position) (hash \(current.runningHash), epoch \(current.epoch))",
      at: Place(file: file, position: current.position))
  }

  /// The error for a read of batches that were pruned.
  package static func pruned(_ position: Int64, file: String? = nil) -> JournalError {
    JournalError(
      .pruned, "the log after position \(position) was pruned; a snapshot replaces it",
      at: Place(file: file, position: position))
  }

  /// The error for a snapshot at a position at which no batch ends.
  package static func noState(at position: Int64, file: String? = nil) -> JournalError {
    JournalError(
      .positionMismatch, "no batch ends at position \(position), so there is no state to take a snapshot of",
      at: Place(file: file, position: position))
  }

  /// The error for the removal of the snapshot or checkpoint that a restart loads.
  package static func currentStart(at position: Int64, file: String? = nil) -> JournalError {
    JournalError(
      .positionMismatch, "a restart needs the state at position \(position)",
      at: Place(file: file, position: position))
  }

  /// The error for an operation on a journal that a checkpoint keeps from being complete by itself.
  ///
  /// - Parameter operation: The refused operation, as the beginning of a sentence: "copying the journal".
  package static func unsupported(_ operation: String, file: String? = nil) -> JournalError {
    JournalError(
      .unsupported,
      "\(operation) is not possible, because the database keeps its data in page files; "
        + "use hearth db export while the server runs", at: Place(file: file))
  }

  /// The error for a call about a snapshot that is no longer being written.
  package static func abandoned(_ position: Int64, file: String? = nil) -> JournalError {
    JournalError(
      .snapshotAbandoned, "the snapshot at position \(position) was replaced or abandoned",
      at: Place(file: file, position: position))
  }
}
