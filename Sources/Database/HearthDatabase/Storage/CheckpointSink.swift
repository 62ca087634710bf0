import HearthJournal
import HearthPages
import HearthTree
import Synchronization

/// The check that ends a checkpoint early: when the database closes, or there is no room.
final class CheckpointLimit: Sendable {
  private struct State {
    var check: (@Sendable (_ sizeBytes: Int) throws -> Void)?
    var reason: (any Error)?
  }

  private let state = Mutex(State())

  /// The error that ended the checkpoint.
  var reason: (any Error)? { state.withLock { $0.reason } }

  /// Sets the check of a checkpoint that begins.
  func begin(_ check: @escaping @Sendable (_ sizeBytes: Int) throws -> Void) {
    state.withLock { $0 = State(check: check) }
  }

  /// Forgets the check of a checkpoint that has ended.
  func end() { state.withLock { $0.check = nil } }

  /// Returns false when the checkpoint is to end.
  func allows(_ sizeBytes: Int) -> Bool {
    let check = state.withLock { $0.check }
    do {
      try check?(sizeBytes)
      return true
    } catch {
      state.withLock { $0.reason = error }
      return false
    }
  }
}

/// A sink of page files that checks a ``CheckpointLimit`` at intervals.
struct CheckpointSink: PageSink {
  private var sink: PageFileWriter
  private let limit: CheckpointLimit
  private var uncheckedBytes = 0

  init(sink: PageFileWriter, limit: CheckpointLimit) { (self.sink, self.limit) = (sink, limit) }

  var store: PageStore { sink.store }

  mutating func append(
    sizeBytes: Int, _ fill: (_ record: UnsafeMutableRawBufferPointer, _ seed: UInt64) -> Void
  ) throws(PageError) -> PageLocation {
    uncheckedBytes += sizeBytes
    if uncheckedBytes >= JournalLimits.snapshotChunkBytes { try check() }
    return try sink.append(sizeBytes: sizeBytes, fill)
  }

  mutating func sync() throws(PageError) {
    try check()
    try sink.sync()
  }

  /// See ``PageFileWriter/seal()``.
  mutating func seal() { sink.seal() }

  mutating func discard() {
    uncheckedBytes = 0
    sink.discard()
  }

  private mutating func check() throws(PageError) {
    guard limit.allows(uncheckedBytes) else { throw PageError("the checkpoint was ended early", .noSpace) }
    uncheckedBytes = 0
  }
}
