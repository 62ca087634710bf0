import HearthBackup
import HearthJournal
import HearthSystem

extension BackupSource {
  /// Creates a data folder as the source of a backup.
  ///
  /// - Parameter journalLocation: The location of its journals.
  /// - Throws: `JournalError` when they cannot be read.
  package init(dataDirectory: String, journalLocation: JournalLocation) throws(JournalError) {
    let journals = try DataFolderJournals(dataDirectory, journalLocation)
    self.init(
      folder: dataDirectory,
      journals: {
        try journals.entries().map { BackupSource.Entry(name: $0.name, archive: $0.archive, journal: $0.name) }
      },
      clock: { Clock.wallMilliseconds })
  }
}
