import GRDB
import HearthJournal

/// The seams of a log, within a transaction: where the content of batches was written anew.
///
/// A batch's running hash covers its content, and the next one's covers that hash. So that what follows need not be
/// written anew too, a seam keeps the hash that the batch had at first: the next batch goes on from it, and the batch itself
/// is held against a hash of its new content.
///
/// The table is made with the first of them.
struct SeamRows {
  /// The version of a file with this table, in SQLite's `user_version`: to a program that knows nothing of seams such a
  /// file would seem to be damaged.
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

  /// Makes the table, unless it is there.
  static func make(_ database: Database) throws {
    guard try !database.tableExists("seam") else { return }
    try SQLiteSchema.add(creation, version: version, database)
  }

  /// The running hash that is gone on from behind the batch that ends at a position; nil where that is as it was written at
  /// first.
  func hash(at position: Int64) throws -> RunningHash? {
    guard isThere else { return nil }
    let statement = try database.cachedStatement(sql: "SELECT running_hash FROM seam WHERE position = ?")
    return try Int64.fetchOne(statement, arguments: [position]).map { RunningHash(rawValue: UInt64(bitPattern: $0)) }
  }

  /// Keeps the hash of a batch that is written anew. When that is done once more, what follows goes on from its first
  /// content all the same.
  func keep(_ hash: RunningHash, at position: Int64) throws {
    try database.execute(
      sql: "INSERT OR IGNORE INTO seam (position, running_hash) VALUES (?, ?)",
      arguments: [position, Int64(bitPattern: hash.rawValue)])
  }

  /// Forgets those of batches that are gone.
  func remove(before position: Int64) throws {
    guard isThere else { return }
    try database.execute(sql: "DELETE FROM seam WHERE position < ?", arguments: [position])
  }
}
