import Glibc
import HearthAccounts
import HearthProgram
import HearthTree

/// A folder in the format of `firebase emulators:export`: a description, the databases as JSON files, the accounts.
///
/// ```
/// firebase-export-metadata.json
/// database_export/NAMESPACE.json
/// auth_export/accounts.json
/// auth_export/accounts-TENANT.json
/// auth_export/config.json
/// ```
struct EmulatorFolder {
  let path: String

  private static let description = "firebase-export-metadata.json"
  private var databases: String { path + "/database_export" }
  private var accountsFolder: String { path + "/auth_export" }
  private var accounts: String { accountsFolder + "/accounts.json" }
  /// The file of the project's settings: duplicate addresses, and e-mail enumeration protection.
  private var configuration: String { accountsFolder + "/config.json" }

  private func accounts(ofTenant id: String) -> String { accountsFolder + "/accounts-\(id).json" }

  /// The tenants with a file of accounts in the folder.
  private var tenants: [String] {
    Folder.names(in: accountsFolder).compactMap { name in
      let id = name.dropFirst("accounts-".count).dropLast(".json".count)
      return name == "accounts-\(id).json" && TenantRecord.isID(String(id)) ? String(id) : nil
    }
  }

  /// True when the folder contains an export.
  var exists: Bool { access(path + "/" + Self.description, F_OK) == 0 }

  /// Returns the handler of a hub's export requests for a data folder.
  static func exporter(of dataDirectory: String) -> @Sendable (String, [String]) async throws -> Void {
    { path, namespaces in try await EmulatorFolder(path: path).export(dataDirectory, namespaces) }
  }

  /// Imports the folder into a running server, replacing its data.
  ///
  /// - Parameter dataDirectory: The server's data folder, through which its administration is reached.
  func importInto(_ dataDirectory: String) async throws {
    guard exists else {
      throw TextFile.Failure(
        "\(path) is not an emulator export: it has no \(Self.description), which `firebase emulators:export` writes")
    }
    for name in Folder.names(in: databases) where name.hasSuffix(".json") {
      try await DatabaseImport.parse(
        ["--data", dataDirectory, "--ns", String(name.dropLast(5)), "--force", "/", databases + "/" + name]
      ).run()
    }
    // The settings come first, because they allow several accounts with one address.
    if access(configuration, F_OK) == 0 { try await importConfiguration(dataDirectory) }
    if access(accounts, F_OK) == 0 {
      try await UsersImport.parse(["--data", dataDirectory, "--overwrite", accounts]).run()
    }
    for tenant in tenants {
      try await UsersImport.parse(
        ["--data", dataDirectory, "--tenant", tenant, "--overwrite", accounts(ofTenant: tenant)]
      ).run()
    }
  }

  private func importConfiguration(_ dataDirectory: String) async throws {
    guard let json = JSON(parsing: try TextFile.read(configuration).utf8), json.members != nil else {
      throw TextFile.Failure("\(configuration) is not a JSON object")
    }
    let members = ["signIn", "emailPrivacyConfig"].compactMap { name in json[name].map { JSON.Member(name, $0) } }
    _ = try await AdminOptions.parse(["--data", dataDirectory]).run { admin in
      try await admin.send(Self.configuration(of: admin.projectID, "PATCH", .object(members)))
    }
  }

  private static func configuration(of project: String, _ method: String, _ body: JSON?) -> AdminRequest {
    AdminRequest(method: method, path: "/emulator/v1/projects/\(project)/config", body: body)
  }

  private func exportConfiguration(_ dataDirectory: String) async throws {
    let json = try await AdminOptions.parse(["--data", dataDirectory]).run { admin in
      try await admin.send(Self.configuration(of: admin.projectID, "GET", nil))
    }
    try TextFile.replace(configuration, json.text(pretty: true) + [UInt8(ascii: "\n")], mode: 0o600)
  }

  /// Returns the ids of the server's tenants.
  private static func tenants(of dataDirectory: String) async throws -> [String] {
    try await AdminOptions.parse(["--data", dataDirectory]).run { admin in
      var ids: [String] = []
      var next: String?
      repeat {
        let page = try await admin.tenants(after: next)
        ids += page.tenants.map(\.id)
        next = page.tenants.isEmpty ? nil : page.next
      } while next != nil
      return ids
    }
  }

  private func exportAccounts(_ dataDirectory: String) async throws {
    try TextFile.makeFolder(accountsFolder)
    try await exportConfiguration(dataDirectory)
    try await UsersExport.parse(["--data", dataDirectory, "--force", accounts]).run()
    let ids = try await Self.tenants(of: dataDirectory)
    for gone in Set(tenants).subtracting(ids) { unlink(accounts(ofTenant: gone)) }
    for id in ids {
      try await UsersExport.parse(
        ["--data", dataDirectory, "--tenant", id, "--force", accounts(ofTenant: id)]
      ).run()
    }
  }

  /// Exports the databases and accounts of a running server into the folder, replacing an earlier export.
  ///
  /// - Parameter namespaces: The server's databases.
  func export(_ dataDirectory: String, _ namespaces: [String]) async throws {
    guard exists || Folder.names(in: path).isEmpty else {
      throw TextFile.Failure("\(path) is neither empty nor an emulator export; name another folder")
    }
    try TextFile.makeFolder(databases)
    for name in Folder.names(in: databases) where !namespaces.contains(where: { name == $0 + ".json" }) {
      unlink(databases + "/" + name)
    }
    for name in namespaces {
      try await DatabaseExport.parse(
        ["--data", dataDirectory, "--ns", name, "--force", "/", databases + "/" + name + ".json"]
      ).run()
    }
    try await exportAccounts(dataDirectory)
    let part = { (folder: String) in
      ["version": .string(Hearth.configuration.version), "path": .string(folder)] as JSON
    }
    let description: JSON = [
      "version": .string(Hearth.configuration.version), "database": part("database_export"),
      "auth": part("auth_export"),
    ]
    try TextFile.replace(
      path + "/" + Self.description, description.text(pretty: true) + [UInt8(ascii: "\n")], mode: 0o600)
  }
}
