import HearthEngine
import HearthJournal
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthDatabase

/// Tests of the outbox entries that commits produce.
@Suite struct DatabaseOutboxTests {
  private static let open = "{\"rules\": {\".read\": true, \".write\": true}}"

  /// Returns an outbox with one entry for each location of a commit, with the author and the values before and after.
  private static func outbox(refusing refused: String? = nil) -> DatabaseOutbox {
    var refusal: (@Sendable (CommittedChange) -> Failure?)?
    if let refused {
      refusal = { change in change.paths.contains(Path(refused)) ? Failure(.invalidData, "too much") : nil }
    }
    return DatabaseOutbox(entries: { $0.flatMap(entries) }, refusal: refusal, stored: { _ in })
  }

  private static func entries(_ change: CommittedChange) -> [OutboxEntry] {
    let writer = change.principal.uid ?? (change.principal.isAdministrator ? "admin" : "nobody")
    return change.paths.enumerated().map { index, path in
      let old = String(decoding: change.oldRoot[path].json(), as: UTF8.self)
      let new = String(decoding: change.newRoot[path].json(), as: UTF8.self)
      let place = OutboxPlace(position: change.position, ordinal: Int32(index + 1))
      return OutboxEntry(
        queue: "q", place: place, lane: "\(path)", milliseconds: change.wallMilliseconds,
        content: Array("\(path) \(old)>\(new) \(writer)".utf8))
    }
  }

  private static func texts(_ journal: OutboxMemoryJournal) -> [String] {
    journal.entries.map { "\($0.place.position) \(String(decoding: $0.content, as: UTF8.self))" }
  }

  @Test func `an acknowledged commit has its outbox entries, and no entry is made for an earlier or later one`() throws
  {
    let (host, journal) = (DatabaseHost(), OutboxMemoryJournal())
    let database = try host.database(journal, rules: Self.open)
    host.send(database, [.put("a", 1)])
    host.waitUntil { host.lines.count >= 1 }
    database.setOutbox(Self.outbox())
    host.send(database, [.put("a", 2), .put("a", 2), .put("b/c", 3)])
    host.waitUntil { host.lines.count >= 4 }
    database.setOutbox(nil)
    host.send(database, [.put("a", 4)])
    host.waitUntil { host.lines.count >= 5 }
    #expect(Self.texts(journal) == ["2 /a 1>2 admin", "3 /b/c null>3 admin"])
    database.close()
  }

  @Test func `a commit that is not durable leaves no entries`() throws {
    let (host, journal) = (DatabaseHost(), OutboxMemoryJournal())
    let database = try host.database(journal, rules: Self.open)
    database.setOutbox(Self.outbox())
    journal.journal.failAppend(1, MemoryJournal.Fault(.inputOutput))
    host.send(database, [.put("a", 1)])
    host.waitUntil { host.lines.count >= 1 }
    #expect(journal.entries.isEmpty)
    database.close()
  }

  @Test func `a write that the outbox refuses is not made, and one that fires no triggers makes no entry`() throws {
    let (host, journal) = (DatabaseHost(), OutboxMemoryJournal())
    let database = try host.database(journal, rules: Self.open)
    database.setOutbox(Self.outbox(refusing: "bad"))
    var silent = WriteOperation(.put(Location(path: Path("bad")), WriteValue(Node(.int(1)))))
    host.send(database, [.write(silent)])
    host.expect(["1 invalid-data"])
    silent.firesTriggers = false
    host.send(database, [.write(silent)])
    host.waitUntil { host.lines.count >= 2 }
    #expect(database.published.root[Path("bad")] == Node(.int(1)))
    #expect(journal.entries.isEmpty)
    database.close()
  }

  @Test func `onDisconnect writes carry the connection's identity, also when the server ended first`()
    throws
  {
    let host = DatabaseHost()
    let journal = OutboxMemoryJournal()
    let database = try host.database(journal, rules: Self.open)
    let user = Principal(auth: .object([.init("uid", .string("u1"))]))
    let change = WriteOperation.Change.put(Location(path: Path("online")), WriteValue(Node(.bool(false))))
    host.send(database, [.connect, .authenticate(user), .onDisconnect(change)])
    host.waitUntil { host.lines.count >= 3 }
    let after = OutboxMemoryJournal(journal.journal.crash())
    let again = try host.database(after, rules: Self.open, outbox: Self.outbox())
    #expect(after.entries.count == 1)
    #expect(Self.texts(after).first?.hasSuffix("/online null>false u1") == true)
    again.close()
  }

  @Test func `a large write that was decided in the background has its entry, too`() throws {
    let (host, journal) = (DatabaseHost(), OutboxMemoryJournal())
    var limits = DatabaseLimits()
    limits.engine.largeWriteBytes = 0
    let database = try host.database(journal, rules: Self.open, limits: limits)
    database.setOutbox(Self.outbox(refusing: "bad"))
    host.send(database, [.put("a", 1)])
    host.waitUntil { host.lines.count >= 1 }
    host.send(database, [.put("bad", 1)])
    host.waitUntil { host.lines.count >= 2 }
    #expect(host.lines.last == "1 invalid-data")
    #expect(Self.texts(journal) == ["1 /a null>1 admin"])
    database.close()
  }

  @Test func `a journal that keeps no entries has no outbox`() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open)
    #expect(database.outboxJournal == nil)
    database.setOutbox(Self.outbox())
    host.send(database, [.put("a", 1)])
    host.expect(["1 written 1"])
    database.close()
  }
}
