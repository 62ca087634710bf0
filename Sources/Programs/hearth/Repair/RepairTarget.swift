import ArgumentParser
import HearthJournal
import HearthServer
import HearthSystem

/// The target of a repair: a data folder with its content, or one file of it.
struct RepairTarget {
  /// A journal.
  struct Journal {
    /// The name in the data folder: `accounts`, or `databases/NAME`.
    var name: String
    /// The path of the file.
    var path: String

    /// The subfolder of the journal in the data folder.
    var group: String { name.hasPrefix(RepairTarget.databases) ? "/databases" : "" }
  }

  private static let databases = "databases/"
  private static let suffix = JournalEngines.folder.suffix

  /// The data folder; for a file outside of any, the folder that contains it.
  let folder: String
  /// The accounts first, then databases in order of name. Those that are being deleted are left out.
  let journals: [Journal]

  /// - Parameter path: A data folder, or a journal's file.
  /// - Throws: the problem with the path, or `JournalError` when the folder cannot be listed.
  init(_ path: String) throws {
    guard let version = FileVersion(of: path) else {
      throw ValidationError(
        "There is no file or folder \(path); name a data folder, or databases/NAME\(Self.suffix) or "
          + "accounts\(Self.suffix) in one."
      )
    }
    guard version.isRegular else {
      if let url = FolderSettings.read(in: path).journal {
        throw ValidationError(
          "The databases of \(path) are in \(JournalEngines.product(of: url)), and hearth repair only repairs files.")
      }
      folder = path
      journals = try DataFolderJournals.entries(in: path).map {
        Journal(name: $0.name, path: "\(path)/\($0.name)\(Self.suffix)")
      }
      guard !journals.isEmpty else { throw ValidationError("There are no accounts and no databases in \(path).") }
      return
    }
    let file = AtomicFile(path: path)
    let name = file.name.hasSuffix(Self.suffix) ? String(file.name.dropLast(Self.suffix.count)) : file.name
    let isDatabase = AtomicFile(path: file.folder).name + "/" == Self.databases
    folder = isDatabase ? AtomicFile.parent(of: file.folder) : file.folder
    journals = [Journal(name: isDatabase ? Self.databases + name : name, path: path)]
  }
}
