import GRDB
import HearthJournal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension SQLiteJournal {
  /// Refuses a file that is no database, and a log without its database.
  static func requireWhole(_ path: String) throws(JournalError) {
    if let size = try PosixFile.sizeBytes(of: path), size > 0 { return try requireSQLite(path) }
    if let log = try PosixFile.sizeBytes(of: path + "-wal"), log > 0 {
      throw JournalError(
        .corrupt,
        "the database file is missing or empty, but its log is there with \(log) bytes; put the database file back, or "
          + "move \(path)-wal away to begin with an empty journal",
        at: JournalError.Place(file: path))
    }
  }

  private static func requireSQLite(_ path: String) throws(JournalError) {
    // The power failed while SQLite created the file, which it begins with a rollback journal: it undoes its writes.
    if let size = try PosixFile.sizeBytes(of: path + "-journal"), size > 0 { return }
    let magic = Array("SQLite format 3\0".utf8)
    var start = [UInt8](repeating: 0, count: magic.count)
    let file = try PosixFile(path, flags: O_RDONLY)
    _ = try file.read(into: &start, at: 0)
    guard start == magic else {
      throw JournalError(
        .notAJournal, "the file does not begin as an SQLite database does", at: JournalError.Place(file: path))
    }
  }

  /// Inspects the log before SQLite drops its unreadable part.
  ///
  /// - Returns: The part that will be dropped; nil when the log is clean.
  /// - Throws: `.corrupt` when acknowledged commits would be dropped and `mode` does not allow it.
  static func inspectLog(_ path: String, mode: JournalRecovery.Mode) throws(JournalError) -> JournalRecovery.Damage? {
    let logPath = path + "-wal"
    let log = try WriteAheadLog(databasePath: path)
    guard let offset = log.breakOffset else { return nil }
    let place = JournalError.Place(file: logPath, byteOffset: offset)
    guard log.lostAcknowledgedCommits else {
      return JournalRecovery.Damage(
        place: place,
        finding: "the log ends in a commit that was not completely written; \(log.sizeBytes - log.validBytes) bytes "
          + "after byte \(log.validBytes) were dropped", isUnfinishedCommit: true)
    }
    let finding =
      "the log is damaged in the middle: \(log.commitCount) commits before the damage are readable, at least "
      + "\(log.commitsAfterBreak - 1) acknowledged ones after it are not"
    guard mode == .truncateAtFirstDamage else {
      throw JournalError(
        .corrupt,
        finding + "; " + JournalRecovery.wayOut(path), at: place)
    }
    return JournalRecovery.Damage(
      place: place, finding: finding + "; " + (try WriteAheadLog.setAside(databasePath: path)))
  }

  /// Opens the connections, enables WAL and full syncs, and creates the tables in a new file.
  static func connect(_ path: String, options: Options) throws(JournalError) -> SQLiteConnections {
    let action = "opening the journal"
    return try JournalError.mapping(action, path: path) {
      var configuration = Configuration()
      configuration.label = "hearth.journal"
      configuration.busyMode = .timeout(Double(SQLiteLimits.busyMilliseconds) / 1_000)
      configuration.maximumReaderCount = 2
      configuration.tellFirstRead(action, path: path)
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction { database in
        try setUpConnection(database)
        try requireFormat(database, path: path)
        if let sizeBytesMax = options.sizeBytesMax {
          let pageBytes = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4_096
          _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(max(1, sizeBytesMax / max(1, pageBytes)))")
        }
        // The log starts a new generation, so that an earlier crash's remains are not taken for this run's.
        _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
      let checkpointer = try DatabaseQueue(path: path, configuration: configuration)
      try checkpointer.writeWithoutTransaction { try setUpConnection($0) }
      return SQLiteConnections(pool: pool, checkpointer: checkpointer)
    }
  }

  /// Sets the options of each writing connection.
  ///
  /// GRDB sets `synchronous` to NORMAL when it opens a pool, and with that SQLite syncs at checkpoints only: an
  /// acknowledged commit could be lost. It is therefore set here, afterwards, and read back.
  static func setUpConnection(_ database: Database) throws {
    try database.execute(sql: "PRAGMA synchronous = FULL")
    // On Apple systems a plain fsync leaves the data in the drive's cache.
    try database.execute(sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
    // Deleted data is overwritten whatever SQLite's build options: a user may have requested its erasure.
    _ = try Int.fetchOne(database, sql: "PRAGMA secure_delete = ON")
    // Checkpoints run beside the appends, see `SQLiteJournal+Checkpoint.swift`.
    _ = try Int.fetchOne(database, sql: "PRAGMA wal_autocheckpoint = 0")
    let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
    guard level == 2 else {
      throw JournalError(.inputOutput, "SQLite does not take synchronous = FULL, without which commits can be lost")
    }
  }

  /// Returns true when the file has the tables of an outbox.
  static func hasOutbox(_ pool: DatabasePool, path: String) throws(JournalError) -> Bool {
    try JournalError.mapping("looking for the outbox", path: path) {
      try pool.read { try $0.tableExists("outbox") }
    }
  }

  /// Creates the tables in an empty file; refuses another program's file, and a newer version's.
  private static func requireFormat(_ database: Database, path: String) throws {
    guard try !SQLiteSchema.requireKnown(database, path: path) else { return }
    // GRDB has made a commit without a sync. There may be only one: see `WriteAheadLog`.
    _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    try database.inTransaction(.immediate) {
      try database.execute(sql: SQLiteSchema.creation)
      return .commit
    }
  }
}
