import HearthJournal
import HearthWire

/// The journals of a data folder, whether a server runs on it or not.
package enum DataFolderJournals {
  /// One of them.
  package struct Place: Sendable {
    /// `accounts`, or `databases/NAME`.
    package var name: String
    /// What keeps it.
    package var archive: any JournalArchive
    /// Its name there.
    package var journal: String
  }

  /// Those that there are now.
  ///
  /// - Throws: `JournalError` when the folder cannot be listed.
  package static func places(in dataDirectory: String) throws(JournalError) -> [Place] {
    let directory = DataDirectory(path: dataDirectory)
    let (top, databases) = (
      JournalEngine.archive(in: directory.path), JournalEngine.archive(in: directory.databasesPath)
    )
    let accounts = try top.names().filter { $0 == "accounts" }.map { Place(name: $0, archive: top, journal: $0) }
    let deleted = try RemovedDatabases.marked(in: directory)
    return accounts
      + (try databases.names().filter { Namespace.isValid($0) && !deleted.contains($0) }.sorted().map {
        Place(name: "databases/" + $0, archive: databases, journal: $0)
      })
  }
}
