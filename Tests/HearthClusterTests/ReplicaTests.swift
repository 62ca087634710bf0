import HearthBytes
import HearthJournal
import Testing

@testable import HearthCluster

@Suite struct ReplicaTests {
  private static func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(milliseconds: milliseconds) }

  /// Returns rows of one record each, in sequence.
  private static func rows(_ epochs: [Int64], after head: JournalHead = JournalHead.empty) -> [LogRow] {
    var head = head
    return epochs.map { epoch in
      let row = LogRow([.noop], after: head, epoch: epoch)
      head = row.head
      return row
    }
  }

  private static func reading(_ start: JournalHead?, _ rows: [LogRow], end: JournalHead? = nil) -> StoreAnswer {
    let owner = OwnerRecord(epoch: 9, owner: nil, isLapsed: false)
    return .rows(LogReading(start: start, rows: rows, end: end ?? rows.last?.head ?? start ?? .empty, owner: owner))
  }

  private static func applied(_ actions: [Replica.Action]) -> [Int64] {
    actions.compactMap { if case .apply(let row, _) = $0 { row.batch.lastPosition } else { nil } }
  }

  @Test("frames that arrive in any order are applied once each, in the order of their positions")
  func order() {
    var replica = Replica(timing: ClusterTiming())
    let rows = Self.rows([1, 1, 1, 1])
    var applied: [Int64] = []
    for index in [1, 3, 0, 0, 1, 2, 3] {
      applied += Self.applied(replica.received(rows[index], at: Self.at(Int64(index))))
    }
    #expect(applied == [1, 2, 3, 4])
    #expect(replica.head == rows[3].head)
  }

  @Test("a row out of sequence is not applied, and the log is read")
  func chain() {
    var replica = Replica(timing: ClusterTiming())
    let rows = Self.rows([1, 1])
    _ = replica.received(rows[0], at: Self.at(0))
    var other = rows[1]
    other.hash = RunningHash(rawValue: 5)
    #expect(replica.received(other, at: Self.at(0)) == [.ask(ticket: 1, .read(after: 1))])
    #expect(Self.applied(replica.answered(1, Self.reading(rows[0].head, [rows[1]]), at: Self.at(1))) == [2])
  }

  @Test("frames of an earlier epoch are ignored")
  func epochs() {
    var replica = Replica(timing: ClusterTiming())
    let rows = Self.rows([1, 2])
    _ = replica.received(rows[0], at: Self.at(0))
    _ = replica.received(rows[1], at: Self.at(0))
    let late = Self.rows([1], after: rows[1].head)
    #expect(replica.received(late[0], at: Self.at(0)).isEmpty)
    #expect(replica.head == rows[1].head)
  }

  @Test("the age of the known state counts from the heartbeat's request, not its response")
  func staleness() {
    var timing = ClusterTiming()
    timing.stalenessMilliseconds = 1_000
    var replica = Replica(timing: timing)
    let row = Self.rows([1])[0]
    let early = replica.received(beatOf: 1, at: row.head, stamp: Self.at(0), now: Self.at(10))
    #expect(!early.contains(.openSockets))
    #expect(replica.received(row, at: Self.at(20)).last == .openSockets)
    #expect(replica.isFresh(at: Self.at(999)) && !replica.isFresh(at: Self.at(1_000)))
    // A delayed heartbeat has an old timestamp.
    _ = replica.received(beatOf: 1, at: row.head, stamp: Self.at(5), now: Self.at(900))
    #expect(!replica.isFresh(at: Self.at(1_005)))
    #expect(replica.tick(at: Self.at(1_005)).first == .closeSockets)
    #expect(replica.received(beatOf: 1, at: row.head, stamp: Self.at(1_100), now: Self.at(1_110)) == [.openSockets])
  }

  @Test("a truncated log is waited for; a different log is applied from its first row")
  func loss() {
    var replica = Replica(timing: ClusterTiming())
    let rows = Self.rows([1, 1, 1])
    for row in rows { _ = replica.received(row, at: Self.at(0)) }
    let question = replica.tick(at: Self.at(2_000))
    #expect(question == [.ask(ticket: 1, .read(after: 3))])
    #expect(replica.answered(1, Self.reading(nil, [], end: rows[1].head), at: Self.at(2_001)).isEmpty)
    #expect(replica.head == rows[2].head)
    #expect(replica.tick(at: Self.at(3_000)) == [.ask(ticket: 2, .read(after: 3))])
    let other = Self.rows([2, 2], after: rows[0].head)
    let loss = DataLoss(known: rows[2].head, found: other[1].head)
    #expect(
      replica.answered(2, Self.reading(other[1].head, []), at: Self.at(3_001))
        == [.reset(loss)])
    #expect(replica.tick(at: Self.at(3_201)) == [.ask(ticket: 3, .read(after: 0))])
    #expect(replica.head == .empty)
  }

  @Test("a shorter log of a later epoch is a different log and does not prove freshness")
  func shorter() {
    var replica = Replica(timing: ClusterTiming())
    let rows = Self.rows([1, 1, 1])
    for row in rows { _ = replica.received(row, at: Self.at(0)) }
    let other = Self.rows([2], after: rows[0].head)
    let beat = replica.received(beatOf: 2, at: other[0].head, stamp: Self.at(100), now: Self.at(110))
    #expect(beat == [.ask(ticket: 1, .read(after: 3))])
    #expect(!replica.isFresh(at: Self.at(110)))
    let loss = DataLoss(known: rows[2].head, found: other[0].head)
    #expect(replica.answered(1, Self.reading(nil, [], end: other[0].head), at: Self.at(120)) == [.reset(loss)])
  }

  @Test("after a pruned log the replica waits for a snapshot and continues from it")
  func pruned() {
    var replica = Replica(timing: ClusterTiming())
    let rows = Self.rows([1, 1, 1])
    _ = replica.received(rows[0], at: Self.at(0))
    #expect(replica.tick(at: Self.at(2_000)) == [.ask(ticket: 1, .read(after: 1))])
    #expect(replica.answered(1, .pruned, at: Self.at(2_001)) == [.pruned(after: 1)])
    #expect(replica.tick(at: Self.at(9_000)).isEmpty && replica.isPruned)
    // The replica's state may be about to be replaced.
    #expect(replica.received(rows[1], at: Self.at(9_000)).isEmpty && replica.head == rows[0].head)
    #expect(replica.restore(at: rows[1].head, now: Self.at(9_001)).isEmpty)
    #expect(replica.tick(at: Self.at(9_002)) == [.ask(ticket: 2, .read(after: 2))])
    let actions = replica.answered(2, Self.reading(rows[1].head, [rows[2]]), at: Self.at(9_003))
    #expect(Self.applied(actions) == [3] && actions.last == .openSockets)
  }

  @Test("after buffered frames a pruned log has no effect")
  func prunedBefore() {
    var replica = Replica(timing: ClusterTiming())
    let rows = Self.rows([1, 1])
    #expect(replica.tick(at: Self.at(2_000)) == [.ask(ticket: 1, .read(after: 0))])
    _ = replica.received(rows[0], at: Self.at(2_000))
    #expect(replica.answered(1, .pruned, at: Self.at(2_001)).isEmpty && !replica.isPruned)
    #expect(Self.applied(replica.received(rows[1], at: Self.at(2_002))) == [2])
  }

  @Test("frames behind a gap are buffered up to a limit")
  func bounded() {
    var replica = Replica(timing: ClusterTiming())
    let rows = Self.rows(Array(repeating: 1, count: ClusterLimits.bufferedFramesMax + 2))
    for row in rows.dropFirst() { _ = replica.received(row, at: Self.at(0)) }
    #expect(Self.applied(replica.received(rows[0], at: Self.at(0))).count == ClusterLimits.bufferedFramesMax + 1)
  }

  @Test("a record of a newer program version stops the replica at that record")
  func unreadable() {
    var replica = Replica(timing: ClusterTiming())
    let batch = JournalBatch(firstPosition: 1, lastPosition: 1, payload: [1, 0, 0, 0, 159])
    let row = LogRow(epoch: 1, batch: batch, hash: RunningHash.empty.appending(batch, epoch: 1))
    let actions = replica.received(row, at: Self.at(0))
    #expect(actions == [.unreadable(MalformedBytes("unknown kind 159 of record"))])
    #expect(replica.head == .empty)
    #expect(replica.tick(at: Self.at(5_000)).isEmpty)
  }
}
