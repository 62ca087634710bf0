import HearthJournal

extension JournalFileEngine {
  /// The engine whose journals are SQLite files.
  package static let sqlite = JournalFileEngine(
    suffix: SQLiteJournals.suffix, pagesSuffix: SQLiteJournals.pagesSuffix, formats: JournalHeader.formats,
    format: { path throws(JournalError) in try JournalHeader(path: path).format },
    repair: { path, checkpoints throws(JournalError) in try JournalSalvage(path: path, checkpoints) },
    cut: { path throws(JournalError) in
      let journal = try SQLiteJournal(path: path, options: SQLiteJournal.Options(recovery: .truncateAtFirstDamage))
      try journal.close()
      return journal.recovery
    },
    open: { folder in SQLiteFolder(path: folder) })
}
