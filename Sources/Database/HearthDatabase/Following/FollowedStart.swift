import HearthEngine
import HearthJournal
import HearthRules

/// Where a database begins to follow a log: its snapshot, or nothing.
package struct FollowedStart: Sendable {
  /// The state at ``position``.
  let state: Published
  let report: RecoveryReport
  let snapshotBytes: Int
  /// What was kept with the snapshot: see ``FollowedEvent/snapshot(members:)``. Nil without one.
  package let members: [UInt8]?

  /// The log goes on behind this position.
  package var position: Int64 { state.position }

  /// A log from its first row on.
  package init(initialRules: RuleSet) {
    let found = Recovery(initialRules: initialRules)
    (state, report) = found.state()
    (snapshotBytes, members) = (0, nil)
  }

  /// Reads the current snapshot of a journal, which stays whose it is. Blocks for as long as that takes.
  ///
  /// - Parameter initialRules: in force until rules were deployed.
  /// - Throws: `JournalError`, ``RecordError``.
  package init(of journal: any Journal, initialRules: RuleSet) throws {
    var found = Recovery(initialRules: initialRules)
    if let snapshot = try journal.currentSnapshot() {
      try found.load(snapshot) { try journal.snapshotChunk($0, of: snapshot) }
    }
    (state, report) = found.state()
    (snapshotBytes, members) = (found.snapshotBytes, found.members)
  }
}
