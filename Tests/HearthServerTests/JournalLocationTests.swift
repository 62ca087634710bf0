import ServerTestKit
import Testing

@testable import HearthServer

/// Tests of the URL of a server's journals.
@Suite struct JournalLocationTests {
  @Test("a password in the URL is refused, and no part of it is in the error message")
  func passwords() throws {
    for url in [
      "postgres://me:HUSH@host/db", "postgres://host/db?password=HUSH", "postgres://me@host/db?sslpassword=HUSH",
      "postgres://me:HUSH@HUSH@host/db", "HUSH", "host=a password=HUSH",
    ] {
      let error = #expect(throws: ServerError.self) { try JournalLocation(url: url) }
      #expect(error?.code == .badOptions && error?.message.contains("HUSH") == false, "\(url)")
    }
    let place = try JournalLocation(url: "postgres://me@a,b/db?passfile=/etc/hearth/pgpass")
    #expect(place.url == "postgres://me@a,b/db?passfile=/etc/hearth/pgpass")
    #expect(JournalLocation.dataFolder.url == nil)
  }

  @Test("with an unreachable PostgreSQL the start fails with a reason")
  func unreachable() async throws {
    let folder = try TemporaryFolder()
    var options = HearthServer.Options(dataDirectory: folder.path)
    options.journal = try JournalLocation(url: "postgres://me@127.0.0.1:1/db")
    let server = HearthServer(options: options)
    do {
      try await server.start()
      Issue.record("it started")
    } catch {
      #expect(error.code == .storage && error.message.contains("no answer from me@127.0.0.1:1/db"), "\(error)")
    }
  }
}
