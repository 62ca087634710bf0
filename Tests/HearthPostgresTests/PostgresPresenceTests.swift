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
    let world = try PostgresWorld()
    let (first, second) = (try PostgresPresence(world.engine), try PostgresPresence(try world.peer().engine))
    let other = try PostgresPresence(try PostgresWorld().engine)
    #expect(first.check() == .alone && first.check() == .alone)
    #expect(second.check() == .taken && other.check() == .alone)
    first.close()
    try second.waitUntilAlone()
    #expect(second.check() == .alone)
  }

  @Test("a server that becomes unreachable is noticed, and is used again with its lock when it is back")
  func unreachable() throws {
    let server = try ThrowawayPostgres()
    let world = try PostgresWorld(server)
    let presence = try PostgresPresence(world.engine)
    #expect(presence.check() == .alone)
    server.kill()
    guard case .unreachable = presence.check() else { throw JournalError(.inputOutput, "it was not noticed") }
    #expect(throws: JournalError(.unavailable, "")) { try presence.waitUntilAlone() }
    try server.start()
    #expect(presence.check() == .alone)
    #expect(try PostgresPresence(try world.peer().engine).check() == .taken)
  }
}
