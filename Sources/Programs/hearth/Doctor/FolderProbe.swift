import Glibc
import HearthDoctor
import HearthProgram
import HearthServer

/// The files of a data folder and those outside of it that its server reads.
struct FolderProbe {
  /// The files, the data folder first.
  let entries: [FileCheck.Entry]
  /// The paths of databases and accounts.
  let journals: [String]
  /// The size of the journals with their logs in bytes.
  let dataBytes: Int64
  /// The size of the databases' page files in bytes.
  let pageBytes: Int64
  /// The time of the last write to a journal or its log, in seconds since 1970.
  let newestSeconds: Int64?

  init(dataDirectory: String, settings: FolderSettings) {
    var (entries, bytes, newest) = ([FileCheck.Entry](), Int64(0), Int64?.none)
    func add(_ path: String, _ role: FileCheck.Role) {
      guard let status = Self.status(of: path) else { return }
      // Sockets are protected separately.
      guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return }
      let mode = role == .certificateKey ? Self.mode(of: path) ?? status.st_mode : status.st_mode
      entries.append(FileCheck.Entry(path: path, mode: mode, ownerID: status.st_uid, role: role))
      guard path.contains(JournalEngines.folder.suffix) else { return }
      bytes += Int64(status.st_size)
      newest = max(newest ?? .min, Int64(status.st_mtim.tv_sec))
    }
    add(dataDirectory, .dataFolder)
    let keys = HearthServer.Options.keysDirectory(of: dataDirectory)
    add(keys, .secret)
    for name in Folder.names(in: keys) { add("\(keys)/\(name)", .secret) }
    add("\(dataDirectory)/triggers/triggers.json", .secret)
    for plugin in Folder.names(in: "\(dataDirectory)/plugins") {
      for name in ["settings.json", "secrets.json"] { add("\(dataDirectory)/plugins/\(plugin)/\(name)", .secret) }
    }
    for folder in [dataDirectory, "\(dataDirectory)/databases"] {
      for name in Folder.names(in: folder) { add("\(folder)/\(name)", .data) }
    }
    let databases = "\(dataDirectory)/databases"
    let pages = Folder.names(in: databases).filter { $0.hasSuffix(JournalEngines.folder.pagesSuffix) }
    pageBytes = pages.reduce(0) { bytes, folder in
      Folder.names(in: "\(databases)/\(folder)").reduce(bytes) { bytes, name in
        bytes + (Self.status(of: "\(databases)/\(folder)/\(name)").map { Int64($0.st_size) } ?? 0)
      }
    }
    if let key = settings.certificateKeyPath { add(key, .certificateKey) }
    // The folders of keys and plugins are listed within the data folder as well.
    var seen: Set<String> = []
    self.entries = entries.filter { seen.insert($0.path).inserted }
    journals = entries.map(\.path).filter { $0.hasSuffix(JournalEngines.folder.suffix) }
    (dataBytes, newestSeconds) = (bytes, newest)
  }

  /// True when this process would create files with the folder's owner.
  var isOwnedByThisUser: Bool { entries.first?.ownerID == geteuid() }

  /// Returns the nine permission bits of a file, links followed; nil when it is missing. A file below a folder that
  /// denies access to others is not accessible to others either.
  static func mode(of path: String) -> UInt32? {
    guard let status = status(of: path), let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    var folder = String(cString: real)[...]
    while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
      folder = folder[..<slash]
      if let above = Self.status(of: String(folder)), above.st_mode & 0o001 == 0 {
        return status.st_mode & 0o770
      }
    }
    return status.st_mode & 0o777
  }

  /// Returns the status of a link's target, because certificates and data folders are often links.
  private static func status(of path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }
}
