import HearthJournal
import HearthTestKit
import Synchronization

/// A journal in memory with an outbox whose entries tests can read.
final class OutboxMemoryJournal: OutboxJournal {
  let journal: MemoryJournal
  private let stored = Mutex<[OutboxEntry]>([])

  init(_ journal: MemoryJournal = MemoryJournal()) { self.journal = journal }

  /// The entries appended with batches.
  var entries: [OutboxEntry] { stored.withLock { $0 } }

  func append(
    _ batch: JournalBatch, with entries: [OutboxEntry], after head: JournalHead
  ) throws(JournalError) -> JournalHead {
    let head = try journal.append(batch, after: head)
    stored.withLock { $0 += entries }
    return head
  }

  // The database only appends; other components call the rest.
  func outboxQueues() throws(JournalError) -> [String] { [] }
  func waitingEntries(
    of queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [WaitingEntry] { [] }
  func waitingContents(
    of queue: String, at places: [OutboxPlace]
  ) throws(JournalError) -> [OutboxPlace: [UInt8]] { [:] }
  func settle(_ changes: [(queue: String, place: OutboxPlace, change: OutboxChange)]) throws(JournalError) {}
  func outboxFigures(of queue: String) throws(JournalError) -> OutboxFigures { OutboxFigures() }
  func deadEntries(
    of queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [DeadEntry] { [] }
  func deadEntry(of queue: String, at place: OutboxPlace) throws(JournalError) -> DeadEntry? { nil }
  func revive(_ queue: String, at place: OutboxPlace?, countMax: Int) throws(JournalError) -> Int { 0 }
  func giveUp(_ queue: String, reason: String, milliseconds: Int64) throws(JournalError) -> Int { 0 }
  func removeDeadEntries(
    of queue: String, beforeMilliseconds: Int64, sizeBytesMax: Int
  ) throws(JournalError) -> Int { 0 }

  func acquire() throws(JournalError) -> JournalHead { try journal.acquire() }
  func append(_ batch: JournalBatch, after head: JournalHead) throws(JournalError) -> JournalHead {
    try journal.append(batch, after: head)
  }
  func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch] {
    try journal.batches(after: position, sizeBytesMax: sizeBytesMax)
  }
  func beginSnapshot(at position: Int64) throws(JournalError) -> SnapshotTicket {
    try journal.beginSnapshot(at: position)
  }
  func appendSnapshotChunk(_ chunk: [UInt8], to ticket: SnapshotTicket) throws(JournalError) {
    try journal.appendSnapshotChunk(chunk, to: ticket)
  }
  func completeSnapshot(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotInfo {
    try journal.completeSnapshot(ticket)
  }
  func abandonSnapshot(_ ticket: SnapshotTicket) throws(JournalError) { try journal.abandonSnapshot(ticket) }
  func completeCheckpoint(at position: Int64, payload: [UInt8]) throws(JournalError) -> Checkpoint {
    try journal.completeCheckpoint(at: position, payload: payload)
  }
  func currentCheckpoint() throws(JournalError) -> Checkpoint? { try journal.currentCheckpoint() }
  func checkpointPositions() throws(JournalError) -> [Int64] { try journal.checkpointPositions() }
  func checkpoint(at position: Int64) throws(JournalError) -> Checkpoint? { try journal.checkpoint(at: position) }
  func replaceCheckpoint(at position: Int64, payload: [UInt8]) throws(JournalError) {
    try journal.replaceCheckpoint(at: position, payload: payload)
  }
  func removeCheckpoint(at position: Int64) throws(JournalError) { try journal.removeCheckpoint(at: position) }
  func currentSnapshot() throws(JournalError) -> SnapshotInfo? { try journal.currentSnapshot() }
  func snapshotChunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    try journal.snapshotChunk(index, of: snapshot)
  }
  func snapshots() throws(JournalError) -> [SnapshotInfo] { try journal.snapshots() }
  func oldestPosition() throws(JournalError) -> Int64 { try journal.oldestPosition() }
  func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int {
    try journal.logBytes(after: position, through: last)
  }
  func rewrite(through position: Int64, _ body: (JournalBatch) throws -> BatchRewrite) throws {
    try journal.rewrite(through: position, body)
  }

  func removeSnapshot(_ snapshot: SnapshotInfo) throws(JournalError) { try journal.removeSnapshot(snapshot) }

  func prune(keepingFrom position: Int64) throws(JournalError) { try journal.prune(keepingFrom: position) }
  func close() throws(JournalError) { try journal.close() }
}
