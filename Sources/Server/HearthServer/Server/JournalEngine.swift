import HearthJournal
import HearthPostgres
import HearthSQLite
import Logging

/// The engine that keeps the journals of a server, databases and accounts alike. This is the one place that chooses it.
/// Another engine is a target beside `HearthSQLite` with a ``JournalFactory``, whose journals pass the checks of
/// `JournalConformance`, and is named here and in ``JournalPlace``.
package final class JournalEngine: Sendable {
  /// The names of journals in a PostgreSQL begin with this, but for that of the accounts.
  static let databasesPrefix = "databases/"

  /// Those of databases.
  let databases: any JournalFactory
  /// That of the accounts.
  let accounts: any JournalFactory
  /// Looks whether PostgreSQL answers; nil for a data folder.
  let sentry: PostgresSentry?
  /// Nil for a data folder.
  let postgres: PostgresEngine?

  /// Opens it, for one server, unless several share it: another one that has it open is an error. Blocks.
  ///
  /// - Parameters:
  ///   - dataDirectory: exists.
  ///   - isShared: several servers use it, which see to it that each log has one writer.
  ///   - logger: gets what is wrong with how a PostgreSQL is set up.
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

  /// The journals in a folder, for those who keep copies of them.
  package static func archive(in folder: String) -> any JournalArchive { SQLiteJournals(folder: folder) }

  /// Does what earlier removals left to do. Blocks for as long as that takes.
  func removeLeftovers() throws(JournalError) { try postgres?.removeLeftovers() }

  /// The server is about to end: PostgreSQL is waited for no longer than that takes.
  func hurry() { postgres?.hurry() }

  /// Ends the connections. All journals are closed.
  package func close() {
    sentry?.close()
    postgres?.close()
  }
}
