import HearthJournal
import HearthSystem

extension JournalSalvage {
  /// Saves what can be kept, and puts it in the place of the damaged files, which are kept in another folder.
  ///
  /// Whenever it is interrupted, a server refuses the files as before or opens what was saved; done again, it goes on.
  ///
  /// - Parameters:
  ///   - report: what ``examine()`` found; not one of a journal that is lost.
  ///   - folder: where the damaged files go, on the same file system. It exists, and holds none of that name.
  /// - Throws: `JournalError`; after a failure before the damaged files were moved nothing has changed.
  public func replace(_ report: SalvageReport, keepingIn folder: String) throws(JournalError) {
    precondition(!report.isLost, "there is nothing to save")
    let saved = try save(report)
    let name = WholeFile(folder: folder, name: WholeFile(path: path).name).path
    // The file itself keeps its name until the saved one takes its place. Its log goes first, since SQLite would take it
    // for the saved file's.
    try PosixFile.link(path, name)
    try PosixFile.moveIfThere(path + "-wal", to: name + "-wal")
    PosixFile.remove(path + "-shm")
    try PosixFile.synchronizeFolder(of: name)
    try PosixFile.synchronizeFolder(of: path)
    try PosixFile.moveIfThere(saved, to: path)
    try PosixFile.synchronizeFolder(of: path)
    // As long as the old mark is there the saved file is refused, if it ends earlier.
    try PosixFile.linkIfThere(path + ".mark", name + ".mark")
    try PosixFile.moveIfThere(saved + ".mark", to: path + ".mark")
    PosixFile.remove(saved + ".lock")
    try PosixFile.synchronizeFolder(of: name)
    try PosixFile.synchronizeFolder(of: path)
  }
}
