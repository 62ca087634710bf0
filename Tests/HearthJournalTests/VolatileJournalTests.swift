import HearthJournal
import HearthTestKit
import Testing

@Suite struct VolatileJournalTests {
  @Test("the volatile journal tracks the end of the log, the order and the owner, and stores no data")
  func keepsOrder() throws {
    let journal = VolatileJournal()
    let start = try journal.acquire()
    #expect(start == JournalHead(epoch: 1, position: 0, runningHash: .empty))
    #expect(try journal.batches(after: 0, sizeBytesMax: 1 << 20).isEmpty && journal.currentSnapshot() == nil)
    let batch = JournalBatch.following(start, commits: 3, sizeBytes: 100)
    let head = try journal.append(batch, after: start)
    #expect(head.position == 3 && head.runningHash == start.runningHash.appending(batch, epoch: 1))
    expect(.positionMismatch) { () throws(JournalError) in try journal.append(batch, after: start) }
    expect(.positionMismatch) { () throws(JournalError) in
      try journal.append(batch, after: JournalHead(epoch: 1, position: 0, runningHash: head.runningHash))
    }
    let stale = JournalHead(epoch: 9, position: 3, runningHash: head.runningHash)
    expect(.staleEpoch) { () throws(JournalError) in
      try journal.append(JournalBatch.following(stale, commits: 1, sizeBytes: 1), after: stale)
    }
    // Discarded batches are reported as pruned.
    expect(.pruned) { () throws(JournalError) in try journal.batches(after: 0, sizeBytesMax: 1) }
    expect(.pruned) { () throws(JournalError) in try journal.acquire() }
    #expect(try journal.batches(after: 3, sizeBytesMax: 1).isEmpty)
    #expect(try journal.oldestPosition() == 3 && journal.snapshots().isEmpty)
    #expect(try journal.logBytes(after: 0, through: 3) == 0)
    try journal.prune(keepingFrom: 1)
  }

  @Test("a snapshot is accepted and dropped; after the end all calls fail")
  func snapshots() throws {
    let journal = VolatileJournal()
    let start = try journal.acquire()
    let first = try journal.beginSnapshot(at: start.position)
    let second = try journal.beginSnapshot(at: start.position)
    expect(.snapshotAbandoned) { () throws(JournalError) in try journal.appendSnapshotChunk([1], to: first) }
    try journal.appendSnapshotChunk([1], to: second)
    let info = try journal.completeSnapshot(second)
    try journal.prune()
    expect(.snapshotAbandoned) { () throws(JournalError) in try journal.snapshotChunk(0, of: info) }
    expect(.snapshotAbandoned) { () throws(JournalError) in try journal.completeSnapshot(second) }
    let third = try journal.beginSnapshot(at: 0)
    try journal.abandonSnapshot(third)
    expect(.snapshotAbandoned) { () throws(JournalError) in try journal.appendSnapshotChunk([1], to: third) }
    try journal.close()
    expect(.closed) { () throws(JournalError) in
      try journal.append(JournalBatch.following(start, commits: 1, sizeBytes: 1), after: start)
    }
  }

  @Test("a checkpoint is accepted and dropped")
  func checkpoints() throws {
    let journal = VolatileJournal()
    let head = try journal.appendBatches(2, after: try journal.acquire())
    let checkpoint = try journal.completeCheckpoint(at: 2, payload: [1])
    #expect(checkpoint == Checkpoint(position: 2, runningHash: head.runningHash, payload: [1]))
    #expect(try journal.currentCheckpoint() == nil)
    expect(.positionMismatch) { () throws(JournalError) in try journal.completeCheckpoint(at: 3, payload: [1]) }
    expect(.tooLarge) { () throws(JournalError) in try journal.completeCheckpoint(at: 2, payload: []) }
  }

  private func expect<Value>(
    _ code: JournalError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws(JournalError) -> Value
  ) {
    do throws(JournalError) {
      _ = try body()
      Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch {
      #expect(error.code == code, sourceLocation: sourceLocation)
    }
  }
}
