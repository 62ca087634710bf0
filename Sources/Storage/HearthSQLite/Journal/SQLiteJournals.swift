import Glibc
import HearthJournal

/// The journals in a folder, `NAME.sqlite` each.
public struct SQLiteJournals: JournalFactory {
  static let suffix = ".sqlite"

  /// The folder's path.
  public let folder: String

  /// - Parameter folder: The path of an existing folder.
  public init(folder: String) { self.folder = folder }

  /// Opens the journal with the given name; its file is created when it is missing.
  public func open(_ name: String) throws(JournalError) -> OpenedJournal {
    let journal = try SQLiteJournal(path: path(of: name))
    return OpenedJournal(journal, damages: journal.recovery.damages)
  }

  /// Removes the file of a journal, and the files beside it.
  public func remove(_ name: String) throws(JournalError) {
    let path = path(of: name)
    let files = try entries().filter { $0.hasPrefix(name + Self.suffix) }
    guard !files.isEmpty else { return }
    let lock = try OwnerLock(journalPath: path)
    for file in files {
      let path = folder + "/" + file
      guard unlink(path) == 0 || errno == ENOENT else { throw JournalError.system("cannot remove", path: path, errno) }
    }
    // Also removes the lock file, which opening the lock may just have created.
    unlink(path + ".lock")
    try PosixFile.synchronizeFolder(of: path)
    _ = consume lock
  }

  func path(of name: String) -> String { folder + "/" + name + Self.suffix }

  /// Returns the names of the folder's files, without `.sqlite`.
  public func names() throws(JournalError) -> [String] {
    try entries().filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }
  }

  private func entries() throws(JournalError) -> [String] {
    guard let entries = opendir(folder) else {
      throw JournalError.system("cannot list the folder", path: folder, errno)
    }
    defer { closedir(entries) }
    var found: [String] = []
    while let entry = readdir(entries) {
      let file = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      found.append(file)
    }
    return found
  }
}
