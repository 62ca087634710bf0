import HearthJournal
import HearthSystem

extension JournalSalvage {
  /// Saves the salvageable part, and replaces the damaged files by it, which are kept in another folder.
  ///
  /// After an interruption at any point, a server refuses the files as before or opens the saved ones; a repetition
  /// continues.
  ///
  /// - Parameters:
  ///   - report: The result of ``examine()``, not of a lost journal.
  ///   - folder: The target of the damaged files, on the same file system. It exists, and has no files of that name.
  /// - Throws: `JournalError`; after a failure before the damaged files were moved nothing has changed.
  package func replace(_ report: SalvageReport, keepingIn folder: String) throws(JournalError) {
    precondition(!report.isLost, "the journal has nothing to salvage")
    let saved = try save(report)
    let name = AtomicFile(folder: folder, name: AtomicFile(path: path).name).path
    // The file itself keeps its name until the saved one replaces it. Its log goes first, because SQLite would take it
    // for the saved file's.
    try PosixFile.link(path, name)
    try PosixFile.moveIfThere(path + "-wal", to: name + "-wal")
    PosixFile.remove(path + "-shm")
    try PosixFile.synchronizeFolder(of: name)
    try PosixFile.synchronizeFolder(of: path)
    try PosixFile.moveIfThere(saved, to: path)
    try PosixFile.synchronizeFolder(of: path)
    // While the old mark exists, a saved file that ends earlier is refused.
    try PosixFile.linkIfThere(path + ".mark", name + ".mark")
    try PosixFile.moveIfThere(saved + ".mark", to: path + ".mark")
    PosixFile.remove(saved + ".lock")
    try PosixFile.synchronizeFolder(of: name)
    try PosixFile.synchronizeFolder(of: path)
  }
}
