import Glibc
import HearthJournal

extension SQLiteJournals: JournalArchive {
  /// What the file of that name holds now.
  public func view(_ name: String) throws(JournalError) -> any JournalView {
    try SQLiteJournalView(path: path(of: name))
  }

  /// A new file of that name.
  public func restoration(_ name: String) throws(JournalError) -> any JournalRestoration {
    try SQLiteRestoration(path: path(of: name))
  }

  /// Keeps everybody from opening the journal of that name, for as long as what is returned is there. It can be looked at.
  ///
  /// - Throws: `.inUse` while somebody has it open; `.permissionDenied`, `.inputOutput`.
  public func hold(_ name: String) throws(JournalError) -> JournalHold { try JournalHold(path: path(of: name)) }

  /// Moves a journal that nobody has open to another folder of the same file system. The file by which it is found comes
  /// last: whatever happens, it is in one of the folders, and whole.
  ///
  /// - Throws: `.inUse` when there are files of such a journal already; `.permissionDenied`, `.inputOutput`.
  public func move(_ name: String, to folder: SQLiteJournals) throws(JournalError) {
    let (path, target) = (path(of: name), folder.path(of: name))
    // A log that is empty is left by whoever only looked.
    let log = (try PosixFile.sizeBytes(of: target + "-wal") ?? 0) > 0 ? [target + "-wal"] : []
    for file in try PosixFile.sizeBytes(of: target) != nil ? [target] : log {
      throw JournalError(
        .inUse, "the file is in the way: move it away, with all whose names begin as its name does",
        at: JournalError.Place(file: file))
    }
    for suffix in ["-wal", "-shm", ".mark"] { try PosixFile.moveIfThere(path + suffix, to: target + suffix) }
    try PosixFile.moveIfThere(path, to: target)
    guard try PosixFile.sizeBytes(of: target) != nil else {
      throw JournalError(.notAJournal, "there is no journal to move", at: JournalError.Place(file: path))
    }
    try PosixFile.synchronizeFolder(of: target)
    PosixFile.remove(path + ".lock")
    try PosixFile.synchronizeFolder(of: path)
  }
}

/// A journal that nobody opens meanwhile.
public final class JournalHold: Sendable {
  private let lock: OwnerLock

  init(path: String) throws(JournalError) { lock = try OwnerLock(journalPath: path) }
}
