import HearthJournal
import Testing

@testable import HearthCluster

/// Tests of the steps to ownership, and of its ends.
@Suite struct OwnershipTests {
  private static let me = Incarnation(node: NodeID("a"), number: 1)
  private static let other = Incarnation(node: NodeID("b"), number: 2)
  private static let now = MonotonicInstant(milliseconds: 10_000)
  private static let leaseStatus = LeaseStatus(
    incarnation: me, validUntil: now.advanced(by: 5_000), gaplessSince: MonotonicInstant(milliseconds: 0),
    leaseMilliseconds: 6_000)

  /// An owner's state machine, its node's view of the log, and the calls that it made.
  private struct OwnershipHarness {
    var ownership = Ownership(timing: ClusterTiming())
    var memory = AcknowledgedRows(from: .empty, timing: ClusterTiming())
    var calls: [(ticket: UInt64, call: StoreCall)] = []
    var others: [Ownership.Action] = []

    mutating func take(_ actions: [Ownership.Action]) {
      for action in actions {
        switch action {
        case .ask(let ticket, let call): calls.append((ticket, call))
        case .caughtUp(let rows), .committed(let rows, _):
          for row in rows where row.follows(memory.head) { memory.append(row, at: OwnershipTests.now) }
        default: others.append(action)
        }
      }
    }

    /// Answers the oldest call.
    mutating func answer(_ answer: StoreAnswer, _ leaseStatus: LeaseStatus = OwnershipTests.leaseStatus) {
      let (ticket, _) = calls.removeFirst()
      take(ownership.answered(ticket, answer, memory, at: OwnershipTests.now, leaseStatus))
    }

    mutating func tick() {
      take(ownership.tick(at: OwnershipTests.now, OwnershipTests.leaseStatus, isOwnerHeard: false))
    }

    var call: StoreCall? { calls.first?.call }
  }

  private static func reading(
    _ start: JournalHead?, _ rows: [LogRow], end: JournalHead? = nil, epoch: Int64
  ) -> StoreAnswer {
    .rows(
      LogReading(
        start: start, rows: rows, end: end ?? rows.last?.head ?? start ?? .empty,
        owner: OwnerRecord(epoch: epoch, owner: me, isLapsed: false)))
  }

  private static func lapsed(_ epoch: Int64) -> StoreAnswer {
    .owner(OwnerRecord(epoch: epoch, owner: other, isLapsed: true))
  }

  /// Returns an owner of epoch 2, whose log begins with its takeover row.
  private static func serving() -> OwnershipHarness {
    var harness = OwnershipHarness()
    harness.tick()
    harness.answer(lapsed(1))
    harness.answer(.claimed(epoch: 2))
    harness.answer(reading(.empty, [], epoch: 2))
    harness.answer(.done)
    return harness
  }

  @Test("a node owns a database once its takeover row is durable, and not before")
  func takeover() {
    var harness = OwnershipHarness()
    harness.tick()
    #expect(harness.call == .readOwner)
    harness.answer(Self.lapsed(1))
    #expect(harness.call == .claim(seen: 1, known: 0, by: Self.me))
    harness.answer(.claimed(epoch: 2))
    #expect(harness.call == .read(after: 0))
    let row = LogRow([.noop], after: .empty, epoch: 1)
    harness.answer(Self.reading(.empty, [row], epoch: 2))
    #expect(harness.call == .read(after: 1))
    harness.answer(Self.reading(row.head, [], epoch: 2))
    let takeover = LogRow([.takeover(Self.me)], after: row.head, epoch: 2)
    #expect(harness.call == .append(takeover, after: row.head, claim: 2))
    #expect(harness.ownership.epoch == nil)
    // The earlier owner inserted a row before: the node reads the end of the log again.
    harness.answer(.refused)
    #expect(harness.call == .read(after: 1))
    let late = LogRow([.noop], after: row.head, epoch: 1)
    harness.answer(Self.reading(row.head, [late], epoch: 2))
    harness.answer(Self.reading(late.head, [], epoch: 2))
    harness.answer(.done)
    #expect(harness.ownership.epoch == 2 && harness.memory.head.position == 3)
    #expect(harness.others.last == .began(epoch: 2))
  }

  @Test(
    "a takeover row may be read before its answer arrives; a frame of a lost row at its position may not",
    arguments: [true, false])
  func takeoverIsRead(isItself: Bool) {
    var harness = OwnershipHarness()
    harness.tick()
    harness.answer(Self.lapsed(1))
    harness.answer(.claimed(epoch: 2))
    harness.answer(Self.reading(.empty, [], epoch: 2))
    let row = LogRow([isItself ? .takeover(Self.me) : .noop], after: .empty, epoch: isItself ? 2 : 1)
    harness.memory.append(row, at: Self.now)
    harness.answer(.done)
    #expect((harness.ownership.epoch == 2) == isItself && (harness.ownership.loss == nil) == isItself)
  }

  @Test("a live node keeps its databases, and a node whose lease had a gap claims no database of another node")
  func claims() {
    var harness = OwnershipHarness()
    harness.tick()
    harness.answer(.owner(OwnerRecord(epoch: 1, owner: Self.other, isLapsed: false)))
    #expect(harness.calls.isEmpty)
    var leaseStatus = Self.leaseStatus
    leaseStatus.gaplessSince = Self.now
    harness = OwnershipHarness()
    harness.tick()
    harness.answer(Self.lapsed(1), leaseStatus)
    #expect(harness.calls.isEmpty)
    // The node may claim its own expired ownership again at once.
    harness = OwnershipHarness()
    harness.tick()
    harness.answer(.owner(OwnerRecord(epoch: 1, owner: Self.me, isLapsed: true)), leaseStatus)
    #expect(harness.call == .claim(seen: 1, known: 0, by: Self.me))
  }

  @Test("a waiting node checks again at the end of the owner's lease, not a whole interval later")
  func lapse() {
    var harness = OwnershipHarness()
    harness.tick()
    harness.answer(
      .owner(OwnerRecord(epoch: 1, owner: Self.other, isLapsed: false, remainingMilliseconds: 300)))
    for (milliseconds, count): (Int64, Int) in [(299, 0), (300, 1)] {
      let later = Self.now.advanced(by: milliseconds)
      harness.take(harness.ownership.tick(at: later, Self.leaseStatus, isOwnerHeard: false))
      #expect(harness.calls.count == count)
    }
    // A lease that was renewed is read as rarely as before.
    harness.answer(
      .owner(OwnerRecord(epoch: 1, owner: Self.other, isLapsed: false, remainingMilliseconds: 6_000)))
    let later = Self.now.advanced(by: 1_299)
    harness.take(harness.ownership.tick(at: later, Self.leaseStatus, isOwnerHeard: false))
    #expect(harness.calls.isEmpty)
    harness.take(harness.ownership.tick(at: later.advanced(by: 1), Self.leaseStatus, isOwnerHeard: false))
    #expect(harness.call == .readOwner)
  }

  @Test("rows refused for lack of space are retried unchanged, one at a time; the owner keeps the database")
  func room() throws {
    var harness = Self.serving()
    for count in [1, ClusterLimits.rowRecordsWorthwhile] {
      for _ in 0..<count { harness.ownership.propose(.noop) }
      harness.take(harness.ownership.flush(at: Self.now))
    }
    let (first, tip) = (harness.calls.map(\.call), Int64(3 + ClusterLimits.rowRecordsWorthwhile))
    #expect(first.count == 2)
    harness.answer(.noRoom)
    // The next row is refused for lack of space, too.
    harness.answer(.refused)
    #expect(harness.ownership.epoch == 2 && harness.ownership.lacksRoom && harness.others.last == .room(false))
    harness.ownership.propose(.noop)
    let later = Self.now.advanced(by: 500)
    for time in [Self.now, Self.now.advanced(by: 499)] { harness.take(harness.ownership.flush(at: time)) }
    #expect(harness.calls.isEmpty && harness.ownership.tip == tip)
    harness.take(harness.ownership.flush(at: later))
    #expect(harness.calls.map(\.call) == [first[0]])
    harness.answer(.noRoom)
    #expect(harness.others.filter { $0 == .room(false) }.count == 1)
    harness.take(harness.ownership.flush(at: later))
    harness.answer(.done)
    #expect(harness.others.last == .room(true) && !harness.ownership.lacksRoom)
    #expect(harness.calls.map(\.call).first == first[1] && harness.calls.count == 1)
    for _ in 0..<2 { harness.answer(.done) }
    #expect(harness.memory.head.position == tip && harness.ownership.epoch == 2)
  }

  @Test("a row waits for the one before it, unless it is large")
  func worthwhile() {
    var harness = Self.serving()
    func flush(_ count: Int) {
      for _ in 0..<count { harness.ownership.propose(.noop) }
      harness.take(harness.ownership.flush(at: Self.now))
    }
    flush(1)
    flush(ClusterLimits.rowRecordsWorthwhile - 1)
    #expect(harness.calls.count == 1)
    flush(1)
    #expect(harness.calls.count == 2)
    flush(1)
    harness.answer(.done)
    harness.answer(.done)
    #expect(harness.calls.count == 1, "nothing is on its way before it any more")
  }

  @Test("an overtaken claim is abandoned")
  func overtaken() {
    var harness = OwnershipHarness()
    harness.tick()
    harness.answer(Self.lapsed(1))
    harness.answer(.claimed(epoch: 2))
    harness.answer(Self.reading(.empty, [], epoch: 3))
    #expect(harness.calls.isEmpty && harness.ownership.epoch == nil)
  }

  @Test(
    "a refused row, or one of unknown outcome, ends the ownership at once", arguments: [StoreAnswer.refused, .failed])
  func dropped(answer: StoreAnswer) {
    var harness = Self.serving()
    harness.ownership.propose(.noop)
    harness.take(harness.ownership.flush(at: Self.now))
    harness.answer(answer)
    #expect(harness.ownership.epoch == nil && harness.others.last == .stopped)
    #expect(harness.call == .readOwner)
  }

  @Test("pending entries become one row, and the rows in flight are bounded")
  func batches() {
    var harness = Self.serving()
    let count = ClusterLimits.rowRecordsWorthwhile
    for _ in 0...ClusterLimits.rowsInFlightMax {
      for _ in 0..<count { harness.ownership.propose(.noop) }
      harness.take(harness.ownership.flush(at: Self.now))
    }
    for _ in 0..<9 { harness.ownership.propose(.noop) }
    #expect(harness.calls.count == ClusterLimits.rowsInFlightMax)
    harness.answer(.done)
    #expect(harness.calls.count == ClusterLimits.rowsInFlightMax)
    guard case .append(let row, _, _, _)? = harness.calls.last?.call else {
      Issue.record("no row")
      return
    }
    #expect(row.batch.lastPosition - row.batch.firstPosition == count + 8)
  }

  @Test("an owner whose lease had a gap is not trusted before a new row of its own proves the ownership")
  func gap() {
    var harness = Self.serving()
    #expect(harness.ownership.isAuthoritative(at: Self.now, Self.leaseStatus))
    var later = Self.leaseStatus
    later.gaplessSince = Self.now.advanced(by: 1)
    let then = Self.now.advanced(by: 2)
    #expect(!harness.ownership.isAuthoritative(at: then, later))
    harness.take(harness.ownership.tick(at: then, later, isOwnerHeard: true))
    harness.answer(.done)
    #expect(harness.ownership.isAuthoritative(at: then, later))
  }

  @Test("a handoff row is the last row of an ownership, and then the database is released")
  func handoff() {
    var harness = Self.serving()
    harness.ownership.propose(.noop)
    harness.take(harness.ownership.flush(at: Self.now))
    harness.take(harness.ownership.handOver(to: Self.other.node, at: Self.now))
    #expect(!harness.ownership.isAccepting && harness.calls.count == 1)
    harness.answer(.done)
    let row = LogRow([.handoff(to: Self.other.node)], after: harness.memory.head, epoch: 2)
    #expect(harness.call == .append(row, after: harness.memory.head, claim: 2))
    harness.answer(.done)
    #expect(harness.call == .release(epoch: 2))
    harness.answer(.done)
    #expect(harness.others.last == .handedOver(to: Self.other.node, epoch: 2))
  }

  @Test("a drained node claims no database, and releases one that the store says it owns")
  func unwanted() {
    var harness = OwnershipHarness()
    harness.ownership.isWanted = false
    harness.tick()
    harness.answer(Self.lapsed(1))
    #expect(harness.calls.isEmpty)
    harness.take(harness.ownership.take(epoch: 1, harness.memory, Self.leaseStatus))
    #expect(harness.calls.isEmpty)
    harness = OwnershipHarness()
    harness.ownership.isWanted = false
    harness.tick()
    harness.answer(.owner(OwnerRecord(epoch: 4, owner: Self.me, isLapsed: false)))
    #expect(harness.call == .release(epoch: 4))
    harness.answer(.done)
    #expect(harness.calls.isEmpty && harness.ownership.epoch == nil)
  }

  @Test("a claim that is no longer wanted is abandoned before the takeover", arguments: [false, true])
  func unwantedMeanwhile(hasClaimed: Bool) {
    var harness = OwnershipHarness()
    harness.tick()
    harness.answer(Self.lapsed(1))
    if hasClaimed { harness.answer(.claimed(epoch: 2)) }
    harness.ownership.isWanted = false
    harness.answer(hasClaimed ? Self.reading(.empty, [], epoch: 2) : .claimed(epoch: 2))
    #expect(harness.call == .release(epoch: 2))
  }

  @Test("a drained owner continues until it hands over, and does not claim the database again after a loss")
  func drained() {
    var harness = Self.serving()
    harness.ownership.isWanted = false
    harness.tick()
    #expect(harness.ownership.epoch == 2)
    harness.ownership.propose(.noop)
    harness.take(harness.ownership.flush(at: Self.now))
    harness.answer(.failed)
    #expect(harness.call == .readOwner)
    harness.answer(.owner(OwnerRecord(epoch: 2, owner: Self.me, isLapsed: false)))
    #expect(harness.call == .release(epoch: 2))
  }

  @Test("a log that is pruned beyond the known position belongs to another node")
  func pruned() {
    var harness = OwnershipHarness()
    harness.tick()
    harness.answer(Self.lapsed(1))
    harness.answer(.claimed(epoch: 2))
    harness.answer(.pruned)
    #expect(harness.others.last == .pruned && harness.call == .release(epoch: 2))
    // Frames arrived during the read.
    harness = OwnershipHarness()
    harness.tick()
    harness.answer(Self.lapsed(1))
    harness.answer(.claimed(epoch: 2))
    harness.memory.append(LogRow([.noop], after: .empty, epoch: 1), at: Self.now)
    harness.answer(.pruned)
    #expect(harness.call == .read(after: 1))
  }

  @Test("rows that the store lost are restored unchanged if no later row follows them")
  func restore() {
    var harness = OwnershipHarness()
    var rows: [LogRow] = []
    for _ in 0..<3 {
      rows.append(LogRow([.noop], after: rows.last?.head ?? .empty, epoch: 1))
      harness.memory.append(rows[rows.count - 1], at: Self.now)
    }
    harness.tick()
    harness.answer(Self.lapsed(1))
    harness.answer(.claimed(epoch: 2))
    harness.answer(Self.reading(nil, [], end: rows[0].head, epoch: 2))
    #expect(harness.call == .append(rows[1], after: rows[0].head, claim: 2))
    harness.answer(.done)
    #expect(harness.call == .append(rows[2], after: rows[1].head, claim: 2))
    harness.answer(.done)
    #expect(harness.call == .read(after: 3))
    harness.answer(Self.reading(rows[2].head, [], epoch: 2))
    harness.answer(.done)
    #expect(harness.ownership.epoch == 2 && harness.memory.head.position == 4)
  }

  @Test("a log that continued without acknowledged rows is not written to")
  func readOnly() {
    var harness = OwnershipHarness()
    let row = LogRow([.noop], after: .empty, epoch: 1)
    harness.memory.append(row, at: Self.now)
    harness.tick()
    harness.answer(Self.lapsed(2))
    harness.answer(.claimed(epoch: 3))
    let instead = LogRow([.takeover(Self.other)], after: .empty, epoch: 2)
    harness.answer(Self.reading(instead.head, [], epoch: 3))
    let loss = DataLoss(known: row.head, found: instead.head)
    #expect(harness.others == [.ownerSeen(OwnerRecord(epoch: 2, owner: Self.other, isLapsed: true)), .dataLost(loss)])
    #expect(harness.ownership.loss == loss && harness.calls.isEmpty)
    harness.tick()
    #expect(harness.calls.isEmpty)
  }
}
