import HearthJournal
import Synchronization

/// A journal with an outbox that lasts until the end of the test, and without a log.
final class OutboxInMemory: OutboxJournal {
  struct Kept: Sendable {
    var waiting: [OutboxPlace: (entry: OutboxEntry, attempts: Int, due: Int64)] = [:]
    var dead: [OutboxPlace: DeadEntry] = [:]
  }

  private let log = VolatileJournal()
  private let kept = Mutex<[String: Kept]>([:])
  private let failures = Mutex(0)
  private let settling = Mutex<(@Sendable () -> Void)?>(nil)

  /// Runs a function once, before the next outcomes are stored.
  func beforeSettling(_ body: @escaping @Sendable () -> Void) { settling.withLock { $0 = body } }

  /// Makes the next `count` reads of events fail.
  func failReads(_ count: Int) { failures.withLock { $0 = count } }

  private func read() throws(JournalError) {
    let fails = failures.withLock { count in
      defer { count = max(0, count - 1) }
      return count > 0
    }
    if fails { throw JournalError(.inputOutput, "the disk does not answer") }
  }

  func append(
    _ batch: JournalBatch, with entries: [OutboxEntry], after head: JournalHead
  ) throws(JournalError) -> JournalHead {
    let head = try log.append(batch, after: head)
    kept.withLock { kept in
      for entry in entries {
        if let reason = entry.deadReason {
          kept[entry.queue, default: Kept()].dead[entry.place] = Self.dead(entry, 0, reason, entry.milliseconds)
        } else {
          kept[entry.queue, default: Kept()].waiting[entry.place] = (entry, 0, 0)
        }
      }
    }
    return head
  }

  private static func dead(_ entry: OutboxEntry, _ attempts: Int, _ reason: String, _ time: Int64) -> DeadEntry {
    DeadEntry(
      place: entry.place, lane: entry.lane, milliseconds: entry.milliseconds, attemptCount: attempts,
      deadMilliseconds: time, reason: reason, content: entry.content)
  }

  func outboxQueues() throws(JournalError) -> [String] { kept.withLock { Array($0.keys) } }

  func waitingEntries(
    of queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [WaitingEntry] {
    try read()
    return kept.withLock { kept in
      let found = (kept[queue]?.waiting ?? [:]).filter { place == nil || $0.key > place! }
      return found.sorted { $0.key < $1.key }.prefix(countMax).map { place, kept in
        WaitingEntry(
          place: place, lane: kept.entry.lane, milliseconds: kept.entry.milliseconds, attemptCount: kept.attempts,
          dueMilliseconds: kept.due, sizeBytes: kept.entry.content.count)
      }
    }
  }

  func waitingContents(
    of queue: String, at places: [OutboxPlace]
  ) throws(JournalError) -> [OutboxPlace: [UInt8]] {
    try read()
    return kept.withLock { kept in
      places.reduce(into: [:]) { $0[$1] = kept[queue]?.waiting[$1]?.entry.content }
    }
  }

  func settle(_ changes: [(queue: String, place: OutboxPlace, change: OutboxChange)]) throws(JournalError) {
    let before = settling.withLock { body in
      defer { body = nil }
      return body
    }
    before?()
    kept.withLock { kept in
      for (queue, place, change) in changes {
        guard let own = kept[queue]?.waiting[place] else { continue }
        switch change {
        case .done: kept[queue]?.waiting[place] = nil
        case .waits(let attempts, let due): kept[queue]?.waiting[place] = (own.entry, attempts, due)
        case .dead(let reason, let time):
          kept[queue]?.waiting[place] = nil
          kept[queue]?.dead[place] = Self.dead(own.entry, own.attempts, reason, time)
        }
      }
    }
  }

  func outboxFigures(of queue: String) throws(JournalError) -> OutboxFigures {
    kept.withLock { kept in
      var figures = OutboxFigures()
      let own = kept[queue] ?? Kept()
      figures.waitingCount = own.waiting.count
      figures.waitingBytes = own.waiting.values.reduce(0) { $0 + $1.entry.content.count }
      figures.deadCount = own.dead.count
      return figures
    }
  }

  func deadEntries(
    of queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [DeadEntry] {
    kept.withLock { Array(($0[queue]?.dead ?? [:]).values.sorted { $0.place < $1.place }.prefix(countMax)) }
  }

  func deadEntry(of queue: String, at place: OutboxPlace) throws(JournalError) -> DeadEntry? {
    kept.withLock { $0[queue]?.dead[place] }
  }

  func revive(_ queue: String, at place: OutboxPlace?, countMax: Int) throws(JournalError) -> Int {
    kept.withLock { kept in
      let found = (kept[queue]?.dead ?? [:]).values.filter { place == nil || $0.place == place }
      for dead in found {
        kept[queue]?.dead[dead.place] = nil
        let entry = OutboxEntry(
          queue: queue, place: dead.place, lane: dead.lane, milliseconds: dead.milliseconds, content: dead.content)
        kept[queue]?.waiting[dead.place] = (entry, 0, 0)
      }
      return found.count
    }
  }

  func giveUp(_ queue: String, reason: String, milliseconds: Int64) throws(JournalError) -> Int {
    kept.withLock { kept in
      let own = kept[queue]?.waiting ?? [:]
      for (place, waiting) in own {
        kept[queue]?.dead[place] = Self.dead(waiting.entry, waiting.attempts, reason, milliseconds)
      }
      kept[queue]?.waiting = [:]
      return own.count
    }
  }

  func removeDeadEntries(
    of queue: String, beforeMilliseconds: Int64, sizeBytesMax: Int
  ) throws(JournalError) -> Int {
    kept.withLock { kept in
      defer { kept[queue]?.dead = [:] }
      return kept[queue]?.dead.count ?? 0
    }
  }

  func acquire() throws(JournalError) -> JournalHead { try log.acquire() }
  func append(_ batch: JournalBatch, after head: JournalHead) throws(JournalError) -> JournalHead {
    try log.append(batch, after: head)
  }
  func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch] {
    try log.batches(after: position, sizeBytesMax: sizeBytesMax)
  }
  func beginSnapshot(at position: Int64) throws(JournalError) -> SnapshotTicket {
    try log.beginSnapshot(at: position)
  }
  func appendSnapshotChunk(_ chunk: [UInt8], to ticket: SnapshotTicket) throws(JournalError) {
    try log.appendSnapshotChunk(chunk, to: ticket)
  }
  func completeSnapshot(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotInfo {
    try log.completeSnapshot(ticket)
  }
  func abandonSnapshot(_ ticket: SnapshotTicket) throws(JournalError) { try log.abandonSnapshot(ticket) }
  func currentSnapshot() throws(JournalError) -> SnapshotInfo? { nil }
  func snapshotChunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    try log.snapshotChunk(index, of: snapshot)
  }
  func snapshots() throws(JournalError) -> [SnapshotInfo] { [] }
  func oldestPosition() throws(JournalError) -> Int64 { 0 }
  func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int { 0 }
  func rewrite(through position: Int64, _ body: (JournalBatch) throws -> BatchRewrite) throws {
    try log.rewrite(through: position, body)
  }

  func removeSnapshot(_ snapshot: SnapshotInfo) throws(JournalError) { try log.removeSnapshot(snapshot) }

  func prune(keepingFrom position: Int64) throws(JournalError) {}
  func close() throws(JournalError) {}
}

struct OneOutbox: JournalFactory {
  let journal: OutboxInMemory

  func open(_ name: String) throws(JournalError) -> OpenedJournal { OpenedJournal(journal) }
  func names() throws(JournalError) -> [String] { [] }
  func remove(_ name: String) throws(JournalError) {}
}
