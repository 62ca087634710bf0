import HearthJournal

/// The errors for damaged content.
extension JournalError {
  static func staleEpoch(_ epoch: Int64, current: Int64, path: String? = nil) -> JournalError {
    JournalError(
      .staleEpoch, "epoch \(epoch) no longer owns the journal, epoch \(current) does", at: Place(file: path))
  }

  static func positionMismatch(_ head: JournalHead, current: JournalHead, path: String? = nil) -> JournalError {
    JournalError(
      .positionMismatch,
      "the append expects the log to end at \(head.position) (hash \(head.runningHash), epoch \(head.epoch)), and it "
        + "ends at \(current.position) (hash \(current.runningHash), epoch \(current.epoch))",
      at: Place(file: path, position: current.position))
  }

  static func pruned(_ position: Int64, path: String? = nil) -> JournalError {
    JournalError(
      .pruned, "the log after position \(position) was pruned: a snapshot stands for it",
      at: Place(file: path, position: position))
  }

  static func abandoned(_ position: Int64, path: String? = nil) -> JournalError {
    JournalError(
      .snapshotAbandoned, "the snapshot at position \(position) was replaced or given up",
      at: Place(file: path, position: position))
  }

  static func damagedSnapshot(_ finding: String, path: String?, position: Int64?) -> JournalError {
    JournalError(
      .corrupt, "the snapshot is damaged: \(finding); restore the journal from a backup",
      at: Place(file: path, position: position))
  }
}
