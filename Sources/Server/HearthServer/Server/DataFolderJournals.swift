import Glibc
import HearthDatabase
import HearthJournal
import HearthWire

/// The journals of a data folder, with or without a running server, for making copies of them.
package struct DataFolderJournals: Sendable {
  /// A journal and its location.
  package struct Entry: Sendable {
    /// The name, also in the archive: `accounts`, or `databases/NAME`.
    package var name: String
    /// The archive that holds it.
    package var archive: any JournalArchive
  }

  private static let accounts = "accounts"

  private let directory: DataDirectory
  private let store: any JournalStore
  private let archive: any JournalArchive

  /// Opens the journals' store.
  ///
  /// - Parameters:
  ///   - dataDirectory: the folder.
  ///   - place: the location of its journals.
  /// - Throws: `JournalError` when they cannot be read.
  package init(_ dataDirectory: String, _ place: JournalLocation = .dataFolder) throws(JournalError) {
    self.init(dataDirectory, in: try place.open(dataDirectory: dataDirectory))
  }

  /// Creates the journals in a store that is open already.
  init(_ dataDirectory: String, in store: any JournalStore) {
    (directory, self.store) = (DataDirectory(path: dataDirectory), store)
    archive = CheckpointArchive(store.archive(of: ["", ServerJournals.databasesPrefix])) { name in
      let start = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
      return store.factory(String(name[..<start])).pageFolder(of: String(name[start...]))
    }
  }

  /// The problems with the store's set-up; a sentence each.
  package var warnings: [String] { store.warnings }

  /// Returns the current journals, the accounts first, then databases in order of name.
  ///
  /// - Throws: `JournalError` when they cannot be listed.
  package func entries() throws(JournalError) -> [Entry] {
    let deleted = try RemovedDatabases.marked(in: directory)
    func isKept(_ name: String) -> Bool { Namespace.isValid(name) && !deleted.contains(name) }
    let prefix = ServerJournals.databasesPrefix
    return try archive.names().sorted().filter { name in
      name == Self.accounts || name.hasPrefix(prefix) && isKept(String(name.dropFirst(prefix.count)))
    }.map { Entry(name: $0, archive: archive) }
  }

  /// Returns true when the folder itself contains journals. A folder without a first server start has none.
  ///
  /// - Throws: `JournalError` when the folder cannot be listed.
  package static func exist(in dataDirectory: String) throws(JournalError) -> Bool {
    guard access(DataDirectory(path: dataDirectory).databasesPath, F_OK) == 0 else { return false }
    return try !entries(in: dataDirectory).isEmpty
  }

  /// Returns the journals in the folder itself.
  ///
  /// - Throws: `JournalError` when the folder cannot be listed.
  package static func entries(in dataDirectory: String) throws(JournalError) -> [Entry] {
    try DataFolderJournals(dataDirectory).entries()
  }
}
