import HearthJournal
import HearthTestKit
import Testing

@testable import HearthPostgres

/// Tests of the sentry, which reports the users of the tables and whether the server answers.
@Suite(
  .serialized, .enabled(if: ThrowawayPostgres.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct SentryTests {
  @Test("one server at a time uses the tables of a schema, and the next one when it has gone")
  func alone() async throws {
    let world = try PostgresWorld()
    let (first, second) = (try PostgresSentry(world.engine), try PostgresSentry(try world.peer().engine))
    let other = try PostgresSentry(try PostgresWorld().engine)
    #expect(first.find() == .alone && first.find() == .alone)
    #expect(second.find() == .taken && other.find() == .alone)
    first.close()
    try second.waitUntilAlone()
    #expect(second.find() == .alone)
  }

  @Test("a server that goes away is noticed, and is found again with the lock on it when it is back")
  func away() throws {
    let server = try ThrowawayPostgres()
    let world = try PostgresWorld(server)
    let sentry = try PostgresSentry(world.engine)
    #expect(sentry.find() == .alone)
    server.kill()
    guard case .away = sentry.find() else { throw JournalError(.inputOutput, "it was not noticed") }
    #expect(throws: JournalError(.unavailable, "")) { try sentry.waitUntilAlone() }
    try server.start()
    #expect(sentry.find() == .alone)
    #expect(try PostgresSentry(try world.peer().engine).find() == .taken)
  }
}
