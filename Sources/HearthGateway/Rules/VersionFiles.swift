import HearthEngine
import HearthSystem
import Logging
import Synchronization

/// The versions of every database's rules, each in a file of its own that is never changed: `NAME/ID.json`.
///
/// Blocks for files: not for event loops.
package final class VersionFiles: Sendable {
  /// Of one database; beyond it, the oldest are given up.
  static let countMax = 100
  /// Bytes of all texts of one database together; beyond it, the oldest are given up.
  static let bytesMax = 16 << 20
  /// So many of the newest are kept in any case: there is always one to go back to.
  static let countKept = 3
  /// Bytes of one file: the largest rules file with every character escaped.
  private static let fileBytesMax = 16 << 20

  /// What is known of one database's files.
  private struct Shelf {
    /// The oldest first.
    var versions: [RulesVersion] = []
    var lastID: Int64 = 0
  }

  private let folder: String
  private let logger: Logger
  /// Those that were used. A database whose name is here exists, so there are no more of them than databases.
  private let shelves = Mutex<[String: Shelf]>([:])

  init(folder: String, logger: Logger) {
    self.folder = folder
    self.logger = logger
  }

  /// The versions of a database, the oldest first.
  ///
  /// - Parameter database: a legal name of a database.
  func versions(of database: String) throws(RESTFailure) -> [RulesVersion] {
    try onShelf(database) { shelf throws(WholeFile.Problem) in shelf.versions }
  }

  /// The text of a version.
  func source(of version: RulesVersion, in database: String) throws(RESTFailure) -> String {
    try onShelf(database) { _ throws(WholeFile.Problem) in
      let bytes = try file(version.id, database).read(bytesMax: Self.fileBytesMax) ?? []
      guard let read = RulesVersion.read(bytes), read.version == version else {
        throw WholeFile.Problem("are damaged", cause: "version \(version.id) is not what was written")
      }
      return read.source
    }
  }

  /// Adds a version, durably, and gives up the oldest ones when there are too many.
  func add(
    _ source: String, _ change: RulesChange, at timeMilliseconds: Int64, to database: String
  ) throws(RESTFailure) -> RulesVersion {
    try onShelf(database) { shelf throws(WholeFile.Problem) in
      let version = RulesVersion(
        id: shelf.lastID + 1, timeMilliseconds: timeMilliseconds, change: change, source: source)
      try file(version.id, database).write(version.text(with: source))
      shelf.lastID = version.id
      shelf.versions.append(version)
      giveUpOldest(of: &shelf, database)
      return version
    }
  }

  /// Takes a version away that never was in force.
  func remove(_ version: RulesVersion, from database: String) {
    _ = try? onShelf(database) { shelf throws(WholeFile.Problem) in
      guard file(version.id, database).remove() else { throw WholeFile.Problem("cannot be written") }
      shelf.versions.removeAll { $0.id == version.id }
    }
  }

  /// The database is no more, nor are its files.
  func forget(_ database: String) { _ = shelves.withLock { $0.removeValue(forKey: database) } }

  private func giveUpOldest(of shelf: inout Shelf, _ database: String) {
    var sizeBytes = shelf.versions.reduce(0) { $0 + $1.sizeBytes }
    while shelf.versions.count > Self.countKept, shelf.versions.count > Self.countMax || sizeBytes > Self.bytesMax {
      // One that cannot be removed is tried again with the next.
      guard file(shelf.versions[0].id, database).remove() else { return }
      sizeBytes -= shelf.versions.removeFirst().sizeBytes
    }
  }

  // MARK: Files

  private func folder(of database: String) -> String { "\(folder)/\(database)" }

  private func file(_ id: Int64, _ database: String) -> WholeFile {
    WholeFile(folder: folder(of: database), name: "\(id).json")
  }

  private func onShelf<Result: Sendable>(
    _ database: String, _ body: (inout Shelf) throws(WholeFile.Problem) -> Result
  ) throws(RESTFailure) -> Result {
    let outcome = shelves.withLock { shelves -> Swift.Result<Result, WholeFile.Problem> in
      Swift.Result { () throws(WholeFile.Problem) in
        var shelf = if let known = shelves[database] { known } else { try read(database) }
        defer { shelves[database] = shelf }
        return try body(&shelf)
      }
    }
    switch outcome {
    case .success(let result): return result
    case .failure(let problem):
      logger.error(
        "the versions of rules \(problem.what)",
        metadata: ["path": "\(folder(of: database))", "error": "\(problem.cause)"])
      if problem.isNoSpace { throw .noSpace(Failure.noSpace.message) }
      throw RESTFailure(500, "The versions of the rules \(problem.what): \(problem.cause).")
    }
  }

  private func read(_ database: String) throws(WholeFile.Problem) -> Shelf {
    var shelf = Shelf()
    for name in try WholeFile.names(in: folder(of: database)) where name.hasSuffix(".json") {
      guard let id = Int64(name.dropLast(5)), id > 0, id < .max, "\(id).json" == name else { continue }
      shelf.lastID = max(shelf.lastID, id)
      let file = file(id, database)
      guard let bytes = try file.read(bytesMax: Self.fileBytesMax) else { continue }
      if let (version, _) = RulesVersion.read(bytes), version.id == id {
        shelf.versions.append(version)
      } else {
        // It stays for somebody to look at; its number is not given again.
        logger.error("a version of rules is damaged", metadata: ["path": "\(file.path)"])
      }
    }
    shelf.versions.sort { $0.id < $1.id }
    return shelf
  }
}
