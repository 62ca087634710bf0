/// The open store that owns a file, as a row in that file.
///
/// The row is used instead of a file lock, because iOS ends a suspended process that holds one. A store whose row was
/// replaced stores nothing more.
struct StoreOwner {
  private let process: ProcessIdentity
  /// The token, unique for each open store.
  private let token: Int64

  /// The tokens of this process's open stores.
  private static let open = LockedValue<Set<Int64>>([])

  static let schema = """
    CREATE TABLE IF NOT EXISTS owner
      (id INTEGER PRIMARY KEY CHECK (id = 0), token INTEGER NOT NULL, process INTEGER NOT NULL, start BLOB NOT NULL);
    """
  static let columns = ("owner", "token, process, start")

  /// Writes the row; nil while the store that it names is open.
  init?(claiming database: SQLiteConnection) throws {
    process = .current
    token = .random(in: 1 ... .max)
    let isOpen = try database.first("SELECT token, process, start FROM owner") { Self.isOpen($0) }
    if isOpen == true { return nil }
    try database.run(
      "INSERT OR REPLACE INTO owner VALUES (0, ?, ?, ?)", .integer(token), .integer(Int64(process.number)),
      .blob(Array(process.start.utf8)))
    let token = token
    Self.open.withLock { _ = $0.insert(token) }
  }

  /// Returns true when the store of a row is open. An unreadable row names none.
  private static func isOpen(_ row: borrowing SQLiteRow) -> Bool {
    guard let token = row.integer(0), let number = row.integer(1).flatMap({ Int32(exactly: $0) }),
      let start = row.blob(2)
    else { return false }
    let process = ProcessIdentity(number: number, start: String(decoding: start, as: UTF8.self))
    return process == .current ? open.withLock { $0.contains(token) } : process.isRunning
  }

  /// Returns true when the file still belongs to this store.
  func isCurrent(in database: SQLiteConnection) throws -> Bool {
    let current = try database.first("SELECT token FROM owner") { $0.integer(0) }
    return current == token
  }

  /// Releases the file.
  func release(in database: SQLiteConnection) throws {
    try database.run("DELETE FROM owner WHERE token = ?", .integer(token))
  }

  /// Notes that the store is closed, even where the row could not be removed.
  func close() {
    let token = token
    Self.open.withLock { _ = $0.remove(token) }
  }
}
