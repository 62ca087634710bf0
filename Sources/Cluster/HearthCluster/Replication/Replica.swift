import HearthBytes
import HearthJournal

/// A database's log as it arrives at one node: each row once, in order, whatever way it takes.
///
/// Rows come as frames from the owner, directly or through other nodes, and may be late, twice, missing or in another
/// order. What connects them is the running hash: a row that is not the next one of exactly this log is never applied.
/// Gaps are filled from the log itself. Grants are decided where the listener is, when a row is applied; because rows are
/// applied in order, a listener that is cut by one is told of nothing behind it.
package struct Replica: Sendable {
  /// What is to be done, in this order.
  package enum Action: Sendable, Equatable {
    /// To be answered with the ticket.
    case ask(ticket: UInt64, StoreCall)
    /// The next row, and what is in it.
    case apply(LogRow, [LogRecord])
    /// What is known is too old: clients' sockets are closed and none are taken, so that they find a better node and know
    /// that they are not connected meanwhile.
    case closeSockets
    /// It is fresh again.
    case openSockets
    /// The log is another one than this replica has applied: everything is forgotten and read again.
    case reset(DataLoss)
    /// Rows behind the head are no more. It stops here until it is given a snapshot that stands for them.
    case pruned(after: Int64)
    /// The next row has a record that this program does not know, such as a newer one's. It stops here: what came behind
    /// would be another state than everybody else's.
    case unreadable(MalformedBytes)
  }

  /// What was applied, and the last of it.
  package private(set) var memory: RowMemory
  /// The reason why nothing is applied any more; nil as long as it is.
  package private(set) var unreadable: MalformedBytes?
  /// True when the rows behind the head are no more.
  package private(set) var isPruned = false
  /// True when clients are served, as of the last event.
  package private(set) var isServing = false
  private let timing: ClusterTiming
  private var freshness = Freshness()
  /// The highest epoch that was heard of.
  private var epoch: Int64
  private var buffered: [Int64: LogRow] = [:]
  private var bufferedBytes = 0
  private var reading: (ticket: UInt64, from: JournalHead, sentAt: MonotonicInstant)?
  private var lastTicket: UInt64 = 0
  private var lastRead = MonotonicInstant.distantPast
  private var lastBeat = MonotonicInstant.distantPast
  /// True when there are rows, or may be, that it has not applied.
  package private(set) var lacksRows = true

  /// A replica of what is behind a head, such as a snapshot's.
  package init(from head: JournalHead = .empty, timing: ClusterTiming) {
    memory = RowMemory(from: head, timing: timing)
    epoch = head.epoch
    self.timing = timing
  }

  /// The last row that was applied.
  package var head: JournalHead { memory.head }

  /// No commit from before this moment is missing; nil when nothing is known.
  package var freshAsOf: MonotonicInstant? { freshness.asOf == .distantPast ? nil : freshness.asOf }
  private var isStopped: Bool { isPruned || unreadable != nil }

  /// Returns true when what is known is young enough to be served: to be asked before anything is, since a process that
  /// was stopped does not know it yet.
  package func isFresh(at now: MonotonicInstant) -> Bool {
    freshAsOf.map { !now.isAtLeast(timing.stalenessMilliseconds, after: $0) } ?? false
  }

  /// Time has passed.
  package mutating func tick(at now: MonotonicInstant) -> [Action] {
    memory.forget(at: now)
    var actions = judge(at: now)
    let isDeaf = now.isAtLeast(2 * timing.beatMilliseconds, after: lastBeat)
    if lacksRows || isDeaf, reading == nil, !isStopped, now.isAtLeast(timing.tailMilliseconds, after: lastRead) {
      actions.append(read(at: now))
    }
    return actions
  }

  /// A frame came.
  package mutating func received(_ row: LogRow, at now: MonotonicInstant) -> [Action] {
    guard row.epoch >= epoch, !isPruned else { return [] }
    epoch = row.epoch
    // One of a later epoch at a position that is applied: the log lost what was there.
    guard row.batch.lastPosition > head.position else { return row.epoch > head.epoch ? fill(at: now) : [] }
    guard row.batch.firstPosition == head.position + 1 else {
      buffer(row)
      return fill(at: now)
    }
    guard row.follows(head) else { return fill(at: now) }
    return apply([row], at: now) + judge(at: now)
  }

  /// The owner's beat came.
  ///
  /// - Parameter stamp: What this node's question said that the beat answers.
  package mutating func received(
    beatOf epoch: Int64, at position: JournalHead, stamp: MonotonicInstant, now: MonotonicInstant
  ) -> [Action] {
    guard epoch >= self.epoch, stamp <= now else { return [] }
    self.epoch = epoch
    lastBeat = now
    let isOther = position.position == head.position && position != head
    if isOther || (position.position < head.position && position.epoch > head.epoch) { return fill(at: now) }
    freshness.note(position: position.position, stamp: stamp, applied: head.position)
    return (position.position > head.position ? fill(at: now) : []) + judge(at: now)
  }

  /// A reading of the log was answered.
  package mutating func answered(_ ticket: UInt64, _ answer: StoreAnswer, at now: MonotonicInstant) -> [Action] {
    guard let asked = reading, asked.ticket == ticket else { return [] }
    reading = nil
    if case .pruned = answer, asked.from == head { return pruned() }
    guard case .rows(var found) = answer else { return [] }
    if asked.from != head {
      // Frames came meanwhile: the part behind them is of use, and the rest says nothing about what is known now.
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
      return actions + judge(at: now)
    case .lacks:
      // The store lost rows, or this was a server of it that does not know yet that it was replaced. Whoever owns the
      // database, or takes it over, appends them again; until then nothing is proved to be fresh.
      lacksRows = true
      return []
    case .differs(let loss):
      return reset(loss, at: now)
    }
  }

  /// Rows behind the head are no more.
  package mutating func pruned() -> [Action] {
    guard !isStopped else { return [] }
    (isPruned, lacksRows) = (true, true)
    (buffered, bufferedBytes) = ([:], 0)
    return [.pruned(after: head.position)]
  }

  /// Goes on from a snapshot's head.
  package mutating func restore(at head: JournalHead, now: MonotonicInstant) -> [Action] {
    isPruned = false
    epoch = max(epoch, head.epoch)
    begin(from: head)
    return judge(at: now)
  }

  /// The store says which epoch is the last. It may be an earlier one than was heard of, if it lost a claim.
  package mutating func saw(epoch: Int64) { self.epoch = max(head.epoch, epoch) }

  /// This node owns the database: its own rows are applied when they are durable, or when they were read.
  package mutating func take(_ rows: [LogRow], at now: MonotonicInstant) -> [Action] {
    let next = rows.filter { $0.batch.firstPosition > head.position }
    guard next.first?.follows(head) ?? true else { return [] }
    epoch = max(epoch, next.last?.epoch ?? epoch)
    return apply(next, at: now) + judge(at: now)
  }

  /// This node owns the database, beyond doubt: there is nothing newer anywhere.
  package mutating func owns(at now: MonotonicInstant) -> [Action] {
    lastBeat = now
    lacksRows = false
    freshness.note(position: head.position, stamp: now, applied: head.position)
    return judge(at: now)
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

  /// The buffered frame of the next position; those before it are let go.
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

  /// Reads what is missing, unless that is under way. A frame that is only late has a moment to come.
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
    // Not at once: a log that is damaged is no better the next moment.
    return judge(at: now) + [.reset(loss)]
  }

  private mutating func begin(from head: JournalHead) {
    memory = RowMemory(from: head, timing: timing)
    freshness = Freshness()
    (buffered, bufferedBytes, lacksRows) = ([:], 0, true)
  }

  /// Time has passed on a node that owns the database, though not beyond doubt: nothing is read.
  package mutating func judge(at now: MonotonicInstant) -> [Action] {
    let wasServing = isServing
    isServing = isFresh(at: now)
    return wasServing == isServing ? [] : [isServing ? .openSockets : .closeSockets]
  }
}
