import HearthJournal
import Logging

/// The journals of a server, databases and accounts alike, in the store that the options name.
package final class ServerJournals: Sendable {
  /// The prefix of the names of all journals but those of accounts and shared files.
  static let databasesPrefix = "databases/"

  /// The factory for the databases' journals.
  let databases: any JournalFactory
  /// The factory for the accounts' journal.
  let accounts: any JournalFactory
  /// The store of the journals.
  let store: any JournalStore

  /// Opens the store, for one server, unless several share it: it is an error when another one has it open. Blocks.
  ///
  /// - Parameters:
  ///   - dataDirectory: an existing folder.
  ///   - isShared: true when several servers use it, which ensure that each log has one writer.
  ///   - logger: gets the problems with the store's set-up.
  /// - Throws: ``ServerError`` with the reason why it cannot be used.
  package init(
    _ place: JournalLocation, dataDirectory: String, isShared: Bool = false, logger: Logger
  ) throws(ServerError) {
    do throws(JournalError) {
      store = try place.open(dataDirectory: dataDirectory)
      try store.lock(for: isShared ? .node : .server)
    } catch {
      throw ServerError(.storage, "cannot keep databases in \(place.product): \(error)")
    }
    for warning in store.warnings {
      logger.warning("\(store.product): \(warning)", metadata: ["server": "\(store.address)"])
    }
    databases = store.factory(Self.databasesPrefix)
    accounts = store.factory("")
  }

  /// Returns the journals in a folder, for making copies of them.
  package static func archive(in folder: String) -> any JournalArchive {
    JournalEngines.folder.open(folder).archive(of: [""])
  }

  /// Ends the connections. All journals must be closed.
  package func close() { store.close() }
}
