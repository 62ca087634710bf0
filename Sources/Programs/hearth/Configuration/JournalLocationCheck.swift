import HearthProgram
import HearthServer

/// The recorded location of a folder's databases, compared with the configured one: a server with another location
/// would find none, and start empty.
struct JournalLocationCheck {
  /// The path of the data folder.
  let folder: String

  /// - Parameter journal: The configured URL; nil for the folder itself.
  /// - Throws: `ConfigurationFailure` when the folder was last served from elsewhere.
  func check(_ journal: String?) throws {
    let last = FolderSettings.read(in: folder).journal
    if journal == nil, let last {
      throw ConfigurationFailure(
        "the databases of \(folder) are in \(JournalEngines.product(of: last)): start the server with "
          + "--journal '\(last)', or name another folder with --data"
      )
    }
    guard journal != nil, last == nil, try DataFolderJournals.exist(in: folder) else { return }
    throw ConfigurationFailure(
      "\(folder) contains databases, which --journal would not serve: name another folder with --data")
  }
}
