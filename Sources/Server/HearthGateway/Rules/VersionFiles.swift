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
  private struct FileIndex {
    /// The versions, the oldest first.
    var versions: [RulesVersion] = []
    var lastID: Int64 = 0
  }

  /// The maximum number of attempts to add a version while other nodes add theirs.
  private static let triesMax = 16

  private let files: any SmallFileStore
  private let logger: Logger
  /// The indexes in use. Only existing databases have an entry, so there are no more of them than databases.
  private let indexes = Mutex<[String: FileIndex]>([:])

  init(files: any SmallFileStore, logger: Logger) {
    self.files = files
    self.logger = logger
  }

  /// Returns the versions of a database, the oldest first.
  ///
  /// - Parameter database: a legal name of a database.
  func versions(of database: String) throws(RESTFailure) -> [RulesVersion] {
    try withIndex(database) { index throws(AtomicFile.Problem) in index.versions }
  }

  /// Returns the text of a version.
  func source(of version: RulesVersion, in database: String) throws(RESTFailure) -> String {
    try withIndex(database) { _ throws(AtomicFile.Problem) in
      let bytes = try files.read(Self.file(version.id, database), bytesMax: Self.fileBytesMax) ?? []
      guard let read = RulesVersion.read(bytes), read.version == version else {
        throw AtomicFile.Problem("are damaged", cause: "version \(version.id) does not match its checksum")
      }
      return read.source
    }
  }

  /// Adds a version, durably, and removes the oldest ones when there are too many.
  func add(
    _ source: String, _ change: RulesChange, at timeMilliseconds: Int64, to database: String
  ) throws(RESTFailure) -> RulesVersion {
    try withIndex(database) { index throws(AtomicFile.Problem) in
      for _ in 0..<Self.triesMax {
        let version = RulesVersion(
          id: index.lastID + 1, timeMilliseconds: timeMilliseconds, change: change, source: source)
        guard try files.write(version.text(with: source), to: Self.file(version.id, database), over: nil) else {
          // Another node was faster.
          index = try read(database)
          continue
        }
        index.lastID = version.id
        index.versions.append(version)
        removeOldest(of: &index, database)
        return version
      }
      throw AtomicFile.Problem("cannot be written", cause: "other processes keep adding versions")
    }
  }

  /// Removes a version that never was in force.
  func remove(_ version: RulesVersion, from database: String) {
    _ = try? withIndex(database) { index throws(AtomicFile.Problem) in
      guard files.remove(Self.file(version.id, database)) else { throw AtomicFile.Problem("cannot be written") }
      index.versions.removeAll { $0.id == version.id }
    }
  }

  /// Removes the files of a deleted database.
  func remove(all database: String) {
    indexes.withLock { indexes in
      indexes[database] = nil
      for name in (try? files.names(in: database)) ?? [] where !files.remove("\(database)/\(name)") {
        logger.error("a version of rules cannot be removed", metadata: ["path": "\(files.place(database))"])
      }
    }
  }

  /// Drops the index of a deleted database, or of one whose files another node has changed.
  package func forget(_ database: String) { _ = indexes.withLock { $0.removeValue(forKey: database) } }

  private func removeOldest(of index: inout FileIndex, _ database: String) {
    var sizeBytes = index.versions.reduce(0) { $0 + $1.sizeBytes }
    while index.versions.count > Self.countKept, index.versions.count > Self.countMax || sizeBytes > Self.bytesMax {
      // A file that cannot be removed is tried again at the next removal.
      guard files.remove(Self.file(index.versions[0].id, database)) else { return }
      sizeBytes -= index.versions.removeFirst().sizeBytes
    }
  }

  // MARK: Files

  private static func file(_ id: Int64, _ database: String) -> String { "\(database)/\(id).json" }

  private func withIndex<Result: Sendable>(
    _ database: String, _ body: (inout FileIndex) throws(AtomicFile.Problem) -> Result
  ) throws(RESTFailure) -> Result {
    let outcome = indexes.withLock { indexes -> Swift.Result<Result, AtomicFile.Problem> in
      Swift.Result { () throws(AtomicFile.Problem) in
        var index = if let known = indexes[database] { known } else { try read(database) }
        defer { indexes[database] = index }
        return try body(&index)
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

  private func read(_ database: String) throws(AtomicFile.Problem) -> FileIndex {
    var index = FileIndex()
    for name in try files.names(in: database) where name.hasSuffix(".json") {
      guard let id = Int64(name.dropLast(5)), id > 0, id < .max, "\(id).json" == name else { continue }
      index.lastID = max(index.lastID, id)
      let file = Self.file(id, database)
      guard let bytes = try files.read(file, bytesMax: Self.fileBytesMax) else { continue }
      if let (version, _) = RulesVersion.read(bytes), version.id == id {
        index.versions.append(version)
      } else {
        // The file stays for inspection; its number is not used again.
        logger.error("a version of rules is damaged", metadata: ["path": "\(files.place(file))"])
      }
    }
    index.versions.sort { $0.id < $1.id }
    return index
  }
}
