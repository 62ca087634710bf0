import Glibc
import HearthJournal
import HearthSystem

/// The journals of several collections in one folder. Each collection is a subfolder; the collection with the empty
/// name is the folder itself.
struct SQLiteArchive: JournalArchive {
  let folder: String
  /// The collections that are listed.
  var collections: [String] = []
  /// True to create the missing folder of a new journal.
  var makesFolders = false

  func names() throws(JournalError) -> [String] {
    var names: [String] = []
    for collection in collections { names += try journals(collection).names().map { collection + $0 } }
    return names
  }

  func view(_ name: String) throws(JournalError) -> any JournalView {
    let (journals, file) = place(of: name)
    return try journals.view(file)
  }

  func restoration(_ name: String) throws(JournalError) -> any JournalRestoration {
    let (journals, file) = place(of: name)
    guard !makesFolders || AtomicFile.makeFolder(journals.folder) else {
      throw JournalError.system("cannot create the folder", path: journals.folder, errno)
    }
    return try journals.restoration(file)
  }

  /// Returns the journals of a collection.
  func journals(_ collection: String) -> SQLiteJournals {
    SQLiteJournals(folder: collection.isEmpty ? folder : folder + "/" + collection.dropLast())
  }

  /// Returns the collection of a journal, and its name there.
  func place(of name: String) -> (journals: SQLiteJournals, file: String) {
    let start = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
    return (journals(String(name[..<start])), String(name[start...]))
  }
}
