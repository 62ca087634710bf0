import HearthJournal

extension JournalRecovery {
  /// What an operator can do about a journal that is not opened, as a sentence's end.
  static func wayOut(_ path: String) -> String {
    "restore the journal from a backup, or give up what is lost with: hearth repair --apply \(path)"
  }
}
