import Glibc
import HearthCrypto
import HearthJournal
import HearthSystem

/// The restore of a data folder from backups.
///
/// The folder is created next to its target, and renamed to it when all of it is durable and every journal has been
/// opened and verified, so that no server can start on an incomplete folder.
public struct Restore {
  /// The result of a restore.
  public struct Outcome: Sendable {
    /// A restored journal.
    public struct Database: Sendable, Equatable {
      /// The name: `accounts`, or `databases/NAME`.
      public var name: String
      /// The position of the last commit.
      public var position: Int64
      /// The running hash at the position.
      public var runningHash: RunningHash
    }

    /// The backup that supplied the files.
    public var backup: Manifest
    /// The databases in the order of their names.
    public var databases: [Database]
    /// True when keys and secrets were restored.
    public var hasKeys: Bool
  }

  /// The factory of the archives in which journals, of the accounts and of the databases, are created in an existing
  /// folder.
  public typealias Archives = @Sendable (_ folder: String) -> any JournalArchive

  private let repository: BackupRepository
  private let archives: Archives
  private let seal: PassphraseSeal?

  /// - Parameters:
  ///   - repository: A repository opened for reading.
  ///   - archives: Makes the journals of a folder.
  ///   - seal: The seal that opens sealed keys.
  public init(_ repository: BackupRepository, archives: @escaping Archives, seal: PassphraseSeal?) {
    (self.repository, self.archives, self.seal) = (repository, archives, seal)
  }

  /// Returns the path at which a folder is created before it is renamed to its target.
  public static func workPath(for folder: String) -> String {
    var path = folder
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path + ".restoring"
  }

  /// Refuses an existing folder that is not empty, and the remains of an earlier attempt.
  public static func requireEmpty(_ folder: String) throws(BackupError) {
    guard try SystemFiles().names(in: folder).isEmpty else {
      throw BackupError(
        .notEmpty,
        "the folder is not empty, and a restore never overwrites files: name a new folder, or move this one away",
        path: folder)
    }
    let work = workPath(for: folder)
    guard access(work, F_OK) != 0 else {
      throw BackupError(
        .notEmpty, "an interrupted restore left this folder behind: remove it and try again", path: work)
    }
  }

  /// Restores the state at a restore point.
  ///
  /// - Parameters:
  /// - folder: The target, which must be missing or empty.
  /// - leavesOutKeys: True when keys and secrets are omitted; otherwise sealed ones need the passphrase.
  /// - Throws: `BackupError`, `JournalError`, `RecordError`.
  public func run(_ moment: RestorePoint, into folder: String, leavesOutKeys: Bool = false) throws -> Outcome {
    try Self.requireEmpty(folder)
    let plan = try RestorePlan.plan(repository, at: moment)
    let keys = try leavesOutKeys ? nil : self.keys(of: plan.manifest)
    let work = Self.workPath(for: folder)
    guard mkdir(work, 0o700) == 0 else { throw SystemFiles.failure("cannot create the folder", work) }
    do {
      let databases = try fill(work, plan, keys)
      try move(work, to: folder)
      return Outcome(backup: plan.manifest, databases: databases, hasKeys: keys != nil)
    } catch {
      Self.remove(work)
      throw error
    }
  }

  private func fill(
    _ work: String, _ plan: RestorePlan, _ keys: [UInt8]?
  ) throws -> [Outcome.Database] {
    let databasesPath = work + "/databases"
    guard mkdir(databasesPath, 0o700) == 0 else { throw SystemFiles.failure("cannot create the folder", databasesPath) }
    let files = FolderRestore(work)
    try repository.read(plan.manifest.files) { piece in
      try files.take(piece)
      return true
    }
    try files.finish()
    if let keys {
      let secrets = FolderRestore(work)
      try secrets.take(keys)
      try secrets.finish()
    }
    var databases: [Outcome.Database] = []
    for part in plan.parts {
      let name = part.name.split(separator: "/").last.map(String.init) ?? part.name
      let archive = archives(part.name.hasPrefix("databases/") ? databasesPath : work)
      let head = try JournalRestore(repository: repository, part: part).run { try archive.restoration(name) }
      guard let head else { continue }
      databases.append(Outcome.Database(name: part.name, position: head.position, runningHash: head.runningHash))
    }
    try Self.synchronizeFolders(work)
    return databases
  }

  /// Returns the archive of keys and secrets; nil when the backup has none.
  private func keys(of manifest: Manifest) throws -> [UInt8]? {
    let (stream, isSealed): (StreamReference, Bool)
    switch manifest.secrets {
    case .none: return nil
    case .clear(let found): (stream, isSealed) = (found, false)
    case .sealed(let found): (stream, isSealed) = (found, true)
    }
    guard !isSealed || seal != nil else {
      throw BackupError(
        .passphrase,
        "the keys in this backup are sealed: give the passphrase with --passphrase-file, or omit the keys with --without-keys"
      )
    }
    guard stream.sizeBytes <= 2 * BackupLimits.secretBytesMax else {
      throw BackupError(.damaged, "the keys have \(stream.sizeBytes) bytes, more than the limit")
    }
    var bytes: [UInt8] = []
    try repository.read(stream) { piece in
      bytes += piece
      return bytes.count <= stream.sizeBytes
    }
    guard isSealed, let seal else { return bytes }
    do throws(PassphraseSeal.Problem) { return try seal.open(bytes) } catch {
      switch error {
      case .wrongPassphrase:
        throw BackupError(.passphrase, "the passphrase is wrong: the keys were sealed with another one")
      case .notSealed: throw BackupError(.damaged, "the sealed keys do not match their checksum")
      case .noMemory: throw BackupError(.inputOutput, "not enough memory to open the sealed keys")
      }
    }
  }

  /// Moves the finished folder to its target.
  private func move(_ work: String, to folder: String) throws {
    // The rename replaces an empty folder.
    guard Glibc.rename(work, folder) == 0 else {
      let reason = errno
      let hint = [EXDEV, EBUSY].contains(reason) ? " (a file system is mounted there: name a folder inside it)" : ""
      throw SystemFiles.failure("cannot move the restored folder into place\(hint)", folder, reason)
    }
    try SystemFiles().synchronizeFolder(AtomicFile.parent(of: work))
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes the names in a folder and below durable.
  private static func synchronizeFolders(_ path: String) throws(BackupError) {
    for name in try SystemFiles().names(in: path) where isFolder("\(path)/\(name)") {
      try synchronizeFolders("\(path)/\(name)")
    }
    try SystemFiles().synchronizeFolder(path)
  }

  /// Removes the remains of a failed attempt. Links are removed, not followed.
  private static func remove(_ path: String) {
    for name in (try? SystemFiles().names(in: path)) ?? [] {
      let entry = "\(path)/\(name)"
      if isFolder(entry) { remove(entry) } else { unlink(entry) }
    }
    rmdir(path)
  }
}
