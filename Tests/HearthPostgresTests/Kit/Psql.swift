import CPostgres
import Glibc

/// A separate connection to the database, for the test's own statements.
final class Psql {
  private let connection: OpaquePointer

  init(_ url: String) throws {
    connection = PQconnectdb(url)
    guard PQstatus(connection) == CONNECTION_OK else {
      throw ThrowawayPostgres.Failure(description: String(cString: PQerrorMessage(connection)))
    }
  }

  deinit { PQfinish(connection) }

  /// Runs statements and returns the first column of the last one, as text.
  @discardableResult
  func run(_ text: String) throws -> [String] {
    let result = PQexec(connection, text)
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
      throw ThrowawayPostgres.Failure(description: String(cString: PQerrorMessage(connection)))
    }
    return (0..<max(0, PQntuples(result))).map { String(cString: PQgetvalue(result, $0, 0)) }
  }
}
