import Glibc
import HearthJournal
import HearthPostgres
import HearthSQLite
import HearthSystem

/// A copy of all journals of a data folder into PostgreSQL, or back: databases, accounts, and the events that wait
/// beside them.
///
/// They are written under temporary names that no server uses, read back and compared with their sources, and renamed
/// when all of them are complete. The next attempt removes the remains of an interrupted one. The source is not
/// changed.
package final class JournalMove {
  /// A journal at its destination.
  package struct Moved: Sendable, Equatable {
    /// The name: `accounts`, or `databases/NAME`.
    package var name: String
    /// The digest of its content, equal on both sides.
    package var print: JournalDigest
    /// True when an equal journal was there before.
    package var wasThere: Bool
  }

  /// The prefix of journals' names in PostgreSQL while they are made.
  private static let workCollection = "moving/"
  /// The folder in a data folder in which journals are made. Folders of that name are in no backup.
  private static let workFolder = "moving.partial"

  /// The problems with the setup of PostgreSQL; a sentence each.
  package var warnings: [String] { engine.warnings }

  private let directory: DataDirectory
  private let engine: PostgresEngine
  private let sentry: PostgresSentry
  /// The journals of the folder that are locked against servers.
  private var holds: [JournalHold] = []

  /// Connects, and locks PostgreSQL against servers. Blocks.
  ///
  /// - Parameters:
  ///   - folder: the data folder's path.
  ///   - url: of PostgreSQL.
  /// - Throws: ``ServerError``, also when a server or a node of a cluster uses it.
  package init(folder: String, postgres url: String) throws(ServerError) {
    directory = DataDirectory(path: folder)
    do throws(JournalError) {
      engine = try PostgresEngine(PostgresAddress(url))
      sentry = try PostgresSentry(engine)
      try sentry.waitUntilAlone()
      let nodes = try engine.livingNodes()
      guard nodes.isEmpty else {
        throw JournalError(.inUse, "a cluster uses \(engine.address); stop its nodes first: \(Self.list(nodes))")
      }
    } catch {
      throw ServerError(.storage, "cannot use PostgreSQL: \(error)")
    }
  }

  /// Ends the connections, and unlocks both sides.
  package func close() {
    sentry.close()
    engine.close()
    holds = []
  }

  // MARK: Directions

  /// Copies the folder's journals into PostgreSQL.
  ///
  /// - Parameter told: called with each that is copied and verified. None has its final name before the call returns.
  /// - Throws: ``ServerError`` when PostgreSQL has other journals, a server runs on the folder, or there are no
  ///   journals to copy; `JournalError`, `RecordError`. PostgreSQL then has only the journals that it had before.
  package func toPostgres(_ told: (Moved) -> Void) throws {
    let sources = try folderPlaces()
    guard !sources.isEmpty else {
      throw ServerError(.storage, "\(directory.path) has no databases and no accounts")
    }
    try hold(sources)
    let there = try compare(
      DataFolderJournals(directory.path, in: engine).places(), with: sources,
      advice: "\(engine.address) holds other databases already: name another PostgreSQL database, or remove them there "
        + "with DROP SCHEMA hearth CASCADE")
    for collection in [Self.workCollection, "restoring/" + Self.workCollection] {
      let journals = engine.journals(collection)
      for name in try journals.names() { try journals.remove(name) }
    }
    let work = engine.archive(Self.workCollection)
    try copy(sources, there, told) { ($0, work) }
    try engine.rename(Self.workCollection, to: "")
  }

  /// Copies PostgreSQL's journals into the folder, which is made when it is missing.
  ///
  /// - Parameters:
  ///   - begin: called before the first write: from then on no server may start on the folder's own databases.
  ///   - told: called with each that is copied and verified. None has its final name before all have.
  /// - Throws: as ``toPostgres(_:)`` does. The folder may then have some of the databases, each of them complete.
  package func toFolder(begin: () throws -> Void, _ told: (Moved) -> Void) throws {
    let sources = try DataFolderJournals(directory.path, in: engine).places()
    guard !sources.isEmpty else { throw ServerError(.storage, "\(engine.address) has no databases and no accounts") }
    let present = try folderPlaces()
    try hold(present)
    let there = try compare(
      present, with: sources,
      advice: "\(directory.path) holds other databases already: name another folder, or move these files away")
    for folder in [directory.path, directory.databasesPath] { try Self.make(folder) }
    try begin()
    let work = DataDirectory(path: directory.path + "/" + Self.workFolder)
    try Self.remove(work)
    for folder in [work.path, work.databasesPath] { try Self.make(folder) }
    try copy(sources, there, told) { name in
      let (folder, journal) = Self.file(name, in: work)
      return (journal, SQLiteJournals(folder: folder))
    }
    for source in sources where there[source.name] == nil {
      let (folder, journal) = Self.file(source.name, in: work)
      try SQLiteJournals(folder: folder).move(
        journal, to: SQLiteJournals(folder: Self.file(source.name, in: directory).folder))
    }
    try Self.remove(work)
  }

  // MARK: Steps

  /// Copies the journals that are missing at the destination.
  ///
  /// - Parameter place: returns the destination of a journal, and its name there.
  private func copy(
    _ sources: [DataFolderJournals.Place], _ there: [String: JournalDigest], _ told: (Moved) -> Void,
    _ place: (_ name: String) -> (journal: String, archive: any JournalArchive)
  ) throws {
    for source in sources {
      if let print = there[source.name] {
        told(Moved(name: source.name, print: print, wasThere: true))
        continue
      }
      let (journal, archive) = place(source.name)
      let view = try source.archive.view(source.journal)
      defer { view.close() }
      try JournalCopy.run(view, into: archive.restoration(journal))
      let print = try JournalDigest(view)
      guard try Self.print(of: journal, in: archive) == print else {
        throw ServerError(
          .storage, "the copy of \(source.name) is not what it was made of: nothing was put in its place")
      }
      told(Moved(name: source.name, print: print, wasThere: false))
    }
  }

  /// Returns the existing journals that equal their sources.
  ///
  /// - Throws: ``ServerError`` when another journal exists.
  private func compare(
    _ present: [DataFolderJournals.Place], with sources: [DataFolderJournals.Place], advice: String
  ) throws -> [String: JournalDigest] {
    let sources = Dictionary(uniqueKeysWithValues: sources.map { ($0.name, $0) })
    var (same, others): ([String: JournalDigest], [String]) = ([:], [])
    for place in present {
      if let source = sources[place.name], let print = try Self.common(place, source) {
        same[place.name] = print
      } else {
        others.append(place.name)
      }
    }
    guard others.isEmpty else { throw ServerError(.storage, "\(advice): \(Self.list(others))") }
    return same
  }

  /// Returns the common digest of two journals; nil when they differ.
  private static func common(
    _ a: DataFolderJournals.Place, _ b: DataFolderJournals.Place
  ) throws -> JournalDigest? {
    let (viewA, viewB) = (try a.archive.view(a.journal), try b.archive.view(b.journal))
    defer {
      viewA.close()
      viewB.close()
    }
    guard viewA.head.position == viewB.head.position, viewA.head.runningHash == viewB.head.runningHash else {
      return nil
    }
    let print = try JournalDigest(viewA)
    return try JournalDigest(viewB) == print ? print : nil
  }

  private static func print(of journal: String, in archive: any JournalArchive) throws -> JournalDigest {
    let view = try archive.view(journal)
    defer { view.close() }
    return try JournalDigest(view)
  }

  // MARK: The folder

  private func folderPlaces() throws(JournalError) -> [DataFolderJournals.Place] {
    try DataFolderJournals.areThere(in: directory.path) ? DataFolderJournals.places(in: directory.path) : []
  }

  /// Locks the folder's journals against servers.
  private func hold(_ places: [DataFolderJournals.Place]) throws(ServerError) {
    for place in places {
      let (folder, journal) = Self.file(place.name, in: directory)
      do throws(JournalError) { holds.append(try SQLiteJournals(folder: folder).hold(journal)) } catch {
        throw ServerError(.storage, "cannot look at the databases of \(directory.path): \(error)")
      }
    }
  }

  /// Returns the folder of a journal's file, and its name there.
  private static func file(_ name: String, in directory: DataDirectory) -> (folder: String, journal: String) {
    let prefix = JournalEngine.databasesPrefix
    guard name.hasPrefix(prefix) else { return (directory.path, name) }
    return (directory.databasesPath, String(name.dropFirst(prefix.count)))
  }

  private static func make(_ folder: String) throws(ServerError) {
    guard WholeFile.makeFolder(folder) else {
      throw ServerError(.storage, "cannot make the folder \(folder): \(String(cString: strerror(errno)))")
    }
  }

  /// Removes the temporary folders of this attempt, or of an earlier one.
  private static func remove(_ work: DataDirectory) throws {
    for folder in [work.databasesPath, work.path] {
      do throws(WholeFile.Problem) {
        for name in try WholeFile.names(in: folder) where folder + "/" + name != work.databasesPath {
          _ = WholeFile(folder: folder, name: name).remove()
        }
      } catch {
        throw ServerError(.storage, "the folder \(folder) \(error.what): \(error.cause)")
      }
      guard rmdir(folder) == 0 || errno == ENOENT else {
        throw ServerError(.storage, "cannot remove the folder \(folder): \(String(cString: strerror(errno)))")
      }
    }
  }

  private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
