import Synchronization

/// A journal without storage: commits last until the process ends. It is for temporary databases, such as those of an
/// emulator's other projects.
///
/// It stores only the position and hash of its end, and no batches or chunks. A second `acquire()` of the same journal
/// returns the same end.
public final class VolatileJournal: Journal {
  fileprivate struct State {
    var head = JournalHead(epoch: 0, position: 0, runningHash: .empty)
    var lastSnapshot: Int64 = 0
    var openSnapshot: SnapshotTicket?
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Creates an empty log.
  public init() {}

  public func acquire() throws(JournalError) -> JournalHead {
    try change { (state) throws(JournalError) in
      guard state.head.position == 0 else {
        throw JournalError(.pruned, "a journal in memory cannot be read again")
      }
      state.head.epoch += 1
      return state.head
    }
  }

  public func append(_ batch: JournalBatch, after head: JournalHead) throws(JournalError) -> JournalHead {
    try batch.validate(after: head)
    return try change { (state) throws(JournalError) in
      guard head.epoch == state.head.epoch else {
        throw JournalError(.staleEpoch, "epoch \(head.epoch) no longer owns the journal")
      }
      guard head == state.head else {
        throw JournalError(.positionMismatch, "the log ends at \(state.head.position)")
      }
      state.head.position = batch.lastPosition
      state.head.runningHash = head.runningHash.appending(batch, epoch: head.epoch)
      return state.head
    }
  }

  public func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch] {
    try change { (state) throws(JournalError) in
      guard position >= state.head.position else {
        throw JournalError(.pruned, "a journal in memory cannot be read again")
      }
      return []
    }
  }

  public func beginSnapshot(at position: Int64) throws(JournalError) -> SnapshotTicket {
    try change { (state) throws(JournalError) in
      state.lastSnapshot += 1
      let ticket = SnapshotTicket(identifier: state.lastSnapshot, position: position)
      state.openSnapshot = ticket
      return ticket
    }
  }

  public func appendSnapshotChunk(_ chunk: [UInt8], to ticket: SnapshotTicket) throws(JournalError) {
    try change { (state) throws(JournalError) in try state.requireOpen(ticket) }
  }

  public func completeSnapshot(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotInfo {
    try change { (state) throws(JournalError) in
      try state.requireOpen(ticket)
      state.openSnapshot = nil
      return SnapshotInfo(
        identifier: ticket.identifier, position: ticket.position, runningHash: state.head.runningHash, chunkCount: 0,
        sizeBytes: 0)
    }
  }

  public func abandonSnapshot(_ ticket: SnapshotTicket) throws(JournalError) {
    try change { (state) throws(JournalError) in
      if state.openSnapshot == ticket { state.openSnapshot = nil }
    }
  }

  /// Accepts a checkpoint and does not keep it, because there is no restart.
  public func completeCheckpoint(at position: Int64, payload: [UInt8]) throws(JournalError) -> Checkpoint {
    try change { (state) throws(JournalError) in
      try Checkpoint.validate(payload, at: position, current: 0)
      guard position <= state.head.position else { throw .noState(at: position) }
      return Checkpoint(position: position, runningHash: state.head.runningHash, payload: payload)
    }
  }

  /// Returns nil, because there is no snapshot to load.
  public func currentSnapshot() throws(JournalError) -> SnapshotInfo? { nil }

  public func snapshotChunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    throw JournalError(.snapshotAbandoned, "a journal in memory keeps no snapshots")
  }

  /// Returns an empty list, because snapshots are not retained.
  public func snapshots() throws(JournalError) -> [SnapshotInfo] { [] }

  /// Returns the end of the log, because no earlier state can be read.
  public func oldestPosition() throws(JournalError) -> Int64 {
    try change { (state) throws(JournalError) in state.head.position }
  }

  public func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int { 0 }

  public func prune(keepingFrom position: Int64) throws(JournalError) {}

  /// Does nothing, because there is no content to replace.
  public func rewrite(through position: Int64, _ body: (JournalBatch) throws -> BatchRewrite) throws {}

  public func removeSnapshot(_ snapshot: SnapshotInfo) throws(JournalError) {}

  public func close() throws(JournalError) { state.withLock { $0.isClosed = true } }

  private func change<Value: Sendable>(
    _ body: (inout State) throws(JournalError) -> Value
  ) throws(JournalError) -> Value {
    try state.withLock { (state) throws(JournalError) in
      if state.isClosed { throw JournalError(.closed, "the journal is closed") }
      return try body(&state)
    }
  }
}

extension VolatileJournal.State {
  fileprivate func requireOpen(_ ticket: SnapshotTicket) throws(JournalError) {
    guard openSnapshot == ticket else { throw JournalError(.snapshotAbandoned, "the snapshot was abandoned") }
  }
}
