import HearthEngine
import HearthJournal
import HearthRules

/// Storing an engine's state and recovering it, step by step: for simulations of restarts. A ``Database`` does the same
/// on its queues.
extension Engine {
  /// Creates the engine that a server recovers at its start, after it has taken ownership of the journal. Sessions from
  /// before the start end in the first batches that the engine decides.
  package init(
    recovering journal: any Journal, upTo head: JournalHead, initialRules: RuleSet, limits: EngineLimits,
    ignoring ignored: ReadDependencies.Aspects = []
  ) throws {
    var recovery = Recovery(initialRules: initialRules)
    try recovery.run(journal, upTo: head)
    self.init(state: recovery.state().0, limits: limits, ignoring: ignored)
  }
}

extension DatabaseState {
  /// Writes a snapshot of the state, which must be durable, and lets the journal drop the log that it covers.
  package func store(in journal: any Journal, chunkBytes: Int) throws {
    let ticket = try journal.beginSnapshot(at: position)
    try SnapshotFormat.write(self, chunkBytes: chunkBytes) { try journal.appendSnapshotChunk($0, to: ticket) }
    _ = try journal.completeSnapshot(ticket)
    try journal.prune()
  }
}
