import HearthJournal
import HearthSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
    try linkPages(to: AtomicFile(folder: folder, name: AtomicFile(path: pageFolder).name).path)
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
    // The new file refers to no pages: a server would remove them as well.
    try? SQLiteJournals.removePages(in: pageFolder)
  }

  /// Links the files of pages into a folder beside the damaged file, before a new file stops referring to them.
  private func linkPages(to folder: String) throws(JournalError) {
    guard try PosixFile.sizeBytes(of: pageFolder) != nil else { return }
    guard AtomicFile.makeFolder(folder) else {
      throw JournalError.system("cannot create the folder", path: folder, errno)
    }
    for file in try SQLiteJournals.entries(of: pageFolder) {
      // An interrupted replacement may have linked it already.
      guard try PosixFile.sizeBytes(of: folder + "/" + file) == nil else { continue }
      try PosixFile.link(pageFolder + "/" + file, folder + "/" + file)
    }
    try PosixFile.synchronizeFolder(of: folder + "/")
    try PosixFile.synchronizeFolder(of: folder)
  }
}
