import Glibc
import HearthJournal
import HearthSystem

/// A copy of all journals of a data folder into a store on a database server, or back: databases and accounts, with
/// their events that are not delivered yet.
///
/// The copies are written under temporary names that no server uses, read back and compared with their sources, and renamed
/// when all of them are complete. The next attempt removes the remains of an interrupted one. The source is not
/// changed.
package final class JournalMove {
  /// A journal at its destination.
  package struct Moved: Sendable, Equatable {
    /// The name: `accounts`, or `databases/NAME`.
    package var name: String
    /// The digest of its content, equal on both sides.
    package var digest: JournalDigest
    /// True when an equal journal was there before.
    package var wasThere: Bool
  }

  /// The problems with the set-up of the store; a sentence each.
  package var warnings: [String] { store.warnings }

  private let directory: DataDirectory
  private let folder: any JournalStore
  private let store: any JournalStore

  /// Connects to the store, and locks it against servers. Blocks.
  ///
  /// - Parameters:
  ///   - folder: the data folder's path.
  ///   - url: the store's URL.
  /// - Throws: ``ServerError``, also when a server or a node of a cluster uses it.
  package init(folder: String, store url: String) throws(ServerError) {
    directory = DataDirectory(path: folder)
    self.folder = JournalEngines.folder.open(folder)
    do throws(JournalError) {
      store = try JournalEngines.engine(of: url).open(url)
      try store.lock(for: .copy([]))
    } catch {
      throw ServerError(.storage, "cannot use \(JournalEngines.product(of: url)): \(error)")
    }
  }

  /// Ends the connections, and unlocks both sides.
  package func close() {
    store.close()
    folder.close()
  }

  // MARK: Directions

  /// Copies the folder's journals into the store.
  ///
  /// - Parameter onCopied: called with each journal that is copied and verified, or was there before. The copies get
  ///   their final names after the last call.
  /// - Throws: ``ServerError`` when the store has other journals, a server runs on the folder, or there are no journals
  ///   to copy; `JournalError`, `RecordError`. The store then has only the journals that it had before.
  package func toStore(_ onCopied: (Moved) -> Void) throws {
    let sources = try Self.requireJournals(folderJournals(), in: folder)
    try lock(sources)
    try run(sources, to: store, comparing: DataFolderJournals(directory.path, in: store).entries(), onCopied) {}
  }

  /// Copies the store's journals into the folder, which is made when it is missing.
  ///
  /// - Parameters:
  ///   - begin: called before the first write: from then on no server may start on the folder's own databases.
  ///   - onCopied: called with each journal that is copied and verified, or was there before. The copies get their
  ///     final names after the last call.
  /// - Throws: as ``toStore(_:)`` does. The folder may then have some of the databases, each of them complete.
  package func toFolder(begin: () throws -> Void, _ onCopied: (Moved) -> Void) throws {
    let sources = try Self.requireJournals(DataFolderJournals(directory.path, in: store).entries(), in: store)
    let present = try folderJournals()
    try lock(present)
    try run(sources, to: folder, comparing: present, onCopied) {
      for folder in [directory.path, directory.databasesPath] { try Self.make(folder) }
      try begin()
    }
  }

  // MARK: Steps

  private static func requireJournals(
    _ sources: [DataFolderJournals.Entry], in store: any JournalStore
  ) throws(ServerError) -> [DataFolderJournals.Entry] {
    guard !sources.isEmpty else { throw ServerError(.storage, "\(store.address) holds no databases and no accounts") }
    return sources
  }

  /// Copies the journals that are missing at the destination.
  ///
  /// - Parameters:
  ///   - present: the journals of the destination.
  ///   - begin: called before the first write.
  private func run(
    _ sources: [DataFolderJournals.Entry], to target: any JournalStore, comparing present: [DataFolderJournals.Entry],
    _ onCopied: (Moved) -> Void, begin: () throws -> Void
  ) throws {
    let existing = try compare(
      present, with: sources, advice: "\(target.address) holds other databases already: \(target.occupiedAdvice)")
    try begin()
    let staging = try target.stage()
    for source in sources { onCopied(try copy(source, existing[source.name], into: staging)) }
    try target.publish(sources.map(\.name).filter { existing[$0] == nil })
  }

  private func copy(
    _ source: DataFolderJournals.Entry, _ existing: JournalDigest?, into archive: any JournalArchive
  ) throws -> Moved {
    if let existing { return Moved(name: source.name, digest: existing, wasThere: true) }
    let view = try source.archive.view(source.name)
    defer { view.close() }
    try JournalCopy.run(view, into: archive.restoration(source.name))
    let digest = try JournalDigest(view)
    guard try Self.digest(of: source.name, in: archive) == digest else {
      throw ServerError(
        .storage, "the copy of \(source.name) differs from the original; nothing was replaced")
    }
    return Moved(name: source.name, digest: digest, wasThere: false)
  }

  /// Returns the existing journals that equal their sources.
  ///
  /// - Throws: ``ServerError`` when another journal exists.
  private func compare(
    _ present: [DataFolderJournals.Entry], with sources: [DataFolderJournals.Entry], advice: String
  ) throws -> [String: JournalDigest] {
    let sources = Dictionary(uniqueKeysWithValues: sources.map { ($0.name, $0) })
    var (same, others): ([String: JournalDigest], [String]) = ([:], [])
    for journal in present {
      if let source = sources[journal.name], let digest = try Self.commonDigest(journal, source) {
        same[journal.name] = digest
      } else {
        others.append(journal.name)
      }
    }
    guard others.isEmpty else { throw ServerError(.storage, "\(advice): \(Self.list(others))") }
    return same
  }

  /// Returns the common digest of two journals; nil when they differ.
  private static func commonDigest(
    _ a: DataFolderJournals.Entry, _ b: DataFolderJournals.Entry
  ) throws -> JournalDigest? {
    let (viewA, viewB) = (try a.archive.view(a.name), try b.archive.view(b.name))
    defer {
      viewA.close()
      viewB.close()
    }
    guard viewA.head.position == viewB.head.position, viewA.head.runningHash == viewB.head.runningHash else {
      return nil
    }
    let digest = try JournalDigest(viewA)
    return try JournalDigest(viewB) == digest ? digest : nil
  }

  private static func digest(of journal: String, in archive: any JournalArchive) throws -> JournalDigest {
    let view = try archive.view(journal)
    defer { view.close() }
    return try JournalDigest(view)
  }

  // MARK: The folder

  private func folderJournals() throws(JournalError) -> [DataFolderJournals.Entry] {
    try DataFolderJournals.exist(in: directory.path) ? DataFolderJournals.entries(in: directory.path) : []
  }

  /// Locks the folder's journals against servers.
  private func lock(_ journals: [DataFolderJournals.Entry]) throws(ServerError) {
    do throws(JournalError) { try folder.lock(for: .copy(journals.map(\.name))) } catch {
      throw ServerError(.storage, "cannot read the databases of \(directory.path): \(error)")
    }
  }

  private static func make(_ folder: String) throws(ServerError) {
    guard AtomicFile.makeFolder(folder) else {
      throw ServerError(.storage, "cannot create the folder \(folder): \(String(cString: strerror(errno)))")
    }
  }

  private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
