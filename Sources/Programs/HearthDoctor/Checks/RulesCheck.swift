/// What one database's rules let everybody do, as it was proved of them.
package struct RulesCheck: Sendable {
  /// What somebody may do, and where.
  package struct Opening: Sendable, Equatable {
    /// Signed in is enough, and needed.
    package var asksForSignIn: Bool
    /// Write, otherwise read.
    package var isWrite: Bool
    /// The place as the rules name it: `/rooms/$room`.
    package var place: String

    /// An opening that a request was found for.
    package init(asksForSignIn: Bool, isWrite: Bool, place: String) {
      (self.asksForSignIn, self.isWrite, self.place) = (asksForSignIn, isWrite, place)
    }

    fileprivate var isRoot: Bool { place == "/" }
  }

  /// The database.
  package var database: String
  /// What is open to everybody, in the order of the rules.
  package var openings: [Opening]
  /// Questions that have no answer.
  package var undecidedCount: Int

  /// What was proved of a database's rules.
  package init(database: String, openings: [Opening], undecidedCount: Int) {
    (self.database, self.openings, self.undecidedCount) = (database, openings, undecidedCount)
  }

  /// Rules that cannot be judged.
  package static func unreadable(database: String, _ reason: String) -> Finding {
    Finding(
      "rules-unreadable", .error, "the rules of \(database) do not compile, so everything is denied: \(reason)",
      advice: "deploy rules that do: hearth rules deploy FILE --ns \(database)")
  }

  private static let placesMax = 5

  /// About what is open.
  package var findings: [Finding] {
    let groups: [(code: String, severity: Finding.Severity, what: String, openings: [Opening])] = [
      (
        "rules-world-writable",
        openings.contains { !$0.asksForSignIn && $0.isWrite && $0.isRoot } ? .error : .warning,
        "anybody can write, signed in or not,", openings.filter { !$0.asksForSignIn && $0.isWrite }
      ),
      (
        "rules-world-readable", openings.contains { !$0.asksForSignIn && !$0.isWrite && $0.isRoot } ? .error : .notice,
        "anybody can read, signed in or not,", openings.filter { !$0.asksForSignIn && !$0.isWrite }
      ),
      (
        "rules-user-writable",
        openings.contains { $0.asksForSignIn && $0.isWrite && $0.isRoot } ? .error : .notice,
        "anybody who signs in can write", openings.filter { $0.asksForSignIn && $0.isWrite }
      ),
      (
        "rules-user-readable",
        openings.contains { $0.asksForSignIn && !$0.isWrite && $0.isRoot } ? .warning : .notice,
        "anybody who signs in can read", openings.filter { $0.asksForSignIn && !$0.isWrite }
      ),
    ]
    var findings = groups.filter { !$0.openings.isEmpty }.map { group in
      Finding(
        group.code, group.severity, "\(database): \(group.what) \(Self.places(group.openings))",
        advice: "see the requests and the rules that grant them: hearth rules exposure FILE")
    }
    if undecidedCount > 0 {
      findings.append(
        Finding(
          unchecked: "rules-world-writable", "\(undecidedCount) questions about the rules of \(database) have no answer"
        ))
    }
    return findings.isEmpty ? [Finding(ok: "rules", "\(database): nothing is open to everybody: proved")] : findings
  }

  private static func places(_ openings: [Opening]) -> String {
    let shown = openings.prefix(placesMax).map(\.place).joined(separator: ", ")
    let rest = openings.count - placesMax
    return rest > 0 ? shown + " and at \(rest) more places" : shown
  }
}
