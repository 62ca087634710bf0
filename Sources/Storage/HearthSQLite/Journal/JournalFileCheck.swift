import HearthJournal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The checks of a journal's files before SQLite opens them.
enum JournalFileCheck {
  /// Refuses a file that is not a database, and a WAL without its database.
  static func requireWhole(_ path: String) throws(JournalError) {
    if let size = try PosixFile.sizeBytes(of: path), size > 0 { return try requireSQLite(path) }
    if let log = try PosixFile.sizeBytes(of: path + "-wal"), log > 0 {
      throw JournalError(
        .corrupt,
        "the database file is missing or empty, but its log exists with \(log) bytes; restore the database file, or "
          + "move \(path)-wal away to start with an empty journal",
        at: JournalError.Place(file: path))
    }
  }

  private static func requireSQLite(_ path: String) throws(JournalError) {
    // A power failure interrupted the creation of the file, which begins with a rollback journal: SQLite undoes its
    // writes.
    if let size = try PosixFile.sizeBytes(of: path + "-journal"), size > 0 { return }
    let magic = Array("SQLite format 3\0".utf8)
    var start = [UInt8](repeating: 0, count: magic.count)
    let file = try PosixFile(path, flags: O_RDONLY)
    _ = try file.read(into: &start, at: 0)
    guard start == magic else {
      throw JournalError(
        .notAJournal, "the file is not an SQLite database", at: JournalError.Place(file: path))
    }
  }

  /// Examines the WAL before SQLite drops its unreadable part.
  ///
  /// - Returns: The part that will be dropped; nil when the WAL is intact.
  /// - Throws: `.corrupt` when acknowledged commits would be dropped and `mode` does not allow it.
  static func inspectLog(_ path: String, mode: JournalRecovery.Mode) throws(JournalError) -> JournalRecovery.Damage? {
    let logPath = path + "-wal"
    let log = try WriteAheadLog(databasePath: path)
    guard let offset = log.breakOffset else { return nil }
    let place = JournalError.Place(file: logPath, byteOffset: offset)
    guard log.lostAcknowledgedCommits else {
      return JournalRecovery.Damage(
        place: place,
        finding: "the log ends in an incompletely written commit; \(log.sizeBytes - log.validBytes) bytes "
          + "after byte \(log.validBytes) were dropped", isUnfinishedCommit: true)
    }
    let finding =
      "the log is damaged in the middle: \(log.commitCount) commits before the damage are readable, at least "
      + "\(log.commitsAfterBreak - 1) acknowledged ones after it are not"
    guard mode == .truncateAtFirstDamage else {
      throw JournalError(
        .corrupt,
        finding + "; " + JournalRecovery.remedy(path), at: place)
    }
    return JournalRecovery.Damage(
      place: place, finding: finding + "; " + (try WriteAheadLog.setAside(databasePath: path)))
  }
}
