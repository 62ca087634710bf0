import Glibc
import HearthProgram
import HearthTree

/// A folder as `firebase emulators:export` writes it: a description, the databases as JSON files, the accounts.
///
/// ```
/// firebase-export-metadata.json
/// database_export/NAMESPACE.json
/// auth_export/accounts.json
/// ```
struct EmulatorFolder {
  let path: String

  private static let description = "firebase-export-metadata.json"
  private var databases: String { path + "/database_export" }
  private var accounts: String { path + "/auth_export/accounts.json" }

  /// There is an export in the folder.
  var isThere: Bool { access(path + "/" + Self.description, F_OK) == 0 }

  /// What a server's hub is told to do: exports of that data folder.
  static func exporter(of dataDirectory: String) -> @Sendable (String, [String]) async throws -> Void {
    { path, namespaces in try await EmulatorFolder(path: path).export(dataDirectory, namespaces) }
  }

  /// Writes what the folder has into a running server, over what is there.
  ///
  /// - Parameter dataDirectory: the server's data folder, through which its administrator is reached.
  func importInto(_ dataDirectory: String) async throws {
    guard isThere else {
      throw TextFile.Failure(
        "\(path) is no export: it has no \(Self.description), as `firebase emulators:export` writes it")
    }
    for name in Folder.names(in: databases) where name.hasSuffix(".json") {
      try await DatabaseImport.parse(
        ["--data", dataDirectory, "--ns", String(name.dropLast(5)), "--force", "/", databases + "/" + name]
      ).run()
    }
    guard access(accounts, F_OK) == 0 else { return }
    try await UsersImport.parse(["--data", dataDirectory, "--overwrite", accounts]).run()
  }

  /// Writes the databases and accounts of a running server into the folder, over an earlier export there.
  ///
  /// - Parameter namespaces: the server's databases.
  func export(_ dataDirectory: String, _ namespaces: [String]) async throws {
    guard isThere || Folder.names(in: path).isEmpty else {
      throw TextFile.Failure("\(path) holds something else than an export; name an empty folder")
    }
    try TextFile.makeFolder(databases)
    try TextFile.makeFolder(path + "/auth_export")
    for name in Folder.names(in: databases) where !namespaces.contains(where: { name == $0 + ".json" }) {
      unlink(databases + "/" + name)
    }
    for name in namespaces {
      try await DatabaseExport.parse(
        ["--data", dataDirectory, "--ns", name, "--force", "/", databases + "/" + name + ".json"]
      ).run()
    }
    try await UsersExport.parse(["--data", dataDirectory, "--force", accounts]).run()
    let part = { (folder: String) in
      JSON.object([.init("version", .string(Hearth.configuration.version)), .init("path", .string(folder))])
    }
    let description = JSON.object([
      .init("version", .string(Hearth.configuration.version)), .init("database", part("database_export")),
      .init("auth", part("auth_export")),
    ])
    try TextFile.replace(
      path + "/" + Self.description, description.text(pretty: true) + [UInt8(ascii: "\n")], mode: 0o600)
  }
}
