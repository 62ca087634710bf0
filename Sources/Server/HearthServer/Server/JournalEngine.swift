import HearthJournal
import HearthPostgres
import HearthSQLite
import Logging

/// The engine that stores the journals of a server, databases and accounts alike. This is the one place that chooses
/// it. Another engine is a target beside `HearthSQLite` with a ``JournalFactory``, whose journals pass the checks of
/// `JournalConformance`, and is named here and in ``JournalPlace``.
package final class JournalEngine: Sendable {
  /// The prefix of the names of journals in PostgreSQL, except that of the accounts.
  static let databasesPrefix = "databases/"

  /// The factory for the databases' journals.
  let databases: any JournalFactory
  /// The factory for the accounts' journal.
  let accounts: any JournalFactory
  /// The probe of PostgreSQL; nil for a data folder.
  let sentry: PostgresSentry?
  /// The PostgreSQL engine; nil for a data folder.
  let postgres: PostgresEngine?

  /// Opens the engine, for one server, unless several share it: it is an error when another one has it open. Blocks.
  ///
  /// - Parameters:
  ///   - dataDirectory: an existing folder.
  ///   - isShared: true when several servers use it, which ensure that each log has one writer.
  ///   - logger: gets the problems with the setup of PostgreSQL.
  /// - Throws: ``ServerError`` with the reason why it cannot be used.
  package init(
    _ place: JournalPlace, dataDirectory: String, isShared: Bool = false, logger: Logger
  ) throws(ServerError) {
    switch place {
    case .dataFolder:
      (postgres, sentry) = (nil, nil)
      let directory = DataDirectory(path: dataDirectory)
      databases = SQLiteJournals(folder: directory.databasesPath)
      accounts = SQLiteJournals(folder: directory.path)
    case .postgres(let url):
      do throws(JournalError) {
        let engine = try PostgresEngine(PostgresAddress(url))
        let sentry = try PostgresSentry(engine, isShared: isShared)
        try sentry.waitUntilAlone()
        for warning in engine.warnings {
          logger.warning("PostgreSQL: \(warning)", metadata: ["server": "\(engine.address)"])
        }
        (postgres, self.sentry) = (engine, sentry)
        databases = engine.journals(Self.databasesPrefix)
        accounts = engine.journals("")
      } catch {
        throw ServerError(.storage, "cannot keep databases in PostgreSQL: \(error)")
      }
    }
  }

  /// Returns the journals in a folder, for making copies of them.
  package static func archive(in folder: String) -> any JournalArchive { SQLiteJournals(folder: folder) }

  /// Completes earlier removals. Blocks meanwhile.
  func removeLeftovers() throws(JournalError) { try postgres?.removeLeftovers() }

  /// Shortens the waits for PostgreSQL, because the server is about to end.
  func hurry() { postgres?.hurry() }

  /// Ends the connections. All journals must be closed.
  package func close() {
    sentry?.close()
    postgres?.close()
  }
}
