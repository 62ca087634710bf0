import HearthDatabase
import HearthEngine
import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import Testing

@Suite struct DatabaseTests {
  private static let open = "{\"rules\": {\".read\": true, \".write\": true}}"

  @Test func `effects are released only after the disk has the commit, and states are published then`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open)
    host.send(database, [.connect])
    host.expect(["1 ok"])
    journal.gate.close()
    host.send(database, [.put("a", 1)])
    host.waitUntil { journal.gate.waitingCount == 1 }
    #expect(host.lines == ["1 ok"])
    #expect(database.published.root.isEmpty)
    journal.gate.open()
    host.expect(["1 ok", "1 written 1"])
    #expect(database.published.root[Path("a")] == Node(.int(1)))
    #expect(database.published.position == 1)
    database.close()
  }

  @Test func `writes that arrive while the disk is busy share the next append`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open)
    journal.gate.close()
    host.send(database, [.put("n0", 0)])
    host.waitUntil { journal.gate.waitingCount == 1 }
    for i in 1...20 { host.send(database, [.put("n\(i)", Int64(i))]) }
    host.settle(database)
    journal.gate.open()
    host.waitUntil { host.lines.count >= 21 }
    #expect(journal.appendCount == 2)
    #expect(host.lines == (0...20).map { "1 written \($0)" })
    database.close()
  }

  @Test func `acknowledged commits are there after a crash`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open)
    let rules = try RuleSet.compile(#"{"rules": {".read": "auth != null"}}"#)
    host.send(database, [.put("a", 1), .put("b/c", 2), .deployRules(rules), .put("a", 3)])
    host.waitUntil { host.lines.count >= 4 }
    let again = try host.database(journal.crash(), rules: Self.open)
    #expect(again.published.root == database.published.root)
    #expect(again.published.position == 4)
    #expect(again.published.rules.source == rules.source)
    #expect(again.recovery.replayedCommitCount == 4)
    #expect(again.recovery.snapshotPosition == nil)
    again.close()
  }

  @Test func `a failed append refuses its commands and stops the database, and reads continue`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open)
    host.send(database, [.connect, .listen(ListenRequest(Path("a"))), .put("a", 1)])
    host.expect(["1 ok", "1 ok", "1 < put /a 1", "1 written 1"])
    journal.failAppend(2, MemoryJournal.Fault(.inputOutput))
    host.send(database, [.put("a", 2)])
    host.waitUntil { host.lines.count >= 5 }
    host.send(database, [.put("a", 3), .get(Path("a"))])
    host.waitUntil { host.lines.count >= 7 }
    // The failed write may be there after a restart; the writes after it were not attempted.
    #expect(host.lines[4...] == ["1 outcome-unknown", "1 unavailable", "1 unavailable"])
    #expect(database.published.root[Path("a")] == Node(.int(1)))
    #expect(database.status == .halted(JournalError(.inputOutput, "")))
    #expect(host.notices == ["halted"])
    database.close()
    #expect(database.status == .closed)
  }

  @Test func `a failed append has an unknown outcome, and the commands after it are not made`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open)
    journal.failAppend(1, MemoryJournal.Fault(.inputOutput, isWritten: true))
    journal.gate.close()
    host.send(database, [.put("a", 1), .put("b", 1), .get(Path("a"))])
    host.waitUntil { journal.gate.waitingCount == 1 }
    host.send(database, [.put("c", 1)])
    host.settle(database)
    journal.gate.open()
    host.expect(["1 outcome-unknown", "1 outcome-unknown", "1 unavailable", "1 unavailable"])
    database.close()
    let again = try host.database(journal.crash(), rules: Self.open)
    #expect(again.published.root[Path("a")] == Node(.int(1)) && again.published.root[Path("c")].isEmpty)
    again.close()
  }

  @Test func `an append that was refused before any write was surely not made`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open)
    journal.failAppend(1, MemoryJournal.Fault(.failed))
    host.send(database, [.put("a", 1)])
    host.expect(["1 unavailable"])
    #expect(database.status == .halted(JournalError(.failed, "")))
    database.close()
  }

  @Test func `the log is replaced by snapshots, which a restart loads`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    var limits = DatabaseLimits()
    limits.snapshotIntervalBytes = 2_000
    let database = try host.database(journal, rules: Self.open, limits: limits)
    let rules = try RuleSet.compile(Self.open)
    host.send(database, [.deployRules(rules)])
    for i in 0..<200 {
      host.send(database, [.put("list/n\(i % 50)", Int64(i))])
      if i % 20 == 0 { host.waitUntil { host.lines.count >= i + 2 } }
    }
    host.waitUntil { host.lines.count >= 201 && host.notices.contains("snapshot") }
    database.close()
    let again = try host.database(journal.crash(), rules: "{\"rules\": {\".read\": false}}", limits: limits)
    #expect(again.published.root == database.published.root)
    #expect(again.published.position == 201)
    #expect(again.published.rules.source == rules.source)
    let report = again.recovery
    #expect((report.snapshotPosition ?? 0) > 0)
    #expect(Int64(report.replayedCommitCount) == 201 - (report.snapshotPosition ?? 0))
    again.close()
  }

  @Test func `rules that no longer compile deny every request, and stay stored`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let head = try journal.acquire()
    var payload: [UInt8] = []
    CommitRecord(wallMilliseconds: 0, content: .rules("not rules")).append(to: &payload)
    _ = try journal.append(JournalBatch(firstPosition: 1, lastPosition: 1, payload: payload), after: head)
    let database = try host.database(journal.crash(), rules: Self.open)
    #expect(database.recovery.rulesProblem != nil)
    #expect(database.published.storedRules == "not rules")
    host.send(database, [.connect, .get(Path("a"))])
    host.waitUntil { host.lines.count >= 3 }
    #expect(host.lines.last == "1 permission-denied")
    database.close()
  }

  @Test func `a payload that is not a record stops the opening, with its position`() throws {
    let journal = MemoryJournal()
    let head = try journal.acquire()
    _ = try journal.append(JournalBatch(firstPosition: 1, lastPosition: 1, payload: [1, 2, 3]), after: head)
    #expect(throws: RecordError.self) {
      try DatabaseHost().database(journal.crash(), rules: Self.open)
    }
  }

  @Test func `a credential expires without a command`() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: "{\"rules\": {\".read\": \"auth != null\"}}")
    let principal = Principal(auth: .object([JSON.Member("uid", .string("u"))]), deadlineMonotonicMilliseconds: 500)
    host.send(database, [.connect, .authenticate(principal), .listen(ListenRequest(Path("a")))])
    host.expect(["1 ok", "1 ok", "1 ok"])
    host.waitUntil { !host.timers.isEmpty }
    #expect(host.timers == [500])
    host.advance(to: 500)
    host.waitUntil { host.lines.count >= 6 }
    #expect(host.lines[3] == "1 < ended")
    #expect(host.lines[4] == "1 < cancel /a expiry")
    database.close()
  }

  @Test func `a closed database answers that it is not available`() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open)
    database.close()
    host.send(database, [.put("a", 1)])
    host.expect(["1 unavailable"])
  }

  @Test func `a full mailbox refuses commands and loses none`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    var limits = DatabaseLimits()
    (limits.commandsPendingMax, limits.engine.batchCommandsMax, limits.batchesPendingMax) = (10, 1, 2)
    let database = try host.database(journal, rules: Self.open, limits: limits)
    journal.gate.close()
    var isRoomy = true
    for i in 0..<40 { isRoomy = host.send(database, [.put("n\(i)", Int64(i))]) && isRoomy }
    #expect(!isRoomy)
    journal.gate.open()
    host.waitUntil { host.lines.count >= 40 }
    #expect(host.lines == (0..<40).map { "1 written \($0)" })
    database.close()
  }

  @Test func `a mailbox with too many bytes refuses commands until some are taken`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    var limits = DatabaseLimits()
    (limits.commandBytesPendingMax, limits.engine.batchCommandsMax, limits.batchesPendingMax) = (100, 1, 1)
    let database = try host.database(journal, rules: Self.open, limits: limits)
    journal.gate.close()
    func put(_ i: Int64) -> [Command] {
      [Command(connection: ConnectionID(rawValue: 1), request: 1, principal: .administrator, action: .put("n", i))]
    }
    var isRoomy = true
    for i in 0..<8 { isRoomy = database.submit(put(Int64(i)), sizeBytes: 40) && isRoomy }
    #expect(!isRoomy)
    journal.gate.open()
    host.waitUntil { host.lines.count >= 8 }
    #expect(database.submit(put(8), sizeBytes: 40))
    host.waitUntil { host.lines.count >= 9 }
    database.close()
  }

  @Test func `commands in one batch have the same results as one by one`() throws {
    var (together, apart) = (Scenario(), Scenario())
    let steps = [
      #"rules {"rules": {".read": "root.child('ok').exists()", ".write": true}}"#, "1 connect", "2 connect",
      "1 put /ok 1", "1 listen /a", "2 listen /a/b", #"2 put /a {"b": 1}"#, "1 put /ok null", "2 put /a 5",
      "2 listen /a", "1 put /ok 2", "2 listen /a", "1 get /a", "1 disconnect", "2 put /a 6",
    ]
    _ = try together.perform("batch")
    var lines: [String] = []
    for step in steps {
      lines += try apart.perform(step)
      _ = try together.perform(step)
    }
    #expect(try together.perform("end") == lines)
    #expect(together.engine.state.root == apart.engine.state.root)
  }
}
