import HearthJournal
import HearthSQLite

/// The engine that keeps the journals of a data folder: databases and accounts alike. This is the one place that chooses
/// it. Another engine is a target beside `HearthSQLite` with a ``JournalFactory``, whose journals pass the checks of
/// `JournalConformance`, and is named here.
package enum JournalEngine {
  /// The journals in a folder, which exists.
  static func journals(in folder: String) -> any JournalFactory { SQLiteJournals(folder: folder) }

  /// The same journals for those who keep copies of them.
  package static func archive(in folder: String) -> any JournalArchive { SQLiteJournals(folder: folder) }
}
