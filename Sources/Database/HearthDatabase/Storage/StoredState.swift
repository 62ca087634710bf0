import HearthEngine
import HearthJournal

/// What a journal comes to: the state that a start would find there.
package enum StoredState {
  /// Puts the state together out of what a view shows, and writes it as a snapshot would be written, whatever snapshot and log
  /// it came of: equal states are equal bytes.
  ///
  /// - Parameter chunk: gets the bytes, so many at a time, and at last those that are left.
  /// - Throws: `JournalError`, `RecordError`, what `chunk` throws.
  package static func write(_ view: any JournalView, chunkBytes: Int, chunk: ([UInt8]) throws -> Void) throws {
    var recovery = Recovery(initialRules: .denyAll)
    try recovery.run(view)
    var state = Published(
      root: recovery.root, rules: .denyAll, position: recovery.position, storedRules: recovery.storedRules)
    state.sessions = recovery.sessions
    try SnapshotFormat.write(state, chunkBytes: chunkBytes, chunk: chunk)
  }
}
