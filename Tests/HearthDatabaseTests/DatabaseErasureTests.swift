import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of the erasure of a user from the history, which must leave all other data unchanged.
@Suite struct DatabaseErasureTests {
  private static let open = #"{"rules": {".read": true, ".write": true}}"#

  private static var limits: DatabaseLimits {
    var limits = DatabaseLimits()
    limits.snapshotIntervalBytes = 600
    limits.history = HistoryRetention(ageMilliseconds: .max)
    limits.engine.recordsAuthors = true
    // Large records are split into pieces.
    limits.engine.largeWriteBytes = 400
    limits.recordPieceBytes = 64
    return limits
  }

  /// A database with random writes and on-disconnect writes of two users, and its state at each position.
  private struct Scenario {
    var states: [Int64: Node] = [0: .empty]
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database: Database

    init(seed: UInt64) throws {
      var random = SeededRandom(seed: seed)
      database = try host.database(journal, rules: DatabaseErasureTests.open, limits: DatabaseErasureTests.limits)
      let principals = ["eve", "ann"].map { Principal(auth: .object([.init("uid", .string($0))])) }
      for (number, principal) in principals.enumerated() {
        let connection = ConnectionID(rawValue: UInt64(number + 1))
        database.submit([
          Command(connection: connection, action: .connect),
          Command(connection: connection, action: .authenticate(principal)),
        ])
      }
      for step in 1...60 {
        host.advance(to: Int64(step))
        let number = UInt64(random.below(2) + 1)
        let action: Command.Action
        switch random.below(12) {
        case 0:
          action = .onDisconnect(.put(Location(path: Path("gone/\(step)")), WriteValue(Node(.string("secret bye")))))
        case 1: action = Self.put("users", Self.tree(step))
        case 2: action = Self.put("users/eve", Self.tree(step))
        case 3: action = Self.put("rooms", Node(.string(String(repeating: "long ", count: 200))))
        case 4: action = Self.put("users/eve", .empty)
        default:
          let path = random.pick(["users/eve/mail", "users/ann/mail", "rooms/r/topic", "users/eve/a/b", "rooms/s"])
          action = Self.put(path, Node(.string("secret \(step)")))
        }
        database.submit([Command(connection: ConnectionID(rawValue: number), request: 1, action: action)])
        finish()
        states[database.published.position] = database.published.root
      }
    }

    /// Waits until all commands are committed and snapshots written.
    func finish() {
      host.finish(database)
      database.decider.pool.writes.wait()
      host.finish(database)
      database.snapshots.queue.sync {}
    }

    private static func put(_ path: String, _ node: Node) -> Command.Action {
      .write(WriteOperation(.put(Location(path: Path(path)), WriteValue(node))))
    }

    private static func tree(_ step: Int) -> Node {
      Node.empty.replacing([
        (Path("eve/mail"), Node(.string(String(repeating: "eve\(step) ", count: 90)))),
        (Path("mail"), Node(.int(Int64(step)))),
        (Path("ann/mail"), Node(.string("ann"))),
      ])
    }

    /// Expects the original states at each position, without the erased location.
    func expect(_ erasedPath: Path, in history: DatabaseHistory, sourceLocation: SourceLocation = #_sourceLocation)
      throws
    {
      for (position, root) in states.sorted(by: { $0.key < $1.key }) {
        let found = try history.state(at: position).node
        #expect(
          found == root.replacing(erasedPath, with: .empty), "position \(position)", sourceLocation: sourceLocation)
      }
      var before: Int64?
      repeat {
        let page = try history.changes(of: .root, before: before, countMax: 50)
        for change in page.changes {
          #expect(change.author?.uid != "eve", "position \(change.position)", sourceLocation: sourceLocation)
        }
        before = page.before
      } while before != nil
    }

    /// Expects that no batch and no snapshot up to a position contains a text.
    func expectNothing(of text: String, through last: Int64, _ journal: MemoryJournal) throws {
      let bytes = Array(text.utf8)
      for batch in journal.storedBatches where batch.lastPosition <= last {
        let isThere = (0..<max(0, batch.payload.count - bytes.count)).contains { start in
          batch.payload[start..<start + bytes.count].elementsEqual(bytes)
        }
        #expect(!isThere, "the batch at \(batch.firstPosition)")
      }
      for snapshot in try journal.snapshots() where snapshot.position < last {
        var content: [UInt8] = []
        try journal.forEachChunk(of: snapshot) { content += $0 }
        #expect(
          String(decoding: content, as: UTF8.self).contains(text) == false, "the snapshot at \(snapshot.position)")
      }
    }
  }

  /// Disconnects the user and deletes a location, as an account deletion does before the erasure.
  private func delete(_ path: String, _ scenario: Scenario) {
    scenario.database.submit([
      Command(connection: ConnectionID(rawValue: 1), action: .disconnect),
      Command(
        connection: ConnectionID(rawValue: 9), request: 1, principal: .administrator,
        action: .write(WriteOperation(.put(Location(path: Path(path)), WriteValue(.empty))))),
    ])
    scenario.finish()
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `the history changes only in the user's data, also after a restart`(seed: UInt64) throws {
    let scenario = try Scenario(seed: seed)
    let erasedPath = Path("users/eve")
    delete("users/eve", scenario)
    // Reads a state from before the erasure, so that it is cached.
    _ = try scenario.database.history.state(at: 3)
    let report = try scenario.database.erase(uid: "eve", places: [erasedPath])
    #expect(report.batchCount > 0 && report.position == scenario.database.published.position)
    try scenario.expect(erasedPath, in: scenario.database.history)
    // The stored form of an author's uid: its length, then the bytes.
    try scenario.expectNothing(of: "\u{3}eve", through: report.position, scenario.journal)
    // A second erasure finds nothing to do.
    let again = try scenario.database.erase(uid: "eve", places: [erasedPath])
    #expect(again.batchCount == 0 && again.snapshotCount == 0)
    scenario.database.close()
    let restarted = try scenario.host.database(scenario.journal.crash(), rules: Self.open, limits: Self.limits)
    try scenario.expect(erasedPath, in: restarted.history)
    restarted.close()
  }

  @Test func `an erasure that is interrupted at any step is finished by the next`() throws {
    var count = 0
    while true {
      let scenario = try Scenario(seed: 1)
      delete("users/eve", scenario)
      scenario.journal.endRewrites(after: count)
      // Tests every seventh step.
      let isDone = (try? scenario.database.erase(uid: "eve", places: [Path("users/eve")])) != nil
      scenario.database.close()
      if isDone { break }
      let journal = scenario.journal.crash()
      let database = try scenario.host.database(journal, rules: Self.open, limits: Self.limits)
      _ = try database.erase(uid: "eve", places: [Path("users/eve")])
      try scenario.expect(Path("users/eve"), in: database.history)
      database.close()
      count += 7
    }
    #expect(count > 7)
  }

  @Test func `a cancelled erasure leaves the rest for the next, and a dry run changes no data`() throws {
    let scenario = try Scenario(seed: 2)
    let erasedPath = Path("users/eve")
    delete("users/eve", scenario)
    let before = scenario.journal.storedBatches
    let found = try scenario.database.erasable(uid: "eve", places: [erasedPath])
    #expect(found.batchCount > 0 && scenario.journal.storedBatches == before && scenario.journal.rewriteCount == 0)
    var count = 0
    #expect(throws: HistoryError.cancelled) {
      try scenario.database.erase(uid: "eve", places: [erasedPath]) {
        count += 1
        return scenario.journal.rewriteCount == 3
      }
    }
    #expect(count > 3 && scenario.journal.rewriteCount == 3)
    _ = try scenario.database.erase(uid: "eve", places: [erasedPath])
    #expect(try scenario.database.erasable(uid: "eve", places: [erasedPath]).batchCount == 0)
    try scenario.expect(erasedPath, in: scenario.database.history)
    scenario.database.close()
  }

  @Test func `no data is erased while a connection of the user has pending onDisconnect writes`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open, limits: Self.limits)
    let connection = ConnectionID(rawValue: 1)
    database.submit([
      Command(connection: connection, action: .connect),
      Command(
        connection: connection, action: .authenticate(Principal(auth: .object([.init("uid", .string("eve"))])))),
      Command(
        connection: connection, request: 1,
        action: .onDisconnect(.put(Location(path: Path("gone")), WriteValue(Node(.bool(true)))))),
    ])
    host.finish(database)
    var count = 0
    #expect(throws: HistoryError.cancelled) {
      try database.erase(uid: "eve", places: []) {
        count += 1
        return count == 2
      }
    }
    #expect(try journal.snapshots().isEmpty)
    // Another user's on-disconnect writes do not matter.
    _ = try database.erase(uid: "ann", places: [])
    database.submit([Command(connection: connection, action: .disconnect)])
    host.finish(database)
    _ = try database.erase(uid: "eve", places: [])
    #expect(try database.history.changes(of: .root, before: nil, countMax: 9).changes.allSatisfy { $0.author == nil })
    database.close()
  }

  @Test func `canonically equivalent uids with different bytes are two users`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open, limits: Self.limits)
    for (number, uid) in ["\u{e9}", "e\u{301}"].enumerated() {
      let principal = Principal(auth: .object([.init("uid", .string(uid))]))
      database.submit([
        Command(
          connection: ConnectionID(rawValue: 1), request: 1, principal: principal, action: .put("a", Int64(number)))
      ])
      host.finish(database)
    }
    _ = try database.erase(uid: "e\u{301}", places: [])
    let authors = try database.history.changes(of: .root, before: nil, countMax: 9).changes.map { $0.author?.uid }
    #expect(authors.compactMap { $0.map { Array($0.utf8) } } == [Array("\u{e9}".utf8)] && authors.count == 2)
    database.close()
  }

  @Test(.disabled(if: DatabaseHost.isPaged))
  func `without history only the current state is kept`() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    var limits = Self.limits
    limits.history = .none
    let database = try host.database(journal, rules: Self.open, limits: limits)
    let eve = Principal(auth: .object([.init("uid", .string("eve"))]))
    for value in 1...5 {
      database.submit([
        Command(connection: ConnectionID(rawValue: 1), request: 1, principal: eve, action: .put("a", Int64(value)))
      ])
    }
    host.finish(database)
    _ = try database.erase(uid: "eve", places: [])
    #expect(journal.storedBatches.isEmpty)
    #expect(database.published.root == Node.empty.replacing(Path("a"), with: Node(.int(5))))
    #expect(try journal.snapshots().map(\.position) == [database.published.position])
    database.close()
  }
}
