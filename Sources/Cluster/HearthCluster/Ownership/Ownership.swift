import HearthJournal

/// The state machine by which one node gains, holds and loses the ownership of one database.
///
/// A node becomes the owner in two durable steps. The claim raises the database's epoch, and from then on the store
/// refuses new rows of earlier owners. Then the node reads the tail of the log and appends a takeover row; if another
/// row of the earlier owner came in between, the append is refused, and the tail is read again. The owner serves
/// clients only when the takeover row is acknowledged. Because that requires an append, a replaced store server that
/// still answers reads cannot produce a second owner.
///
/// An owner stops at once when a row is refused or its outcome is unknown: it discards unacknowledged records, and if
/// the database is still its own, claims it again and reads the log. The nodes of the clients send the requests again.
package struct Ownership: Sendable {
  /// An action for the driver to perform, in order.
  package enum Action: Sendable, Equatable {
    /// Calls the store; the driver answers with the ticket.
    case ask(ticket: UInt64, StoreCall)
    /// Applies rows that were read before the takeover, or restored.
    case caughtUp([LogRow])
    /// The node became the owner.
    case began(epoch: Int64)
    /// Rows of this node are durable; process their outbox entries.
    case committed([LogRow], [OutboxEntry])
    /// The node is no longer the owner.
    case stopped
    /// The store has no space for the node's rows (false), or has space again (true). Without space nothing may be
    /// decided.
    case room(Bool)
    /// The store's record of the owner.
    case ownerSeen(OwnerRecord)
    /// The store lost acknowledged rows and has different rows in their place. The database stays read-only on this
    /// node, and no other node can own it while this node's lease lasts.
    case dataLost(DataLoss)
    /// The database was released for the given node.
    case handedOver(to: NodeID, epoch: Int64)
    /// The rows after the known ones were pruned, so another node has to become the owner.
    case pruned
  }

  private enum Phase {
    case idle
    case looking
    case claiming
    case reading(epoch: Int64, from: JournalHead)
    case restoring(epoch: Int64, missing: ArraySlice<LogRow>)
    case takingOver(epoch: Int64, row: LogRow, sentAt: MonotonicInstant)
    case serving
    case releasing(epoch: Int64, to: NodeID?)
    case readOnly(DataLoss)
  }

  /// True when the node claims the database once it has no owner. When false, the node claims nothing and releases what
  /// the store records as its own, except for a database that it serves: it keeps that one until ``handOver(to:at:)``.
  package var isWanted = true
  private let timing: ClusterTiming
  private var phase = Phase.idle
  /// The tenure; nil unless `phase` is `.serving`.
  private var tenure: Tenure?
  private var lastTicket: UInt64 = 0
  /// The ticket of the pending store call while the node is not the owner; there is at most one.
  private var awaited: UInt64?
  private var lastCheck: MonotonicInstant?
  /// The end of the current owner's lease unless it is renewed, at which the owner record is read again without further
  /// delay.
  private var leaseEnd: MonotonicInstant?

  /// Creates the state of a node that does not own the database.
  package init(timing: ClusterTiming) { self.timing = timing }

  /// The epoch of this node's ownership; nil when it is not the owner.
  package var epoch: Int64? { tenure?.epoch }
  /// True when the node is not the owner and no call is pending that may make it one.
  package var isInactive: Bool { if case .idle = phase { true } else { false } }
  /// True when the node accepts requests: it is the owner and not handing over.
  package var isAccepting: Bool { tenure != nil && tenure?.successor == nil }
  /// True when the store has no space for the proposed records.
  package var lacksRoom: Bool { tenure?.lacksRoom ?? false }
  /// The durable end of the log; nil when this node is not the owner.
  package var durable: JournalHead? { tenure?.durable }
  /// The position of the last proposed record; nil when this node is not the owner.
  package var tip: Int64? { tenure?.tip }
  /// Returns true when this node owns the database in that epoch.
  package func owns(in epoch: Int64) -> Bool {
    guard let tenure else { return false }
    return tenure.epoch == epoch
  }

  /// Returns the position of the last proposed record; nil unless the node accepts requests in that epoch.
  package func tip(acceptingIn epoch: Int64) -> Int64? {
    guard let tenure, tenure.epoch == epoch, tenure.successor == nil else { return nil }
    return tenure.tip
  }

  /// The data loss that made the database read-only; nil when there is none.
  package var loss: DataLoss? { if case .readOnly(let loss) = phase { loss } else { nil } }

  /// Returns true when the node is certainly the owner, so that a read sees every acknowledged commit: its lease is
  /// valid, and its ownership was proved after the lease last lapsed. While the lease was lapsed, another node may have
  /// taken over, which a heartbeat does not show.
  package func isAuthoritative(at now: MonotonicInstant, _ leaseStatus: LeaseStatus) -> Bool {
    guard let tenure, leaseStatus.isValid(at: now), let gaplessSince = leaseStatus.gaplessSince else { return false }
    return tenure.provenAt >= gaplessSince
  }

  /// Reads the owner record, or appends the node's own records and proves its ownership, when that is due.
  ///
  /// - Parameter isOwnerHeard: True when a message of the owner arrived recently, or this node needs none.
  package mutating func tick(
    at now: MonotonicInstant, _ leaseStatus: LeaseStatus, isOwnerHeard: Bool
  ) -> [Action] {
    switch phase {
    case .idle where !isOwnerHeard && leaseStatus.incarnation != nil:
      let isOver = leaseEnd.map { now >= $0 } ?? false
      if let lastCheck, !isOver, !now.isAtLeast(timing.watchMilliseconds, after: lastCheck) { return [] }
      return readOwner(at: now)
    case .serving:
      if leaseStatus.isValid(at: now), !isAuthoritative(at: now, leaseStatus), tenure?.isIdle ?? false {
        propose(.noop)
      }
      return flush(at: now)
    default: return []
    }
  }

  /// Proposes a record for the log; its position is the next ``tip``. Only while ``isAccepting``.
  package mutating func propose(_ record: LogRecord, with entries: [OutboxEntry] = []) {
    if isAccepting { tenure?.propose(record, entries) }
  }

  /// Sends the proposed records.
  package mutating func flush(at now: MonotonicInstant) -> [Action] {
    var actions: [Action] = []
    while let call = tenure?.nextRow(ticket: lastTicket + 1, at: now) {
      lastTicket += 1
      actions.append(.ask(ticket: lastTicket, call))
    }
    return actions
  }

  /// Hands the database over to another node once all proposed records are durable.
  package mutating func handOver(to node: NodeID, at now: MonotonicInstant) -> [Action] {
    guard isAccepting else { return [] }
    tenure?.drain(to: node)
    return flush(at: now)
  }

  /// Takes over a database that the owner of that epoch released for this node.
  package mutating func take(epoch: Int64, _ memory: AcknowledgedRows, _ leaseStatus: LeaseStatus) -> [Action] {
    switch phase {
    case .idle where isWanted, .looking where isWanted: claim(seen: epoch, memory, leaseStatus)
    default: []
    }
  }

  /// Ends every role, because the node's incarnation has ended.
  package mutating func drop() -> [Action] {
    let (wasServing, lackedRoom) = (tenure != nil, lacksRoom)
    leave(for: .idle)
    awaited = nil
    (lastCheck, leaseEnd) = (nil, nil)
    return (lackedRoom ? [.room(true)] : []) + (wasServing ? [.stopped] : [])
  }

  /// Handles the answer to a call.
  ///
  /// - Parameter memory: The last acknowledged rows of the log that this node knows.
  package mutating func answered(
    _ ticket: UInt64, _ answer: StoreAnswer, _ memory: AcknowledgedRows, at now: MonotonicInstant,
    _ leaseStatus: LeaseStatus
  ) -> [Action] {
    if tenure != nil { return appended(ticket, answer, at: now) }
    guard ticket == awaited else { return [] }
    awaited = nil
    switch (phase, answer) {
    case (.looking, .owner(let record)):
      phase = .idle
      leaseEnd = record.isLapsed ? nil : record.remainingMilliseconds.map { now.advanced(by: $0) }
      return [.ownerSeen(record)] + readOwner(found: record, memory, at: now, leaseStatus)
    case (.claiming, .claimed(let epoch)) where !isWanted, (.reading(let epoch, _), .rows) where !isWanted:
      return release(epoch)
    case (.claiming, .claimed(let epoch)):
      return read(epoch: epoch, from: memory.head)
    case (.reading(let epoch, _), .rows(let reading)):
      return proceed(reading, epoch: epoch, memory, at: now, leaseStatus)
    case (.reading(let epoch, let from), .pruned):
      return from == memory.head ? [.pruned] + release(epoch) : read(epoch: epoch, from: memory.head)
    case (.restoring(let epoch, let missing), .done):
      let head = missing.first?.head ?? memory.head
      return restore(missing.dropFirst(), after: head, epoch: epoch)
    case (.restoring(let epoch, _), .refused):
      return read(epoch: epoch, from: memory.head)
    case (.takingOver(_, let row, _), .done) where !row.follows(memory.head) && row.head != memory.head:
      // A row arrived meanwhile that the log has lost; the log may have been read before it arrived.
      return stay(readOnly: DataLoss(known: memory.head, found: row.head))
    case (.takingOver(let epoch, let row, let sentAt), .done):
      phase = .serving
      tenure = Tenure(epoch: epoch, from: row.head, provenAt: sentAt)
      return [.caughtUp([row]), .began(epoch: epoch)]
    case (.takingOver(let epoch, _, _), .refused):
      return read(epoch: epoch, from: memory.head)
    case (.releasing(let epoch, let node), _):
      phase = .idle
      return node.map { [.handedOver(to: $0, epoch: epoch)] } ?? []
    default:
      // The append was refused or its outcome is unknown: the next read of the owner record shows the state.
      phase = .idle
      return []
    }
  }

  private mutating func readOwner(
    found record: OwnerRecord, _ memory: AcknowledgedRows, at now: MonotonicInstant, _ leaseStatus: LeaseStatus
  ) -> [Action] {
    guard let me = leaseStatus.incarnation else { return [] }
    guard isWanted else { return record.owner?.node == me.node ? release(record.epoch) : [] }
    return mayClaim(record, at: now, leaseStatus) ? claim(seen: record.epoch, memory, leaseStatus) : []
  }

  private func mayClaim(_ record: OwnerRecord, at now: MonotonicInstant, _ leaseStatus: LeaseStatus) -> Bool {
    guard let me = leaseStatus.incarnation else { return false }
    if record.owner?.node == me.node { return true }
    // A database that was released or never owned has no lease to wait for.
    return record.owner == nil ? leaseStatus.isValid(at: now) : record.isLapsed && leaseStatus.mayClaim(at: now)
  }

  private mutating func readOwner(at now: MonotonicInstant) -> [Action] {
    phase = .looking
    (lastCheck, leaseEnd) = (now, nil)
    return [ask(.readOwner)]
  }

  private mutating func claim(seen epoch: Int64, _ memory: AcknowledgedRows, _ leaseStatus: LeaseStatus) -> [Action] {
    guard let me = leaseStatus.incarnation else { return [] }
    phase = .claiming
    return [ask(.claim(seen: epoch, known: memory.head.epoch, by: me))]
  }

  private mutating func read(epoch: Int64, from head: JournalHead) -> [Action] {
    phase = .reading(epoch: epoch, from: head)
    return [ask(.read(after: head.position))]
  }

  /// Continues the takeover with the result of reading the log after the known rows.
  private mutating func proceed(
    _ reading: LogReading, epoch: Int64, _ memory: AcknowledgedRows, at now: MonotonicInstant,
    _ leaseStatus: LeaseStatus
  ) -> [Action] {
    guard reading.owner.epoch == epoch, case .reading(_, let from) = phase, let me = leaseStatus.incarnation else {
      phase = .idle
      return [.ownerSeen(reading.owner)]
    }
    // Rows arrived from another node meanwhile: reads from the end of those.
    guard from == memory.head else { return read(epoch: epoch, from: memory.head) }
    switch memory.compare(reading) {
    case .continues(let rows):
      let head = rows.last?.head ?? from
      guard !rows.contains(where: { (try? LogRecord.decode($0.batch)) == nil }) else {
        // The replica reports the unreadable record. Another node may be able to read it.
        return [.caughtUp(rows)] + release(epoch)
      }
      // Reads until there are no new rows: they may make earlier received rows contiguous, which the log has lost.
      guard rows.isEmpty, reading.isComplete else { return [.caughtUp(rows)] + read(epoch: epoch, from: head) }
      let row = LogRow([.takeover(me)], after: head, epoch: epoch)
      phase = .takingOver(epoch: epoch, row: row, sentAt: now)
      return [ask(.append(row, after: head, claim: epoch))]
    case .lacks(let missing?): return restore(missing[...], after: reading.end, epoch: epoch)
    case .lacks(nil): return stay(readOnly: DataLoss(known: memory.head, found: reading.end))
    case .differs(let loss): return stay(readOnly: loss)
    }
  }

  private mutating func release(_ epoch: Int64, to node: NodeID? = nil) -> [Action] {
    leave(for: .releasing(epoch: epoch, to: node))
    return [ask(.release(epoch: epoch))]
  }

  private mutating func stay(readOnly loss: DataLoss) -> [Action] {
    phase = .readOnly(loss)
    return [.dataLost(loss)]
  }

  /// Appends lost acknowledged rows again, unchanged. This is possible because no later row follows the shorter log;
  /// nodes that know the longer log then find it intact.
  private mutating func restore(
    _ missing: ArraySlice<LogRow>, after head: JournalHead, epoch: Int64
  ) -> [Action] {
    guard let row = missing.first else { return read(epoch: epoch, from: head) }
    phase = .restoring(epoch: epoch, missing: missing)
    return [ask(.append(row, after: head, claim: epoch))]
  }

  private mutating func appended(_ ticket: UInt64, _ answer: StoreAnswer, at now: MonotonicInstant) -> [Action] {
    guard let epoch, tenure?.awaits(ticket) ?? false else { return [] }
    let lackedRoom = lacksRoom
    if case .noRoom = answer {
      tenure?.requeueForRoom(at: now)
      return lackedRoom ? [] : [.room(false)]
    }
    let room: [Action] = lackedRoom ? [.room(true)] : []
    guard case .done = answer, let (rows, entries) = tenure?.succeed(ticket) else {
      leave(for: .idle)
      return room + [.stopped] + readOwner(at: now)
    }
    if let successor = tenure?.finishedFor {
      return room + [.committed(rows, entries), .stopped] + release(epoch, to: successor)
    }
    return room + [.committed(rows, entries)] + flush(at: now)
  }

  private mutating func leave(for next: Phase) {
    phase = next
    tenure = nil
  }

  private mutating func ask(_ call: StoreCall) -> Action {
    lastTicket += 1
    awaited = lastTicket
    return .ask(ticket: lastTicket, call)
  }
}
