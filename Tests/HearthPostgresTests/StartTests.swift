import Foundation
import HearthJournal
import HearthTestKit
import Testing

@testable import HearthPostgres

/// Tests of the checks of a PostgreSQL server before journals are stored in it, and of their errors.
@Suite(.enabled(if: ThrowawayPostgres.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct StartTests {
  @Test("no error contains the password or a part of it")
  func secrets() throws {
    let server = try ThrowawayPostgres.shared()
    try Psql(server.url).run(
      "DO $$ BEGIN CREATE ROLE locked LOGIN PASSWORD 'right'; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    for (url, code) in [
      ("postgres://locked:HUSH1@/postgres?host=\(server.folder)", JournalError.Code.permissionDenied),
      ("postgres://locked@/postgres?host=\(server.folder)&password=HUSH1", .permissionDenied),
      ("postgres://locked@/postgres?host=\(server.folder)&passfile=/nonexistent", .permissionDenied),
      ("postgres://u:HUSH1/HUSH2@127.0.0.1:1/db", .notAJournal),
      ("postgres://u:HUSH1@HUSH2@127.0.0.1:1/db", .notAJournal),
      ("postgres://u:HUSH1%zz@127.0.0.1:1/db", .notAJournal), ("postgres://u:HUSH1?HUSH2@127.0.0.1:1/db", .notAJournal),
      ("postgres://u:HUSH1?HUSH2@HUSH3@127.0.0.1:1/db", .notAJournal),
      ("postgres://u:HUSH1#HUSH2@127.0.0.1:1/db", .notAJournal), ("host=127.0.0.1 password=HUSH1", .notAJournal),
      ("postgres://u:HUSH1@127.0.0.1:1/db", .unavailable), ("postgres://u:HUSH1@127.0.0.1:port/db", .unavailable),
      ("postgres://u:HUSH1@nowhere.invalid/db?connect_timeout=2", .unavailable),
    ] {
      let error = #expect(throws: JournalError.self) { try PostgresEngine(PostgresAddress(url)) }
      #expect(error?.code == code, "\(url): \(error?.description ?? "")")
      #expect(error?.description.contains("HUSH") == false, "\(error?.description ?? "")")
    }
    let address = try PostgresAddress("postgres://me:HUSH1@a:1,b:2/db?sslmode=require&password=HUSH2")
    #expect(address.description == "me@a,b:1,2/db")
    #expect(!"\(address)".contains("HUSH"))
  }

  /// Returns the settings of a server for the checks.
  private static func answer(
    version: Int64 = 150_000, fsync: String = "on", pages: String = "on", standbys: String = "ANY 1 (a, b)",
    commit: String = "on", clock: Int64 = Int64(Date().timeIntervalSince1970 * 1_000), patroni: Int64 = 0
  ) -> PostgresAnswer {
    func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    return PostgresAnswer(
      count: 1,
      rows: [
        [
          bytes(version), Array(fsync.utf8), Array(pages.utf8), Array(standbys.utf8), Array(commit.utf8), bytes(1),
          bytes(clock), bytes(patroni), Array("UTF8".utf8),
        ]
      ])
  }

  private static func warnings(_ answer: PostgresAnswer) throws -> [String] {
    try PostgresChecks.run(PostgresAddress("postgres://h/d")) { _ throws(JournalError) in [answer] }
  }

  @Test("each setting that loses acknowledged commits is refused or causes a warning")
  func settings() throws {
    #expect(try Self.warnings(Self.answer()) == [])
    #expect(try Self.warnings(Self.answer(commit: "remote_apply")) == [])
    for (answer, word) in [
      (Self.answer(pages: "off"), "full_page_writes"), (Self.answer(standbys: ""), "synchronous_standby_names"),
      (Self.answer(commit: "local"), "synchronous_commit"), (Self.answer(commit: "off"), "synchronous_commit"),
      (Self.answer(clock: 0), "clock"), (Self.answer(patroni: 1), "Patroni"),
    ] {
      let found = try Self.warnings(answer)
      #expect(found.count == 1 && found[0].contains(word), "\(found)")
    }
    for answer in [Self.answer(fsync: "off"), Self.answer(version: 120_011), PostgresAnswer()] {
      #expect(throws: JournalError(.notAJournal, "")) { try Self.warnings(answer) }
    }
  }

  @Test("a single server is a warning, and its appends are synchronous despite its default")
  func singleServer() throws {
    let server = try ThrowawayPostgres.shared()
    let fixture = try PostgresFixture(server, url: server.url + "&options=-csynchronous_commit%3Doff")
    #expect(fixture.engine.warnings.contains { $0.contains("synchronous_standby_names") })
    #expect(fixture.engine.warnings.contains { $0.contains("synchronous_commit is off") })
    let found = try fixture.engine.run(
      "looking", 0, [PostgresStatement(PostgresSQL("SELECT current_setting('synchronous_commit')"))], isRepeatable: true
    )
    #expect(found[0].text(0, 0) == "on")
  }

  @Test("a pooler in between is refused")
  func pooler() throws {
    let server = try ThrowawayPostgres.shared()
    let proxy = try CutProxy(server.socketPath, hidesProcess: true)
    let error = #expect(throws: JournalError.self) { try PostgresFixture(server, url: proxy.url) }
    #expect(error?.code == .notAJournal && error?.description.contains("pooler") == true, "\(error?.description ?? "")")
  }

  @Test("tables of a newer version are refused, and so is another program's schema")
  func versions() throws {
    let fixture = try PostgresFixture()
    try fixture.sql("UPDATE format SET version = \(PostgresSchema.version + 1)")
    let error = #expect(throws: JournalError.self) { try fixture.peer() }
    #expect(error?.code == .unsupportedFormat)
    #expect(error?.description.contains("version \(PostgresSchema.version + 1)") == true)
    try fixture.sql("DROP TABLE journal")
    #expect(throws: JournalError(.notAJournal, "")) { try fixture.peer() }
    for schema in ["", "1a", "a;b", "A", "é", String(repeating: "a", count: 64)] {
      #expect(throws: JournalError(.notAJournal, "")) { try PostgresFixture(fixture.server, schema: schema) }
    }
  }

  @Test("servers that start at the same time create the tables once")
  func firstUse() async throws {
    let server = try ThrowawayPostgres.shared()
    let schema = ThrowawayPostgres.newSchema()
    let calls = (0..<4).map { _ in BlockingCall { try PostgresFixture(server, schema: schema) } }
    for call in calls { _ = try await call.value().journal() }
    let found = try Psql(server.url).run("SELECT version FROM \(schema).format")
    #expect(found == ["\(PostgresSchema.version)"])
  }

  @Test("tables of the previous version are kept, and missing ones are added once")
  func upgrade() async throws {
    let fixture = try PostgresFixture()
    var journal = try fixture.journal()
    let head = try journal.appendBatches(2, after: try journal.acquire())
    try journal.close()
    try fixture.sql(
      """
      DROP TABLE outbox; DROP TABLE dead_letter; DROP TABLE node; DROP TABLE cluster;
      ALTER TABLE journal DROP owner, DROP owner_incarnation; UPDATE format SET version = 1
      """)
    let calls = (0..<3).map { _ in BlockingCall { try fixture.peer() } }
    for call in calls { _ = try await call.value() }
    #expect(try fixture.sql("SELECT version FROM format") == ["\(PostgresSchema.version)"])
    journal = try fixture.peer().journal()
    let next = try journal.acquire()
    #expect(next.runningHash == head.runningHash)
    let entry = OutboxEntry(
      queue: "q", place: OutboxPlace(position: 3, ordinal: 1), lane: "", milliseconds: 1, content: [])
    _ = try journal.append(.following(next), with: [entry], after: next)
    #expect(try journal.outboxFigures(of: "q").waitingCount == 1)
  }

  @Test("a role with only the needed privileges is sufficient")
  func leastPrivilege() throws {
    let fixture = try PostgresFixture()
    let role = "role_" + fixture.schema
    try fixture.sql(
      """
      CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(fixture.schema) TO \(role);
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(fixture.schema) TO \(role)
      """)
    let journal = try fixture.peer(url: "postgres://\(role)@/postgres?host=\(fixture.server.folder)").journal()
    let head = try journal.appendBatches(2, after: try journal.acquire())
    _ = try journal.completeSnapshot(try journal.beginSnapshot(at: head.position))
    try journal.prune()
  }
}
