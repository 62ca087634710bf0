/// The access to one database that the rules provably grant to any signed-out client, or to any signed-in one without
/// custom claims. A user's access to their own path is not included.
package struct RulesCheck: Sendable {
  /// A granted operation and its path.
  package struct Opening: Sendable, Equatable {
    /// True when the client has to be signed in.
    package var requiresSignIn: Bool
    /// True for a write, false for a read.
    package var isWrite: Bool
    /// The path in the form of the rules: `/rooms/$room`.
    package var path: String

    /// Creates an opening that is proved by a witness: a request that the rules grant.
    package init(requiresSignIn: Bool, isWrite: Bool, path: String) {
      (self.requiresSignIn, self.isWrite, self.path) = (requiresSignIn, isWrite, path)
    }

    fileprivate var isRoot: Bool { path == "/" }
  }

  /// The database.
  package var database: String
  /// The open paths, in the order of the rules.
  package var openings: [Opening]
  /// The number of accesses for which it could not be decided whether the rules grant them.
  package var undecidedCount: Int

  /// Creates a check of the proved access.
  package init(database: String, openings: [Opening], undecidedCount: Int) {
    (self.database, self.openings, self.undecidedCount) = (database, openings, undecidedCount)
  }

  /// The finding for rules that do not compile.
  package static func unreadable(database: String, _ reason: String) -> Finding {
    Finding(
      "rules-unreadable", .error, "the rules of \(database) do not compile, so all requests are denied: \(reason)",
      advice: "deploy correct rules: hearth rules deploy FILE --ns \(database)")
  }

  private static let pathsMax = 5

  /// The findings on open paths.
  package var findings: [Finding] {
    let groups: [(code: String, severity: Finding.Severity, what: String, openings: [Opening])] = [
      (
        "rules-world-writable",
        openings.contains { !$0.requiresSignIn && $0.isWrite && $0.isRoot } ? .error : .warning,
        "signed-out clients can write", openings.filter { !$0.requiresSignIn && $0.isWrite }
      ),
      (
        "rules-world-readable", openings.contains { !$0.requiresSignIn && !$0.isWrite && $0.isRoot } ? .error : .notice,
        "signed-out clients can read", openings.filter { !$0.requiresSignIn && !$0.isWrite }
      ),
      (
        "rules-user-writable",
        openings.contains { $0.requiresSignIn && $0.isWrite && $0.isRoot } ? .error : .notice,
        "every signed-in user can write", openings.filter { $0.requiresSignIn && $0.isWrite }
      ),
      (
        "rules-user-readable",
        openings.contains { $0.requiresSignIn && !$0.isWrite && $0.isRoot } ? .warning : .notice,
        "every signed-in user can read", openings.filter { $0.requiresSignIn && !$0.isWrite }
      ),
    ]
    var findings = groups.filter { !$0.openings.isEmpty }.map { group in
      Finding(
        group.code, group.severity, "\(database): \(group.what) \(Self.paths(group.openings))",
        advice: "see the requests and the rules that grant them: hearth rules exposure FILE")
    }
    if undecidedCount > 0 {
      findings.append(
        Finding(
          unchecked: "rules-world-writable", "\(undecidedCount) questions about the rules of \(database) are undecided"
        ))
    }
    return findings.isEmpty ? [Finding(ok: "rules", "\(database): no path is open to every client (proved)")] : findings
  }

  private static func paths(_ openings: [Opening]) -> String {
    let shown = openings.prefix(pathsMax).map(\.path).joined(separator: ", ")
    let rest = openings.count - pathsMax
    return rest > 0 ? shown + " and \(rest) more paths" : shown
  }
}
