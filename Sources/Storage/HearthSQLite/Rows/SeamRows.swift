import GRDB
import HearthJournal

/// The seams of a log: the original running hashes of batches whose content was rewritten. Used within a transaction.
///
/// A batch's running hash covers its content, and the next one's covers that hash. To avoid rewriting the following
/// batches too, a seam keeps the original hash of the batch: the next batch continues from it, and the batch itself is
/// compared with a hash of its new content.
///
/// The table is created with the first seam.
struct SeamRows {
  /// The version of a file with this table, in SQLite's `user_version`: an older program, which does not know seams,
  /// would report damage.
  static let version: Int64 = 3

  private static let creation = """
    CREATE TABLE seam (
      position INTEGER PRIMARY KEY,
      running_hash INTEGER NOT NULL
    ) STRICT
    """

  private let database: Database
  private let isThere: Bool

  init(_ database: Database) throws {
    self.database = database
    isThere = try database.tableExists("seam")
  }

  /// Creates the table, unless it exists.
  static func make(_ database: Database) throws {
    guard try !database.tableExists("seam") else { return }
    try SQLiteSchema.add(creation, version: version, database)
  }

  /// Returns the running hash that the batch after a position continues; nil when the batch before it was not
  /// rewritten.
  func hash(at position: Int64) throws -> RunningHash? {
    guard isThere else { return nil }
    let statement = try database.cachedStatement(sql: "SELECT running_hash FROM seam WHERE position = ?")
    return try Int64.fetchOne(statement, arguments: [position]).map { RunningHash(stored: $0) }
  }

  /// Keeps the hash of a rewritten batch. After another rewriting, the next batch still continues from the original
  /// content.
  func keep(_ hash: RunningHash, at position: Int64) throws {
    try database.execute(
      sql: "INSERT OR IGNORE INTO seam (position, running_hash) VALUES (?, ?)",
      arguments: [position, hash.stored])
  }

  /// Removes the seams of pruned batches.
  func remove(before position: Int64) throws {
    guard isThere else { return }
    try database.execute(sql: "DELETE FROM seam WHERE position < ?", arguments: [position])
  }
}
