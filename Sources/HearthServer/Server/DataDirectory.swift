import Glibc
import HearthWire

/// The folder that holds everything a server keeps: `keys/`, the accounts, one journal for each database in `databases/`, and what was
/// set for it in `settings/`.
struct DataDirectory: Sendable {
  static let journalSuffix = ".sqlite"

  let path: String

  var keysPath: String { HearthServer.Options.keysDirectory(of: path) }
  /// Users, sessions and the audit trail.
  var accountsPath: String { path + "/accounts.sqlite" }
  var databasesPath: String { path + "/databases" }
  /// Made with the first setting.
  var settingsPath: String { path + "/settings" }

  func journalPath(of namespace: String) -> String { databasesPath + "/" + namespace + Self.journalSuffix }

  /// Makes what is missing, readable by the owner alone.
  func create() throws(ServerError) {
    for folder in [path, keysPath, databasesPath] { try Self.makeFolder(folder) }
  }

  /// The databases that exist, in order of name.
  func namespaces() throws(ServerError) -> [String] {
    guard let folder = opendir(databasesPath) else { throw Self.failure("cannot list", databasesPath) }
    defer { closedir(folder) }
    var found: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasSuffix(Self.journalSuffix) else { continue }
      let namespace = String(name.dropLast(Self.journalSuffix.count))
      if Namespace.isValid(namespace) { found.append(namespace) }
    }
    return found.sorted()
  }

  private static func makeFolder(_ path: String) throws(ServerError) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/" + part
      guard mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
      // A parent that may not be written is no trouble when it is there.
      var status = stat()
      guard stat(made, &status) == 0 else { throw failure("cannot make", made) }
    }
    guard access(path, R_OK | W_OK | X_OK) == 0 else { throw failure("cannot use", path) }
  }

  private static func failure(_ what: String, _ path: String) -> ServerError {
    ServerError(.storage, "\(what) the folder \(path): \(String(cString: strerror(errno)))")
  }
}
