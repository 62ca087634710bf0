import HearthJournal

/// A node's time as the owner of a database: from its durable takeover row until a row is refused or its outcome is
/// unknown.
struct Tenure: Sendable {
  let epoch: Int64
  /// The head of the log after the last durable row.
  private(set) var durable: JournalHead
  /// The records that are not in a row yet.
  private var queued: [(record: LogRecord, entries: [OutboxEntry])] = []
  private var queuedBytes = 0
  /// The rows in flight, in order.
  private var inFlight: [(ticket: UInt64, row: LogRow, entries: [OutboxEntry], sentAt: MonotonicInstant)] = []
  /// The rows that the store had no space for, and the rows after them. Each is sent again unchanged, in order.
  private var held: [(row: LogRow, entries: [OutboxEntry])] = []
  /// The time of the next attempt to send the first of them; nil when the store is not known to be full.
  private var retryAt: MonotonicInstant?
  /// The sending time of the last durable row: at some time after it the node was still the owner.
  private(set) var provenAt: MonotonicInstant
  /// The next owner; nil when the database is not being handed over.
  private(set) var successor: NodeID?
  private var hasSentHandoff = false

  init(epoch: Int64, from head: JournalHead, provenAt: MonotonicInstant) {
    self.epoch = epoch
    durable = head
    self.provenAt = provenAt
  }

  /// The position of the last proposed record.
  var tip: Int64 { sealed.position + Int64(queued.count) }
  var isIdle: Bool { queued.isEmpty && inFlight.isEmpty && held.isEmpty }
  /// True when the store has no space for the next row.
  var lacksRoom: Bool { retryAt != nil }
  /// The node that can take over now, because all rows including the handoff are durable; nil otherwise.
  var finishedFor: NodeID? { hasSentHandoff && isIdle ? successor : nil }

  private var sealed: JournalHead { held.last?.row.head ?? sent }
  private var sent: JournalHead { inFlight.last?.row.head ?? durable }

  mutating func propose(_ record: LogRecord, _ entries: [OutboxEntry]) {
    queued.append((record, entries))
    queuedBytes += record.sizeBytes
  }

  mutating func drain(to node: NodeID) { successor = node }

  /// Returns the next row, unless there is no record for it or too many rows are in flight. It contains the waiting
  /// records up to a maximum size, so that rows are larger when the store is slow.
  mutating func nextRow(ticket: UInt64, at now: MonotonicInstant) -> StoreCall? {
    guard inFlight.count < ClusterLimits.rowsInFlightMax else { return nil }
    if let again = held.first {
      // After a lack of space, a single row is sent to test for space.
      if let retryAt, now < retryAt || !inFlight.isEmpty { return nil }
      let before = sent
      held.removeFirst()
      inFlight.append((ticket, again.row, again.entries, now))
      return .append(again.row, after: before, claim: epoch, entries: again.entries)
    }
    guard !lacksRoom else { return nil }
    if isIdle, let successor, !hasSentHandoff {
      hasSentHandoff = true
      queued = [(.handoff(to: successor), [])]
    }
    // While a row is in flight, a small row waits for more records: its cost for all nodes exceeds the cost of the wait
    // for the clients.
    guard !queued.isEmpty, inFlight.isEmpty || queued.count >= ClusterLimits.rowRecordsWorthwhile else { return nil }
    var (count, bytes) = (0, 0)
    for (record, entries) in queued.prefix(ClusterLimits.rowRecordsMax) {
      bytes += record.sizeBytes + entries.reduce(0) { $0 + $1.content.count }
      if count > 0, bytes > ClusterLimits.rowBytes { break }
      count += 1
    }
    let before = sealed
    let row = LogRow(queued.prefix(count).map(\.record), after: before, epoch: epoch)
    let entries = queued.prefix(count).flatMap(\.entries)
    queued.removeFirst(count)
    inFlight.append((ticket, row, entries, now))
    return .append(row, after: before, claim: epoch, entries: entries)
  }

  /// Records that a row and all rows before it are durable, because a row is only appended after its predecessor.
  ///
  /// - Returns: The rows that became durable, with their outbox entries; nil for an unknown ticket.
  mutating func succeed(_ ticket: UInt64) -> (rows: [LogRow], entries: [OutboxEntry])? {
    guard let place = inFlight.firstIndex(where: { $0.ticket == ticket }) else { return nil }
    let rows = inFlight[...place].map(\.row)
    let entries = inFlight[...place].flatMap(\.entries)
    provenAt = max(provenAt, inFlight[place].sentAt)
    durable = rows[place].head
    inFlight.removeFirst(place + 1)
    retryAt = nil
    return (rows, entries)
  }

  /// Handles a row for which the store had no space. The rows after it are refused as well; all are sent again later,
  /// with new tickets.
  mutating func requeueForRoom(at now: MonotonicInstant) {
    held = inFlight.map { ($0.row, $0.entries) } + held
    inFlight = []
    retryAt = now.advanced(by: Self.retryMilliseconds)
  }

  /// The time between two rows that test for space.
  private static let retryMilliseconds: Int64 = 500

  func awaits(_ ticket: UInt64) -> Bool { inFlight.contains { $0.ticket == ticket } }
}
