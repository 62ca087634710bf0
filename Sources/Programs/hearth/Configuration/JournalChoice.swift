import HearthProgram
import HearthServer

/// The place of a folder's databases against the one that a server is told of: a server that looks elsewhere would find
/// none, and serve as if there had never been any.
struct JournalChoice {
  /// The data folder.
  let folder: String

  /// - Parameter journal: the PostgreSQL that is asked for; nil for the folder itself.
  /// - Throws: `ConfigurationFailure` when the folder was served from elsewhere last.
  func check(_ journal: String?) throws {
    let last = FolderSettings.read(in: folder).journal
    if journal == nil, let last {
      throw ConfigurationFailure(
        "the databases of \(folder) are in PostgreSQL: start it with --journal '\(last)', or name another folder with --data"
      )
    }
    guard journal != nil, last == nil, try DataFolderJournals.areThere(in: folder) else { return }
    throw ConfigurationFailure(
      "\(folder) has databases of its own, which would not be served with --journal: name another folder with --data")
  }
}
