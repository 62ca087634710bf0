import Foundation
import HearthJournal
import HearthTestKit
import RandomTestKit
import Synchronization
import Testing

@testable import HearthPostgres

/// Tests of appends without an answer: a cut connection, a killed server, a cancelled wait for a standby.
@Suite(
  .serialized, .enabled(if: ThrowawayPostgres.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct LostAnswerTests {
  /// A separate server, which the tests kill and reconfigure.
  private static let server = Result { try ThrowawayPostgres() }

  @Test(
    "an append whose connection is cut at any byte is stored once", arguments: [CutProxy.Direction.toServer, .toClient])
  func cuts(_ direction: CutProxy.Direction) throws {
    let fixture = try PostgresFixture()
    let proxy = try CutProxy(fixture.server.socketPath)
    let journal = try fixture.peer(url: proxy.url).journal()
    var head = try journal.acquire()
    // The appending connection exists from here on.
    head = try journal.append(.following(head), after: head)
    var bytes = 0
    while true {
      let cutCount = proxy.cutCount
      proxy.cut(after: bytes, direction)
      head = try journal.append(.following(head, sizeBytes: 20), after: head)
      proxy.heal()
      // The server has not sent this many bytes.
      guard proxy.cutCount > cutCount else { break }
      bytes += Torture.count(sample: 7, full: 1)
    }
    // The parameters of the statement alone are longer.
    #expect(bytes > (direction == .toServer ? 100 : 20))
    let log = try journal.allBatches()
    #expect(log.map(\.firstPosition) == Array(1...head.position))
    #expect(try fixture.sql("SELECT DISTINCT epoch FROM batch") == ["1"])
  }

  @Test("acknowledged commits are there after a kill, and every stored commit was requested")
  func kills() async throws {
    let server = try Self.server.get()
    let fixture = try PostgresFixture(server)
    let acknowledged = Atomic<Int>(0)
    let isOver = Atomic<Bool>(false)
    let calls = try (0..<4).map { number in
      let journal = try fixture.journal("j\(number)")
      return BlockingCall {
        var head = try journal.acquire()
        var written: [JournalBatch] = []
        while !isOver.load(ordering: .relaxed) {
          let batch = JournalBatch.following(head, commits: Int64(written.count % 3) + 1, sizeBytes: 200)
          head = try journal.append(batch, after: head)
          written.append(batch)
          acknowledged.add(1, ordering: .relaxed)
        }
        return (written, try journal.allBatches())
      }
    }
    for _ in 0..<Torture.count(sample: 3, full: 100) {
      let before = acknowledged.load(ordering: .relaxed)
      #expect(try await Polling.until { acknowledged.load(ordering: .relaxed) > before + 20 })
      server.kill()
      try server.start()
    }
    isOver.store(true, ordering: .relaxed)
    for call in calls {
      let (written, found) = try await call.value()
      #expect(written == found)
    }
  }

  @Test(
    "after a timeout only the same append may be retried", arguments: [true, false])
  func unavailable(_ isSent: Bool) throws {
    let server = try Self.server.get()
    let fixture = try PostgresFixture(server, requestTimeoutSeconds: 0.2)
    let proxy = try CutProxy(server.socketPath)
    let journal = try (isSent ? fixture.peer(url: proxy.url, requestTimeoutSeconds: 0.2) : fixture).journal()
    let head = try journal.appendBatches(2, after: try journal.acquire())
    let batch = JournalBatch.following(head, sizeBytes: 7)
    let entry = OutboxEntry(
      queue: "q", place: OutboxPlace(position: 3, ordinal: 1), lane: "", milliseconds: 1, content: [])
    if isSent {
      // The row is written, the answer is lost, and then the server is unreachable.
      proxy.cut(after: 0, .toClient)
      proxy.refusesAll = true
    } else {
      server.kill()
    }
    for _ in 0..<2 {
      #expect(throws: JournalError(.unavailable, "")) { try journal.append(batch, with: [entry], after: head) }
    }
    if isSent {
      #expect(throws: JournalError(.failed, "")) { try journal.append(.following(head), after: head) }
      #expect(try fixture.sql("SELECT max(last_position) FROM batch") == ["3"])
      proxy.refusesAll = false
    } else {
      try server.start()
    }
    var next = head
    while next == head {
      do { next = try journal.append(batch, with: [entry], after: head) } catch {
        guard error.code == .unavailable else { throw error }
      }
    }
    #expect(try journal.append(.following(next), after: next).position == 4)
    #expect(try journal.allBatches(after: 2).first == batch)
    #expect(try journal.waitingEntries(of: "q", after: nil, countMax: 9).count == 1)
  }

  @Test("an append of unknown outcome whose log has a newer owner meanwhile fails for good")
  func doubtAndNewerOwner() throws {
    let server = try Self.server.get()
    let fixture = try PostgresFixture(server)
    let proxy = try CutProxy(server.socketPath)
    let journal = try fixture.peer(url: proxy.url, requestTimeoutSeconds: 0.2).journal()
    let head = try journal.appendBatches(1, after: try journal.acquire())
    proxy.cut(after: 0, .toClient)
    proxy.refusesAll = true
    #expect(throws: JournalError(.unavailable, "")) { try journal.append(.following(head), after: head) }
    let other = try fixture.journal()
    let taken = try other.acquire()
    #expect(taken.position == 2)
    proxy.refusesAll = false
    var error = JournalError(.unavailable, "")
    while error.code == .unavailable {
      do { _ = try journal.append(.following(head), after: head) } catch let found { error = found }
    }
    #expect(error.code == .inputOutput && error.description.contains("newer owner"), "\(error)")
    #expect(throws: JournalError(.failed, "")) { try journal.append(.following(head), after: head) }
    #expect(try other.append(.following(taken), after: taken).position == 3)
  }

  @Test("a commit whose wait for a standby is cancelled is not durable until the standby has it")
  func cancelledWait() async throws {
    let server = try Self.server.get()
    let fixture = try PostgresFixture(server)
    let journal = try fixture.journal()
    let head = try journal.appendBatches(1, after: try journal.acquire())
    try await holdCommits(server)
    let isBack = Atomic<Bool>(false)
    let call = BlockingCall {
      defer { isBack.store(true, ordering: .sequentiallyConsistent) }
      return try journal.append(.following(head), after: head)
    }
    let (psql, waiting) = (try Psql(server.url), Self.waiting)
    var broken: [String] = []
    // The append, its repetition, and the check of its replication each wait for the standby; after a cancelled wait
    // none of them proves durability.
    let isBroken = try await Polling.until {
      broken += try psql.run("SELECT pid FROM (SELECT pid, pg_cancel_backend(pid) FROM (\(waiting)) w) c")
      return broken.count >= 5
    }
    #expect(isBroken)
    #expect(try await Polling.until { try !psql.run(waiting).isEmpty })
    #expect(try fixture.sql("SELECT count(*) FROM batch") == ["2"])
    let isTooEarly = isBack.load(ordering: .sequentiallyConsistent)
    #expect(!isTooEarly)
    try setUp(server, "synchronous_standby_names", "")
    #expect(try await call.value().position == 2)
    #expect(try journal.allBatches().count == 2)
  }

  @Test("when a shared transaction fails because of one request, only that request fails")
  func neighbours() throws {
    let fixture = try PostgresFixture(writers: 1)
    let journals = try (0..<5).map { try fixture.journal("j\($0)") }
    let heads = try journals.map { try $0.acquire() }
    // While a slow request runs, all others wait and share one transaction.
    let deadline = fixture.engine.deadline
    let slow = fixture.engine.append(0, [PostgresStatement(PostgresSQL("SELECT pg_sleep(0.1)"))], deadline: deadline)
    let next = fixture.engine.append(0, [PostgresStatement(PostgresSQL("SELECT pg_sleep(0.1)"))], deadline: deadline)
    let requests = zip(journals, heads).map { journal, head in
      let batch = JournalBatch.following(head)
      let next = JournalHead(
        epoch: head.epoch, position: batch.lastPosition,
        runningHash: head.runningHash.appending(batch, epoch: head.epoch))
      let tail = LogTail(firstPosition: 1, isClaim: true)
      return fixture.engine.append(
        journal.handle.identifier, journal.appender.statements(of: batch, next, after: head, tail), deadline: deadline)
    }
    let wrong = fixture.engine.append(0, [PostgresStatement(PostgresSQL("SELECT 1 / 0"))], deadline: deadline)
    _ = (slow.wait(), next.wait())
    guard case .refused(let fault) = wrong.wait() else { throw JournalError(.inputOutput, "it was not refused") }
    #expect(fault.state == "22012")
    for request in requests {
      guard case .done(let answers) = request.wait() else { throw JournalError(.inputOutput, "no answer") }
      #expect(answers[0].count == 1)
    }
    #expect(try fixture.sql("SELECT count(*) FROM batch WHERE payload IS NOT NULL") == ["5"])
  }

  private static let waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

  /// Makes commits wait for a standby that does not exist. Sessions see the setting before the server acts on it.
  private func holdCommits(_ server: ThrowawayPostgres) async throws {
    try setUp(server, "synchronous_standby_names", "nobody")
    let psql = try Psql(server.url)
    while true {
      let isBack = Atomic<Bool>(false)
      let call = BlockingCall {
        defer { isBack.store(true, ordering: .sequentiallyConsistent) }
        return try Psql(server.url).run("SELECT pg_logical_emit_message(true, '', '')")
      }
      let isHeld = try await Polling.until {
        try !psql.run(Self.waiting).isEmpty || isBack.load(ordering: .sequentiallyConsistent)
      }
      #expect(isHeld)
      let held = try psql.run("SELECT pg_cancel_backend(pid) FROM (\(Self.waiting)) w")
      _ = try await call.value()
      if !held.isEmpty { return }
    }
  }

  private func setUp(_ server: ThrowawayPostgres, _ name: String, _ value: String) throws {
    let psql = try Psql(server.url)
    try psql.run("ALTER SYSTEM SET \(name) = '\(value)'")
    try psql.run("SELECT pg_reload_conf()")
    while try psql.run("SELECT current_setting('\(name)')") != [value] { usleep(1_000) }
  }
}
