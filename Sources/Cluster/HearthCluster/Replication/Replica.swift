import HearthBytes
import HearthJournal

/// The replica of a database's log on one node: each row is applied once, in order, regardless of how it arrived.
///
/// Rows arrive in messages of the owner, and may be late, duplicated, missing or out of order. The running hash
/// connects them: only the next row of exactly this log is ever applied. Gaps are filled from the log itself.
/// Permissions are decided at the listener's node when a row is applied; because rows are applied in order, a listener
/// that a row cancels receives nothing of later rows.
package struct Replica: Sendable {
  /// An action for the driver to perform, in order.
  package enum Action: Sendable, Equatable {
    /// Calls the store; the driver answers with the ticket.
    case ask(ticket: UInt64, StoreCall)
    /// Applies the next row, with its records.
    case apply(LogRow, [LogRecord])
    /// The state is too old: close clients' sockets and accept none, so that they connect to another node, and know
    /// meanwhile that they are disconnected.
    case closeSockets
    /// The state is fresh again: accept clients.
    case openSockets
    /// The log differs from the applied one: everything is discarded and read again.
    case reset(DataLoss)
    /// The rows after the head were pruned. The replica stops until it gets a snapshot that replaces them.
    case pruned(after: Int64)
    /// The next row has a record that this program does not know, such as one of a later version. The replica stops
    /// here, because skipping it would make its state differ from that of other nodes.
    case unreadable(MalformedBytes)
  }

  /// The last applied rows.
  package private(set) var memory: AcknowledgedRows
  /// The unreadable record at which applying has stopped; nil while rows are applied.
  package private(set) var unreadable: MalformedBytes?
  /// True when the rows after the head were pruned.
  package private(set) var isPruned = false
  /// True when the state was fresh enough to serve clients at the last event.
  package private(set) var isServing = false
  private let timing: ClusterTiming
  private var freshness = Freshness()
  /// The highest known epoch.
  private var epoch: Int64
  private var buffered: [Int64: LogRow] = [:]
  private var bufferedBytes = 0
  private var reading: (ticket: UInt64, from: JournalHead, sentAt: MonotonicInstant)?
  private var lastTicket: UInt64 = 0
  private var lastRead = MonotonicInstant.distantPast
  private var lastBeat = MonotonicInstant.distantPast
  /// True when there may be rows that are not applied yet.
  package private(set) var lacksRows = true

  /// Creates a replica that starts at a head, such as that of a snapshot.
  package init(from head: JournalHead = .empty, timing: ClusterTiming) {
    memory = AcknowledgedRows(from: head, timing: timing)
    epoch = head.epoch
    self.timing = timing
  }

  /// The last applied row.
  package var head: JournalHead { memory.head }

  /// The instant before which no commit is missing; nil when nothing is known.
  package var freshAsOf: MonotonicInstant? { freshness.asOf == .distantPast ? nil : freshness.asOf }
  private var isStopped: Bool { isPruned || unreadable != nil }

  /// Returns true when the state is fresh enough to be served. Must be checked before serving, because a process that
  /// was suspended has not handled a tick yet.
  package func isFresh(at now: MonotonicInstant) -> Bool {
    freshAsOf.map { !now.isAtLeast(timing.stalenessMilliseconds, after: $0) } ?? false
  }

  /// Requests beats or reads the log when that is due.
  package mutating func tick(at now: MonotonicInstant) -> [Action] {
    memory.forget(at: now)
    var actions = checkFreshness(at: now)
    let isDeaf = now.isAtLeast(2 * timing.beatMilliseconds, after: lastBeat)
    if lacksRows || isDeaf, reading == nil, !isStopped, now.isAtLeast(timing.tailMilliseconds, after: lastRead) {
      actions.append(read(at: now))
    }
    return actions
  }

  /// Handles a row that the owner sent.
  package mutating func received(_ row: LogRow, at now: MonotonicInstant) -> [Action] {
    guard row.epoch >= epoch, !isPruned else { return [] }
    epoch = row.epoch
    // A row with a later epoch at an applied position means that the log lost the applied row.
    guard row.batch.lastPosition > head.position else { return row.epoch > head.epoch ? fill(at: now) : [] }
    guard row.batch.firstPosition == head.position + 1 else {
      buffer(row)
      return fill(at: now)
    }
    guard row.follows(head) else { return fill(at: now) }
    return apply([row], at: now) + checkFreshness(at: now)
  }

  /// Handles a beat from the owner.
  ///
  /// - Parameter stamp: The stamp of the pulse that the beat answers.
  package mutating func received(
    beatOf epoch: Int64, at position: JournalHead, stamp: MonotonicInstant, now: MonotonicInstant
  ) -> [Action] {
    guard epoch >= self.epoch, stamp <= now else { return [] }
    self.epoch = epoch
    lastBeat = now
    let isOther = position.position == head.position && position != head
    if isOther || (position.position < head.position && position.epoch > head.epoch) { return fill(at: now) }
    freshness.note(position: position.position, stamp: stamp, applied: head.position)
    return (position.position > head.position ? fill(at: now) : []) + checkFreshness(at: now)
  }

  /// Handles the answer to a read of the log.
  package mutating func answered(_ ticket: UInt64, _ answer: StoreAnswer, at now: MonotonicInstant) -> [Action] {
    guard let asked = reading, asked.ticket == ticket else { return [] }
    reading = nil
    if case .pruned = answer, asked.from == head { return pruned() }
    guard case .rows(var found) = answer else { return [] }
    if asked.from != head {
      // Rows arrived meanwhile: only the part of the reading after them is used.
      guard let place = found.rows.firstIndex(where: { $0.head == head }) else { return [] }
      found.start = head
      found.rows.removeFirst(place + 1)
    }
    switch memory.compare(found) {
    case .continues(let rows):
      lacksRows = !found.isComplete
      var actions = apply(rows, at: now)
      epoch = max(epoch, head.epoch)
      if found.isComplete {
        freshness.note(position: found.end.position, stamp: asked.sentAt, applied: head.position)
      } else if !isStopped {
        actions.append(read(at: now))
      }
      return actions + checkFreshness(at: now)
    case .lacks:
      // The store lost rows, or the answering server does not know yet that it was replaced. The current or the next
      // owner appends the rows again; until then freshness cannot be proved.
      lacksRows = true
      return []
    case .differs(let loss):
      return reset(loss, at: now)
    }
  }

  /// Stops, because the rows after the head were pruned.
  package mutating func pruned() -> [Action] {
    guard !isStopped else { return [] }
    (isPruned, lacksRows) = (true, true)
    (buffered, bufferedBytes) = ([:], 0)
    return [.pruned(after: head.position)]
  }

  /// Continues from the head of a snapshot.
  package mutating func restore(at head: JournalHead, now: MonotonicInstant) -> [Action] {
    isPruned = false
    epoch = max(epoch, head.epoch)
    begin(from: head)
    return checkFreshness(at: now)
  }

  /// Notes the store's last epoch. It may be lower than a known one, if the store lost a claim.
  package mutating func note(epoch: Int64) { self.epoch = max(head.epoch, epoch) }

  /// Applies rows that this node, as the owner, has stored or read.
  package mutating func take(_ rows: [LogRow], at now: MonotonicInstant) -> [Action] {
    let next = rows.filter { $0.batch.firstPosition > head.position }
    guard next.first?.follows(head) ?? true else { return [] }
    epoch = max(epoch, next.last?.epoch ?? epoch)
    return apply(next, at: now) + checkFreshness(at: now)
  }

  /// Notes that this node is certainly the owner, so that no newer state exists.
  package mutating func owns(at now: MonotonicInstant) -> [Action] {
    lastBeat = now
    lacksRows = false
    freshness.note(position: head.position, stamp: now, applied: head.position)
    return checkFreshness(at: now)
  }

  private mutating func apply(_ rows: [LogRow], at now: MonotonicInstant) -> [Action] {
    var actions: [Action] = []
    for row in rows { apply(row, at: now, &actions) }
    while let row = unbuffer(), row.follows(head) { apply(row, at: now, &actions) }
    freshness.applied(head.position)
    return actions
  }

  private mutating func apply(_ row: LogRow, at now: MonotonicInstant, _ actions: inout [Action]) {
    guard !isStopped else { return }
    do throws(MalformedBytes) {
      actions.append(.apply(row, try LogRecord.decode(row.batch)))
      memory.append(row, at: now)
    } catch {
      unreadable = error
      actions.append(.unreadable(error))
    }
  }

  private mutating func buffer(_ row: LogRow) {
    let size = row.batch.payload.count
    guard buffered.count < ClusterLimits.bufferedFramesMax,
      bufferedBytes + size <= ClusterLimits.bufferedFrameBytesMax
    else { return }
    if let old = buffered[row.batch.firstPosition] {
      guard row.epoch > old.epoch else { return }
      bufferedBytes -= old.batch.payload.count
    }
    buffered[row.batch.firstPosition] = row
    bufferedBytes += size
  }

  /// Removes and returns the buffered row of the next position; drops earlier ones.
  private mutating func unbuffer() -> LogRow? {
    guard !buffered.isEmpty else { return nil }
    let next = head.position + 1
    for position in buffered.keys where position < next { remove(position) }
    return remove(next)
  }

  @discardableResult
  private mutating func remove(_ position: Int64) -> LogRow? {
    guard let row = buffered.removeValue(forKey: position) else { return nil }
    bufferedBytes -= row.batch.payload.count
    return row
  }

  /// Reads missing rows, unless a read is pending. Waits a moment first, because the missing row may only be late.
  private mutating func fill(at now: MonotonicInstant) -> [Action] {
    lacksRows = true
    guard reading == nil, !isStopped, now.isAtLeast(timing.tailMilliseconds, after: lastRead) else { return [] }
    return [read(at: now)]
  }

  private mutating func read(at now: MonotonicInstant) -> Action {
    lastTicket += 1
    lastRead = now
    reading = (lastTicket, head, now)
    return .ask(ticket: lastTicket, .read(after: head.position))
  }

  private mutating func reset(_ loss: DataLoss, at now: MonotonicInstant) -> [Action] {
    begin(from: .empty)
    // Delays the read, because a damaged log does not recover at once.
    return checkFreshness(at: now) + [.reset(loss)]
  }

  private mutating func begin(from head: JournalHead) {
    memory = AcknowledgedRows(from: head, timing: timing)
    freshness = Freshness()
    (buffered, bufferedBytes, lacksRows) = ([:], 0, true)
  }

  /// Checks the freshness of the state on an owner whose ownership is not proved at the moment; does not read the log.
  package mutating func checkFreshness(at now: MonotonicInstant) -> [Action] {
    let wasServing = isServing
    isServing = isFresh(at: now)
    return wasServing == isServing ? [] : [isServing ? .openSockets : .closeSockets]
  }
}
