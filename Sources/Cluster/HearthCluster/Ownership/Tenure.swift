import HearthJournal

/// One node's time as the owner of a database: from its durable takeover row until a row is refused, or nobody knows what
/// became of one.
struct Tenure: Sendable {
  let epoch: Int64
  /// The last row that is durable.
  private(set) var durable: JournalHead
  /// Records that wait for a row.
  private var queued: [(record: LogRecord, entries: [OutboxEntry])] = []
  private var queuedBytes = 0
  /// Rows whose outcome is awaited, in order.
  private var inFlight: [(ticket: UInt64, row: LogRow, entries: [OutboxEntry], sentAt: MonotonicInstant)] = []
  /// Rows for which the store has no room, or that come behind one: each is sent again as it is, in order.
  private var held: [(row: LogRow, entries: [OutboxEntry])] = []
  /// The time when the first of them is sent again; nil when there is room, as far as is known.
  private var retryAt: MonotonicInstant?
  /// The time when the last row that became durable had been sent: the node was the owner at some moment after it.
  private(set) var provenAt: MonotonicInstant
  /// Who gets the database next.
  private(set) var successor: NodeID?
  private var hasSentHandoff = false

  init(epoch: Int64, from head: JournalHead, provenAt: MonotonicInstant) {
    self.epoch = epoch
    durable = head
    self.provenAt = provenAt
  }

  /// The position of the last record that was proposed.
  var tip: Int64 { sealed.position + Int64(queued.count) }
  var isIdle: Bool { queued.isEmpty && inFlight.isEmpty && held.isEmpty }
  /// True when the store has no room for the next row.
  var lacksRoom: Bool { retryAt != nil }
  /// Who takes over now: everything is durable, and the handoff row as well.
  var finishedFor: NodeID? { hasSentHandoff && isIdle ? successor : nil }

  private var sealed: JournalHead { held.last?.row.head ?? sent }
  private var sent: JournalHead { inFlight.last?.row.head ?? durable }

  mutating func propose(_ record: LogRecord, _ entries: [OutboxEntry]) {
    queued.append((record, entries))
    queuedBytes += record.sizeBytes
  }

  mutating func drain(to node: NodeID) { successor = node }

  /// The next row, when there is something for it and not too much is under way. All that waits is in it, up to a size: rows
  /// grow by themselves when the store is slow.
  mutating func nextRow(ticket: UInt64, at now: MonotonicInstant) -> StoreCall? {
    guard inFlight.count < ClusterLimits.rowsInFlightMax else { return nil }
    if let again = held.first {
      // One by itself, which tells whether there is room by now.
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
    // While one is under way, a small one would cost its nodes more than the wait costs its clients.
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

  /// Takes a row's success; since a row is only added behind its predecessor, all before it succeeded as well.
  ///
  /// - Returns: The rows that are durable by it, with what is to be done because of them; nil for a ticket that is not
  ///   awaited.
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

  /// Takes it that the store has no room for a row, so that those behind it are refused. All of them are sent again later, with
  /// other tickets.
  mutating func holdBack(at now: MonotonicInstant) {
    held = inFlight.map { ($0.row, $0.entries) } + held
    inFlight = []
    retryAt = now.advanced(by: Self.retryMilliseconds)
  }

  /// Between two rows that are sent to see whether there is room.
  private static let retryMilliseconds: Int64 = 500

  func awaits(_ ticket: UInt64) -> Bool { inFlight.contains { $0.ticket == ticket } }
}
