import HearthJournal
import HearthSQLite

/// The engine that keeps the journals of a data folder: databases and accounts alike. This is the one place that chooses
/// it; another engine is a target beside `HearthSQLite` that passes the journal's conformance suite, and is opened here.
enum JournalEngine {
  /// Opens a journal, or makes it when there is none.
  ///
  /// - Parameter path: the journal's file. Its folder exists.
  /// - Returns: the journal, and what had to be cut off because a crash had left it half written.
  static func open(path: String) throws(JournalError) -> (journal: any Journal, damages: [JournalRecovery.Damage]) {
    let journal = try SQLiteJournal(path: path)
    return (journal, journal.recovery.damages)
  }
}
