import Glibc

/// The files of a data folder beside its journals.
struct FolderScan: Sendable, Equatable {
  /// The files without secrets in the order of their paths, each folder before its content. Links and sockets are left
  /// out.
  var plain: [FolderEntry] = []
  /// The files that contain keys and secrets.
  var secret: [FolderEntry] = []

  /// The top-level names of transient files: those of the running server, its console sessions, which a restored folder
  /// must not reopen, and the backup marker.
  private static let transient: Set = ["server.json", "console-sessions.json", BackupMarker.name]
  /// The folder of the journals, which contains no other files.
  private static let journals = "databases"

  /// - Throws: `.source` when the folder is unreadable.
  init(_ folder: String) throws(BackupError) {
    try add(folder, "", depth: 0)
  }

  /// Returns true for a log file, to which lines may be appended at any time.
  private static func isLog(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return path.hasPrefix("receipts.") || parts.count == 3 && parts[0] == "plugins" && parts[2].hasPrefix("log")
  }

  /// Returns true when both folders have the same versions of the same files, log files excepted.
  static func == (a: FolderScan, b: FolderScan) -> Bool {
    func compared(_ entries: [FolderEntry]) -> [FolderEntry] { entries.filter { !isLog($0.path) } }
    return compared(a.plain) == compared(b.plain) && compared(a.secret) == compared(b.secret)
  }

  /// Returns true when a path is that of a key or secret, or of a file that contains some.
  static func isSecret(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    switch parts.first {
    case "keys", "triggers": return true
    case "plugins": return parts.count == 3 && ["secrets.json", "settings.json"].contains(parts[2])
    default: return false
    }
  }

  private static func isLeftOut(_ path: String, _ name: String) -> Bool {
    // Unfinished files, and the triggers' folder ID, which a copy must not share.
    if name.hasSuffix(".new") || name.hasSuffix(".partial") || name.contains(".new.") || path == "triggers/home" {
      return true
    }
    guard path == name else {
      // The working files of a plugin, which change at any moment.
      let parts = path.split(separator: "/")
      return parts.count == 3 && parts[0] == "plugins" && parts[2] == "work"
    }
    return transient.contains(name) || name == journals || name.contains(".sqlite")
  }

  private mutating func add(_ folder: String, _ prefix: String, depth: Int) throws(BackupError) {
    guard depth <= BackupLimits.folderDepthMax else {
      throw BackupError(.source, "the data folder has too many levels of folders", path: "\(folder)/\(prefix)")
    }
    let place = prefix.isEmpty ? folder : "\(folder)/\(prefix)"
    let names: [String]
    do { names = try SystemFiles().names(in: place) } catch {
      throw BackupError(.source, error.message, path: error.path)
    }
    for name in names.sorted() {
      let path = prefix.isEmpty ? name : "\(prefix)/\(name)"
      var status = stat()
      guard !Self.isLeftOut(path, name) else { continue }
      // The entry was deleted meanwhile; the next scan will show that.
      guard lstat("\(folder)/\(path)", &status) == 0 else { continue }
      guard FileArchive.isPath(path) else {
        throw BackupError(.source, "the name of a file is empty or too long", path: "\(folder)/\(path)")
      }
      var entry = FolderEntry(path: path, isFolder: false, mode: UInt16(status.st_mode & 0o700))
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        entry.isFolder = true
        insert(entry)
        try add(folder, path, depth: depth + 1)
      case S_IFREG:
        entry.sizeBytes = Int64(status.st_size)
        entry.version = [
          Int64(bitPattern: UInt64(status.st_ino)), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
          Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
        ]
        insert(entry)
      default: continue
      }
    }
  }

  private mutating func insert(_ entry: FolderEntry) {
    if Self.isSecret(entry.path) { secret.append(entry) } else { plain.append(entry) }
  }
}
