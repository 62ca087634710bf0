import Glibc
import HearthJournal

extension SQLiteJournals: JournalArchive {
  /// Opens a view of the current content of the journal's file.
  public func view(_ name: String) throws(JournalError) -> any JournalView {
    try SQLiteJournalView(path: path(of: name))
  }

  /// Starts the restoration of a new file.
  public func restoration(_ name: String) throws(JournalError) -> any JournalRestoration {
    try SQLiteRestoration(path: path(of: name))
  }

  /// Prevents a journal from being opened as long as the returned object exists. Views of it are still possible.
  ///
  /// - Throws: `.inUse` while it is open elsewhere; `.permissionDenied`, `.inputOutput`.
  public func lock(_ name: String) throws(JournalError) -> JournalLock { try JournalLock(path: path(of: name)) }

  /// Moves a closed journal to another folder of the same file system. The database file, whose presence determines
  /// where the journal is, is moved last: after any interruption, the journal is complete in one of the folders.
  ///
  /// - Throws: `.inUse` when the other folder has files or pages of such a journal already; `.unsupported` for a journal
  ///   with pages; `.permissionDenied`, `.inputOutput`.
  public func move(_ name: String, to folder: SQLiteJournals) throws(JournalError) {
    let (path, target) = (path(of: name), folder.path(of: name))
    guard try PosixFile.sizeBytes(of: folderOfPages(name)) == nil else {
      throw .unsupported("moving the journal", file: folderOfPages(name))
    }
    let pages = try PosixFile.sizeBytes(of: folder.folderOfPages(name)) != nil ? [folder.folderOfPages(name)] : []
    // A view of the journal may have left an empty WAL.
    let log = (try PosixFile.sizeBytes(of: target + "-wal") ?? 0) > 0 ? [target + "-wal"] : []
    for file in try PosixFile.sizeBytes(of: target) != nil ? [target] : log + pages {
      throw JournalError(
        .inUse, "it already exists: move it away, with all files whose names start with its name",
        at: JournalError.Place(file: file))
    }
    for suffix in ["-wal", "-shm", ".mark"] { try PosixFile.moveIfThere(path + suffix, to: target + suffix) }
    try PosixFile.moveIfThere(path, to: target)
    guard try PosixFile.sizeBytes(of: target) != nil else {
      throw JournalError(.notAJournal, "the journal to move does not exist", at: JournalError.Place(file: path))
    }
    try PosixFile.synchronizeFolder(of: target)
    PosixFile.remove(path + ".lock")
    try PosixFile.synchronizeFolder(of: path)
  }
}

/// A lock that prevents a journal from being opened.
public final class JournalLock: Sendable {
  private let lock: OwnerLock

  init(path: String) throws(JournalError) { lock = try OwnerLock(journalPath: path) }
}
