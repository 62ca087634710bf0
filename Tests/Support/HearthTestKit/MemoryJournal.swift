import HearthJournal
import Synchronization

/// A journal in memory with failures, delays and data loss on the test's command.
package final class MemoryJournal: Journal {
  /// The fault of one append.
  package struct Fault: Sendable, Equatable {
    /// The code of the error that the append throws.
    package var code: JournalError.Code

    /// True when the batch is stored nevertheless and found at the next start. Only a failure with an unknown outcome
    /// can have that effect.
    package var isWritten: Bool

    /// Creates a failure with this code; by default nothing is written.
    package init(_ code: JournalError.Code, isWritten: Bool = false) {
      self.code = code
      self.isWritten = isWritten
    }
  }

  struct Entry: Sendable {
    var batch: JournalBatch
    var epoch: Int64
    var runningHash: RunningHash
  }

  struct StoredSnapshot: Sendable {
    var info: SnapshotInfo
    var chunks: [[UInt8]]
    /// The content of a checkpoint, which has no chunks; nil for a snapshot.
    var payload: [UInt8]?

    var checkpoint: Checkpoint? {
      payload.map { Checkpoint(position: info.position, runningHash: info.runningHash, payload: $0) }
    }
  }

  /// The content of the simulated disk.
  struct Disk: Sendable {
    var epoch: Int64 = 0
    var entries: [Entry] = []
    /// Snapshots and checkpoints in order of position.
    var snapshots: [StoredSnapshot] = []

    var snapshot: StoredSnapshot? { snapshots.last }
    var position: Int64 { entries.last?.batch.lastPosition ?? snapshot?.info.position ?? 0 }
    var runningHash: RunningHash { entries.last?.runningHash ?? snapshot?.info.runningHash ?? .empty }
  }

  struct State {
    var disk: Disk
    var faults: [Int: Fault] = [:]
    var appendCount = 0
    var rewriteCount = 0
    var rewriteCountMax = Int.max
    var isFull = false
    /// The state of an outage: whether an append is written although it fails; nil while the store answers.
    var outageWrites: Bool?
    /// The append whose outcome is unknown.
    var unknownOutcome: RunningHash?
    /// A batch that a failed append left behind.
    var leftoverEntry: Entry?
    var failure: JournalError.Code?
    var isClosed = false
    var isCrashed = false
    var openSnapshot: StoredSnapshot?
    var nextSnapshotIdentifier: Int64 = 1
  }

  /// The gate that appends pass before they take effect.
  package let gate = JournalGate()

  /// A number that the journal shares with those after a crash of it, and with no others in the process.
  package let diskNumber: Int

  private let state: Mutex<State>
  private static let diskCount = Atomic(0)

  /// Creates an empty journal whose disk fails only on command.
  package init() {
    state = Mutex(State(disk: Disk()))
    diskNumber = Self.diskCount.add(1, ordering: .relaxed).newValue
  }

  private init(disk: Disk, number: Int, nextSnapshotIdentifier: Int64) {
    diskNumber = number
    var start = State(disk: disk)
    start.nextSnapshotIdentifier = nextSnapshotIdentifier
    state = Mutex(start)
  }

  // MARK: Control by tests

  /// Makes the append with this number fail; the first append is number 1, and failed ones count.
  package func failAppend(_ number: Int, _ fault: Fault) { state.withLock { $0.faults[number] = fault } }

  /// Starts or ends a shortage of space in which every append fails.
  package func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

  /// Starts or ends an outage in which every append fails because the store does not answer. The same append may be
  /// repeated later.
  ///
  /// - Parameter isWritten: True when appends are written during the outage nevertheless.
  package func setOutage(_ isActive: Bool, isWritten: Bool = false) {
    state.withLock { $0.outageWrites = isActive ? isWritten : nil }
  }

  /// The number of attempted appends.
  package var appendCount: Int { state.withLock { $0.appendCount } }

  /// Every batch that is still in the log.
  package var storedBatches: [JournalBatch] { state.withLock { $0.disk.entries.map(\.batch) } }

  /// Ends this journal as a crash would, and opens the content of the disk.
  ///
  /// - Parameter count: The number of last batches that a disk which ignores syncs has lost.
  /// - Returns: The journal after the restart. This one fails from now on.
  package func crash(losingLastBatches count: Int = 0) -> MemoryJournal {
    let (disk, identifier) = state.withLock { state in
      state.isCrashed = true
      var disk = state.disk
      if let leftoverEntry = state.leftoverEntry { disk.entries.append(leftoverEntry) }
      disk.entries.removeLast(min(max(0, count), disk.entries.count))
      return (disk, state.nextSnapshotIdentifier)
    }
    gate.open()
    return MemoryJournal(disk: disk, number: diskNumber, nextSnapshotIdentifier: identifier)
  }

  // MARK: Journal

  package func acquire() throws(JournalError) -> JournalHead {
    try changeState { state throws(JournalError) in
      state.disk.epoch += 1
      return JournalHead(
        epoch: state.disk.epoch, position: state.disk.position, runningHash: state.disk.runningHash)
    }
  }

  package func append(_ batch: JournalBatch, after head: JournalHead) throws(JournalError) -> JournalHead {
    try batch.validate(after: head)
    gate.pass()
    return try changeState { state throws(JournalError) in
      state.appendCount += 1
      if state.isFull { throw JournalError(.noSpace, "the test filled the disk") }
      guard head.epoch == state.disk.epoch else {
        throw JournalError(.staleEpoch, "epoch \(head.epoch) no longer owns the journal")
      }
      let hash = head.runningHash.appending(batch, epoch: head.epoch)
      let entry = Entry(batch: batch, epoch: head.epoch, runningHash: hash)
      if try state.isThere(entry) {
        return JournalHead(epoch: head.epoch, position: batch.lastPosition, runningHash: hash)
      }
      guard head.position == state.disk.position, head.runningHash == state.disk.runningHash else {
        throw JournalError(.positionMismatch, "the log ends at \(state.disk.position)")
      }
      if let fault = state.faults.removeValue(forKey: state.appendCount) { try state.fail(fault, entry) }
      state.disk.entries.append(entry)
      return JournalHead(epoch: head.epoch, position: batch.lastPosition, runningHash: hash)
    }
  }

  package func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch] {
    try readState { state throws(JournalError) in
      let found = state.disk.entries.lazy.map(\.batch).filter { $0.lastPosition > position }
      let isCovered = found.first.map { $0.firstPosition - 1 <= position } ?? (position >= state.disk.position)
      guard isCovered else { throw JournalError(.pruned, "the log after position \(position) was pruned") }
      var sizeBytes = 0
      return Array(
        found.prefix { batch in
          defer { sizeBytes += batch.payload.count }
          return sizeBytes == 0 || sizeBytes + batch.payload.count <= sizeBytesMax
        })
    }
  }

  package func beginSnapshot(at position: Int64) throws(JournalError) -> SnapshotTicket {
    try changeState { state throws(JournalError) in
      guard let hash = state.disk.runningHash(at: position) else {
        throw JournalError(.positionMismatch, "no batch ends at position \(position)")
      }
      let identifier = state.nextSnapshotIdentifier
      state.nextSnapshotIdentifier += 1
      let info = SnapshotInfo(
        identifier: identifier, position: position, runningHash: hash, chunkCount: 0, sizeBytes: 0)
      state.openSnapshot = StoredSnapshot(info: info, chunks: [])
      return SnapshotTicket(identifier: identifier, position: position)
    }
  }

  package func appendSnapshotChunk(_ chunk: [UInt8], to ticket: SnapshotTicket) throws(JournalError) {
    guard chunk.count <= JournalLimits.snapshotChunkBytesMax else {
      throw JournalError(.tooLarge, "a chunk of \(chunk.count) bytes is too large")
    }
    try changeState { state throws(JournalError) in
      try state.requireOpen(ticket)
      state.openSnapshot?.chunks.append(chunk)
    }
  }

  package func completeSnapshot(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotInfo {
    try changeState { state throws(JournalError) in
      let open = try state.requireOpen(ticket)
      let info = SnapshotInfo(
        identifier: ticket.identifier, position: ticket.position, runningHash: open.info.runningHash,
        chunkCount: open.chunks.count, sizeBytes: open.chunks.reduce(0) { $0 + $1.count })
      state.openSnapshot = nil
      state.disk.insert(StoredSnapshot(info: info, chunks: open.chunks))
      return info
    }
  }

  package func abandonSnapshot(_ ticket: SnapshotTicket) throws(JournalError) {
    try changeState { state throws(JournalError) in
      if state.openSnapshot?.info.identifier == ticket.identifier { state.openSnapshot = nil }
    }
  }

  package func completeCheckpoint(at position: Int64, payload: [UInt8]) throws(JournalError) -> Checkpoint {
    try changeState { state throws(JournalError) in
      try Checkpoint.validate(payload, at: position, current: state.disk.snapshot?.info.position ?? 0)
      guard let hash = state.disk.runningHash(at: position) else { throw .noState(at: position) }
      let info = SnapshotInfo(
        identifier: state.nextSnapshotIdentifier, position: position, runningHash: hash, chunkCount: 0,
        sizeBytes: payload.count)
      state.nextSnapshotIdentifier += 1
      state.disk.snapshots.removeAll { $0.payload != nil && $0.info.position == position }
      state.disk.insert(StoredSnapshot(info: info, chunks: [], payload: payload))
      return Checkpoint(position: position, runningHash: hash, payload: payload)
    }
  }

  package func currentCheckpoint() throws(JournalError) -> Checkpoint? {
    try readState { state throws(JournalError) in
      state.disk.snapshot?.checkpoint
    }
  }

  package func checkpointPositions() throws(JournalError) -> [Int64] {
    try readState { $0.disk.snapshots.filter { $0.payload != nil }.map(\.info.position) }
  }

  package func checkpoint(at position: Int64) throws(JournalError) -> Checkpoint? {
    try readState { state throws(JournalError) in
      state.disk.checkpointIndex(at: position).flatMap { state.disk.snapshots[$0].checkpoint }
    }
  }

  package func replaceCheckpoint(at position: Int64, payload: [UInt8]) throws(JournalError) {
    try Checkpoint.validateSize(of: payload, at: position)
    try changeState { state throws(JournalError) in
      if let index = state.disk.checkpointIndex(at: position) { state.disk.snapshots[index].payload = payload }
    }
  }

  package func removeCheckpoint(at position: Int64) throws(JournalError) {
    try changeState { state throws(JournalError) in
      guard let index = state.disk.checkpointIndex(at: position) else { return }
      guard index < state.disk.snapshots.count - 1 else { throw JournalError.currentStart(at: position) }
      state.disk.snapshots.remove(at: index)
    }
  }

  package func currentSnapshot() throws(JournalError) -> SnapshotInfo? {
    try readState { state throws(JournalError) in
      guard state.disk.snapshot?.payload == nil else { throw .unsupported("loading a snapshot") }
      return state.disk.snapshot?.info
    }
  }

  package func snapshotChunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    try readState { state throws(JournalError) in
      guard let stored = state.disk.snapshots.first(where: { $0.info.identifier == snapshot.identifier }) else {
        throw JournalError(.snapshotAbandoned, "the snapshot was pruned")
      }
      if stored.chunks.indices.contains(index) { return stored.chunks[index] }
      throw JournalError(.corrupt, "chunk \(index) is missing")
    }
  }

  package func snapshots() throws(JournalError) -> [SnapshotInfo] {
    try readState { $0.disk.snapshots.filter { $0.payload == nil }.map(\.info) }
  }

  package func oldestPosition() throws(JournalError) -> Int64 {
    try readState { state throws(JournalError) in
      state.disk.entries.first?.batch.firstPosition == 1 ? 0 : state.disk.snapshots.first?.info.position ?? 0
    }
  }

  package func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int {
    try readState { state throws(JournalError) in
      state.disk.entries.lazy.map(\.batch).filter { $0.lastPosition > position && $0.lastPosition <= last }
        .reduce(0) { $0 + $1.payload.count }
    }
  }

  package func prune(keepingFrom position: Int64) throws(JournalError) {
    try prune(keepingFrom: position, batchesThrough: .max)
  }

  package func prune(keepingFrom position: Int64, batchesThrough last: Int64) throws(JournalError) {
    try changeState { state throws(JournalError) in
      guard let kept = state.disk.snapshots.lastIndex(where: { $0.info.position <= position }) else { return }
      let covered = min(last, state.disk.snapshots[kept].info.position)
      state.disk.snapshots.removeSubrange(..<kept)
      state.disk.entries.removeAll { $0.batch.lastPosition <= covered }
    }
  }

  package func rewrite(through position: Int64, _ body: (JournalBatch) throws -> BatchRewrite) throws {
    let snapshot = try currentCheckpoint()?.position ?? currentSnapshot()?.position ?? 0
    let batches = storedBatches
    guard position <= snapshot else {
      throw JournalError(.positionMismatch, "a restart needs the batches after position \(snapshot)")
    }
    var waiting: [Int64: [UInt8]] = [:]
    for batch in batches where batch.lastPosition <= position {
      let rewrite = try body(batch)
      waiting[batch.firstPosition] = rewrite.payload
      guard rewrite.isComplete, !waiting.isEmpty else { continue }
      let step = waiting
      try changeState { state throws(JournalError) in
        if state.rewriteCount == state.rewriteCountMax {
          throw JournalError(.failed, "the test ends the writing here")
        }
        for index in state.disk.entries.indices {
          guard let payload = step[state.disk.entries[index].batch.firstPosition] else { continue }
          state.disk.entries[index].batch.payload = payload
        }
        state.rewriteCount += 1
      }
      waiting = [:]
    }
  }

  /// Limits compaction to a number of steps.
  package func endRewrites(after count: Int) { state.withLock { $0.rewriteCountMax = count } }

  /// The number of compaction steps so far.
  package var rewriteCount: Int { state.withLock { $0.rewriteCount } }

  package func removeSnapshot(_ snapshot: SnapshotInfo) throws(JournalError) {
    try changeState { state throws(JournalError) in
      guard state.disk.snapshot?.info.identifier != snapshot.identifier else {
        throw JournalError.currentStart(at: snapshot.position)
      }
      state.disk.snapshots.removeAll { $0.info.identifier == snapshot.identifier }
    }
  }

  package func close() throws(JournalError) { state.withLock { $0.isClosed = true } }

  // MARK: Access

  private func readState<Value: Sendable>(
    _ body: (inout State) throws(JournalError) -> Value
  ) throws(JournalError) -> Value {
    try state.withLock { state throws(JournalError) in
      if state.isClosed { throw JournalError(.closed, "the journal is closed") }
      return try body(&state)
    }
  }

  private func changeState<Value: Sendable>(
    _ body: (inout State) throws(JournalError) -> Value
  ) throws(JournalError) -> Value {
    try readState { state throws(JournalError) in
      if state.isCrashed || state.failure != nil {
        throw JournalError(.failed, "an earlier write failed with an unknown outcome")
      }
      return try body(&state)
    }
  }
}
