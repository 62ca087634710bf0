import HearthEngine
import HearthJournal

/// The state that a start would recover from a journal.
package enum StoredState {
  /// Recovers the state from a view, and writes it in the format of a snapshot, independent of the snapshot and log
  /// that it came from: equal states are equal bytes.
  ///
  /// - Parameter chunk: Receives the bytes, `chunkBytes` at a time, and finally the rest.
  /// - Throws: `JournalError`, `RecordError`, errors of `chunk`.
  package static func write(_ view: any JournalView, chunkBytes: Int, chunk: ([UInt8]) throws -> Void) throws {
    var recovery = Recovery(initialRules: .denyAll)
    try recovery.run(view)
    var state = DatabaseState(
      root: recovery.root, rules: .denyAll, position: recovery.position, storedRules: recovery.storedRules)
    state.sessions = recovery.sessions
    try SnapshotFormat.write(state, chunkBytes: chunkBytes, chunk: chunk)
  }
}
