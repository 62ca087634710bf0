import HearthEngine
import HearthSystem
import Logging
import Synchronization

/// The versions of every database's rules, each in a file of its own that is never changed: `NAME/ID.json`.
///
/// Blocks for files: not for event loops.
package final class VersionFiles: Sendable {
  /// The maximum number of versions of one database; beyond it, the oldest are removed.
  static let countMax = 100
  /// The maximum bytes of all texts of one database together; beyond it, the oldest are removed.
  static let bytesMax = 16 << 20
  /// The number of the newest versions that are always kept: there is always one to restore.
  static let countKept = 3
  /// The maximum bytes of one file: the largest rules file with every character escaped.
  private static let fileBytesMax = 16 << 20

  /// The cached index of one database's files.
  private struct Shelf {
    /// The versions, the oldest first.
    var versions: [RulesVersion] = []
    var lastID: Int64 = 0
  }

  /// The maximum number of attempts to add a version while other nodes add theirs.
  private static let triesMax = 16

  private let files: any SmallFiles
  private let logger: Logger
  /// The indexes in use. Only existing databases have an entry, so there are no more of them than databases.
  private let shelves = Mutex<[String: Shelf]>([:])

  init(files: any SmallFiles, logger: Logger) {
    self.files = files
    self.logger = logger
  }

  /// Returns the versions of a database, the oldest first.
  ///
  /// - Parameter database: a legal name of a database.
  func versions(of database: String) throws(RESTFailure) -> [RulesVersion] {
    try onShelf(database) { shelf throws(WholeFile.Problem) in shelf.versions }
  }

  /// Returns the text of a version.
  func source(of version: RulesVersion, in database: String) throws(RESTFailure) -> String {
    try onShelf(database) { _ throws(WholeFile.Problem) in
      let bytes = try files.read(Self.file(version.id, database), bytesMax: Self.fileBytesMax) ?? []
      guard let read = RulesVersion.read(bytes), read.version == version else {
        throw WholeFile.Problem("are damaged", cause: "version \(version.id) is not what was written")
      }
      return read.source
    }
  }

  /// Adds a version, durably, and removes the oldest ones when there are too many.
  func add(
    _ source: String, _ change: RulesChange, at timeMilliseconds: Int64, to database: String
  ) throws(RESTFailure) -> RulesVersion {
    try onShelf(database) { shelf throws(WholeFile.Problem) in
      for _ in 0..<Self.triesMax {
        let version = RulesVersion(
          id: shelf.lastID + 1, timeMilliseconds: timeMilliseconds, change: change, source: source)
        guard try files.write(version.text(with: source), to: Self.file(version.id, database), over: nil) else {
          // Another node was faster.
          shelf = try read(database)
          continue
        }
        shelf.lastID = version.id
        shelf.versions.append(version)
        giveUpOldest(of: &shelf, database)
        return version
      }
      throw WholeFile.Problem("cannot be written", cause: "others are added all the time")
    }
  }

  /// Removes a version that never was in force.
  func remove(_ version: RulesVersion, from database: String) {
    _ = try? onShelf(database) { shelf throws(WholeFile.Problem) in
      guard files.remove(Self.file(version.id, database)) else { throw WholeFile.Problem("cannot be written") }
      shelf.versions.removeAll { $0.id == version.id }
    }
  }

  /// Removes the files of a deleted database.
  func remove(all database: String) {
    shelves.withLock { shelves in
      shelves[database] = nil
      for name in (try? files.names(in: database)) ?? [] where !files.remove("\(database)/\(name)") {
        logger.error("a version of rules cannot be removed", metadata: ["path": "\(files.place(database))"])
      }
    }
  }

  /// Drops the index of a deleted database, or of one whose files another node has changed.
  package func forget(_ database: String) { _ = shelves.withLock { $0.removeValue(forKey: database) } }

  private func giveUpOldest(of shelf: inout Shelf, _ database: String) {
    var sizeBytes = shelf.versions.reduce(0) { $0 + $1.sizeBytes }
    while shelf.versions.count > Self.countKept, shelf.versions.count > Self.countMax || sizeBytes > Self.bytesMax {
      // A file that cannot be removed is tried again with the next one.
      guard files.remove(Self.file(shelf.versions[0].id, database)) else { return }
      sizeBytes -= shelf.versions.removeFirst().sizeBytes
    }
  }

  // MARK: Files

  private static func file(_ id: Int64, _ database: String) -> String { "\(database)/\(id).json" }

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
        metadata: ["path": "\(files.place(database))", "error": "\(problem.cause)"])
      if problem.isNoSpace { throw .noSpace(Failure.noSpace.message) }
      throw RESTFailure(500, "The versions of the rules \(problem.what): \(problem.cause).")
    }
  }

  private func read(_ database: String) throws(WholeFile.Problem) -> Shelf {
    var shelf = Shelf()
    for name in try files.names(in: database) where name.hasSuffix(".json") {
      guard let id = Int64(name.dropLast(5)), id > 0, id < .max, "\(id).json" == name else { continue }
      shelf.lastID = max(shelf.lastID, id)
      let file = Self.file(id, database)
      guard let bytes = try files.read(file, bytesMax: Self.fileBytesMax) else { continue }
      if let (version, _) = RulesVersion.read(bytes), version.id == id {
        shelf.versions.append(version)
      } else {
        // The file stays for inspection; its number is not used again.
        logger.error("a version of rules is damaged", metadata: ["path": "\(files.place(file))"])
      }
    }
    shelf.versions.sort { $0.id < $1.id }
    return shelf
  }
}
