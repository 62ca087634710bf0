import HearthJournal
import HearthTestKit
import Testing

@testable import HearthPostgres

@Suite(.enabled(if: ThrowawayPostgres.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct ConformanceTests {
  /// One schema for all checks, with a collection for each.
  private static let fixture = Result { try PostgresFixture() }

  @Test("the journal passes the conformance tests", arguments: JournalConformance.checks)
  func conforms(_ check: JournalConformance.Check) throws {
    try check.run(Self.fixture.get().engine.journals(check.description + "/"))
  }

  @Test("the journal with an outbox passes the conformance tests", arguments: JournalConformance.outboxChecks)
  func conformsWithOutbox(_ check: JournalConformance.Check) throws {
    try check.run(Self.fixture.get().engine.journals(check.description + "/"))
  }

  @Test("a checkpoint is refused with a sentence, and the journal stays usable")
  func checkpoint() throws {
    let journal = try Self.fixture.get().engine.journals("checkpoints/").open("one").journal
    let head = try journal.appendBatches(2, after: try journal.acquire())
    let error = #expect(throws: JournalError.self) { try journal.completeCheckpoint(at: 2, payload: [1]) }
    #expect(error?.code == .unsupported && error?.message.contains("has no checkpoints") == true)
    #expect(try journal.currentCheckpoint() == nil && journal.currentSnapshot() == nil)
    #expect(try journal.append(.following(head), after: head).position == 3)
    try journal.close()
  }

  @Test("the archive passes the conformance tests", arguments: ArchiveConformance.checks)
  func conformsAsArchive(_ check: ArchiveConformance.Check) throws {
    let engine = try Self.fixture.get().engine
    try check.run(engine.journals(check.description + "/"), engine.archive(check.description + "/"))
  }

  @Test("journals of one collection are listed by name, and are separate")
  func names() throws {
    let engine = try Self.fixture.get().engine
    let journals = engine.journals("some/")
    #expect(try journals.names().isEmpty)
    let (one, two) = (try journals.open("one"), try journals.open("two"))
    _ = try one.journal.appendBatches(3, after: try one.journal.acquire())
    #expect(try two.journal.acquire().position == 0)
    #expect(Set(try journals.names()) == ["one", "two"])
    #expect(throws: JournalError(.inUse, "")) { try journals.open("one") }
    #expect(throws: JournalError(.inUse, "")) { try journals.remove("one") }
    #expect(try engine.journals("other/").names().isEmpty)

    try one.journal.close()
    try journals.remove("one")
    try journals.remove("one")
    #expect(try journals.names() == ["two"])
    let again = try journals.open("one")
    #expect(try again.journal.acquire() == JournalHead(epoch: 1, position: 0, runningHash: .empty))
    #expect(try again.journal.allBatches().isEmpty)
  }

  @Test(
    "database names may hold any characters",
    arguments: [
      "'; DROP TABLE batch; --", "$1", "..", "%", "_", "\\", "a\"b", "é\u{301}\u{202E}",
      String(repeating: "n", count: 2_000),
    ])
  func hostileNames(_ name: String) throws {
    let journals = try Self.fixture.get().engine.journals("hostile/")
    let journal = try journals.open(name).journal
    let head = try journal.appendBatches(1, after: try journal.acquire())
    #expect(head.position == 1)
    #expect(try journals.names().contains(name))
    try journal.close()
    try journals.remove(name)
    #expect(try !journals.names().contains(name))
  }

  @Test("a name that PostgreSQL cannot store is refused", arguments: ["", "a\0b"])
  func impossibleNames(_ name: String) throws {
    let journals = try Self.fixture.get().engine.journals("hostile/")
    #expect(throws: JournalError(.notAJournal, "")) { try journals.open(name) }
  }

  @Test("batches of several rows, and of sizes around a row's limit, are read back")
  func largeBatches() throws {
    let fixture = try PostgresFixture()
    let journal = try fixture.journal()
    var head = try journal.acquire()
    let row = PostgresLimits.rowBytesMax
    // All bytes but the last encode the size, so that a missing or moved part is detected.
    func payload(_ size: Int) -> [UInt8] { [UInt8](repeating: UInt8(size % 251), count: size - 1) + [7] }
    let sizes = [row - 1, row, row + 1, 2 * row, 10 << 20]
    for size in sizes {
      let batch = JournalBatch(
        firstPosition: head.position + 1, lastPosition: head.position + 1, payload: payload(size))
      head = try journal.append(batch, after: head)
    }
    #expect(try fixture.sql("SELECT count(*) FROM batch_part") == ["\(1 + 1 + 2)"])
    try journal.close()
    let again = try fixture.journal()
    var found: [[UInt8]] = []
    try again.forEachBatch(after: 0) { found.append($0.payload) }
    #expect(found == sizes.map(payload))
    let ticket = try again.beginSnapshot(at: 5)
    _ = try again.completeSnapshot(ticket)
    try again.prune()
    #expect(try fixture.sql("SELECT count(*) FROM batch_part") == ["0"])
    #expect(try fixture.sql("SELECT count(*) FROM batch WHERE payload IS NOT NULL") == ["0"])
  }

  @Test("shared chunks are stored once for any number of snapshots, until the last of them is removed")
  func sharedChunks() throws {
    let fixture = try PostgresFixture()
    let journal = try fixture.journal()
    var head = try journal.acquire()
    for last in UInt8(1)...3 {
      head = try journal.append(.following(head), after: head)
      let ticket = try journal.beginSnapshot(at: head.position)
      for chunk in [[1, 2, 3], [1, 2, 3], [last]] { try journal.appendSnapshotChunk(chunk, to: ticket) }
      _ = try journal.completeSnapshot(ticket)
    }
    #expect(try fixture.sql("SELECT count(*) FROM chunk") == ["4"])
    try journal.prune(keepingFrom: 2)
    #expect(try fixture.sql("SELECT count(*) FROM chunk") == ["3"])
    try journal.prune()
    #expect(try fixture.sql("SELECT count(*) FROM chunk") == ["2"])
    let current = try #require(try journal.currentSnapshot())
    var chunks: [[UInt8]] = []
    try journal.forEachChunk(of: current) { chunks.append($0) }
    #expect(chunks == [[1, 2, 3], [1, 2, 3], [3]])
  }
}
