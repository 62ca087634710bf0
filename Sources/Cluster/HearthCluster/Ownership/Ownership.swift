import HearthJournal

/// The ownership of one database, as one node has it, wants it or lost it.
///
/// Two steps make an owner, each durable. The claim raises the database's epoch, and from then on no new row of an earlier
/// owner is taken. Then the tail of the log is read and a takeover row is appended behind it; if one more row of the earlier
/// owner came in between, that append is refused, and the tail is read again. Only when the takeover row is acknowledged
/// is anybody served. Nothing that was merely read makes an owner, so a store's server that does not know yet that it was
/// replaced cannot make a second one.
///
/// An owner whose row is refused, or of whose row nobody knows what became, stops at once: it forgets what was not
/// acknowledged, and if the database is still its own, claims it again and reads what is there. Requests are sent again by
/// the nodes that hold their clients.
package struct Ownership: Sendable {
  /// What is to be done, in this order.
  package enum Action: Sendable, Equatable {
    /// To be answered with the ticket.
    case ask(ticket: UInt64, StoreCall)
    /// Rows that were read on the way to the takeover, or put back.
    case caughtUp([LogRow])
    /// This node owns the database from here on.
    case began(epoch: Int64)
    /// Own rows are durable, and what is to be done because of them.
    case committed([LogRow], [OutboxEntry])
    /// It owns it no longer.
    case stopped
    /// The store has no room for its rows, or has it again: until then nothing more is to be decided.
    case room(Bool)
    /// Who owns it, as the store says.
    case ownerSeen(OwnerRecord)
    /// The store lost acknowledged rows, and others are in their place: the database stays read-only on this node, which
    /// keeps it from others as long as its lease holds.
    case dataLost(DataLoss)
    /// It was given up, for that node to take.
    case handedOver(to: NodeID, epoch: Int64)
    /// What comes behind all that is known was pruned: somebody else is to own it.
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

  /// True when the database is claimed when nobody owns it. Otherwise nothing is claimed; what the store says is this
  /// node's is given up, unless it owns it: then it goes on until ``handOver(to:at:)``.
  package var isWanted = true
  private let timing: ClusterTiming
  private var phase = Phase.idle
  /// There while `phase` is `.serving`.
  private var tenure: Tenure?
  private var lastTicket: UInt64 = 0
  /// The ticket of the one call that is under way outside of a tenure.
  private var awaited: UInt64?
  private var lastLook: MonotonicInstant?
  /// When the lease of the owner that was seen ends, unless it is renewed: nobody waits longer for it than it takes.
  private var lapse: MonotonicInstant?

  /// A node that owns nothing.
  package init(timing: ClusterTiming) { self.timing = timing }

  /// The epoch under which this node owns the database; nil when it does not.
  package var epoch: Int64? { tenure?.epoch }
  /// True when it is not owned, and nothing is under way that may make this node the owner.
  package var isAtRest: Bool { if case .idle = phase { true } else { false } }
  /// True when requests are taken: it is owned, and not about to be given up.
  package var isAccepting: Bool { tenure != nil && tenure?.successor == nil }
  /// True when the store has no room for what was proposed.
  package var lacksRoom: Bool { tenure?.lacksRoom ?? false }
  /// Where the log ends, of which the owner knows all; nil when it is not owned.
  package var durable: JournalHead? { tenure?.durable }
  /// The position of the last record that was proposed.
  package var tip: Int64? { tenure?.tip }
  /// Returns true when this node owns the database in that epoch.
  package func owns(in epoch: Int64) -> Bool {
    guard let tenure else { return false }
    return tenure.epoch == epoch
  }

  /// The position of the last record that was proposed, when requests are taken in that epoch.
  package func tip(acceptingIn epoch: Int64) -> Int64? {
    guard let tenure, tenure.epoch == epoch, tenure.successor == nil else { return nil }
    return tenure.tip
  }

  /// The reason why nothing is written here any more.
  package var loss: DataLoss? { if case .readOnly(let loss) = phase { loss } else { nil } }

  /// Whether this node is the owner beyond doubt, so that a read sees every commit that anybody was told of: its lease is
  /// believed, and it was proved to be the owner since the lease had its last gap. During a gap somebody else may have
  /// taken over, and a heartbeat alone does not tell.
  package func isAuthoritative(at now: MonotonicInstant, _ standing: LeaseStanding) -> Bool {
    guard let tenure, standing.isBelieved(at: now), let steadySince = standing.steadySince else { return false }
    return tenure.provenAt >= steadySince
  }

  /// Time has passed.
  ///
  /// - Parameter isOwnerHeard: The owner gave a sign of life lately, or nobody here needs one.
  package mutating func tick(
    at now: MonotonicInstant, _ standing: LeaseStanding, isOwnerHeard: Bool
  ) -> [Action] {
    switch phase {
    case .idle where !isOwnerHeard && standing.incarnation != nil:
      let isOver = lapse.map { now >= $0 } ?? false
      if let lastLook, !isOver, !now.isAtLeast(timing.watchMilliseconds, after: lastLook) { return [] }
      return look(at: now)
    case .serving:
      if standing.isBelieved(at: now), !isAuthoritative(at: now, standing), tenure?.isIdle ?? false {
        propose(.noop)
      }
      return flush(at: now)
    default: return []
    }
  }

  /// A record for the log: its position is the next ``tip``. Only while ``isAccepting``.
  package mutating func propose(_ record: LogRecord, with entries: [OutboxEntry] = []) {
    if isAccepting { tenure?.propose(record, entries) }
  }

  /// Sends what was proposed.
  package mutating func flush(at now: MonotonicInstant) -> [Action] {
    var actions: [Action] = []
    while let call = tenure?.nextRow(ticket: lastTicket + 1, at: now) {
      lastTicket += 1
      actions.append(.ask(ticket: lastTicket, call))
    }
    return actions
  }

  /// Gives the database to another node, when all that was proposed is durable.
  package mutating func handOver(to node: NodeID, at now: MonotonicInstant) -> [Action] {
    guard isAccepting else { return [] }
    tenure?.drain(to: node)
    return flush(at: now)
  }

  /// The owner of that epoch gave the database up for this node.
  package mutating func take(epoch: Int64, _ memory: RowMemory, _ standing: LeaseStanding) -> [Action] {
    switch phase {
    case .idle where isWanted, .looking where isWanted: claim(seen: epoch, memory, standing)
    default: []
    }
  }

  /// This node's run is over.
  package mutating func drop() -> [Action] {
    let (wasServing, lackedRoom) = (tenure != nil, lacksRoom)
    leave(for: .idle)
    awaited = nil
    (lastLook, lapse) = (nil, nil)
    return (lackedRoom ? [.room(true)] : []) + (wasServing ? [.stopped] : [])
  }

  /// A call was answered.
  ///
  /// - Parameter memory: What this node knows of the log.
  package mutating func answered(
    _ ticket: UInt64, _ answer: StoreAnswer, _ memory: RowMemory, at now: MonotonicInstant, _ standing: LeaseStanding
  ) -> [Action] {
    if tenure != nil { return appended(ticket, answer, at: now) }
    guard ticket == awaited else { return [] }
    awaited = nil
    switch (phase, answer) {
    case (.looking, .owner(let record)):
      phase = .idle
      lapse = record.isLapsed ? nil : record.remainingMilliseconds.map { now.advanced(by: $0) }
      return [.ownerSeen(record)] + look(found: record, memory, at: now, standing)
    case (.claiming, .claimed(let epoch)) where !isWanted, (.reading(let epoch, _), .rows) where !isWanted:
      return release(epoch)
    case (.claiming, .claimed(let epoch)):
      return read(epoch: epoch, from: memory.head)
    case (.reading(let epoch, _), .rows(let reading)):
      return proceed(reading, epoch: epoch, memory, at: now, standing)
    case (.reading(let epoch, let from), .pruned):
      return from == memory.head ? [.pruned] + release(epoch) : read(epoch: epoch, from: memory.head)
    case (.restoring(let epoch, let missing), .done):
      let head = missing.first?.head ?? memory.head
      return restore(missing.dropFirst(), after: head, epoch: epoch)
    case (.restoring(let epoch, _), .refused):
      return read(epoch: epoch, from: memory.head)
    case (.takingOver(_, let row, _), .done) where !row.follows(memory.head) && row.head != memory.head:
      // A frame of a row that the log has lost came in the meantime. The row itself may have been read already.
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
      // Refused, or unknown: the next look at the owner's row says where things stand.
      phase = .idle
      return []
    }
  }

  private mutating func look(
    found record: OwnerRecord, _ memory: RowMemory, at now: MonotonicInstant, _ standing: LeaseStanding
  ) -> [Action] {
    guard let me = standing.incarnation else { return [] }
    guard isWanted else { return record.owner?.node == me.node ? release(record.epoch) : [] }
    return mayClaim(record, at: now, standing) ? claim(seen: record.epoch, memory, standing) : []
  }

  private func mayClaim(_ record: OwnerRecord, at now: MonotonicInstant, _ standing: LeaseStanding) -> Bool {
    guard let me = standing.incarnation else { return false }
    if record.owner?.node == me.node { return true }
    // Nobody's lease is in the way of one that was given up, or never owned.
    return record.owner == nil ? standing.isBelieved(at: now) : record.isLapsed && standing.mayClaim(at: now)
  }

  private mutating func look(at now: MonotonicInstant) -> [Action] {
    phase = .looking
    (lastLook, lapse) = (now, nil)
    return [ask(.readOwner)]
  }

  private mutating func claim(seen epoch: Int64, _ memory: RowMemory, _ standing: LeaseStanding) -> [Action] {
    guard let me = standing.incarnation else { return [] }
    phase = .claiming
    return [ask(.claim(seen: epoch, known: memory.head.epoch, by: me))]
  }

  private mutating func read(epoch: Int64, from head: JournalHead) -> [Action] {
    phase = .reading(epoch: epoch, from: head)
    return [ask(.read(after: head.position))]
  }

  /// Goes on from what the log holds behind what is known.
  private mutating func proceed(
    _ reading: LogReading, epoch: Int64, _ memory: RowMemory, at now: MonotonicInstant, _ standing: LeaseStanding
  ) -> [Action] {
    guard reading.owner.epoch == epoch, case .reading(_, let from) = phase, let me = standing.incarnation else {
      phase = .idle
      return [.ownerSeen(reading.owner)]
    }
    // Frames came meanwhile: read from where they ended.
    guard from == memory.head else { return read(epoch: epoch, from: memory.head) }
    switch memory.compare(reading) {
    case .continues(let rows):
      let head = rows.last?.head ?? from
      guard !rows.contains(where: { (try? LogRecord.decode($0.batch)) == nil }) else {
        // The replica says so. Another node may understand them.
        return [.caughtUp(rows)] + release(epoch)
      }
      // Until nothing is new: with these rows, frames that came before them may connect, of rows that the log has lost.
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

  /// Appends acknowledged rows again that the store lost, as they were: nobody has built on the shorter log, and everybody
  /// who knows the longer one finds it as it was.
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
      tenure?.holdBack(at: now)
      return lackedRoom ? [] : [.room(false)]
    }
    let room: [Action] = lackedRoom ? [.room(true)] : []
    guard case .done = answer, let (rows, entries) = tenure?.succeed(ticket) else {
      leave(for: .idle)
      return room + [.stopped] + look(at: now)
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
