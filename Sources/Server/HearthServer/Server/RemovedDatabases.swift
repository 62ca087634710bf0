import Glibc
import HearthJournal
import HearthSystem
import HearthWire

/// The removal of all files of deleted databases: data and history, settings, and the versions of their rules.
///
/// A mark, `databases/NAME.deleted`, is written first and removed last. After an interruption the next start completes
/// the removal: a database exists with all its files, or not at all. Blocks for files.
struct RemovedDatabases: Sendable {
  private static let suffix = ".deleted"

  private let directory: DataDirectory
  private let journals: any JournalFactory

  /// - Parameter journals: the factory for the folder's databases.
  init(_ directory: DataDirectory, journals: any JournalFactory) {
    (self.directory, self.journals) = (directory, journals)
  }

  /// Marks a database as deleted; its files are removed once it is closed.
  func begin(_ name: String) throws(JournalError) {
    do throws(AtomicFile.Problem) {
      try mark(name).write(Array("{}\n".utf8))
    } catch {
      throw JournalError(
        error.isNoSpace ? .noSpace : .failed, "the mark of a deleted database \(error.what): \(error.cause)",
        at: JournalError.Place(file: mark(name).path))
    }
  }

  /// Removes the remaining files. The database must be closed.
  func finish(_ name: String) throws(JournalError) {
    try journals.remove(name)
    try remove(AtomicFile(folder: directory.settingsPath, name: name + ".json"))
    let versions = directory.versionsPath + "/" + name
    for file in try names(in: versions) { try remove(AtomicFile(folder: versions, name: file)) }
    guard rmdir(versions) == 0 || errno == ENOENT else { throw Self.failure(versions, errno) }
    try remove(mark(name))
  }

  /// Completes the removals that were under way when the server ended.
  ///
  /// - Returns: the names of the databases.
  func finishAll() throws(JournalError) -> [String] {
    let marked = try Self.marked(in: directory)
    for name in marked { try finish(name) }
    return marked
  }

  /// Returns the databases that are marked as deleted.
  static func marked(in directory: DataDirectory) throws(JournalError) -> [String] {
    do throws(AtomicFile.Problem) {
      return try AtomicFile.names(in: directory.databasesPath).compactMap { file in
        guard file.hasSuffix(suffix) else { return nil }
        let name = String(file.dropLast(suffix.count))
        return Namespace.isValid(name) ? name : nil
      }.sorted()
    } catch {
      throw JournalError(.failed, "the folder \(error.what): \(error.cause)", at: .init(file: directory.databasesPath))
    }
  }

  private func mark(_ name: String) -> AtomicFile {
    AtomicFile(folder: directory.databasesPath, name: name + Self.suffix)
  }

  private func remove(_ file: AtomicFile) throws(JournalError) {
    guard file.remove() else { throw Self.failure(file.path, errno) }
  }

  private func names(in folder: String) throws(JournalError) -> [String] {
    do throws(AtomicFile.Problem) { return try AtomicFile.names(in: folder) } catch {
      throw JournalError(.failed, "the folder \(error.what): \(error.cause)", at: .init(file: folder))
    }
  }

  private static func failure(_ path: String, _ code: Int32) -> JournalError {
    JournalError(.failed, "cannot be removed: \(String(cString: strerror(code)))", at: JournalError.Place(file: path))
  }
}
