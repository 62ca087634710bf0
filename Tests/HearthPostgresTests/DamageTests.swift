import HearthJournal
import HearthTestKit
import Testing

@testable import HearthPostgres

/// Tests of changed and missing rows.
@Suite(.enabled(if: ThrowawayPostgres.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct DamageTests {
  private func makeJournal() throws -> (PostgresFixture, PostgresJournal, JournalHead) {
    let fixture = try PostgresFixture()
    let journal = try fixture.journal()
    return (fixture, journal, try journal.appendBatches(6, after: try journal.acquire()))
  }

  @Test(
    "a changed batch is reported with its place",
    arguments: [
      "payload = '\\x00'", "payload = overlay(payload PLACING '\\xff' FROM 7)", "running_hash = running_hash + 1",
      "size_bytes = 3", "last_position = 99", "epoch = 7", "part_count = 1, size_bytes = 200",
    ])
  func altered(_ change: String) throws {
    let (fixture, journal, _) = try makeJournal()
    try fixture.sql("UPDATE batch SET \(change) WHERE first_position = 3")
    let error = #expect(throws: JournalError.self) { try journal.allBatches() }
    #expect(error?.code == .corrupt)
    #expect([3, 99].contains(error?.place.position ?? 0) || change.contains("hash"), "\(error?.description ?? "")")
    // The rows after it are still valid.
    #expect(try journal.allBatches(after: 4).map(\.firstPosition) == [5, 6])
  }

  @Test("a missing batch is reported, within the log and at its beginning")
  func missing() throws {
    let (fixture, journal, _) = try makeJournal()
    try fixture.sql("DELETE FROM batch WHERE first_position = 3")
    #expect(throws: JournalError(.corrupt, "")) { try journal.allBatches() }
    try fixture.sql("DELETE FROM batch WHERE first_position < 3")
    #expect(throws: JournalError(.pruned, "")) { try journal.allBatches() }
  }

  @Test("a PostgreSQL that lost acknowledged rows is detected by the next append, and by the next owner")
  func lostEnd() throws {
    let (fixture, journal, head) = try makeJournal()
    try fixture.sql("DELETE FROM batch WHERE first_position > 4")
    let error = #expect(throws: JournalError.self) { try journal.append(.following(head), after: head) }
    #expect(error?.code == .corrupt && error?.description.contains("acknowledged") == true)
    #expect(throws: JournalError(.failed, "")) { try journal.append(.following(head), after: head) }

    let (other, again, _) = try makeJournal()
    try other.sql("DELETE FROM batch WHERE first_position > 4")
    #expect(throws: JournalError(.corrupt, "")) { try again.acquire() }
  }

  @Test("a changed or missing chunk is reported")
  func chunks() throws {
    let (fixture, journal, _) = try makeJournal()
    let ticket = try journal.beginSnapshot(at: 6)
    try journal.appendSnapshotChunk([1, 2, 3], to: ticket)
    let info = try journal.completeSnapshot(ticket)
    try fixture.sql("UPDATE chunk SET payload = '\\x010204'")
    #expect(throws: JournalError(.corrupt, "")) { try journal.snapshotChunk(0, of: info) }
    try fixture.sql("DELETE FROM chunk")
    #expect(throws: JournalError(.corrupt, "")) { try journal.snapshotChunk(0, of: info) }
    #expect(throws: JournalError(.corrupt, "")) { try journal.snapshotChunk(1, of: info) }
  }
}
