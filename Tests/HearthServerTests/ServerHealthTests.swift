import HearthEngine
import HearthJournal
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of the health that orchestrators and clients see while the disk accepts no writes.
@Suite struct ServerHealthTests {
  @Test("the state of a database follows its journal's failure")
  func states() {
    typealias State = ServerHealth.State
    #expect(State(.running) == .ok && State(.closed) == .ok)
    #expect(State(.stalled(JournalError(.noSpace, ""))) == .noSpace)
    #expect(State(.stalled(JournalError(.diskFault, ""))) == .diskFault)
    #expect(State(.halted(JournalError(.inputOutput, ""))) == .failed)
  }

  @Test("the described problem names no database and no file")
  func words() {
    #expect(ServerHealth(databases: .ok, accounts: .ok).text == nil)
    #expect(
      ServerHealth(databases: .noSpace, accounts: .ok).text == "Databases cannot be written: the disk is full.")
    let both = ServerHealth(databases: .failed, accounts: .noSpace)
    #expect(!both.isGood)
    #expect(
      both.text == "Databases cannot be written, because the disk failed. Restart the server. "
        + "Accounts cannot be written: the disk is full.")
  }

  @Test("health and readiness are readable without a credential, by GET and HEAD alone")
  func routes() async throws {
    try await TestServer.with(mode: .dev, isEmulator: true) { test in
      let health = try test.answer("GET", "/")
      #expect(health == #"200 {"status":"ok","authEmulator":{"ready":true}}"#)
      #expect(try test.answer("GET", "/.ready") == #"200 {"ready":true,"databases":"ok","accounts":"ok"}"#)
      #expect(try test.http("HEAD", "/.ready").status == 200)
      #expect(try test.http("PUT", "/.ready", "1").status == 405)
      #expect(try test.http("GET", "/a/.ready").status == 400)
    }
  }

  @Test("health checks return only the state, before, while and after the server serves")
  func phases() async throws {
    try await TestServer.with(mode: .dev) { test in
      let phase = try #require(test.server.parts).services.phase
      #expect(try test.answer("GET", "/.health/ready") == #"200 {"state":"ready"}"#)
      for (value, word) in [(ServerPhase.Value.starting, "starting"), (.draining, "draining")] {
        phase.value = value
        #expect(try test.answer("GET", "/.health/ready") == #"503 {"state":"\#(word)"}"#)
        #expect(try test.answer("GET", "/.health/live") == #"200 {"state":"live"}"#)
        #expect(try test.http("GET", "/.ready").status == 503)
        #expect(try test.http("PUT", "/a.json", "1").status != 503, "requests are answered as before")
      }
      #expect(try test.http("POST", "/.health/live", "1").status == 405)
      #expect(try test.http("GET", "/.health/else").status == 404)
    }
  }

  @Test("a journal that cannot be written makes a server unready in every other state")
  func unwritable() {
    var health = ServerHealth(databases: .noSpace, accounts: .ok)
    #expect(health.word == "unwritable" && !health.isReady)
    health.phase = .draining
    #expect(health.word == "draining" && !health.isReady)
    #expect(ServerHealth(databases: .ok, accounts: .ok).word == "ready")
    // Requests about accounts are still served.
    #expect(ServerHealth(databases: .ok, accounts: .lowSpace).isReady)
    #expect(!ServerHealth(databases: .lowSpace, accounts: .lowSpace).isReady)
  }

  @Test("a full disk is 503 with Retry-After; an unknown outcome has a status that clients do not retry")
  func failures() {
    let full = RESTFailure(Failure.noSpace)
    #expect(full.status == 503 && full.text == "The server's disk is full. Nothing was written; try again later.")
    #expect(RESTResponse(full).headers.contains { $0.name == "Retry-After" && $0.value == "5" })
    let unknown = RESTFailure(Failure.outcomeUnknown)
    #expect(unknown.status == 504)
    #expect(!RESTResponse(unknown).headers.contains { $0.name == "Retry-After" })
    #expect(!RESTResponse(RESTFailure(Failure.unavailable)).headers.contains { $0.name == "Retry-After" })
  }
}
