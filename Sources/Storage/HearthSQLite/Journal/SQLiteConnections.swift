import GRDB
import HearthJournal

/// The connections of an open journal to its file.
struct SQLiteConnections: Sendable {
  let pool: DatabasePool
  /// The separate connection that moves pages from the WAL to the database file, so that appends need not wait.
  let checkpointer: DatabaseQueue

  /// Opens the connections, switches on WAL and full syncs, and creates the tables in a new file.
  static func open(_ path: String, options: SQLiteJournal.Options) throws(JournalError) -> SQLiteConnections {
    let action = "opening the journal"
    return try JournalError.mapping(action, path: path) {
      var configuration = Configuration()
      configuration.label = "hearth.journal"
      configuration.busyMode = .timeout(Double(SQLiteLimits.busyMilliseconds) / 1_000)
      configuration.maximumReaderCount = 2
      configuration.reportFirstReadError(action, path: path)
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction { database in
        try setUp(database)
        try requireFormat(database, path: path)
        if let sizeBytesMax = options.sizeBytesMax {
          let pageBytes = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4_096
          _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(max(1, sizeBytesMax / max(1, pageBytes)))")
        }
        // Begins a new generation of the WAL, so that frames from before an earlier crash are not taken as part of it.
        _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
      let checkpointer = try DatabaseQueue(path: path, configuration: configuration)
      try checkpointer.writeWithoutTransaction { try setUp($0) }
      return SQLiteConnections(pool: pool, checkpointer: checkpointer)
    }
  }

  /// Configures a writing connection.
  ///
  /// GRDB sets `synchronous` to NORMAL when it opens a pool, with which SQLite syncs only at checkpoints, so that an
  /// acknowledged commit could be lost. This function therefore sets it afterwards, and reads it back.
  static func setUp(_ database: Database) throws {
    try database.execute(sql: "PRAGMA synchronous = FULL")
    // On Apple systems a plain fsync leaves the data in the drive's cache.
    try database.execute(sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
    // Removed data is overwritten, independent of the default of SQLite's build, because a user may have requested its
    // erasure.
    _ = try Int.fetchOne(database, sql: "PRAGMA secure_delete = ON")
    // ``LogCheckpointer`` makes checkpoints in parallel to the appends.
    _ = try Int.fetchOne(database, sql: "PRAGMA wal_autocheckpoint = 0")
    let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
    guard level == 2 else {
      throw JournalError(.inputOutput, "SQLite refuses synchronous = FULL, without which commits can be lost")
    }
  }

  /// Returns true when the file has the tables of an outbox.
  func hasOutbox(path: String) throws(JournalError) -> Bool {
    try JournalError.mapping("opening the outbox", path: path) {
      try pool.read { try $0.tableExists("outbox") }
    }
  }

  /// Creates the tables in an empty file; throws an error for a file of another program or of a newer version.
  private static func requireFormat(_ database: Database, path: String) throws {
    guard try !SQLiteSchema.requireKnown(database, path: path) else { return }
    // Syncs now, because GRDB has made a commit without a sync, and at most one commit may be unsynced: see
    // `WriteAheadLog`.
    _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    try database.inTransaction(.immediate) {
      try database.execute(sql: SQLiteSchema.creation)
      return .commit
    }
  }
}
