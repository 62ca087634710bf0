import GRDB
import HearthJournal
import HearthTestKit
import Testing

@testable import HearthSQLite

/// Tests of outbox entries: durable with their commits, in order, and lost with lost commits.
@Suite struct OutboxTests {
  static func entry(_ position: Int64, _ ordinal: Int32 = 1, queue: String = "q", dead: String? = nil) -> OutboxEntry {
    OutboxEntry(
      queue: queue, place: OutboxPlace(position: position, ordinal: ordinal), lane: "rooms/é",
      milliseconds: position * 10,
      content: Array("content \(position)".utf8), deadReason: dead)
  }

  static func place(_ position: Int64, _ ordinal: Int32 = 1) -> OutboxPlace {
    OutboxPlace(position: position, ordinal: ordinal)
  }

  @Test("the journal with an outbox passes the conformance tests", arguments: JournalConformance.outboxChecks)
  func conforms(_ check: JournalConformance.Check) throws {
    let folder = try JournalFolder()
    try check.run(SQLiteJournals(folder: folder.path))
  }

  @Test("a file of the previous format opens, and gets the outbox tables with its first entry")
  func upgrade() throws {
    let folder = try JournalFolder()
    func version() throws -> Int? {
      let queue = try DatabaseQueue(path: folder.file())
      defer { try? queue.close() }
      return try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }
    var journal = try SQLiteJournal(path: folder.file())
    var head = try journal.acquire()
    head = try journal.append(.following(head), after: head)
    try journal.close()
    #expect(try version() == 1)

    journal = try SQLiteJournal(path: folder.file())
    head = try journal.acquire()
    try journal.settle([("q", Self.place(1), .done)])
    #expect(try journal.outboxFigures(of: "q") == OutboxFigures())
    _ = try journal.append(.following(head), with: [Self.entry(2)], after: head)
    try journal.close()
    #expect(try version() == 2)

    journal = try SQLiteJournal(path: folder.file())
    #expect(try journal.allBatches().count == 2)
    #expect(try journal.outboxFigures(of: "q").waitingCount == 1)
    try journal.close()
  }

  @Test("entries of commits that were cut off are removed, so that their positions can be used again")
  func cutOff() throws {
    let folder = try JournalFolder()
    var journal = try SQLiteJournal(path: folder.file())
    var head = try journal.acquire()
    for position in Int64(1)...3 {
      head = try journal.append(
        .following(head), with: [Self.entry(position), Self.entry(position, 2, dead: "x")], after: head)
    }
    try journal.close()
    let queue = try DatabaseQueue(path: folder.file())
    try queue.write { try $0.execute(sql: "UPDATE batch SET payload = x'00' WHERE first_position = 3") }
    try queue.close()

    journal = try SQLiteJournal(path: folder.file(), options: SQLiteJournal.Options(recovery: .truncateAtFirstDamage))
    head = try journal.acquire()
    #expect(head.position == 2)
    #expect(try journal.waitingEntries(of: "q", after: nil, countMax: 9).map(\.place.position) == [1, 2])
    #expect(try journal.deadEntries(of: "q", after: nil, countMax: 9).map(\.place.position) == [1, 2])
    _ = try journal.append(.following(head), with: [Self.entry(3)], after: head)
    try journal.close()
  }
}
