import GRDB
import HearthJournal
import HearthTestKit
import Testing

@testable import HearthSQLite

/// Entries beside the log: durable with their commits, in order, and gone with commits that are lost.
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

  @Test("entries are there after a restart, in order, until they are settled")
  func lifetime() throws {
    let folder = try JournalFolder()
    var journal = try SQLiteJournal(path: folder.file())
    var head = try journal.acquire()
    #expect(try journal.outboxQueues() == [])
    #expect(try journal.waitingEntries(of: "q", after: nil, countMax: 10) == [])
    for position in Int64(1)...3 {
      head = try journal.append(
        .following(head), with: [Self.entry(position), Self.entry(position, 2, queue: "other")], after: head)
    }
    try journal.close()

    journal = try SQLiteJournal(path: folder.file())
    _ = try journal.acquire()
    #expect(try Set(journal.outboxQueues()) == ["q", "other"])
    #expect(
      try journal.waitingEntries(of: "q", after: nil, countMax: 2).map(\.place) == [Self.place(1), Self.place(2)])
    #expect(
      try journal.waitingEntries(of: "q", after: Self.place(2), countMax: 2)
        == [
          WaitingEntry(
            place: Self.place(3), lane: "rooms/é", milliseconds: 30, attemptCount: 0, dueMilliseconds: 0, sizeBytes: 9)
        ])
    #expect(
      try journal.waitingContents(of: "q", at: [Self.place(2), Self.place(9)])
        == [Self.place(2): Array("content 2".utf8)])
    try journal.settle([
      ("q", Self.place(1), .done), ("q", Self.place(2), .waits(attemptCount: 4, dueMilliseconds: 99)),
      ("q", Self.place(3), .dead(reason: "no", milliseconds: 77)), ("q", Self.place(9), .done),
    ])
    let waiting = try journal.waitingEntries(of: "q", after: nil, countMax: 10)
    #expect(waiting.map(\.attemptCount) == [4])
    #expect(waiting.map(\.dueMilliseconds) == [99])
    let dead = try #require(try journal.deadEntry(of: "q", at: Self.place(3)))
    #expect(dead.reason == "no" && dead.deadMilliseconds == 77 && dead.content == Array("content 3".utf8))
    #expect(try journal.deadEntries(of: "q", after: nil, countMax: 10).map(\.content) == [[]])
    let figures = try journal.outboxFigures(of: "q")
    #expect((figures.waitingCount, figures.waitingBytes, figures.oldestMilliseconds) == (1, 9, 20))
    #expect((figures.deadCount, figures.deadBytes) == (1, 9))
    try journal.close()
  }

  @Test("dead letters wait again, with the places that they had")
  func revival() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    var head = try journal.acquire()
    for position in Int64(1)...4 {
      let dead = position == 4 ? "full" : nil
      head = try journal.append(.following(head), with: [Self.entry(position, dead: dead)], after: head)
    }
    #expect(try journal.giveUp("q", reason: "removed", milliseconds: 5) == 3)
    #expect(
      try journal.deadEntries(of: "q", after: nil, countMax: 10).map(\.reason) == [
        "removed", "removed", "removed", "full",
      ])
    #expect(try journal.revive("q", at: Self.place(2), countMax: 10) == 1)
    #expect(try journal.revive("q", at: Self.place(2), countMax: 10) == 0)
    #expect(try journal.revive("q", at: nil, countMax: 2) == 2)
    #expect(try journal.waitingEntries(of: "q", after: nil, countMax: 9).map(\.place.position) == [1, 2, 3])
    #expect(try journal.removeDeadEntries(of: "q", beforeMilliseconds: 0, sizeBytesMax: 1 << 20) == 0)
    #expect(try journal.removeDeadEntries(of: "q", beforeMilliseconds: 0, sizeBytesMax: 3) == 1)
    #expect(try journal.outboxFigures(of: "q").deadCount == 0)
    try journal.close()
  }

  @Test("an append that is refused leaves no entries")
  func refusal() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    let head = try journal.acquire()
    let next = try journal.append(.following(head), with: [Self.entry(1)], after: head)
    #expect(throws: JournalError(.positionMismatch, "")) {
      try journal.append(.following(head), with: [Self.entry(1, 2)], after: head)
    }
    #expect(try journal.waitingEntries(of: "q", after: nil, countMax: 9).count == 1)
    // The same entry twice is a mistake of the owner's, and nothing of that append is kept.
    #expect(throws: JournalError.self) {
      try journal.append(.following(next), with: [Self.entry(2), Self.entry(2)], after: next)
    }
    #expect(try journal.waitingEntries(of: "q", after: nil, countMax: 9).count == 1)
  }

  @Test("a file of the format before opens, and has the tables with its first entry")
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

  @Test("entries of commits that were cut off are gone, so that their places can be used again")
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
