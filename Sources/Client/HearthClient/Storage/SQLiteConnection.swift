import CSQLite

/// A failed call of SQLite.
struct SQLiteError: Error, Sendable {
  /// The extended result code.
  var code: Int32
  /// SQLite's own text.
  var message: String
  /// The error number of the system call that failed; 0 when none did.
  var systemError: Int32

  /// The result code without its details.
  var primaryCode: Int32 { code & 0xFF }
}

/// A value that is bound to a parameter of a statement.
enum SQLiteValue: Sendable {
  case integer(Int64)
  case blob([UInt8])

  static func integer(_ value: Int) -> SQLiteValue { .integer(Int64(value)) }
  static func bool(_ value: Bool) -> SQLiteValue { .integer(value ? 1 : 0) }
}

/// A row of a result, valid while it is the current one of its statement.
struct SQLiteRow: ~Copyable {
  fileprivate let statement: OpaquePointer

  /// Returns the integer in a column; nil when something else is stored there.
  func integer(_ column: Int32) -> Int64? {
    guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
    return sqlite3_column_int64(statement, column)
  }

  /// Returns the bytes in a column; nil when something else is stored there.
  func blob(_ column: Int32) -> [UInt8]? { withBlob(column) { Array($0) } }

  /// Calls `body` with the bytes in a column; nil when something else is stored there.
  func withBlob<Value>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value? {
    guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { return nil }
    // Safe because SQLite owns this many bytes at the address until the next step of the statement. There is no address
    // without bytes.
    let start = sqlite3_column_blob(statement, column)
    return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }
}

/// A connection to one SQLite file, with the system's library. Confined to one thread at a time.
///
/// The client needs a few statements of SQLite, and a library over it would be most of the compile time of an app.
final class SQLiteConnection {
  private let handle: OpaquePointer
  /// The prepared statements by their text, except those in use.
  private var statements: [String: OpaquePointer] = [:]

  /// Opens a file, which is created when it is missing.
  ///
  /// - Parameter busyTimeoutMilliseconds: The time that a statement waits for another connection's lock.
  init(path: String, busyTimeoutMilliseconds: Int32) throws(SQLiteError) {
    var opened: OpaquePointer?
    // Without SQLite's own locks of a connection, because it is confined.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      defer { sqlite3_close(opened) }
      throw Self.error(code, opened)
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, busyTimeoutMilliseconds)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Runs statements without values, and ignores their rows.
  func execute(_ sql: String) throws(SQLiteError) { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

  /// Runs a statement that returns no rows.
  func run(_ sql: String, _ values: SQLiteValue...) throws { try forEachRow(sql, values) { _ in } }

  /// Returns the result of `body` for the first row; nil when there is none.
  func first<Value>(
    _ sql: String, _ values: SQLiteValue..., body: (borrowing SQLiteRow) throws -> Value
  ) throws -> Value? {
    try withStatement(sql, values) { statement in
      try step(statement) ? try body(SQLiteRow(statement: statement)) : nil
    }
  }

  /// Calls `body` with each row of a query. It may run other statements of this connection.
  func forEachRow(_ sql: String, _ values: [SQLiteValue] = [], body: (borrowing SQLiteRow) throws -> Void) throws {
    try withStatement(sql, values) { statement in
      while try step(statement) { try body(SQLiteRow(statement: statement)) }
    }
  }

  /// Runs `body` in a transaction, which is rolled back when it throws.
  ///
  /// - Parameter isWriting: True to take the lock of writers at the start.
  func transaction<Value>(isWriting: Bool, _ body: () throws -> Value) throws -> Value {
    try run(isWriting ? "BEGIN IMMEDIATE" : "BEGIN")
    do {
      let value = try body()
      try run("COMMIT")
      return value
    } catch {
      // After some failures, such as a full disk, SQLite has rolled back already.
      if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }

  // MARK: Statements

  private func withStatement<Value>(
    _ sql: String, _ values: [SQLiteValue], _ body: (OpaquePointer) throws -> Value
  ) throws -> Value {
    // Not in the table while it is in use, so that a nested use of the same text has a statement of its own.
    let statement = try statements.removeValue(forKey: sql) ?? prepare(sql)
    defer {
      // The result repeats the error of the last step.
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
      if let other = statements.updateValue(statement, forKey: sql) { sqlite3_finalize(other) }
    }
    for (i, value) in values.enumerated() {
      let index = Int32(i + 1)
      switch value {
      case .integer(let integer): try check(sqlite3_bind_int64(statement, index, integer))
      case .blob(let bytes): try check(hearth_sqlite_bind_blob(statement, index, bytes, UInt64(bytes.count)))
      }
    }
    return try body(statement)
  }

  private func prepare(_ sql: String) throws(SQLiteError) -> OpaquePointer {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    guard let statement else { throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement", systemError: 0) }
    return statement
  }

  /// Returns true when there is a row.
  private func step(_ statement: OpaquePointer) throws(SQLiteError) -> Bool {
    let code = sqlite3_step(statement)
    if code != SQLITE_ROW, code != SQLITE_DONE { throw Self.error(code, handle) }
    return code == SQLITE_ROW
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    if code != SQLITE_OK { throw Self.error(code, handle) }
  }

  private static func error(_ code: Int32, _ handle: OpaquePointer?) -> SQLiteError {
    let message = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    return SQLiteError(
      code: code, message: message.map { String(cString: $0) } ?? "",
      systemError: handle.map { sqlite3_system_errno($0) } ?? 0)
  }
}
