import HearthAccounts
import HearthCrypto
import HearthIdentity

/// The operations of the server that the console's page may call, with the permission that each needs.
enum ConsoleProxyTable {
  /// A row of the table.
  struct Operation: Sendable, Equatable {
    let method: String
    /// The path without the slash before it; `*` matches one part of a path, and in the last part any text before
    /// `.json`; `{tenant}` matches a tenant's id.
    let pattern: String
    /// The permission that it needs.
    let permission: Permission
    /// True when its body names the calling tool.
    var namesTool = false

    /// True when a viewer may not call it.
    var isChange: Bool { !permission.isRead }

    /// Returns the permission that a request with the given body needs: most changes of an account give access, the others
    /// need less.
    func permission(for body: some Collection<UInt8>) -> Permission {
      pattern.hasSuffix("accounts:update") && AccountUpdate.isHarmless(body) ? .changeUsers : permission
    }

    /// True when it concerns tenants themselves, and not their accounts.
    var isOfTenants: Bool { pattern == "tenants" || pattern == ConsoleProxyTable.tenant }

    /// Returns the operation's path on the server: accounts and tenants are below their project.
    func target(of path: String, project: String) -> String {
      if isOfTenants {
        return "identitytoolkit.googleapis.com/v2/projects/\(project)/\(path)"
      }
      let isOfAccounts = pattern.hasPrefix("accounts") || pattern.hasPrefix(ConsoleProxyTable.tenant)
      return isOfAccounts ? "identitytoolkit.googleapis.com/v1/projects/\(project)/\(path)" : path
    }
  }

  /// Returns the operation that a request calls; nil when the page may not call it.
  static func operation(_ method: String, _ path: String) -> Operation? {
    all.first { $0.method == method && matches(path, $0.pattern) }
  }

  static let all: [Operation] =
    databases + users + server
    + [
      ("POST", ".settings/rules/versions.json"), ("POST", ".settings/rules/rollback.json"),
      ("POST", ".settings/rules/promote.json"),
    ].map { Operation(method: $0.0, pattern: $0.1, permission: .deployRules, namesTool: true) }
    + [Operation(method: "PUT", pattern: ".settings/rules/staged.json", permission: .changeDatabases, namesTool: true)]

  private static let tenant = "tenants/{tenant}"

  private static func of(_ permission: Permission, _ operations: [(String, String)]) -> [Operation] {
    operations.map { Operation(method: $0.0, pattern: $0.1, permission: permission) }
  }

  private static let databases =
    of(
      .readDatabases,
      [
        ("GET", ".settings/rules.json"), ("GET", ".settings/rules/versions.json"),
        ("GET", ".settings/rules/versions/*.json"), ("GET", ".settings/rules/staged.json"),
        ("POST", ".settings/rules/decide.json"), ("GET", ".settings/denials/*.json"),
        ("GET", ".settings/receipts.json"), ("GET", ".inspect/databases.json"), ("GET", ".settings/triggers.json"),
        ("GET", ".settings/triggers/*.json"), ("GET", ".settings/triggers/*/dead.json"), ("GET", ".metrics"),
        ("GET", ".settings/history.json"),
      ])
    + of(
      .changeDatabases,
      [
        ("DELETE", ".settings/rules/staged.json"), ("POST", ".settings/rules/staged.json"),
        ("POST", ".settings/triggers/*/replay.json"), ("POST", ".settings/databases.json"),
      ])
    + of(.deleteDatabase, [("DELETE", ".settings/databases/*.json")])

  private static let users =
    of(
      .readUsers,
      [
        ("POST", "accounts:query"), ("POST", "accounts:lookup"), ("GET", "tenants"), ("GET", tenant),
        ("POST", "\(tenant)/accounts:query"), ("POST", "\(tenant)/accounts:lookup"),
      ])
    + of(
      .giveAccess,
      [
        ("POST", "accounts"), ("POST", "accounts:update"), ("POST", "accounts:batchCreate"),
        ("POST", "accounts:sendOobCode"), ("POST", "tenants"), ("PATCH", tenant), ("POST", "\(tenant)/accounts"),
        ("POST", "\(tenant)/accounts:update"), ("POST", "\(tenant)/accounts:batchCreate"),
        ("POST", "\(tenant)/accounts:sendOobCode"),
      ])
    + of(
      .deleteUsers, [("POST", "accounts:delete"), ("DELETE", tenant), ("POST", "\(tenant)/accounts:delete")])

  private static let server =
    of(
      .readServer,
      [
        ("GET", ".settings/plugins.json"), ("GET", ".settings/cluster.json"), ("POST", "hearth/v1/status"),
        ("POST", "hearth/v1/audit:tail"), ("POST", "hearth/v1/audit:verify"),
        ("POST", "hearth/v1/trust:list"), ("POST", "hearth/v1/serviceAccounts:list"), ("POST", "hearth/v1/keys:list"),
        ("POST", "hearth/v1/secrets:list"),
      ])
    + of(.endSessions, [("POST", "hearth/v1/users:revoke")])
    + of(
      .changeServer,
      [
        ("POST", ".settings/plugins.json"), ("POST", "hearth/v1/keys:rotate"), ("POST", "hearth/v1/keys:remove"),
        ("POST", "hearth/v1/trust:set"), ("POST", "hearth/v1/secrets:remove"), ("POST", "hearth/v1/secrets:rotate"),
        ("POST", "hearth/v1/serviceAccounts:create"), ("POST", "hearth/v1/serviceAccounts:disable"),
        ("POST", "hearth/v1/serviceAccounts:removeKey"),
      ])

  /// Compares byte by byte, as the path was sent: another encoding is another path, and matches no row.
  private static func matches(_ path: String, _ pattern: String) -> Bool {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let wanted = pattern.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == wanted.count else { return false }
    return zip(parts, wanted).allSatisfy { part, wanted in
      if wanted.elementsEqual("{tenant}".utf8) { return TenantRecord.isID(String(Substring(part))) }
      guard wanted.first == UInt8(ascii: "*") else { return part.elementsEqual(wanted) }
      let end = wanted.dropFirst()
      guard part.count > end.count, part.suffix(end.count).elementsEqual(end) else { return false }
      // Without dot segments, decoding cannot yield another path.
      return !part.dropLast(end.count).elementsEqual("..".utf8) && !part.elementsEqual(".".utf8)
    }
  }
}
