import HearthJournal
import HearthSystem

extension JournalSalvage {
  /// Writes new files with the salvageable part, and moves the damaged files to another folder.
  ///
  /// After an interruption at any point, a server either refuses the damaged files as before or opens the new ones; a
  /// repeated call continues the replacement.
  ///
  /// - Parameters:
  /// - report: The result of ``examine()``, with ``SalvageReport/isLost`` false.
  /// - folder: The existing folder for the damaged files, on the same file system. It has no files with their names.
  /// - Throws: `JournalError`; when it fails before the damaged files were moved, nothing has changed.
  package func replace(_ report: SalvageReport, keepingIn folder: String) throws(JournalError) {
    precondition(!report.isLost, "the journal has nothing to salvage")
    let saved = try save(report)
    let name = AtomicFile(folder: folder, name: AtomicFile(path: path).name).path
    // The damaged database file keeps its name until the new one replaces it. Its WAL is moved first, because SQLite
    // would use it for the new file.
    try PosixFile.link(path, name)
    try PosixFile.moveIfThere(path + "-wal", to: name + "-wal")
    PosixFile.remove(path + "-shm")
    try PosixFile.synchronizeFolder(of: name)
    try PosixFile.synchronizeFolder(of: path)
    try PosixFile.moveIfThere(saved, to: path)
    try PosixFile.synchronizeFolder(of: path)
    // While the old mark exists, the new file would be refused if it ends earlier.
    try PosixFile.linkIfThere(path + ".mark", name + ".mark")
    try PosixFile.moveIfThere(saved + ".mark", to: path + ".mark")
    PosixFile.remove(saved + ".lock")
    try PosixFile.synchronizeFolder(of: name)
    try PosixFile.synchronizeFolder(of: path)
  }
}
