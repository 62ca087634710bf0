import HearthJournal

extension JournalRecovery {
  /// Returns the remedy for a journal that cannot be opened, as the end of a sentence.
  static func remedy(_ path: String) -> String {
    "restore the journal from a backup, or discard the lost data with: hearth repair --apply \(path)"
  }
}
