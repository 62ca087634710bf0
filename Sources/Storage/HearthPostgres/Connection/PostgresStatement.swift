/// The text of a statement, and the name under which it is prepared.
struct PostgresSQL: Sendable {
  /// The name of the prepared statement; empty when the statement is not prepared.
  let name: String
  let text: String

  /// Creates a statement that is not prepared.
  init(_ text: String) { (name, self.text) = ("", text) }

  /// Creates a statement that each connection prepares when it is made.
  init(prepared name: String, _ text: String) { (self.name, self.text) = (name, text) }

  /// The statement for a connection that has not prepared it.
  var unprepared: PostgresSQL { PostgresSQL(text) }
}

/// A statement with its parameters.
struct PostgresStatement: Sendable {
  /// A parameter in PostgreSQL's binary format: eight bytes for an integer, otherwise the bytes themselves.
  enum Parameter: Sendable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case null

    var sizeBytes: Int {
      switch self {
      case .integer: 8
      case .bytes(let bytes): bytes.count
      case .text(let text): text.utf8.count
      case .null: 0
      }
    }
  }

  let sql: PostgresSQL
  let parameters: [Parameter]

  init(_ sql: PostgresSQL, _ parameters: [Parameter] = []) { (self.sql, self.parameters) = (sql, parameters) }

  /// The approximate size on the wire.
  var sizeBytes: Int {
    parameters.reduce(64 + (sql.name.isEmpty ? sql.text.utf8.count : 0)) { $0 + $1.sizeBytes + 8 }
  }
}

/// The result of a statement.
struct PostgresAnswer: Sendable {
  /// The number of rows written or removed; for a query, of those in ``rows``.
  var count = 0
  /// The columns of each row in binary format, as the server sends them; nil for NULL.
  var rows: [[[UInt8]?]] = []

  /// Returns a column of eight bytes; nil for NULL and for other types.
  func integer(_ row: Int, _ column: Int) -> Int64? {
    guard let bytes = bytes(row, column), bytes.count == 8 else { return nil }
    return Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }

  func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
    guard rows.indices.contains(row), rows[row].indices.contains(column) else { return nil }
    return rows[row][column]
  }

  func text(_ row: Int, _ column: Int) -> String? { bytes(row, column).map { String(decoding: $0, as: UTF8.self) } }
}

/// An error that the server reported for a statement.
struct PostgresFault: Sendable, CustomStringConvertible {
  /// The SQLSTATE, five characters: https://www.postgresql.org/docs/15/errcodes-appendix.html
  var state: String
  var message: String

  var description: String { state.isEmpty ? message : "\(message) [SQLSTATE \(state)]" }

  /// True when a retry may succeed later, on this server or another one: a demoted primary, a shutdown, a deadlock, too
  /// many connections.
  var isTransient: Bool {
    ["25006", "26000", "53300", "55P03"].contains(state) || ["08", "40", "57"].contains(state.prefix(2))
  }
}
