import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests that kill the server at every position: on-disconnect writes are executed exactly once.
@Suite struct OnDisconnectRecoveryTests {
  private static let open = "{\"rules\": {\".read\": true, \".write\": true}}"
  private static let member = """
    {"rules": {".read": true, "shared": {".write": true}, "lock": {".write": "auth != null"},
      "own": {"$u": {".write": "auth.uid == $u && root.child('lock').val() != $u"}}}}
    """

  /// Returns a write that increments a number, so that a second execution shows.
  private static func count(_ path: String) -> Command.Action {
    let deferred = WriteValue.Deferred(location: Location(path: .root), operation: .increment(.int(1)))
    return .onDisconnect(.put(Location(path: Path(path)), WriteValue(Node(.int(0)), deferred: [deferred])))
  }

  // MARK: Every prefix of the log

  @Test(arguments: 0..<4)
  func `after a crash at any commit all onDisconnect writes are made, and a second start changes nothing`(
    seed: UInt64
  ) throws {
    let rules = try RuleSet.compile(Self.member)
    var random = SeededRandom(seed: seed)
    let commands = (0..<70).map { _ in command(&random) }
    var engine = Engine(state: DatabaseState(root: .empty, rules: rules, position: 0))
    var batches: [Batch] = []
    var (sessionCount, firedCount) = (0, 0)
    for index in 0...commands.count {
      let journal = try journal(of: batches)
      let expected = try everybodyLeaves(after: commands[..<index], rules)
      let recovered = try open(journal, rules)
      #expect(recovered.root == expected, "after \(index) commands")
      #expect(recovered.sessions.count == 0)
      sessionCount += engine.state.sessions.count
      if recovered.root != engine.state.root { firedCount += 1 }
      let again = try open(journal.crash(), rules)
      #expect(again.root == expected)
      #expect(again.position == recovered.position)
      guard index < commands.count else { break }
      batches.append(engine.decide(commands[index...index], at: Self.instant))
    }
    #expect(sessionCount > 20)
    #expect(firedCount > 10)
  }

  private static let instant = Instant(wallMilliseconds: 500, monotonicMilliseconds: 500)

  private func journal(of batches: [Batch]) throws -> MemoryJournal {
    let journal = MemoryJournal()
    var head = try journal.acquire()
    for batch in batches where batch.hasCommits {
      head = try journal.append(
        JournalBatch(
          firstPosition: batch.firstPosition, lastPosition: batch.state.position, payload: batch.payload), after: head)
    }
    return journal.crash()
  }

  private func open(_ journal: MemoryJournal, _ rules: RuleSet) throws -> DatabaseState {
    let environment = DatabaseEnvironment(clock: { Self.instant }, schedule: { _, _ in }, deliver: { _, _ in })
    let database = try Database(
      name: "test", journals: SingleJournalFactory(journal), initialRules: rules, environment: environment)
    return database.published
  }

  /// Returns the tree after the same commands when each connection then disconnects in turn.
  private func everybodyLeaves(after commands: ArraySlice<Command>, _ rules: RuleSet) throws -> Node {
    var engine = Engine(state: DatabaseState(root: .empty, rules: rules, position: 0))
    for command in commands { _ = engine.decide([command], at: Self.instant) }
    for number in 1...4 {
      let leave = Command(connection: ConnectionID(rawValue: UInt64(number)), action: .disconnect)
      _ = engine.decide([leave], at: Self.instant)
    }
    return engine.state.root
  }

  private func command(_ random: inout SeededRandom) -> Command {
    let connection = ConnectionID(rawValue: UInt64(1 + random.below(4)))
    let user = random.pick(["u1", "u2"])
    let action: Command.Action
    switch random.below(20) {
    case 0..<5: action = .connect
    case 5: action = .disconnect
    case 6..<9: action = .authenticate(Principal(auth: .object([JSON.Member("uid", .string(user))])))
    case 9: action = .unauthenticate
    case 10: action = .authenticate(.administrator)
    case 11: action = .endCredential()
    case 12..<15: action = Self.count("shared/n\(random.below(3))")
    case 15, 16: action = .onDisconnect(.put(Location(path: Path("own/\(user)/x")), WriteValue(Node(.string("off")))))
    case 17: action = .onDisconnect(.put(Location(path: Path("own/\(user)")), WriteValue(.empty)))
    case 18: action = .cancelOnDisconnect(Location(path: Path(random.pick(["shared/n1", "own", "shared"]))))
    default:
      let value = WriteValue(Node(.string(user)))
      action = .write(WriteOperation(.put(Location(path: Path(random.pick(["lock", "own/u1/y", "shared/z"]))), value)))
    }
    return Command(connection: connection, request: 1, action: action)
  }

  // MARK: Around the acknowledgements

  private func lines(_ host: DatabaseHost, _ database: Database, _ actions: [Command.Action]) {
    let count = host.lines.count
    let answerCount = actions.count { if case .disconnect = $0 { false } else { true } }
    host.send(database, actions)
    host.waitUntil { host.lines.count >= count + answerCount }
    host.settle(database)
  }

  @Test(
    "an onDisconnect write whose registration failed is made after a restart only if the disk has the registration",
    arguments: [(false, Node.empty), (true, Node(.int(1)))])
  func failingRegistration(isWritten: Bool, expected: Node) throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    let database = try host.database(journal, rules: Self.open)
    journal.failAppend(1, MemoryJournal.Fault(.inputOutput, isWritten: isWritten))
    lines(host, database, [.connect])
    lines(host, database, [Self.count("n")])
    lines(host, database, [.disconnect])
    #expect(host.lines == ["1 ok", "1 outcome-unknown"])
    let again = try host.database(journal.crash(), rules: Self.open)
    #expect(again.published.root[Path("n")] == expected)
    database.close()
    again.close()
  }

  @Test("an acknowledged onDisconnect write is made after a crash, and not again after the next", arguments: [0, 1])
  func acknowledged(snapshots: Int) throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    var limits = DatabaseLimits()
    if snapshots > 0 { limits.snapshotIntervalBytes = 1 }
    let database = try host.database(journal, rules: Self.open, limits: limits)
    lines(host, database, [.connect, Self.count("n"), .put("other", 1)])
    if snapshots > 0 { host.waitUntil { host.notices.contains("snapshot") } }
    lines(host, database, [.put("other", 2)])
    var next = journal.crash()
    for _ in 0..<3 {
      let again = try host.database(next, rules: Self.open)
      #expect(again.published.root[Path("n")] == Node(.int(1)))
      #expect(again.published.root[Path("other")] == Node(.int(2)))
      next = next.crash()
    }
    database.close()
  }

  @Test(
    "after a disconnect whose commit failed the onDisconnect writes are made exactly once", arguments: [true, false])
  func failingDisconnect(isWritten: Bool) throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    let database = try host.database(journal, rules: Self.open)
    lines(host, database, [.connect, Self.count("n"), Self.count("m")])
    journal.failAppend(journal.appendCount + 1, MemoryJournal.Fault(.inputOutput, isWritten: isWritten))
    lines(host, database, [.disconnect])
    host.waitUntil { !host.notices.isEmpty }
    let again = try host.database(journal.crash(), rules: Self.open)
    #expect(again.recovery.openSessionCount == (isWritten ? 0 : 1))
    #expect(again.published.root == Node.empty.replacing("n", with: Node(.int(1))).replacing("m", with: Node(.int(1))))
    database.close()
    again.close()
  }

  @Test(
    "a start that is killed while it makes onDisconnect writes leaves the rest to the next start",
    arguments: [true, false])
  func failingStart(isWritten: Bool) throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    let database = try host.database(journal, rules: Self.open)
    lines(host, database, [.connect, Self.count("n")])
    let second = journal.crash()
    second.failAppend(1, MemoryJournal.Fault(.inputOutput, isWritten: isWritten))
    #expect(throws: JournalError.self) { try host.database(second, rules: Self.open) }
    let third = try host.database(second.crash(), rules: Self.open)
    #expect(third.published.root[Path("n")] == Node(.int(1)))
    database.close()
    third.close()
  }

  @Test func `recovered onDisconnect writes are delivered once durable, before later decisions`() throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    let database = try host.database(journal, rules: Self.open)
    let other = ConnectionID(rawValue: 2)
    lines(host, database, [.connect])
    lines(host, database, [Self.count("n")])
    database.submit([
      Command(connection: other, action: .connect),
      Command(connection: other, request: 1, action: .listen(ListenRequest(.root))),
    ])
    host.expect(["1 ok", "1 ok", "2 ok"])
    journal.gate.close()
    database.submit([Command(connection: ConnectionID(rawValue: 1), action: .disconnect)])
    host.waitUntil { journal.gate.waitingCount == 1 }
    database.submit([Command(connection: other, request: 2, action: .put("m", 5))])
    host.settle(database)
    #expect(host.lines.count == 3)
    #expect(database.published.root.isEmpty)
    journal.gate.open()
    host.expect(["1 ok", "1 ok", "2 ok", "2 < put /n 1", "2 < put /m 5", "2 written 5"])
    database.close()
  }

  @Test func `all onDisconnect writes of a connection are in one append`() throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    var limits = DatabaseLimits()
    limits.engine.batchBytes = 1
    let database = try host.database(journal, rules: Self.open, limits: limits)
    lines(host, database, [.connect] + (0..<50).map { Self.count("n\($0)") })
    let before = journal.storedBatches.count
    lines(host, database, [.disconnect])
    host.waitUntil { journal.storedBatches.count > before }
    let last = try #require(journal.storedBatches.last)
    #expect(try CommitRecord.decode(last.payload).count == 51)
    #expect(journal.storedBatches.count == before + 1)
    database.close()
  }

  @Test func `many remaining sessions end in several appends, before the database is open`() throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    let database = try host.database(journal, rules: Self.open)
    for number in 1...40 {
      let id = ConnectionID(rawValue: UInt64(number))
      database.submit([Command(connection: id, action: .connect)])
      database.submit([Command(connection: id, request: 1, action: Self.count("n"))])
    }
    host.waitUntil { host.lines.count == 40 }
    var limits = DatabaseLimits()
    limits.engine.batchCommandsMax = 7
    let next = journal.crash()
    let again = try host.database(next, rules: Self.open, limits: limits)
    #expect(again.recovery.openSessionCount == 40)
    #expect(again.published.root[Path("n")] == Node(.int(40)))
    #expect(next.appendCount == 6)
    database.close()
    again.close()
  }

  @Test func `a refusal at the start is logged`() throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    let database = try host.database(journal, rules: Self.open)
    lines(host, database, [.connect, Self.count("n"), .deployRules(.denyAll)])
    let count = host.lines.count
    let again = try host.database(journal.crash(), rules: Self.open)
    host.waitUntil { host.lines.count > count }
    #expect(host.lines.last == "log 1 ondisconnect /n: .write at /")
    #expect(again.published.root.isEmpty)
    database.close()
    again.close()
  }
}
