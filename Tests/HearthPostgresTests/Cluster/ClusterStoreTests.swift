import Foundation
import HearthCluster
import HearthJournal
import HearthTestKit
import Testing

@testable import HearthPostgres

/// Tests of the calls of nodes to the store, one at a time.
@Suite(.enabled(if: ThrowawayPostgres.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct ClusterStoreTests {
  /// A cluster with a clock that the test sets, in milliseconds.
  private struct ClusterWithClock {
    let fixture: PostgresFixture
    let node: ClusterStoreClient

    init(leaseMilliseconds: Int64 = 1_000) throws {
      fixture = try PostgresFixture()
      try fixture.sql(
        """
        CREATE SEQUENCE test_clock MINVALUE 0;
        CREATE FUNCTION test_now() RETURNS timestamptz LANGUAGE sql VOLATILE
          AS 'SELECT to_timestamp(last_value / 1000.0) FROM \(fixture.schema).test_clock'
        """)
      node = try ClusterStoreClient(fixture, sql: ClusterSQL(clock: "test_now()"), leaseMilliseconds: leaseMilliseconds)
    }

    func set(_ milliseconds: Int64) throws { try fixture.sql("SELECT setval('test_clock', \(milliseconds))") }
  }

  private static func row(_ count: Int = 1, after head: JournalHead, epoch: Int64) -> LogRow {
    LogRow(Array(repeating: .noop, count: count), after: head, epoch: epoch)
  }

  @Test("heartbeats count the gaps of a lease, and a run that was declared over is always refused")
  func leases() throws {
    let cluster = try ClusterWithClock()
    let node = cluster.node
    try cluster.set(5_000)
    let first = try node.register("a")
    #expect(first.number == 5_000)
    try cluster.set(6_000)
    #expect(node.ask(.heartbeat(first)) == .renewed(gaps: 0))
    #expect(node.ask(.end(first)) == .refused)
    try cluster.set(7_001)
    #expect(node.ask(.heartbeat(first)) == .renewed(gaps: 1))
    #expect(node.ask(.heartbeat(first)) == .renewed(gaps: 1))
    try cluster.set(8_002)
    #expect(node.ask(.end(first)) == .done)
    #expect(node.ask(.end(first)) == .done)
    #expect(node.ask(.heartbeat(first)) == .ended)
    // Run numbers increase although the clock was set back.
    try cluster.set(10)
    let second = try node.register("a")
    #expect(second.number == 5_001)
    #expect(node.ask(.heartbeat(second)) == .renewed(gaps: 0))
    #expect(node.ask(.heartbeat(first)) == .ended)
    // A run that the store has lost, and one that never existed.
    #expect(node.ask(.end(Incarnation(node: NodeID("b"), number: 9))) == .done)
    #expect(node.ask(.heartbeat(Incarnation(node: NodeID("b"), number: 9))) == .ended)
    #expect(try cluster.fixture.sql("SELECT address FROM node WHERE name = 'a'") == ["127.0.0.1:1"])
  }

  @Test("an epoch is claimed from no owner, from the same node, and from an expired lease")
  func claims() throws {
    let cluster = try ClusterWithClock()
    let node = cluster.node
    try cluster.set(1_000)
    let (a, b) = (try node.register("a"), try node.register("b"))
    #expect(try node.owner() == OwnerRecord(epoch: 0, owner: nil, isLapsed: false))
    #expect(try node.claim(seen: 0, by: a) == 1)
    #expect(
      try node.owner() == OwnerRecord(epoch: 1, owner: a, isLapsed: false, remainingMilliseconds: 1_000))
    #expect(node.ask(.claim(seen: 1, known: 0, by: b)) == .refused)
    #expect(node.ask(.claim(seen: 0, known: 0, by: a)) == .refused)
    #expect(try node.claim(seen: 1, known: 7, by: a) == 8)
    try cluster.set(2_001)
    #expect(try node.owner().isLapsed)
    #expect(node.ask(.heartbeat(b)) == .renewed(gaps: 1))
    #expect(try node.claim(seen: 8, by: b) == 9)
    #expect(node.ask(.release(epoch: 8)) == .refused)
    #expect(node.ask(.release(epoch: 9)) == .done)
    #expect(try node.owner() == OwnerRecord(epoch: 9, owner: nil, isLapsed: false))
    // A run that has ended cannot claim, and its databases may be claimed before its lease expires.
    #expect(try node.claim(seen: 9, by: b) == 10)
    let again = try node.register("b")
    #expect(try node.owner().isLapsed)
    #expect(node.ask(.claim(seen: 10, known: 0, by: b)) == .refused)
    #expect(try node.claim(seen: 10, by: again) == 11)
    #expect(node.ask(.claim(seen: 11, known: .max, by: again)) == .refused)
  }

  @Test("a claim waits for a timely heartbeat that is not durable yet")
  func heartbeatUnderWay() async throws {
    let cluster = try ClusterWithClock()
    let node = cluster.node
    try cluster.set(1_000)
    let (a, b) = (try node.register("a"), try node.register("b"))
    #expect(try node.claim(seen: 0, by: a) == 1)
    let heartbeat = try Psql(cluster.fixture.server.url)
    try heartbeat.run(
      "SET search_path = \(cluster.fixture.schema); BEGIN; UPDATE node SET lease_until = to_timestamp(3) WHERE name = 'a'"
    )
    try cluster.set(2_001)
    let claim = BlockingCall { node.ask(.claim(seen: 1, known: 0, by: b)) }
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%holder%'"
    #expect(try await Polling.until { try cluster.fixture.sql(waiting) != ["0"] })
    try heartbeat.run("COMMIT")
    #expect(try await claim.value() == .refused)
  }

  @Test("a row is inserted after the row that it names, in the claimed epoch, once")
  func appends() throws {
    let node = try ClusterStoreClient(try PostgresFixture())
    let (a, b) = (try node.register("a"), try node.register("a"))
    #expect(try node.claim(seen: 0, by: b) == 1)
    #expect(node.ask(.claim(seen: 1, known: 0, by: a)) == .refused)
    let first = Self.row(3, after: .empty, epoch: 1)
    #expect(node.ask(.append(first, after: .empty, claim: 2)) == .refused)
    #expect(node.ask(.append(first, after: .empty, claim: 1)) == .done)
    #expect(node.ask(.append(first, after: .empty, claim: 1)) == .refused)
    let second = Self.row(after: first.head, epoch: 1)
    #expect(node.ask(.append(second, after: .empty, claim: 1)) == .refused)
    // The end of another log at the same position.
    var other = first.head
    other.runningHash = RunningHash(rawValue: 1)
    #expect(node.ask(.append(Self.row(after: other, epoch: 1), after: other, claim: 1)) == .refused)
    other = first.head
    other.epoch = 0
    #expect(node.ask(.append(Self.row(after: other, epoch: 1), after: other, claim: 1)) == .refused)
    #expect(try node.claim(seen: 1, by: b) == 2)
    #expect(node.ask(.append(second, after: first.head, claim: 1)) == .refused)
    // A row that the current owner restores is the same as before.
    #expect(node.ask(.append(second, after: first.head, claim: 2)) == .done)
    let reading = try node.read()
    #expect(reading.rows == [first, second] && reading.start == .empty && reading.end == second.head)
    #expect(reading.owner.epoch == 2)
    #expect(try node.read(after: 3).rows == [second])
    #expect(try node.read(after: 4).start == second.head)
    for position: Int64 in [1, 2, 5] { #expect(try node.read(after: position).start == nil) }
    #expect(node.reported.isEmpty)
  }

  @Test("a row of several parts is read completely, and reads end at a number of bytes")
  func largeRows() throws {
    let node = try ClusterStoreClient(try PostgresFixture())
    let run = try node.register("a")
    #expect(try node.claim(seen: 0, by: run) == 1)
    var rows: [LogRow] = []
    for size in [PostgresLimits.rowBytesMax * 2 + 7, 100, PostgresLimits.rowBytesMax] {
      let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ rows.count) }
      let origin = Origin(session: SessionID(rawValue: 1), request: UInt64(rows.count) + 1, answered: 0)
      let head = rows.last?.head ?? .empty
      rows.append(LogRow([.write(origin, content: content)], after: head, epoch: 1))
      #expect(node.ask(.append(rows[rows.count - 1], after: head, claim: 1)) == .done)
    }
    #expect(try node.read().rows == [rows[0]])
    #expect(try node.read(after: 1).rows == [rows[1]])
    #expect(try node.log() == rows)
    // A missing part is damage, not a shorter row.
    try node.fixture.sql("DELETE FROM batch_part WHERE part = 2")
    #expect(node.ask(.read(after: 0)) == .failed && node.reported.map(\.code) == [.corrupt])
  }

  @Test("a single server's log continues in a cluster and vice versa, each fencing the former owner")
  func oneServer() throws {
    let fixture = try PostgresFixture()
    let (server, node) = (try fixture.journal(), try ClusterStoreClient(fixture))
    let run = try node.register("a")
    let head = try server.appendBatches(2, after: try server.acquire())
    let older = try node.log()
    #expect(older.last?.head == head && node.ask(.claim(seen: 0, known: 0, by: run)) == .refused)
    var rows: [LogRow] = []
    #expect(try node.takeOver(by: run, &rows) == 2)
    #expect(rows.dropLast() == older[...])
    #expect(throws: JournalError(.staleEpoch, "")) { try server.append(.following(head), after: head) }
    // The claim at the end of the log is replaced.
    let taken = try server.acquire()
    #expect(taken.epoch == 3 && taken.runningHash == rows.last?.hash)
    let last = rows[rows.count - 1].head
    #expect(node.ask(.append(Self.row(after: last, epoch: 2), after: last, claim: 2)) == .refused)
    #expect(try node.owner() == OwnerRecord(epoch: 3, owner: nil, isLapsed: false))
    #expect(try node.takeOver(by: run, &rows) == 4)
    #expect(try node.log() == rows)
    #expect(throws: JournalError(.staleEpoch, "")) { try server.append(.following(taken), after: taken) }
    #expect(try server.allBatches() == rows.map(\.batch))
  }

  @Test("a claim at the beginning, and one after a pruned log, are refused, too", arguments: [0, 3])
  func claimsOfAServer(_ batches: Int) throws {
    let fixture = try PostgresFixture()
    let (server, node) = (try fixture.journal(), try ClusterStoreClient(fixture))
    let run = try node.register("a")
    var head = try server.appendBatches(batches, after: try server.acquire())
    if batches > 0 {
      _ = try server.completeSnapshot(try server.beginSnapshot(at: head.position))
      try server.prune()
      head = try server.acquire()
      try server.prune()
      // The state after a longer interval of pruning.
      try fixture.sql("DELETE FROM batch WHERE last_position >= first_position")
    }
    let before = try node.read(after: head.position)
    #expect(before.start == (batches == 0 ? .empty : head) && before.start == before.end)
    if batches > 0 { #expect(try node.read(after: head.position + 1).start == nil) }
    let epoch = try node.claim(seen: head.epoch, by: run)
    let start = try #require(try node.read(after: head.position).start)
    let row = Self.row(after: start, epoch: epoch)
    #expect(node.ask(.append(row, after: start, claim: epoch)) == .done)
    #expect(try node.read(after: head.position).rows == [row])
    // A pruned log is not taken for a different log.
    if batches > 0 { #expect(node.ask(.read(after: 1)) == .pruned && node.reported.isEmpty) }
  }

  @Test("tables of the version before clusters are migrated once, and keep their rows")
  func upgrade() async throws {
    let fixture = try PostgresFixture()
    let journal = try fixture.journal()
    _ = try journal.appendBatches(3, after: try journal.acquire())
    try fixture.sql(
      """
      ALTER TABLE journal DROP owner, DROP owner_incarnation; DROP TABLE node, cluster; UPDATE format SET version = 2
      """)
    let calls = (0..<3).map { _ in BlockingCall { try ClusterStoreClient(fixture.peer()) } }
    var nodes: [ClusterStoreClient] = []
    for call in calls { nodes.append(try await call.value()) }
    #expect(Set(nodes.map(\.store.cluster)).count == 1)
    #expect(try fixture.sql("SELECT version FROM format") == ["\(PostgresSchema.version)"])
    #expect(try nodes[0].log().map(\.batch) == journal.allBatches())
    #expect(try nodes[1].claim(seen: 1, by: try nodes[1].register("a")) == 2)
  }

  @Test("two clusters have separate numbers, and a closed store answers with an error")
  func clusters() throws {
    let (one, other) = (try ClusterStoreClient(try PostgresFixture()), try ClusterStoreClient(try PostgresFixture()))
    #expect(one.store.cluster != other.store.cluster)
    one.store.close()
    #expect(one.ask(.readOwner) == .failed && one.ask(.register(NodeID("a"))) == .failed)
  }
}
