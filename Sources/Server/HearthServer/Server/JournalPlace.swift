import HearthJournal
import HearthPostgres

/// The location of a server's journals: those of its databases, and that of the accounts.
public enum JournalPlace: Sendable, Equatable {
  /// Files in the data folder.
  case dataFolder
  /// Tables of a PostgreSQL, by its URL.
  case postgres(String)

  /// A location in PostgreSQL, without connecting to it.
  ///
  /// - Parameter url: `postgres://user@host/database`, as `psql` takes it, without a password: that would be seen in
  ///   lists of processes, and is kept in the data folder's settings.
  /// - Throws: ``ServerError`` when it cannot be parsed, or has a password; the message has no part of that.
  public init(url: String) throws(ServerError) {
    let address: PostgresAddress
    do throws(JournalError) { address = try PostgresAddress(url) } catch {
      throw ServerError(.badOptions, error.message)
    }
    guard !address.hasPassword else {
      throw ServerError(
        .badOptions,
        "the address of PostgreSQL has no password, which would be seen in lists of processes: put it in a file that "
          + "?passfile=/path in the address or PGPASSFILE names, with a line host:port:database:user:password")
    }
    self = .postgres(url)
  }

  /// The URL; nil for the data folder.
  public var url: String? { if case .postgres(let url) = self { url } else { nil } }
}
