import HearthJournal
import HearthTestKit
import HearthTree
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of reading a log that several servers have written, in which all results of a request are one record, with
/// notes (records without changes) between records.
@Suite struct SharedLogTests {
  private static let open = #"{"rules": {".read": true, ".write": true}}"#
  private static let closed = #"{"rules": {".read": false}}"#

  private static var limits: DatabaseLimits {
    var limits = DatabaseLimits()
    limits.history = HistoryRetention(ageMilliseconds: .max)
    return limits
  }

  private static func by(_ uid: String, _ path: String, _ node: Node, at time: Int64, _ rule: String) -> CommitRecord {
    CommitRecord(
      wallMilliseconds: time, author: CommitAuthor(uid: uid, connection: ConnectionID(rawValue: 7)),
      grant: CommitGrant(places: [rule]), content: .changes([(Location(path: Path(path)), node)]))
  }

  private static let note = CommitRecord(wallMilliseconds: 0, content: .note([1, 2, 3]))

  private static func joint(_ records: CommitRecord..., of cause: CommitRecord.JointCause = .end(session: 4))
    -> CommitRecord
  {
    CommitRecord(wallMilliseconds: records.first?.wallMilliseconds ?? 0, content: .joint(records, of: cause))
  }

  /// The log in batches: two notes; a write of eve's; a disconnect with three writes, one of them at another location,
  /// and a request that changes nothing; rules; notes.
  private static let log: [[CommitRecord]] = [
    [note, note],
    [joint(by("eve", "a/x", Node(.int(1)), at: 100, "/a"), of: .request(session: 4, request: 1, answered: 0))],
    [
      joint(
        by("ann", "a/y", Node(.int(2)), at: 200, "/a"), by("ann", "b", Node(.int(3)), at: 200, "/b"),
        by("ann", "a/x", .empty, at: 200, "/a/x")),
      joint(of: .request(session: 5, request: 1, answered: 0)),
    ],
    [
      joint(
        CommitRecord(wallMilliseconds: 300, content: .rules(closed)), of: .request(session: 5, request: 2, answered: 1))
    ],
    [note],
  ]

  /// Writes the log to a journal.
  ///
  /// - Parameter snapshot: The batch after which a snapshot is written; nil for none.
  private func journal(snapshot: Int? = nil) throws -> MemoryJournal {
    let journal = MemoryJournal()
    var (head, root) = (try journal.acquire(), Node.empty)
    for (index, records) in Self.log.enumerated() {
      var payload: [UInt8] = []
      for record in records {
        record.append(to: &payload)
        for case .changes(let changes) in record.parts.map(\.content) { root = CommitRecord.apply(changes, to: root) }
      }
      let last = head.position + Int64(records.count)
      head = try journal.append(
        JournalBatch(firstPosition: head.position + 1, lastPosition: last, payload: payload), after: head)
      guard index == snapshot else { continue }
      try DatabaseState(root: root, rules: .denyAll, position: last).store(in: journal, chunkBytes: 64)
    }
    return journal
  }

  @Test func `a start restores the state of all records`() throws {
    let host = DatabaseHost()
    let database = try host.database(try journal(), rules: Self.open, limits: Self.limits)
    let state = database.published
    #expect(state.position == 7 && state.storedRules == Self.closed)
    #expect(state.root == Node.empty.replacing([(Path("a/y"), Node(.int(2))), (Path("b"), Node(.int(3)))]))
    #expect(database.recovery.replayedCommitCount == 7)
    // The database continues from there on its own.
    host.send(database, [.put("c", 4)])
    host.finish(database)
    #expect(database.published.position == 8)
    database.close()
  }

  @Test func `history lists the changes of a joint record, with authors and rules`() throws {
    let host = DatabaseHost()
    let database = try host.database(try journal(), rules: Self.open, limits: Self.limits)
    let history = database.history
    let page = try history.changes(of: Path("a"), countMax: 10)
    #expect(page.changes.map(\.position) == [4, 3] && page.before == nil)
    #expect(page.changes.map(\.author?.uid) == ["ann", "eve"])
    #expect(page.changes.map(\.grant?.places) == [["/a", "/a/x"], ["/a"]])
    #expect(page.changes.map(\.wallMilliseconds) == [200, 100])
    #expect(page.changes.map(\.from) == [Node.empty.replacing(Path("x"), with: Node(.int(1))), .empty])
    #expect(page.changes.first?.to == Node.empty.replacing(Path("y"), with: Node(.int(2))))
    let first = try history.changes(of: .root, countMax: 1)
    #expect(first.changes.map(\.grant?.places) == [["/a", "/b", "/a/x"]] && first.before == 4)
    for (position, count) in [(2, 0), (3, 1), (4, 2), (5, 2), (7, 2)] as [(Int64, Int)] {
      let state = try history.state(at: position)
      #expect(state.node.childCount == count, "\(position)")
      #expect(state.storedRules == (position > 5 ? Self.closed : nil))
    }
    database.close()
  }

  @Test func `a note has the time of the last commit before it`() throws {
    let host = DatabaseHost()
    let journal = try journal()
    let database = try host.database(journal, rules: Self.open, limits: Self.limits)
    let history = database.history
    let times: [Int64?] = [nil, nil, 100, 200, 200, 300, 300]
    for (index, time) in times.enumerated() {
      let position = Int64(index + 1)
      #expect(try history.milliseconds(of: position) == time, "\(position)")
      #expect(try history.state(at: position).wallMilliseconds == time, "\(position)")
    }
    for (time, position) in [(99, 2), (100, 3), (199, 3), (200, 5), (299, 5), (300, 7), (1_000, 7)] as [(Int64, Int64)]
    {
      #expect(try history.position(atMilliseconds: time) == position, "\(time)")
    }
    database.close()
  }

  @Test func `a position before the first retained time record has no time`() throws {
    // The snapshot covers only the two notes and the write after them.
    let journal = try journal(snapshot: 1)
    try journal.prune()
    let times = HistoryTimes(journal)
    #expect(try journal.oldestPosition() == 3)
    #expect(try times.position(atMilliseconds: 150, last: 7) == nil)
    #expect(try times.position(atMilliseconds: 200, last: 7) == 5)
    #expect(try times.milliseconds(of: 7) == 300)
  }

  @Test func `a user is erased from joint records`() throws {
    let host = DatabaseHost()
    let journal = try journal()
    let database = try host.database(journal, rules: Self.open, limits: Self.limits)
    let report = try database.erase(uid: "ann", places: [Path("b")])
    #expect(report.batchCount == 1)
    let page = try database.history.changes(of: .root, countMax: 10)
    #expect(page.changes.map(\.position) == [4, 3] && page.changes.map(\.author?.uid) == [nil, "eve"])
    #expect(try database.history.changes(of: Path("b"), countMax: 10).changes.isEmpty)
    let records = try journal.storedBatches.flatMap { try CommitRecord.decode($0.payload) }
    #expect(
      records.count == 7 && records[3].parts.count == 3 && records[3].parts.map(\.author).allSatisfy { $0 == nil })
    database.close()
  }
}
