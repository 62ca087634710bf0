import HearthJournal
import HearthTree

/// The verification of backups, which reads every byte back and compares it with the written data.
public struct Verification {
  /// A deviation from the written data.
  public struct Finding: Sendable, Equatable, CustomStringConvertible {
    /// The file.
    public var path: String
    /// The fault.
    public var text: String
    /// The backups that cannot be restored, or only in part, because of the deviation.
    public var backups: [String]

    public var description: String {
      let needing = backups.isEmpty ? "" : "; needed by \(backups.joined(separator: ", "))"
      return "\(path): \(text)\(needing)"
    }
  }

  /// The result of a verification.
  public struct Report: Sendable, Equatable {
    /// The number of verified backups.
    public var backupCount = 0
    /// The number of pieces that were read, each read once.
    public var pieceCount = 0
    /// The size of the pieces before compression.
    public var sizeBytes = 0
    /// The findings in the order of their files; empty when the backups are intact.
    public var findings: [Finding] = []
  }

  /// The remedy for a damaged piece.
  public static let advice =
    "Restore the file from a copy of the folder. Without a copy, `hearth backup create FOLDER --full` writes the part again "
    + "if the data still has it, and creates a complete backup in any case; remove the damaged backups later."

  private let repository: BackupRepository

  /// - Parameter repository: A repository opened for reading.
  public init(_ repository: BackupRepository) { self.repository = repository }

  /// Verifies one backup, or all backups when `id` is nil.
  public func run(only id: String? = nil) throws(BackupError) -> Report {
    let (manifests, broken) = try repository.manifests()
    let chosen = manifests.filter { id == nil || $0.id == id }
    if let id, chosen.isEmpty {
      throw BackupError(.notCovered, "unknown backup \(id.printable)", path: repository.path)
    }
    var report = Report()
    var state = State()
    if id == nil {
      state.findings = broken.map { Finding(path: $0.path ?? repository.path, text: $0.message, backups: []) }
    }
    for manifest in chosen { check(manifest, &state) }
    report.backupCount = chosen.count
    report.pieceCount = state.good.count
    report.sizeBytes = state.sizeBytes
    report.findings = state.findings.sorted { ($0.path, $0.text) < ($1.path, $1.text) }
    return report
  }

  private struct State {
    var good: Set<BlobID> = []
    var bad: [BlobID: Int] = [:]
    var sizeBytes = 0
    var findings: [Finding] = []
    /// The verified segments by their pieces, with the running hash after each.
    var segments: [[BlobID]: RunningHash] = [:]
  }

  private func check(_ manifest: Manifest, _ state: inout State) {
    for stream in manifest.streams { check(stream, of: manifest.id, &state) }
    for database in manifest.databases { check(database, of: manifest.id, &state) }
  }

  /// Verifies the pieces of a stream that were not read yet.
  private func check(_ stream: StreamReference, of backup: String, _ state: inout State) {
    if stream.isListed { for id in stream.names { check(id, of: backup, &state) } }
    do throws(BackupError) {
      for id in try repository.names(of: stream).pieces { check(id, of: backup, &state) }
    } catch {
      // The damage of the file was recorded when it was read.
      guard error.path == nil else { return }
      state.findings.append(
        Finding(path: "\(repository.backupsPath)/\(backup).json", text: error.message, backups: [backup]))
    }
  }

  private func check(_ id: BlobID, of backup: String, _ state: inout State) {
    guard !state.good.contains(id) else { return }
    if let index = state.bad[id] {
      if state.findings[index].backups.last != backup { state.findings[index].backups.append(backup) }
      return
    }
    do throws(BackupError) {
      state.sizeBytes += try repository.piece(id).count
      state.good.insert(id)
    } catch {
      state.bad[id] = state.findings.count
      state.findings.append(
        Finding(path: error.path ?? repository.path, text: error.message, backups: [backup]))
    }
  }

  /// Verifies that a log's batches form a chain by their running hashes. Skips damaged pieces, which were recorded
  /// before.
  private func check(_ database: Manifest.Database, of backup: String, _ state: inout State) {
    var hash: RunningHash?
    do {
      for segment in database.segments {
        if let known = state.segments[segment.stream.names] {
          hash = known
        } else {
          hash = try behind(segment, database, after: hash)
          state.segments[segment.stream.names] = hash
        }
      }
      guard (hash ?? database.base?.runningHash ?? .empty) == database.runningHash else {
        throw BackupError(.damaged, "the log does not end with the running hash of the backup")
      }
    } catch {
      // The damage of the file was recorded when it was read.
      if let error = error as? BackupError, error.path != nil { return }
      let text = (error as? BackupError)?.message ?? "\(error)"
      state.findings.append(
        Finding(
          path: "\(repository.backupsPath)/\(backup).json", text: "\(database.name): \(text)", backups: [backup]))
    }
  }

  /// Returns the running hash after a segment.
  ///
  /// - Parameter former: The running hash before the segment; nil for the first one.
  private func behind(
    _ segment: Manifest.Segment, _ database: Manifest.Database, after former: RunningHash?
  ) throws -> RunningHash? {
    var end = (position: segment.first - 1, hash: former ?? (segment.first == 1 ? .empty : nil))
    try repository.links(of: segment) { link in
      if let base = database.base, base.position == end.position { end.hash = end.hash ?? base.runningHash }
      let follows = end.hash.map { link.follows(end.position, $0) } ?? (link.batch.firstPosition == segment.first)
      guard follows else {
        throw BackupError(
          .damaged, "the batch of position \(link.batch.firstPosition) does not follow the one before it")
      }
      end = (link.batch.lastPosition, link.runningHash)
      return true
    }
    guard end.position == segment.last else {
      throw BackupError(.damaged, "a segment ends at position \(end.position) instead of \(segment.last)")
    }
    return end.hash
  }
}
