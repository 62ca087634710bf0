import HearthCrypto
import HearthJournal
import HearthTree

/// The sequential backups of one data folder.
///
/// Confined to one thread at a time. Blocks for files; memory holds a few pieces, and the largest batch of a log.
public final class Backup {
  /// The options of a backup.
  public struct Options: Sendable {
    /// The treatment of keys and secrets.
    public var secrets: SecretsOption
    /// True to read all data again instead of continuing the last backup; identical pieces are still reused.
    public var isFull = false
    /// True for a backup of a continuous archive, which replaces the previous one when that is no longer needed.
    public var isContinuous = false

    /// The default options: a backup of the changes since the last one.
    public init(secrets: SecretsOption) { self.secrets = secrets }
  }

  /// The progress of a backup.
  public struct Step: Sendable, Equatable {
    /// The number of finished databases.
    public var doneCount: Int
    /// The total number.
    public var count: Int
    /// The name of the current one.
    public var name: String
  }

  /// The progress callback, called before each database on the thread that makes the backup.
  public var onStep: ((Step) -> Void)?

  private let source: BackupSource
  private let store: any BlobStore
  private let repository: BackupRepository?
  private let random: RandomBytes
  /// The last stored keys and secrets: their hash before sealing, and their stored form.
  private var lastSecrets: (digest: Digest, kept: Manifest.Secrets)?

  /// Creates backups into a folder.
  public init(_ source: BackupSource, into repository: BackupRepository, random: RandomBytes = .system) {
    (self.source, store, self.repository, self.random) = (source, repository, repository, random)
  }

  /// Creates a backup into a stream.
  public init(_ source: BackupSource, into stream: BackupStreamWriter, random: RandomBytes = .system) {
    (self.source, store, repository, self.random) = (source, stream, nil, random)
  }

  /// Creates a backup.
  ///
  /// - Returns: Its durable manifest.
  /// - Throws: `BackupError`, `JournalError`, `RecordError`, `RandomnessError`.
  public func make(_ options: Options) throws -> Manifest {
    let former = try newest()
    for _ in 0..<BackupLimits.attemptsMax {
      let before = try FolderScan(source.folder)
      guard let moment = try ConsistentView(source) else { continue }
      defer { moment.close() }
      guard let files = try stream(of: before.plain), let secrets = try keep(before, options.secrets),
        try FolderScan(source.folder) == before
      else { continue }
      let copy = DatabaseCopy(
        store: store, repository: repository, isFull: options.isFull, hasPreviousBackup: former != nil)
      let databases = try moment.parts.enumerated().map { index, part in
        onStep?(Step(doneCount: index, count: moment.parts.count, name: part.name))
        // Each view is closed as soon as it is copied, because an open view retains data on the disk.
        defer { part.view.close() }
        return try copy.copy(part, after: former?.database(part.name))
      }
      let kind = Self.kind(databases, former, options)
      let manifest = Manifest(
        id: try name(moment.instantMilliseconds), kind: kind, instantMilliseconds: moment.instantMilliseconds,
        parent: former?.id, databases: databases, files: files, secrets: secrets)
      try store.commit(manifest)
      if let former, former.kind == .continuous { try replace(former, by: manifest) }
      return manifest
    }
    throw BackupError(
      .source, "files of the data folder changed during every attempt to back them up; try again",
      path: source.folder)
  }

  /// Returns true when the folder equals the newest backup, so that there is nothing to add.
  public func isCurrent() throws -> Bool {
    guard let former = try newest(), let lastScan, try FolderScan(source.folder) == lastScan else { return false }
    let places = try source.journals()
    guard places.count == former.databases.count else { return false }
    for place in places {
      let view = try place.archive.view(place.journal)
      defer { view.close() }
      guard let database = former.database(place.name), view.head.position == database.position,
        view.head.runningHash == database.runningHash
      else { return false }
    }
    return true
  }

  /// The folder's files at the last backup that this object made.
  private var lastScan: FolderScan?

  /// Returns the last backup, which the next one continues. Unreadable manifests are skipped.
  private func newest() throws(BackupError) -> Manifest? { try repository?.newestManifest() }

  private static func kind(_ databases: [Manifest.Database], _ former: Manifest?, _ options: Options) -> Manifest.Kind {
    let continuesPrevious = databases.contains { database in
      former?.database(database.name).map { $0.firstPosition == database.firstPosition && !options.isFull } ?? false
    }
    return !continuesPrevious ? .full : options.isContinuous ? .continuous : .incremental
  }

  /// Removes the previous backup of a continuous archive when every state that it can restore can be restored from the
  /// new one as well: the new one must also have the log from before the previous backup's base.
  private func replace(_ former: Manifest, by manifest: Manifest) throws(BackupError) {
    let hasAll = former.databases.allSatisfy { old in
      manifest.database(old.name).map {
        $0.base == old.base && $0.firstLogged <= old.firstLogged && $0.position >= old.position
      } ?? false
    }
    guard let repository, hasAll, former.id != manifest.id else { return }
    try repository.removeManifest(former.id)
    try repository.finishRemoval()
  }

  /// Returns the name of a backup: the instant, and eight random digits that distinguish backups of the same instant.
  private func name(_ instantMilliseconds: Int64) throws -> String {
    let chance = Digest.hexadecimal(try random.bytes(4))
    return "\(Timestamp.compact(milliseconds: instantMilliseconds))-\(chance)"
  }

  // MARK: Files

  /// Writes the files as a stream; nil when a file changed meanwhile.
  private func stream(of entries: [FolderEntry]) throws -> StreamReference? {
    var writer = StreamWriter(store)
    guard try FileArchiveWriter(folder: source.folder).write(entries, { try writer.write($0) }) else { return nil }
    return try writer.finish()
  }

  /// Stores keys and secrets as the option says; nil when a file changed meanwhile.
  private func keep(_ scan: FolderScan, _ option: SecretsOption) throws -> Manifest.Secrets? {
    lastScan = nil
    var bytes: [UInt8] = []
    if case .leftOut = option {
      lastScan = scan
      return Manifest.Secrets.none
    }
    let isWhole = try FileArchiveWriter(folder: source.folder).write(scan.secret) { more in
      guard bytes.count + more.count <= BackupLimits.secretBytesMax else {
        throw BackupError(.tooLarge, "keys and secrets have more than \(BackupLimits.secretBytesMax) bytes")
      }
      bytes += more
    }
    guard isWhole else { return nil }
    lastScan = scan
    let digest = Digest(sha256: bytes)
    // Each sealing gives different bytes, so unchanged secrets are not sealed and stored again.
    if let lastSecrets, lastSecrets.digest == digest, repository != nil { return lastSecrets.kept }
    var writer = StreamWriter(store)
    let kept: Manifest.Secrets
    switch option {
    case .leftOut: return Manifest.Secrets.none
    case .clear:
      try writer.write(bytes)
      kept = .clear(try writer.finish())
    case .sealed(let seal):
      try writer.write(try seal.seal(bytes, random: random))
      kept = .sealed(try writer.finish())
    }
    lastSecrets = (digest, kept)
    return kept
  }
}
