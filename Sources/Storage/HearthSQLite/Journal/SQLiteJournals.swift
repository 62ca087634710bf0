import Glibc
import HearthJournal

/// The journals in a folder, `NAME.sqlite` each, with `NAME.pages` beside it for pages.
public struct SQLiteJournals: JournalFactory {
  static let suffix = ".sqlite"
  static let pagesSuffix = ".pages"

  /// The folder's path.
  public let folder: String

  /// - Parameter folder: The path of an existing folder.
  public init(folder: String) { self.folder = folder }

  /// Opens the journal with the given name; its file is created when it is missing.
  public func open(_ name: String) throws(JournalError) -> OpenedJournal {
    let journal = try SQLiteJournal(path: path(of: name))
    return OpenedJournal(journal, damages: journal.recovery.damages)
  }

  /// Removes the file of a journal, the files beside it, and then the folder of its pages.
  public func remove(_ name: String) throws(JournalError) {
    let (path, pages) = (path(of: name), folderOfPages(name))
    let files = try entries().filter { $0.hasPrefix(name + Self.suffix) }
    let hasPages = try PosixFile.sizeBytes(of: pages) != nil
    guard !files.isEmpty || hasPages else { return }
    let lock = try OwnerLock(journalPath: path)
    for file in files { try Self.remove(folder + "/" + file) }
    // Also removes the lock file, which opening the lock may just have created.
    unlink(path + ".lock")
    try PosixFile.synchronizeFolder(of: path)
    if hasPages {
      // No journal refers to them any more.
      try Self.removePages(in: pages)
    }
    _ = consume lock
  }

  /// Removes a folder of pages.
  static func removePages(in folder: String) throws(JournalError) {
    guard try PosixFile.sizeBytes(of: folder) != nil else { return }
    for page in try entries(of: folder) { try remove(folder + "/" + page) }
    guard rmdir(folder) == 0 || errno == ENOENT else {
      throw JournalError.system("cannot remove the folder", path: folder, errno)
    }
    try PosixFile.synchronizeFolder(of: folder)
  }

  private static func remove(_ path: String) throws(JournalError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw JournalError.system("cannot remove", path: path, errno) }
  }

  /// Returns `NAME.pages` in the journals' folder.
  public func pageFolder(of name: String) -> String? { folderOfPages(name) }

  func folderOfPages(_ name: String) -> String { folder + "/" + name + Self.pagesSuffix }

  func path(of name: String) -> String { folder + "/" + name + Self.suffix }

  /// Returns the names of the folder's files, without `.sqlite`.
  public func names() throws(JournalError) -> [String] {
    try entries().filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }
  }

  private func entries() throws(JournalError) -> [String] { try Self.entries(of: folder) }

  static func entries(of folder: String) throws(JournalError) -> [String] {
    guard let entries = opendir(folder) else {
      throw JournalError.system("cannot list the folder", path: folder, errno)
    }
    defer { closedir(entries) }
    var found: [String] = []
    while let entry = readdir(entries) {
      let file = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if file != ".", file != ".." { found.append(file) }
    }
    return found
  }
}
