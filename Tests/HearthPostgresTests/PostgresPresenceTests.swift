import HearthJournal
import HearthTestKit
import Testing

@testable import HearthPostgres

/// Tests of the presence, which reports the users of the tables and whether the server answers.
@Suite(
  .serialized, .enabled(if: ThrowawayPostgres.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct PostgresPresenceTests {
  @Test("one server at a time uses the tables of a schema, and the next one afterwards")
  func alone() async throws {
    let fixture = try PostgresFixture()
    let (first, second) = (try PostgresPresence(fixture.engine), try PostgresPresence(try fixture.peer().engine))
    let other = try PostgresPresence(try PostgresFixture().engine)
    #expect(first.check() == .alone && first.check() == .alone)
    #expect(second.check() == .taken && other.check() == .alone)
    first.close()
    try second.waitUntilAlone()
    #expect(second.check() == .alone)
  }

  @Test("a server that becomes unreachable is noticed, and is used again with its lock when it is back")
  func unreachable() throws {
    let server = try ThrowawayPostgres()
    let fixture = try PostgresFixture(server)
    let presence = try PostgresPresence(fixture.engine)
    #expect(presence.check() == .alone)
    server.kill()
    guard case .unreachable = presence.check() else { throw JournalError(.inputOutput, "it was not noticed") }
    #expect(throws: JournalError(.unavailable, "")) { try presence.waitUntilAlone() }
    try server.start()
    #expect(presence.check() == .alone)
    #expect(try PostgresPresence(try fixture.peer().engine).check() == .taken)
  }
}
