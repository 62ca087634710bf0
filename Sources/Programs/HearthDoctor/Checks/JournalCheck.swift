import HearthTree

/// The PostgreSQL that keeps a folder's databases and accounts.
package struct JournalCheck: Sendable {
  /// The warnings about the server's configuration, one sentence each.
  package var warnings: [String]
  /// The reason why it cannot be used; nil when it can.
  package var problem: String?

  /// A check of these answers.
  package init(warnings: [String], problem: String?) { (self.warnings, self.problem) = (warnings, problem) }

  /// The findings: one for each warning, or a single good one.
  package var findings: [Finding] {
    if let problem {
      return [
        Finding(
          "postgres-unusable", .error, "the databases cannot be looked at: \(problem.printable)",
          advice: "see that PostgreSQL runs and lets this machine in")
      ]
    }
    guard warnings.isEmpty else {
      return warnings.map {
        Finding(
          "postgres-setup", .warning, "PostgreSQL: \($0.printable)",
          advice: "the guide \"Journals in PostgreSQL\" says how it is set up")
      }
    }
    return [Finding(ok: "postgres", "PostgreSQL, which keeps the databases, is set up to lose nothing")]
  }
}
