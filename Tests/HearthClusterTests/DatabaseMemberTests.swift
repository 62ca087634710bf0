import HearthJournal
import Testing

@testable import HearthCluster

/// Tests of one database on one node: its inputs and the resulting actions.
@Suite struct DatabaseMemberTests {
  private static let me = Incarnation(node: NodeID("a"), number: 1)
  private static let other = Incarnation(node: NodeID("b"), number: 2)
  private static let session = SessionID(rawValue: 5)

  /// A decider that allows writes that are not empty, and replies with the request's bytes.
  private struct Decider: RequestDecider {
    var calls: [String] = []
    /// The number of next decisions that need work in the background.
    var laterCount = 0

    var noRoom: ForwardedBody { .encoded(Array("no room".utf8)) }

    mutating func began(at position: Int64) { calls.append("began \(position)") }

    mutating func decide(_ request: ForwardedRequest, at position: Int64) -> RequestDecision {
      calls.append("decide \(position)")
      if laterCount > 0 {
        laterCount -= 1
        return .later
      }
      guard case .write(let write) = request.kind, write != [] else { return .refuse(reply: [9]) }
      return .commit(content: [10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], reply: write)
    }

    mutating func read(_ query: [UInt8], of session: SessionID, at position: Int64) -> [UInt8] {
      calls.append("read \(position)")
      return query
    }

    mutating func disconnect(_ session: SessionID, at position: Int64) -> (content: [UInt8], entries: [OutboxEntry]) {
      calls.append("disconnect \(position)")
      return ([], [])
    }
  }

  /// A member with a store that answers at once.
  private struct MemberHarness {
    var member = DatabaseMember(node: me.node, timing: ClusterTiming())
    var decider = Decider()
    var log: [LogRow] = []
    var owner = OwnerRecord(epoch: 0, owner: nil, isLapsed: false)
    var time: Int64 = 10_000
    /// The actions other than calls to the store.
    var wanted: [MemberAction] = []
    /// True while calls to the store stay unanswered.
    var isStoreUnreachable = false
    /// True while the store has no disk space for rows.
    var isStoreFull = false

    var head: JournalHead { log.last?.head ?? .empty }
    private var now: MonotonicInstant { MonotonicInstant(milliseconds: time) }

    mutating func handle(_ event: MemberEvent) {
      let leaseStatus = LeaseStatus(
        incarnation: me, validUntil: now.advanced(by: 5_000), gaplessSince: MonotonicInstant(milliseconds: 0),
        leaseMilliseconds: 6_000)
      let actions = member.handle(event, at: now, leaseStatus, &decider)
      for action in actions {
        switch action {
        case .ask(let asker, let ticket, let call):
          guard !isStoreUnreachable else { continue }
          handle(.stored(asker, ticket: ticket, answer(call)))
        default: wanted.append(action)
        }
      }
    }

    mutating func tick(after milliseconds: Int64 = 1_000) {
      time += milliseconds
      handle(.tick)
    }

    private mutating func answer(_ call: StoreCall) -> StoreAnswer {
      switch call {
      case .readOwner: return .owner(owner)
      case .claim(let seen, _, let run):
        guard seen == owner.epoch else { return .refused }
        owner = OwnerRecord(epoch: seen + 1, owner: run, isLapsed: false)
        return .claimed(epoch: owner.epoch)
      case .read(let position):
        let rows = log.filter { $0.batch.firstPosition > position }
        let start = position == 0 ? .empty : log.first { $0.batch.lastPosition == position }?.head
        return .rows(LogReading(start: start, rows: rows, end: head, owner: owner))
      case .append(let row, let before, _, _):
        guard !isStoreFull else { return .noRoom }
        guard before == head else { return .refused }
        log.append(row)
        return .done
      case .release:
        owner.owner = nil
        return .done
      case .end: return .refused
      }
    }

    var acknowledged: [RequestOutcome] {
      wanted.compactMap { if case .acknowledge(_, _, let outcome) = $0 { outcome } else { nil } }
    }

    /// The number of announcements of all sessions, sent to owners on other nodes.
    var announcedCount: Int { wanted.count { if case .send(_, .announce) = $0 { true } else { false } } }

    /// The number of pulses (requests for rows) sent to owners on other nodes.
    var pulseCount: Int { wanted.count { if case .send(_, .pulse) = $0 { true } else { false } } }

    var ownersSeen: [NodeID?] { wanted.compactMap { if case .ownerSeen(let node) = $0 { node } else { nil } } }
  }

  private static func owning() -> MemberHarness {
    var harness = MemberHarness()
    harness.tick()
    return harness
  }

  /// Returns a node that follows another one's database.
  private static func following() -> MemberHarness {
    var harness = MemberHarness()
    harness.owner = OwnerRecord(epoch: 4, owner: Self.other, isLapsed: false)
    harness.handle(.linkUp(Self.other.node))
    harness.tick()
    return harness
  }

  @Test("the owner's decider starts after the log was applied, and before any request")
  func began() {
    var harness = MemberHarness()
    harness.log = [LogRow([.plain([10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]), .noop], after: .empty, epoch: 0)]
    harness.handle(.opened(Self.session))
    harness.handle(.submitted(Self.session, ticket: 40, .write([1])))
    #expect(harness.decider.calls.isEmpty)
    harness.tick()
    #expect(harness.decider.calls.first == "began 3" && harness.decider.calls.dropFirst() == ["decide 5"])
    let applied = harness.wanted.compactMap { if case .apply(let row, _) = $0 { row.batch.lastPosition } else { nil } }
    #expect(applied == [2, 3, 5])
  }

  @Test("without disk space writes are refused and reads answered; pending writes are made once there is space")
  func noRoom() {
    var harness = Self.owning()
    let reader = SessionID(rawValue: 77)
    for session in [Self.session, reader] { harness.handle(.opened(session)) }
    harness.isStoreFull = true
    for ticket: UInt64 in [40, 41] { harness.handle(.submitted(Self.session, ticket: ticket, .write([1]))) }
    harness.handle(.submitted(reader, ticket: 50, .get([])))
    // A new session, which cannot be opened for lack of space, is treated the same way.
    let late = SessionID(rawValue: 78)
    harness.handle(.opened(late))
    harness.handle(.submitted(late, ticket: 60, .get([])))
    harness.handle(.submitted(late, ticket: 61, .write([2])))
    let room = harness.wanted.compactMap { if case .room(let isThere) = $0 { isThere } else { nil } }
    #expect(room == [false])
    // The first write waits, and the second is answered after it; the reader does not wait for a write.
    #expect(harness.acknowledged.count == 3)
    if case .value(_, let position)? = harness.acknowledged.first { #expect(position == harness.head.position) }
    harness.isStoreFull = false
    harness.tick()
    #expect(harness.acknowledged.count == 5)
    guard case .applied? = harness.acknowledged.dropFirst(3).first,
      case .refused(0, let reply)? = harness.acknowledged.last
    else {
      return #expect(Bool(false), "\(harness.acknowledged)")
    }
    #expect(reply == .encoded(Array("no room".utf8)))
  }

  @Test("a write whose decision needs work is decided after it, before later writes of its session")
  func later() {
    var harness = Self.owning()
    harness.handle(.opened(Self.session))
    harness.decider.laterCount = 2
    for ticket: UInt64 in [7, 5] { harness.handle(.submitted(Self.session, ticket: ticket, .write([UInt8(ticket)]))) }
    #expect(harness.decider.calls == ["began 1", "decide 3"] && harness.acknowledged.isEmpty)
    harness.tick()
    harness.handle(.workDone(Self.session))
    #expect(harness.decider.calls.last == "decide 3" && harness.acknowledged.isEmpty)
    harness.handle(.workDone(SessionID(rawValue: 99)))
    #expect(harness.acknowledged.isEmpty)
    harness.handle(.workDone(Self.session))
    #expect(harness.acknowledged == [.applied(position: 3, reply: [7]), .applied(position: 4, reply: [5])])
  }

  @Test("each outcome has the decider's reply and the ticket of its request")
  func replies() {
    var harness = Self.owning()
    harness.handle(.opened(Self.session))
    for (ticket, kind) in [(7, .write([1])), (5, .write([])), (6, .get([2]))] as [(UInt64, ForwardedRequest.Kind)] {
      harness.handle(.submitted(Self.session, ticket: ticket, kind))
    }
    let tickets = harness.wanted.compactMap { if case .acknowledge(_, let ticket, _) = $0 { ticket } else { nil } }
    #expect(tickets == [7, 5, 6])
    #expect(
      harness.acknowledged == [
        .applied(position: 3, reply: [1]), .refused(position: 3, reply: [9]), .value([2], position: 3),
      ])
  }

  @Test("a repeated request that is applied or refused is answered without its reply")
  func repeated() {
    var harness = Self.owning()
    func event(_ request: UInt64, _ kind: ForwardedRequest.Kind = .write([1]), answered: UInt64 = 1) -> MemberEvent {
      let origin = Origin(session: Self.session, request: request, answered: answered)
      return .received(.request(epoch: 1, ForwardedRequest(origin, kind)), from: Self.other)
    }
    harness.handle(event(1, .open(ordinal: 1, answered: 0), answered: 0))
    harness.handle(event(2, .write([])))
    harness.handle(event(3))
    let before = harness.decider.calls
    let now = MonotonicInstant(milliseconds: harness.time)
    let leaseStatus = LeaseStatus(
      incarnation: Self.me, validUntil: now.advanced(by: 1), gaplessSince: MonotonicInstant(milliseconds: 0),
      leaseMilliseconds: 6_000)
    var outcomes: [RequestOutcome] = []
    for request in [2, 3] as [UInt64] {
      for case .send(_, .answer(_, _, _, let outcome)) in harness.member.handle(
        event(request), at: now, leaseStatus, &harness.decider)
      {
        outcomes.append(outcome)
      }
    }
    #expect(outcomes == [.refused(position: 3, reply: []), .applied(position: 3, reply: [])])
    #expect(harness.decider.calls == before)
  }

  @Test("a change of owner is reported once")
  func ownerSeen() {
    var harness = MemberHarness()
    harness.owner = OwnerRecord(epoch: 4, owner: Self.other, isLapsed: false)
    harness.tick()
    harness.tick()
    #expect(harness.ownersSeen == [Self.other.node])
    harness.owner.isLapsed = true
    harness.tick()
    #expect(harness.ownersSeen == [Self.other.node, Self.me.node])
    // Another node took over.
    let beat = PeerMessage.beat(epoch: 9, head: harness.head, stamp: .distantPast)
    harness.handle(.received(beat, from: Self.other))
    #expect(harness.ownersSeen.suffix(2) == [nil, Self.other.node])
  }

  @Test("a newly known owner is sent all sessions once it is reachable")
  func announcedAgain() {
    var harness = Self.following()
    harness.handle(.opened(Self.session))
    let before = harness.announcedCount
    let beat = PeerMessage.beat(epoch: 4, head: harness.head, stamp: .distantPast)
    harness.handle(.received(beat, from: Self.other))
    #expect(harness.announcedCount == before + 1)
    harness.handle(.received(beat, from: Self.other))
    #expect(harness.announcedCount == before + 1)
  }

  @Test("an owner is sent a pulse once it is reachable, and then at intervals")
  func requestsRowsOnceReachable() {
    var harness = Self.following()
    let before = harness.pulseCount
    for (epoch, count): (Int64, Int) in [(4, 1), (4, 1), (5, 2)] {
      harness.handle(.received(.beat(epoch: epoch, head: harness.head, stamp: .distantPast), from: Self.other))
      #expect(harness.pulseCount == before + count)
    }
  }

  @Test("a drained node claims no database, releases its own, and may claim it again later")
  func drained() {
    var harness = Self.owning()
    #expect(harness.member.status.role == .owner)
    harness.handle(.wanted(false))
    #expect(harness.member.status.role == .owner && !harness.member.status.isWanted)
    harness.handle(.handOver(to: Self.other.node))
    #expect(harness.member.status.role == .following && harness.owner.owner == nil)
    for _ in 0..<20 { harness.tick() }
    harness.handle(.received(.handoff(epoch: 1), from: Self.other))
    #expect(harness.owner == OwnerRecord(epoch: 1, owner: nil, isLapsed: false))
    harness.handle(.wanted(true))
    harness.tick(after: 2_000)
    #expect(harness.member.status.role == .owner && harness.owner.owner == Self.me)
  }

  @Test("the status of a database on a node")
  func status() {
    var harness = MemberHarness()
    var status = harness.member.status
    #expect(status.role == .reading && status.owner == nil && status.freshAsOf == nil && status.head == .empty)
    harness.tick()
    harness.handle(.opened(Self.session))
    harness.tick()
    status = harness.member.status
    #expect(status.role == .owner && status.epoch == 1 && status.owner == Self.me.node && status.sessionCount == 1)
    #expect(status.head == harness.head && status.freshAsOf == MonotonicInstant(milliseconds: harness.time))
    #expect(status.loss == nil && status.unreadable == nil && !status.isPruned && status.isWanted)
  }

  @Test("a snapshot replaces pruned rows, and the owner is sent all sessions again")
  func restored() {
    var harness = Self.following()
    harness.handle(.opened(Self.session))
    harness.isStoreUnreachable = true
    harness.tick(after: 2_000)
    // The ticket of the read that this tick requested.
    harness.handle(.stored(.replica, ticket: 2, .pruned))
    guard case .pruned(after: 0)? = harness.wanted.last else {
      Issue.record("the pruned rows were not reported")
      return
    }
    #expect(harness.member.status.isPruned)
    harness.wanted = []
    var table = SessionTable()
    table.apply(.open(SessionID(rawValue: 7), edge: Self.other, ordinal: 1), at: 90)
    let head = JournalHead(epoch: 3, position: 100, runningHash: RunningHash(rawValue: 8))
    harness.handle(.restored(head, table))
    #expect(harness.member.replica.head == head && harness.member.table == table && !harness.member.status.isPruned)
    #expect(harness.wanted.contains { if case .restored(head) = $0 { true } else { false } })
    let announced = harness.wanted.contains {
      if case .send(Self.other.node, .announce(epoch: 4, [Self.session])) = $0 { true } else { false }
    }
    #expect(announced)
    // A snapshot that was not requested is ignored.
    harness.handle(.restored(.empty, SessionTable()))
    #expect(harness.member.replica.head == head)
  }
}
