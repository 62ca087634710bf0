import HearthJournal
import HearthTestKit
import Testing

@testable import HearthPostgres

/// Tests of outbox entries, views and copies that are specific to the PostgreSQL engine.
@Suite(.enabled(if: ThrowawayPostgres.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct ArchiveTests {
  private static func entry(_ ordinal: Int32, dead: String? = nil) -> OutboxEntry {
    OutboxEntry(
      queue: "q", place: OutboxPlace(position: 1, ordinal: ordinal), lane: "a\0b", milliseconds: 1, content: [7],
      deadReason: dead)
  }

  @Test("a repeated append does not bring back an entry that was settled since")
  func entriesOnce() throws {
    let fixture = try PostgresFixture()
    let journal = try fixture.journal()
    let head = try journal.acquire()
    let batch = JournalBatch.following(head)
    let next = JournalHead(
      epoch: head.epoch, position: 1, runningHash: head.runningHash.appending(batch, epoch: head.epoch))
    let statements =
      journal.appender.statements(of: batch, next, after: head, LogTail(firstPosition: 1, isClaim: true))
      + OutboxSQL.adding(
        [Self.entry(1), Self.entry(2, dead: "no\0")], to: batch, next, .integer(journal.handle.identifier))
    for isFirst in [true, false] {
      let request = fixture.engine.append(journal.handle.identifier, statements, deadline: fixture.engine.deadline)
      guard case .done(let answers) = request.wait() else { throw JournalError(.inputOutput, "no answer") }
      #expect(answers.map(\.count) == (isFirst ? [1, 1, 1] : [0, 0, 0]))
      let waiting = try journal.waitingEntries(of: "q", after: nil, countMax: 9)
      #expect(waiting.map(\.lane) == (isFirst ? ["a\0b"] : []))
      try journal.settle([("q", Self.entry(1).place, .done)])
      _ = try journal.removeDeadEntries(of: "q", beforeMilliseconds: .max, sizeBytesMax: .max)
      #expect(try journal.outboxFigures(of: "q") == OutboxFigures())
    }
  }

  @Test("views that are opened together show one state on one connection, and a lost connection is reported")
  func oneMoment() throws {
    let fixture = try PostgresFixture()
    let (a, b) = (try fixture.journal("a"), try fixture.journal("b"))
    let heads = (try a.appendBatches(1, after: a.acquire()), try b.appendBatches(1, after: b.acquire()))
    let archive = fixture.engine.archive("")
    let first = try archive.view("a")
    _ = try (a.appendBatches(1, after: heads.0), b.appendBatches(1, after: heads.1))
    let second = try archive.view("b")
    #expect(first.head.position == 1 && second.head.position == 1)
    #expect(throws: JournalError(.notAJournal, "")) { try archive.view("c") }
    let pids = try fixture.sql(
      "SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction' AND backend_xmin IS NOT NULL")
    first.close()
    #expect(throws: JournalError(.closed, "")) { try first.forEachLink(after: 0) { _ in true } }
    var count = 0
    try second.forEachLink(after: 0) { _ in
      count += 1
      return true
    }
    #expect(count == 1)
    for pid in pids { try fixture.sql("SELECT pg_terminate_backend(\(pid))") }
    #expect(throws: JournalError(.unavailable, "")) { try second.forEachLink(after: 0) { _ in true } }
    second.close()
    let later = try archive.view("b")
    #expect(later.head.position == 2)
    later.close()
  }

  @Test("journals with large and with rewritten batches are copied unchanged")
  func largeBatches() throws {
    let fixture = try PostgresFixture()
    let journal = try fixture.journal("a")
    var head = try journal.acquire()
    for size in [10, 2 * PostgresLimits.rowBytesMax + 1, 0] {
      head = try journal.append(.following(head, sizeBytes: size), after: head)
    }
    let archive = fixture.engine.archive("")
    let view = try archive.view("a")
    let copy = try archive.restoration("b")
    try view.forEachLink(after: 0) { link in
      try copy.append(link)
      return true
    }
    #expect(try copy.complete(epoch: 1) == view.head)
    view.close()
    #expect(try fixture.journal("b").allBatches() == journal.allBatches())

    _ = try journal.completeSnapshot(try journal.beginSnapshot(at: 3))
    try journal.rewrite(through: 3) { BatchRewrite(payload: $0.firstPosition == 1 ? [9] : nil) }
    let rewritten = try archive.view("a")
    defer { rewritten.close() }
    var payloads: [[UInt8]] = []
    try rewritten.forEachLink(after: 0) { link in
      payloads.append(link.batch.payload)
      return true
    }
    #expect(payloads.count == 3 && payloads[0] == [9])
    try fixture.sql("UPDATE batch SET payload = '\\x08' WHERE first_position = 1 AND content_hash IS NOT NULL")
    let damaged = try fixture.engine.archive("").view("a")
    defer { damaged.close() }
    #expect(throws: JournalError(.corrupt, "")) { try damaged.forEachLink(after: 0) { _ in true } }
  }

  @Test("an incomplete copy is not opened as a journal, and the next copy starts again")
  func interruptedCopy() throws {
    let fixture = try PostgresFixture()
    let journal = try fixture.journal("a")
    _ = try journal.appendBatches(2, after: try journal.acquire())
    let archive = fixture.engine.archive("")
    let view = try archive.view("a")
    defer { view.close() }
    var links: [JournalLink] = []
    try view.forEachLink(after: 0) { link in
      links.append(link)
      return true
    }
    do {
      let given = try archive.restoration("databases/b")
      // More chunks than are sent at once.
      try given.begin(at: 0, runningHash: .empty)
      for number in 0..<300 { try given.append(chunk: [UInt8(number % 256), UInt8(number / 256)]) }
    }
    #expect(try fixture.engine.journals("databases/").names().isEmpty)
    #expect(try Int(fixture.sql("SELECT count(*) FROM chunk")[0]) ?? 0 > 0)
    let next = try archive.restoration("databases/b")
    #expect(try fixture.sql("SELECT count(*) FROM chunk") == ["0"])
    for link in links { try next.append(link) }
    _ = try next.complete(epoch: 1)
    #expect(try fixture.engine.journals("databases/").names() == ["b"])
  }

  @Test("an interrupted removal leaves no journal, and its rows are removed later")
  func interruptedRemoval() throws {
    let fixture = try PostgresFixture()
    let (journal, peer) = (try fixture.journal("a"), try fixture.peer())
    let head = try journal.append(
      .following(try journal.acquire()), with: [Self.entry(1)],
      after: JournalHead(epoch: 1, position: 0, runningHash: .empty))
    try fixture.sql("UPDATE journal SET name = 'removed/' || id, epoch = epoch + 1")
    #expect(throws: JournalError(.staleEpoch, "")) { try journal.append(.following(head), after: head) }
    #expect(try peer.journal("a").acquire().position == 0)
    try fixture.engine.removeLeftovers()
    #expect(try fixture.sql("SELECT name FROM journal") == ["a"])
    #expect(try fixture.sql("SELECT count(*) FROM outbox") == ["0"])
    #expect(try fixture.sql("SELECT count(*) FROM batch") == ["1"])
  }

  @Test("journals are renamed into another collection together, or none is")
  func renamed() throws {
    let fixture = try PostgresFixture()
    for name in ["moving/a", "moving/b", "b"] {
      _ = try fixture.engine.archive("").restoration(name).complete(epoch: 1)
    }
    let error = #expect(throws: JournalError.self) { try fixture.engine.rename("moving/", to: "") }
    #expect(error?.code == .inUse && error?.message.contains("moving/b") == true)
    #expect(try fixture.engine.journals("moving/").names().count == 2)
    try fixture.engine.journals("").remove("b")
    for _ in 0..<2 { try fixture.engine.rename("moving/", to: "") }
    #expect(try fixture.engine.journals("").names().sorted() == ["a", "b"])
  }

  @Test("a node is alive while its lease is renewed and its run has not ended")
  func nodes() throws {
    let fixture = try PostgresFixture()
    #expect(try fixture.engine.livingNodes() == [])
    try fixture.sql(
      """
      INSERT INTO node VALUES ('a', 5, '', now() + interval '1 hour', now(), 0, 4),
        ('b', 5, '', now() - interval '1 hour', now(), 0, 4), ('c', 5, '', now() + interval '1 hour', now(), 0, 5)
      """)
    #expect(try fixture.engine.livingNodes() == ["a"])
  }
}
