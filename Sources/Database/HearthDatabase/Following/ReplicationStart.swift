import HearthEngine
import HearthJournal
import HearthRules

/// The starting state of a database that follows a log: its snapshot, or an empty state.
package struct ReplicationStart: Sendable {
  /// The state at ``position``.
  let state: DatabaseState
  let report: RecoveryReport
  let snapshotBytes: Int
  /// The members stored with the snapshot: see ``ReplicationEvent/snapshot(members:)``. nil when there is no snapshot.
  package let members: [UInt8]?

  /// The position after which the log continues.
  package var position: Int64 { state.position }

  /// Creates the start of a log that is followed from its first row.
  package init(initialRules: RuleSet) {
    let found = Recovery(initialRules: initialRules)
    (state, report) = found.state()
    (snapshotBytes, members) = (0, nil)
  }

  /// Reads the current snapshot of a journal, without taking ownership of it. Blocks while reading.
  ///
  /// - Parameter initialRules: The rules in force until a deployment.
  /// - Throws: `JournalError`, ``RecordError``.
  package init(of journal: any Journal, initialRules: RuleSet) throws {
    var found = Recovery(initialRules: initialRules)
    if let snapshot = try journal.currentSnapshot() {
      try found.load(snapshot) { try journal.forEachChunk(of: snapshot, $0) }
    }
    (state, report) = found.state()
    (snapshotBytes, members) = (found.snapshotBytes, found.members)
  }
}
