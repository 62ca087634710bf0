import Glibc
import HearthJournal
import HearthPostgres
import HearthWire

/// The journals of a data folder, with or without a running server, for making copies of them.
package struct DataFolderJournals: Sendable {
  /// A journal and its location.
  package struct Place: Sendable {
    /// The name: `accounts`, or `databases/NAME`.
    package var name: String
    /// The archive that holds it.
    package var archive: any JournalArchive
    /// The name in the archive.
    package var journal: String
  }

  private static let accounts = "accounts"

  private let directory: DataDirectory
  /// The archive of all journals by their full names; nil when they are in the folder.
  private let postgres: PostgresArchive?
  /// The problems with the setup of PostgreSQL; a sentence each.
  package let warnings: [String]

  /// Opens the journals' archives.
  ///
  /// - Parameters:
  ///   - dataDirectory: the folder.
  ///   - place: the location of its journals.
  /// - Throws: `JournalError` when they cannot be read.
  package init(_ dataDirectory: String, _ place: JournalPlace = .dataFolder) throws(JournalError) {
    directory = DataDirectory(path: dataDirectory)
    guard let url = place.url else {
      (postgres, warnings) = (nil, [])
      return
    }
    let engine = try PostgresEngine(PostgresAddress(url))
    (postgres, warnings) = (engine.archive(""), engine.warnings)
  }

  /// The journals in a PostgreSQL that is open already.
  init(_ dataDirectory: String, in engine: PostgresEngine) {
    (directory, postgres, warnings) = (DataDirectory(path: dataDirectory), engine.archive(""), engine.warnings)
  }

  /// Returns the current journals.
  ///
  /// - Throws: `JournalError` when they cannot be listed.
  package func places() throws(JournalError) -> [Place] {
    let deleted = try RemovedDatabases.marked(in: directory)
    func isKept(_ name: String) -> Bool { Namespace.isValid(name) && !deleted.contains(name) }
    guard let postgres else {
      let (top, databases) = (
        JournalEngine.archive(in: directory.path), JournalEngine.archive(in: directory.databasesPath)
      )
      return try top.names().filter { $0 == Self.accounts }.map { Place(name: $0, archive: top, journal: $0) }
        + databases.names().filter(isKept).sorted().map {
          Place(name: JournalEngine.databasesPrefix + $0, archive: databases, journal: $0)
        }
    }
    let prefix = JournalEngine.databasesPrefix
    return try postgres.names().sorted().filter { name in
      name == Self.accounts || name.hasPrefix(prefix) && isKept(String(name.dropFirst(prefix.count)))
    }.map { Place(name: $0, archive: postgres, journal: $0) }
  }

  /// Returns true when the folder itself contains journals. A folder without a first server start has none.
  ///
  /// - Throws: `JournalError` when the folder cannot be listed.
  package static func areThere(in dataDirectory: String) throws(JournalError) -> Bool {
    guard access(DataDirectory(path: dataDirectory).databasesPath, F_OK) == 0 else { return false }
    return try !places(in: dataDirectory).isEmpty
  }

  /// Returns the journals in the folder itself.
  ///
  /// - Throws: `JournalError` when the folder cannot be listed.
  package static func places(in dataDirectory: String) throws(JournalError) -> [Place] {
    try DataFolderJournals(dataDirectory).places()
  }
}
