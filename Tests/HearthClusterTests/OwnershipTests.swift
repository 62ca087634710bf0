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
  private struct Bench {
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
  private static func serving() -> Bench {
    var bench = Bench()
    bench.tick()
    bench.answer(lapsed(1))
    bench.answer(.claimed(epoch: 2))
    bench.answer(reading(.empty, [], epoch: 2))
    bench.answer(.done)
    return bench
  }

  @Test("a node owns a database once its takeover row is durable, and not before")
  func takeover() {
    var bench = Bench()
    bench.tick()
    #expect(bench.call == .readOwner)
    bench.answer(Self.lapsed(1))
    #expect(bench.call == .claim(seen: 1, known: 0, by: Self.me))
    bench.answer(.claimed(epoch: 2))
    #expect(bench.call == .read(after: 0))
    let row = LogRow([.noop], after: .empty, epoch: 1)
    bench.answer(Self.reading(.empty, [row], epoch: 2))
    #expect(bench.call == .read(after: 1))
    bench.answer(Self.reading(row.head, [], epoch: 2))
    let takeover = LogRow([.takeover(Self.me)], after: row.head, epoch: 2)
    #expect(bench.call == .append(takeover, after: row.head, claim: 2))
    #expect(bench.ownership.epoch == nil)
    // The earlier owner inserted a row before: the node reads the end of the log again.
    bench.answer(.refused)
    #expect(bench.call == .read(after: 1))
    let late = LogRow([.noop], after: row.head, epoch: 1)
    bench.answer(Self.reading(row.head, [late], epoch: 2))
    bench.answer(Self.reading(late.head, [], epoch: 2))
    bench.answer(.done)
    #expect(bench.ownership.epoch == 2 && bench.memory.head.position == 3)
    #expect(bench.others.last == .began(epoch: 2))
  }

  @Test(
    "a takeover row may be read before its answer arrives; a frame of a lost row at its position may not",
    arguments: [true, false])
  func takeoverIsRead(isItself: Bool) {
    var bench = Bench()
    bench.tick()
    bench.answer(Self.lapsed(1))
    bench.answer(.claimed(epoch: 2))
    bench.answer(Self.reading(.empty, [], epoch: 2))
    let row = LogRow([isItself ? .takeover(Self.me) : .noop], after: .empty, epoch: isItself ? 2 : 1)
    bench.memory.append(row, at: Self.now)
    bench.answer(.done)
    #expect((bench.ownership.epoch == 2) == isItself && (bench.ownership.loss == nil) == isItself)
  }

  @Test("a live node keeps its databases, and a node whose lease had a gap claims no database of another node")
  func claims() {
    var bench = Bench()
    bench.tick()
    bench.answer(.owner(OwnerRecord(epoch: 1, owner: Self.other, isLapsed: false)))
    #expect(bench.calls.isEmpty)
    var leaseStatus = Self.leaseStatus
    leaseStatus.gaplessSince = Self.now
    bench = Bench()
    bench.tick()
    bench.answer(Self.lapsed(1), leaseStatus)
    #expect(bench.calls.isEmpty)
    // The node may claim its own expired ownership again at once.
    bench = Bench()
    bench.tick()
    bench.answer(.owner(OwnerRecord(epoch: 1, owner: Self.me, isLapsed: true)), leaseStatus)
    #expect(bench.call == .claim(seen: 1, known: 0, by: Self.me))
  }

  @Test("a waiting node checks again at the end of the owner's lease, not a whole interval later")
  func lapse() {
    var bench = Bench()
    bench.tick()
    bench.answer(
      .owner(OwnerRecord(epoch: 1, owner: Self.other, isLapsed: false, remainingMilliseconds: 300)))
    for (milliseconds, count): (Int64, Int) in [(299, 0), (300, 1)] {
      let later = Self.now.advanced(by: milliseconds)
      bench.take(bench.ownership.tick(at: later, Self.leaseStatus, isOwnerHeard: false))
      #expect(bench.calls.count == count)
    }
    // A lease that was renewed is read as rarely as before.
    bench.answer(
      .owner(OwnerRecord(epoch: 1, owner: Self.other, isLapsed: false, remainingMilliseconds: 6_000)))
    let later = Self.now.advanced(by: 1_299)
    bench.take(bench.ownership.tick(at: later, Self.leaseStatus, isOwnerHeard: false))
    #expect(bench.calls.isEmpty)
    bench.take(bench.ownership.tick(at: later.advanced(by: 1), Self.leaseStatus, isOwnerHeard: false))
    #expect(bench.call == .readOwner)
  }

  @Test("rows refused for lack of space are retried unchanged, one at a time; the owner keeps the database")
  func room() throws {
    var bench = Self.serving()
    for count in [1, ClusterLimits.rowRecordsWorthwhile] {
      for _ in 0..<count { bench.ownership.propose(.noop) }
      bench.take(bench.ownership.flush(at: Self.now))
    }
    let (first, tip) = (bench.calls.map(\.call), Int64(3 + ClusterLimits.rowRecordsWorthwhile))
    #expect(first.count == 2)
    bench.answer(.noRoom)
    // The next row is refused for lack of space, too.
    bench.answer(.refused)
    #expect(bench.ownership.epoch == 2 && bench.ownership.lacksRoom && bench.others.last == .room(false))
    bench.ownership.propose(.noop)
    let later = Self.now.advanced(by: 500)
    for time in [Self.now, Self.now.advanced(by: 499)] { bench.take(bench.ownership.flush(at: time)) }
    #expect(bench.calls.isEmpty && bench.ownership.tip == tip)
    bench.take(bench.ownership.flush(at: later))
    #expect(bench.calls.map(\.call) == [first[0]])
    bench.answer(.noRoom)
    #expect(bench.others.filter { $0 == .room(false) }.count == 1)
    bench.take(bench.ownership.flush(at: later))
    bench.answer(.done)
    #expect(bench.others.last == .room(true) && !bench.ownership.lacksRoom)
    #expect(bench.calls.map(\.call).first == first[1] && bench.calls.count == 1)
    for _ in 0..<2 { bench.answer(.done) }
    #expect(bench.memory.head.position == tip && bench.ownership.epoch == 2)
  }

  @Test("a row waits for the one before it, unless it is large")
  func worthwhile() {
    var bench = Self.serving()
    func flush(_ count: Int) {
      for _ in 0..<count { bench.ownership.propose(.noop) }
      bench.take(bench.ownership.flush(at: Self.now))
    }
    flush(1)
    flush(ClusterLimits.rowRecordsWorthwhile - 1)
    #expect(bench.calls.count == 1)
    flush(1)
    #expect(bench.calls.count == 2)
    flush(1)
    bench.answer(.done)
    bench.answer(.done)
    #expect(bench.calls.count == 1, "nothing is on its way before it any more")
  }

  @Test("an overtaken claim is abandoned")
  func overtaken() {
    var bench = Bench()
    bench.tick()
    bench.answer(Self.lapsed(1))
    bench.answer(.claimed(epoch: 2))
    bench.answer(Self.reading(.empty, [], epoch: 3))
    #expect(bench.calls.isEmpty && bench.ownership.epoch == nil)
  }

  @Test(
    "a refused row, or one of unknown outcome, ends the ownership at once", arguments: [StoreAnswer.refused, .failed])
  func dropped(answer: StoreAnswer) {
    var bench = Self.serving()
    bench.ownership.propose(.noop)
    bench.take(bench.ownership.flush(at: Self.now))
    bench.answer(answer)
    #expect(bench.ownership.epoch == nil && bench.others.last == .stopped)
    #expect(bench.call == .readOwner)
  }

  @Test("pending entries become one row, and the rows in flight are bounded")
  func batches() {
    var bench = Self.serving()
    let count = ClusterLimits.rowRecordsWorthwhile
    for _ in 0...ClusterLimits.rowsInFlightMax {
      for _ in 0..<count { bench.ownership.propose(.noop) }
      bench.take(bench.ownership.flush(at: Self.now))
    }
    for _ in 0..<9 { bench.ownership.propose(.noop) }
    #expect(bench.calls.count == ClusterLimits.rowsInFlightMax)
    bench.answer(.done)
    #expect(bench.calls.count == ClusterLimits.rowsInFlightMax)
    guard case .append(let row, _, _, _)? = bench.calls.last?.call else {
      Issue.record("no row")
      return
    }
    #expect(row.batch.lastPosition - row.batch.firstPosition == count + 8)
  }

  @Test("an owner whose lease had a gap is not trusted before a new row of its own proves the ownership")
  func gap() {
    var bench = Self.serving()
    #expect(bench.ownership.isAuthoritative(at: Self.now, Self.leaseStatus))
    var later = Self.leaseStatus
    later.gaplessSince = Self.now.advanced(by: 1)
    let then = Self.now.advanced(by: 2)
    #expect(!bench.ownership.isAuthoritative(at: then, later))
    bench.take(bench.ownership.tick(at: then, later, isOwnerHeard: true))
    bench.answer(.done)
    #expect(bench.ownership.isAuthoritative(at: then, later))
  }

  @Test("a handoff row is the last row of an ownership, and then the database is released")
  func handoff() {
    var bench = Self.serving()
    bench.ownership.propose(.noop)
    bench.take(bench.ownership.flush(at: Self.now))
    bench.take(bench.ownership.handOver(to: Self.other.node, at: Self.now))
    #expect(!bench.ownership.isAccepting && bench.calls.count == 1)
    bench.answer(.done)
    let row = LogRow([.handoff(to: Self.other.node)], after: bench.memory.head, epoch: 2)
    #expect(bench.call == .append(row, after: bench.memory.head, claim: 2))
    bench.answer(.done)
    #expect(bench.call == .release(epoch: 2))
    bench.answer(.done)
    #expect(bench.others.last == .handedOver(to: Self.other.node, epoch: 2))
  }

  @Test("a drained node claims no database, and releases one that the store says it owns")
  func unwanted() {
    var bench = Bench()
    bench.ownership.isWanted = false
    bench.tick()
    bench.answer(Self.lapsed(1))
    #expect(bench.calls.isEmpty)
    bench.take(bench.ownership.take(epoch: 1, bench.memory, Self.leaseStatus))
    #expect(bench.calls.isEmpty)
    bench = Bench()
    bench.ownership.isWanted = false
    bench.tick()
    bench.answer(.owner(OwnerRecord(epoch: 4, owner: Self.me, isLapsed: false)))
    #expect(bench.call == .release(epoch: 4))
    bench.answer(.done)
    #expect(bench.calls.isEmpty && bench.ownership.epoch == nil)
  }

  @Test("a claim that is no longer wanted is abandoned before the takeover", arguments: [false, true])
  func unwantedMeanwhile(hasClaimed: Bool) {
    var bench = Bench()
    bench.tick()
    bench.answer(Self.lapsed(1))
    if hasClaimed { bench.answer(.claimed(epoch: 2)) }
    bench.ownership.isWanted = false
    bench.answer(hasClaimed ? Self.reading(.empty, [], epoch: 2) : .claimed(epoch: 2))
    #expect(bench.call == .release(epoch: 2))
  }

  @Test("a drained owner continues until it hands over, and does not claim the database again after a loss")
  func drained() {
    var bench = Self.serving()
    bench.ownership.isWanted = false
    bench.tick()
    #expect(bench.ownership.epoch == 2)
    bench.ownership.propose(.noop)
    bench.take(bench.ownership.flush(at: Self.now))
    bench.answer(.failed)
    #expect(bench.call == .readOwner)
    bench.answer(.owner(OwnerRecord(epoch: 2, owner: Self.me, isLapsed: false)))
    #expect(bench.call == .release(epoch: 2))
  }

  @Test("a log that is pruned beyond the known position belongs to another node")
  func pruned() {
    var bench = Bench()
    bench.tick()
    bench.answer(Self.lapsed(1))
    bench.answer(.claimed(epoch: 2))
    bench.answer(.pruned)
    #expect(bench.others.last == .pruned && bench.call == .release(epoch: 2))
    // Frames arrived during the read.
    bench = Bench()
    bench.tick()
    bench.answer(Self.lapsed(1))
    bench.answer(.claimed(epoch: 2))
    bench.memory.append(LogRow([.noop], after: .empty, epoch: 1), at: Self.now)
    bench.answer(.pruned)
    #expect(bench.call == .read(after: 1))
  }

  @Test("rows that the store lost are restored unchanged if no later row follows them")
  func restore() {
    var bench = Bench()
    var rows: [LogRow] = []
    for _ in 0..<3 {
      rows.append(LogRow([.noop], after: rows.last?.head ?? .empty, epoch: 1))
      bench.memory.append(rows[rows.count - 1], at: Self.now)
    }
    bench.tick()
    bench.answer(Self.lapsed(1))
    bench.answer(.claimed(epoch: 2))
    bench.answer(Self.reading(nil, [], end: rows[0].head, epoch: 2))
    #expect(bench.call == .append(rows[1], after: rows[0].head, claim: 2))
    bench.answer(.done)
    #expect(bench.call == .append(rows[2], after: rows[1].head, claim: 2))
    bench.answer(.done)
    #expect(bench.call == .read(after: 3))
    bench.answer(Self.reading(rows[2].head, [], epoch: 2))
    bench.answer(.done)
    #expect(bench.ownership.epoch == 2 && bench.memory.head.position == 4)
  }

  @Test("a log that continued without acknowledged rows is not written to")
  func readOnly() {
    var bench = Bench()
    let row = LogRow([.noop], after: .empty, epoch: 1)
    bench.memory.append(row, at: Self.now)
    bench.tick()
    bench.answer(Self.lapsed(2))
    bench.answer(.claimed(epoch: 3))
    let instead = LogRow([.takeover(Self.other)], after: .empty, epoch: 2)
    bench.answer(Self.reading(instead.head, [], epoch: 3))
    let loss = DataLoss(known: row.head, found: instead.head)
    #expect(bench.others == [.ownerSeen(OwnerRecord(epoch: 2, owner: Self.other, isLapsed: true)), .dataLost(loss)])
    #expect(bench.ownership.loss == loss && bench.calls.isEmpty)
    bench.tick()
    #expect(bench.calls.isEmpty)
  }
}
