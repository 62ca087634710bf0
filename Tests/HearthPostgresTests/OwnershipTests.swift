import Foundation
import HearthJournal
import HearthTestKit
import RandomTestKit
import Synchronization
import Testing

@testable import HearthPostgres

/// Tests of several servers on one journal: acknowledged batches are in the log, in order, and refused ones are not.
@Suite(.enabled(if: ThrowawayPostgres.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct OwnershipTests {
  @Test("a newer owner fences the former owner's appends, and the log continues at its claim")
  func fencing() throws {
    let first = try PostgresFixture()
    let second = try first.peer()
    let (old, new) = (try first.journal(), try second.journal())
    var head = try old.appendBatches(2, after: try old.acquire())
    let taken = try new.acquire()
    #expect(taken == JournalHead(epoch: 2, position: 2, runningHash: head.runningHash))
    #expect(throws: JournalError(.staleEpoch, "")) { try old.append(.following(head), after: head) }
    let next = try new.append(.following(taken), after: taken)
    #expect(throws: JournalError(.staleEpoch, "")) { try old.append(.following(head), after: head) }
    #expect(throws: JournalError(.staleEpoch, "")) { try old.beginSnapshot(at: 2) }
    // Ownership goes back to the first, with a claim after a claim.
    _ = try old.acquire()
    _ = try new.acquire()
    head = try old.acquire()
    #expect(head == JournalHead(epoch: 5, position: 3, runningHash: next.runningHash))
    head = try old.append(.following(head), after: head)
    #expect(try old.allBatches().map(\.lastPosition) == [1, 2, 3, 4])
    #expect(throws: JournalError(.staleEpoch, "")) { try new.append(.following(next), after: next) }
  }

  @Test("a snapshot of a former owner is abandoned")
  func snapshotOfAnOldOwner() throws {
    let first = try PostgresFixture()
    let (old, new) = (try first.journal(), try first.peer().journal())
    _ = try old.appendBatches(2, after: try old.acquire())
    let ticket = try old.beginSnapshot(at: 2)
    try old.appendSnapshotChunk([1], to: ticket)
    _ = try new.acquire()
    #expect(throws: JournalError(.snapshotAbandoned, "")) { try old.completeSnapshot(ticket) }
    let other = try new.beginSnapshot(at: 2)
    try new.appendSnapshotChunk([2], to: other)
    try old.abandonSnapshot(ticket)
    #expect(try new.completeSnapshot(other).chunkCount == 1)
  }

  @Test(
    "as soon as the epoch is raised the former owner is refused, before the new claim is made", arguments: [0, 2])
  func raised(_ batches: Int) throws {
    let fixture = try PostgresFixture()
    let journal = try fixture.journal()
    let head = try journal.appendBatches(batches, after: try journal.acquire())
    try fixture.sql("UPDATE journal SET epoch = epoch + 1")
    #expect(throws: JournalError(.staleEpoch, "")) { try journal.append(.following(head), after: head) }
    #expect(try journal.allBatches().count == batches)
  }

  @Test("a batch in flight during a takeover is part of the log", arguments: [Int64(0), 2])
  func underWay(_ batches: Int64) async throws {
    let fixture = try PostgresFixture()
    let (old, new) = (try fixture.journal(), try fixture.peer().journal())
    _ = try old.appendBatches(Int(batches), after: try old.acquire())
    let psql = try Psql(fixture.server.url)
    try psql.run("SET search_path = \(fixture.schema)")
    try psql.run("BEGIN")
    try psql.run(
      batches == 0
        ? "UPDATE batch SET last_position = 1, running_hash = 42, size_bytes = 1, payload = '\\x07'"
        : "INSERT INTO batch SELECT journal, 3, 3, 1, 42, NULL, 1, 0, '\\x07' FROM batch WHERE first_position = 2")
    let call = BlockingCall { try new.acquire() }
    let isWaiting = try await Polling.until {
      try Psql(fixture.server.url).run(
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%batch%'"
      ).count == 1
    }
    #expect(isWaiting)
    try psql.run("COMMIT")
    #expect(
      try await call.value()
        == JournalHead(epoch: 2, position: batches + 1, runningHash: RunningHash(rawValue: 42)))
  }

  /// The outcome of one append in the race.
  private struct AppendOutcome: Sendable {
    var batch: JournalBatch
    var head: JournalHead
    var isAcknowledged: Bool
  }

  @Test("six contenders with up to 64 appends in flight: acknowledged ones are in the log, refused ones are not")
  func race() async throws {
    let fixture = try PostgresFixture()
    _ = try fixture.journal().close()
    let rounds = Torture.count(sample: 60, full: 1_000)
    let calls = try [1, 2, 4, 16, 32, 64].enumerated().map { number, depth in
      let journal = try fixture.peer().journal()
      return BlockingCall { try Self.contend(journal, UInt8(number), depth: depth, rounds: rounds) }
    }
    var tries: [AppendOutcome] = []
    for call in calls { tries += try await call.value() }
    let log = try fixture.journal().allBatches()
    let byPosition = Dictionary(uniqueKeysWithValues: log.map { ($0.firstPosition, $0) })
    #expect(log.first?.firstPosition == 1)
    for (batch, next) in zip(log, log.dropFirst()) { #expect(next.firstPosition == batch.lastPosition + 1) }
    for one in tries {
      let isThere = byPosition[one.batch.firstPosition] == one.batch
      #expect(isThere == one.isAcknowledged, "position \(one.batch.firstPosition), epoch \(one.head.epoch)")
    }
    #expect(tries.contains { $0.isAcknowledged } && log.count == tries.count { $0.isAcknowledged })
    // Each epoch has one writer, and epochs rise.
    let epochs = try fixture.sql("SELECT epoch FROM batch ORDER BY first_position").compactMap { Int($0) }
    #expect(epochs == epochs.sorted() && Set(epochs).count > 6)
  }

  /// Acquires the log repeatedly, and sends appends without waiting for the answers before.
  private static func contend(
    _ journal: PostgresJournal, _ number: UInt8, depth: Int, rounds: Int
  ) throws -> [AppendOutcome] {
    var tries: [AppendOutcome] = []
    for round in 0..<rounds {
      let first: JournalHead
      do { first = try journal.acquire() } catch {
        // Another server was faster.
        guard error.code == .staleEpoch else { throw error }
        continue
      }
      var (head, tail) = (first, LogTail(firstPosition: first.position + 1, isClaim: true))
      var sent: [(one: AppendOutcome, request: PostgresRequest)] = []
      for place in 0..<depth {
        let content: [UInt8] = [
          number, UInt8(truncatingIfNeeded: round), UInt8(place), UInt8(truncatingIfNeeded: round >> 8),
        ]
        let batch = JournalBatch(firstPosition: head.position + 1, lastPosition: head.position + 2, payload: content)
        let next = JournalHead(
          epoch: head.epoch, position: batch.lastPosition,
          runningHash: head.runningHash.appending(batch, epoch: head.epoch))
        let statements = journal.appender.statements(of: batch, next, after: head, tail)
        let request = journal.handle.engine.append(
          journal.handle.identifier, statements, deadline: journal.handle.engine.deadline)
        sent.append((AppendOutcome(batch: batch, head: head, isAcknowledged: false), request))
        (head, tail) = (next, LogTail(firstPosition: batch.firstPosition, isClaim: false))
      }
      var isRefused = false
      for (one, request) in sent {
        guard case .done(let answers) = request.wait() else { throw JournalError(.inputOutput, "no answer") }
        var one = one
        one.isAcknowledged = answers[0].count == 1
        if isRefused, one.isAcknowledged { throw JournalError(.corrupt, "an append succeeded after a refusal") }
        isRefused = !one.isAcknowledged
        tries.append(one)
      }
    }
    return tries
  }
}
