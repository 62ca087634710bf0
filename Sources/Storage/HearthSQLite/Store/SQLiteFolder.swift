import Glibc
import HearthJournal
import HearthSystem
import Synchronization

/// The journals in a data folder. Each collection is a subfolder.
final class SQLiteFolder: JournalStore {
  /// The folder in a data folder in which staged journals are created. Backups omit folders of this name.
  private static let workName = "moving.partial"

  private let path: String
  /// The locks on single journals.
  private let locks = Mutex<[JournalLock]>([])

  init(path: String) { self.path = path }

  var product: String { "SQLite" }
  var address: String { path }
  var warnings: [String] { [] }

  func factory(_ collection: String) -> any JournalFactory { SQLiteArchive(folder: path).journals(collection) }

  func archive(of collections: [String]) -> any JournalArchive { SQLiteArchive(folder: path, collections: collections) }

  /// Locks the journals for a backup. For a server nothing is locked here, because each open journal holds its own
  /// lock.
  func lock(for use: JournalStoreUse) throws(JournalError) {
    guard case .copy(let names) = use else { return }
    let archive = SQLiteArchive(folder: path)
    for name in names {
      let (journals, file) = archive.place(of: name)
      let lock = try journals.lock(file)
      locks.withLock { $0.append(lock) }
    }
  }

  var checkPauseSeconds: Int? { nil }

  func check() -> JournalStoreState { .alone }

  func removeLeftovers() throws(JournalError) {}

  func shortenTimeouts() {}

  func close() { locks.withLock { $0 = [] } }

  // MARK: Moving to another store

  private var work: SQLiteArchive { SQLiteArchive(folder: path + "/" + Self.workName) }

  func stage() throws(JournalError) -> any JournalArchive {
    try Self.remove(work.folder)
    return SQLiteArchive(folder: work.folder, makesFolders: true)
  }

  func publish(_ names: [String]) throws(JournalError) {
    for name in names {
      let (from, file) = work.place(of: name)
      try from.move(file, to: SQLiteArchive(folder: path).place(of: name).journals)
    }
    try Self.remove(work.folder)
  }

  var occupiedAdvice: String { "name another folder, or move these files away" }

  /// Removes the temporary folder of this or an earlier attempt.
  private static func remove(_ folder: String) throws(JournalError) {
    do throws(AtomicFile.Problem) {
      for name in try AtomicFile.names(in: folder) where !AtomicFile(folder: folder, name: name).remove() {
        try remove(contentsOf: folder + "/" + name)
      }
    } catch {
      throw JournalError(.failed, "the folder \(error.what): \(error.cause)", at: JournalError.Place(file: folder))
    }
    guard rmdir(folder) == 0 || errno == ENOENT else {
      throw JournalError.system("cannot remove the folder", path: folder, errno)
    }
  }

  private static func remove(contentsOf folder: String) throws(AtomicFile.Problem) {
    for name in try AtomicFile.names(in: folder) { _ = AtomicFile(folder: folder, name: name).remove() }
    rmdir(folder)
  }
}
