import HearthJournal

/// The errors for damaged content.
extension JournalError {
  static func damagedSnapshot(_ finding: String, path: String?, position: Int64?) -> JournalError {
    JournalError(
      .corrupt, "the snapshot is damaged: \(finding); restore the journal from a backup",
      at: Place(file: path, position: position))
  }
}
