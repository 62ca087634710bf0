import HearthSystem
import HearthTree

/// A folder of backups.
///
/// ```
/// hearth-backups.json   {"format":1}, and a line break: identifies the folder
/// backups/ID.json       a backup, see Manifest
/// blobs/XX/NAME         a piece, see BlobFormat
/// lock                  held by the process that adds or removes backups
/// reading.lock          shared by readers, and exclusive for a removal
/// ….new                 files that are being written, or were left incomplete by an ended process; ignored
/// ```
///
/// Only the owner of the files can read them. A file gets its final name when its bytes are durable and were read back.
/// A backup's manifest is written last, when all pieces that it names are durable under their final names. After a
/// crash at any time, there are thus complete backups and perhaps unused pieces: the next backup reuses such pieces,
/// and ``Retention`` removes the others.
public final class BackupRepository {
  /// The path of the folder.
  public let path: String
  let files: any FileLayer
  /// The existing pieces by folder, for folders that were listed.
  private var known: [String: Set<String>] = [:]
  /// The pieces that this object has written or read.
  private var verified: Set<BlobID> = []
  /// The folders in which names may not be durable yet.
  private var changed: Set<String> = []
  private var lock: (any FileLock)?
  private var readLock: (any FileLock)?

  private static let markName = "hearth-backups.json"
  private static let mark = Array("{\"format\":1}\n".utf8)
  var blobsPath: String { path + "/blobs" }
  var backupsPath: String { path + "/backups" }

  /// The kind of access to the folder.
  public enum Access: Sendable {
    /// Reading and restoring. Any number of readers can work at a time, even while a backup is added.
    case reading
    /// Adding backups, which creates a missing folder.
    case adding
    /// Removing backups.
    case removing
  }

  /// Opens the folder.
  ///
  /// - Throws: `.notBackups` when the folder has other content, or is missing and opened for reading;
  ///   `.unsupportedFormat`; `.busy`.
  public init(path: String, files: any FileLayer = SystemFiles(), for access: Access) throws(BackupError) {
    self.path = path
    self.files = files
    try open(for: access)
    try take(access)
  }

  private func open(for access: Access) throws(BackupError) {
    let markPath = path + "/" + Self.markName
    guard let mark = try files.read(markPath, sizeBytesMax: 4_096) else {
      guard access == .adding else {
        throw BackupError(.notBackups, "the folder contains no backups: \(Self.markName) is missing", path: path)
      }
      return try make()
    }
    guard let format = JSON(parsing: mark)?["format"]?.int else {
      throw BackupError(
        .damaged, "the file is not valid; its content must be {\"format\":1}", path: markPath)
    }
    guard format == Manifest.format else {
      throw BackupError(.unsupportedFormat, "the backups were written by a newer version of Hearth", path: path)
    }
    guard access == .adding else { return }
    for folder in [blobsPath, backupsPath] { try files.makeFolder(folder) }
    // An earlier process may have been interrupted before the names of its files were durable.
    changed.insert(path)
  }

  private func make() throws(BackupError) {
    try files.makeFolder(path)
    // A folder with only the remains of an interrupted creation is accepted as well.
    let ours: Set = ["lock", "reading.lock", "blobs", "backups", Self.markName + ".new", "lost+found"]
    if let other = try files.names(in: path).first(where: { !ours.contains($0) }) {
      throw BackupError(
        .notBackups, "the folder contains \(other.printable) and no backups; name another folder",
        path: path)
    }
    for folder in [blobsPath, backupsPath] { try files.makeFolder(folder) }
    try write(Self.markName, Self.mark, in: path)
    try files.synchronizeFolder(path)
    try files.synchronizeFolder(AtomicFile.parent(of: path))
  }

  private func take(_ access: Access) throws(BackupError) {
    if access != .reading {
      lock = try files.lock(path + "/lock", isShared: false)
      if lock == nil { throw BackupError(.busy, "another process is writing backups to the folder", path: path) }
    }
    guard access != .adding else { return }
    readLock = try files.lock(path + "/reading.lock", isShared: access == .reading)
    guard readLock == nil else { return }
    throw BackupError(
      .busy,
      access == .reading
        ? "old backups are being removed; try again" : "another process is reading the backups; try again",
      path: path)
  }

  /// Writes a file under a temporary name, reads it back, and renames it. The name is not durable yet.
  private func write(_ name: String, _ bytes: [UInt8], in folder: String) throws(BackupError) {
    let (new, final) = ("\(folder)/\(name).new", "\(folder)/\(name)")
    try files.create(new, bytes)
    try files.synchronize(new)
    guard try files.read(new, sizeBytesMax: bytes.count) == bytes else {
      throw BackupError(.damaged, "the written data differs when read back: check the disk", path: new)
    }
    try files.rename(new, to: final)
  }

  // MARK: Pieces

  private func blobPath(_ id: BlobID) -> String { "\(blobsPath)/\(id.folder)/\(id)" }

  private func isKnown(_ id: BlobID) throws(BackupError) -> Bool {
    if known[id.folder] == nil { known[id.folder] = Set(try files.names(in: "\(blobsPath)/\(id.folder)")) }
    return known[id.folder]?.contains(id.description) ?? false
  }

  /// Reads a piece.
  ///
  /// - Throws: `.damaged` when it is missing or altered.
  func piece(_ id: BlobID) throws(BackupError) -> [UInt8] {
    let path = blobPath(id)
    guard let file = try files.read(path, sizeBytesMax: BlobFormat.fileBytesMax) else {
      throw BackupError(.damaged, "a part is missing", path: path)
    }
    guard let piece = BlobFormat.decode(file, id) else {
      throw BackupError(.damaged, "the part does not match its checksum", path: path)
    }
    return piece
  }

  // MARK: Manifests

  /// Returns the backups, oldest first, and the errors of those whose manifest is unreadable.
  ///
  /// - Throws: An error when the folder is unreadable.
  public func manifests() throws(BackupError) -> (whole: [Manifest], broken: [BackupError]) {
    var (whole, broken): ([Manifest], [BackupError]) = ([], [])
    for name in try manifestNames() {
      do throws(BackupError) {
        if let manifest = try manifest(in: name) { whole.append(manifest) }
      } catch {
        broken.append(error)
      }
    }
    whole.sort { ($0.instantMilliseconds, $0.id) < ($1.instantMilliseconds, $1.id) }
    return (whole, broken)
  }

  /// Returns the newest backup whose manifest is readable.
  func newestManifest() throws(BackupError) -> Manifest? { try newestManifests(1).first }

  /// Returns the newest backups whose manifests are readable, the newest first. Names begin with the instant, so that
  /// not all manifests are read.
  ///
  /// - Throws: An error when the folder is unreadable.
  public func newestManifests(_ count: Int) throws(BackupError) -> [Manifest] {
    var found: [Manifest] = []
    for name in try manifestNames().sorted(by: >) {
      guard found.count < count else { break }
      if let manifest = (try? manifest(in: name)) ?? nil { found.append(manifest) }
    }
    return found
  }

  private func manifestNames() throws(BackupError) -> [String] {
    try files.names(in: backupsPath).filter { $0.hasSuffix(".json") }
  }

  /// Reads a manifest; nil when its file was removed meanwhile.
  private func manifest(in name: String) throws(BackupError) -> Manifest? {
    let path = "\(backupsPath)/\(name)"
    guard let file = try files.read(path, sizeBytesMax: BackupLimits.manifestBytesMax) else { return nil }
    let manifest = try Manifest(file: file, path: path)
    guard name == manifest.id + ".json" else {
      throw BackupError(.damaged, "the file belongs to another backup: \(manifest.id)", path: path)
    }
    return manifest
  }

  /// Removes a backup's manifest; its pieces stay. The removal is not durable before ``finishRemoval()``.
  func removeManifest(_ id: String) throws(BackupError) { try files.remove("\(backupsPath)/\(id).json") }

  /// Makes removals of manifests durable.
  func finishRemoval() throws(BackupError) { try files.synchronizeFolder(backupsPath) }
}

extension BackupRepository: BlobStore {
  /// Stores a piece. An existing one is read back, and written again when it is damaged.
  public func put(_ piece: [UInt8]) throws -> BlobID {
    let id = BlobID(of: piece)
    guard !verified.contains(id) else { return id }
    let folder = "\(blobsPath)/\(id.folder)"
    // The name of a piece from an interrupted process may not be durable yet.
    changed.insert(folder)
    if try isKnown(id), (try? self.piece(id)) == piece {
      verified.insert(id)
      return id
    }
    if known[id.folder]?.isEmpty ?? true {
      try files.makeFolder(folder)
      changed.insert(blobsPath)
    }
    let file = try BlobFormat.encode(piece)
    guard BlobFormat.decode(file, id) == piece else { throw BackupError(.damaged, "a part cannot be decompressed") }
    try write(id.description, file, in: folder)
    known[id.folder, default: []].insert(id.description)
    verified.insert(id)
    return id
  }

  /// Makes the names of the stored pieces durable, then stores the manifest durably.
  public func commit(_ manifest: Manifest) throws {
    for folder in changed.sorted() { try files.synchronizeFolder(folder) }
    changed = []
    let bytes = manifest.file
    guard bytes.count <= BackupLimits.manifestBytesMax else {
      throw BackupError(
        .tooLarge, "the backup's list has \(bytes.count) bytes, too many; start a new folder of backups", path: path)
    }
    try write(manifest.id + ".json", bytes, in: backupsPath)
    try files.synchronizeFolder(backupsPath)
  }
}
