import Dispatch
import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Synchronization
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of a full disk: no commit is lost, no wrong answer is given, and the database resumes by itself.
@Suite struct DatabaseStallTests {
  private static let open = "{\"rules\": {\".read\": true, \".write\": true}}"

  /// A database whose first write has just found the disk full. Connection 1 waits for its answer; connection 2 has a
  /// listen at the location.
  private struct StalledDatabase {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database: Database

    /// Starts the stall.
    ///
    /// - Parameter away: Nil for a full disk; otherwise the store does not answer, and the value states whether appends
    ///   are written all the same.
    init(
      rules: String = DatabaseStallTests.open, before actions: [Command.Action] = [],
      limits: DatabaseLimits = DatabaseLimits(), away: Bool? = nil
    ) throws {
      database = try host.database(journal, rules: rules, limits: limits)
      host.send(database, [.connect] + actions)
      host.send(database, from: 2, [.connect, .listen(ListenRequest(Path("a")))])
      let lineCount = actions.count + 3
      told = lineCount
      host.waitUntil { host.lines.count == lineCount }
      if let away { journal.setOutage(true, isWritten: away) } else { journal.setFull(true) }
      host.send(database, [.put("a", 1)])
      host.waitUntil { !host.timers.isEmpty }
      #expect(host.notices == ["stalled"])
    }

    /// The number of earlier lines.
    private let told: Int
    /// The lines since the stall.
    var lines: [String] { Array(host.lines.dropFirst(told)) }

    /// Frees space, and advances the clock to the next attempt.
    func makeRoom() {
      journal.setFull(false)
      journal.setOutage(false)
      host.advance(to: (host.timers.max() ?? 0))
      host.waitUntil { database.status == .running }
      host.finish(database)
    }

    /// Advances the clock to the next attempt.
    func retry() {
      let count = journal.appendCount
      host.advance(to: host.timers.max() ?? 0)
      host.waitUntil { journal.appendCount > count && !host.timers.isEmpty }
      host.finish(database)
    }
  }

  @Test func `a write that finds no space waits, and is stored and acknowledged when there is some`() throws {
    let test = try StalledDatabase()
    #expect(test.database.status == .stalled(JournalError(.noSpace, "")))
    #expect(test.lines == [] && test.database.published.root.isEmpty)
    test.retry()
    #expect(test.lines == [])
    test.makeRoom()
    #expect(test.lines == ["2 < put /a 1", "1 written 1"])
    #expect(test.database.published.root[Path("a")] == Node(.int(1)))
    test.host.send(test.database, [.put("a", 2)])
    test.host.waitUntil { test.lines.count == 4 }
    #expect(test.lines[2...] == ["2 < put /a 2", "1 written 2"])
    test.database.close()
    let again = try test.host.database(test.journal.crash(), rules: Self.open)
    #expect(again.published.root[Path("a")] == Node(.int(2)) && again.published.position == 2)
    again.close()
  }

  @Test(
    "an append without a response is retried unchanged and stored once, whether or not it was written",
    arguments: [true, false])
  func away(_ isWritten: Bool) throws {
    let test = try StalledDatabase(away: isWritten)
    #expect(test.database.status == .stalled(JournalError(.unavailable, "")))
    test.host.send(test.database, from: 3, [.connect, .put("b", 1), .get(Path("x"))])
    test.host.waitUntil { test.lines.count == 3 }
    #expect(test.lines == ["3 ok", "3 no-space", "3 value null"])
    for _ in 0..<2 { test.retry() }
    #expect(test.lines.count == 3 && test.database.published.root.isEmpty)
    test.makeRoom()
    #expect(test.lines[3...] == ["2 < put /a 1", "1 written 1"])
    test.host.send(test.database, from: 3, [.put("b", 2)])
    test.host.waitUntil { test.lines.count == 6 }
    test.database.close()
    #expect(test.journal.storedBatches.map(\.firstPosition) == [1, 2])
  }

  @Test(
    "a caller that waits for an append of unknown outcome gets that outcome when the database closes",
    arguments: [true, false])
  func closingInDoubt(_ isWritten: Bool) throws {
    let test = try StalledDatabase(away: isWritten)
    test.database.close()
    #expect(test.lines == ["1 outcome-unknown"])
    #expect(test.journal.storedBatches.count == (isWritten ? 1 : 0))
  }

  @Test func `commands after an append of unknown outcome do not join its batch`() throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    let database = try host.database(journal, rules: Self.open)
    host.send(database, [.connect])
    host.waitUntil { host.lines.count == 1 }
    journal.gate.close()
    host.send(database, [.put("a", 1)])
    host.waitUntil { journal.gate.waitingCount == 1 }
    host.send(database, [.put("b", 2)])
    host.waitUntil { database.writer.batches.pipeline.withLock { !$0.waiting.isEmpty } }
    journal.setOutage(true, isWritten: true)
    journal.gate.open()
    host.waitUntil { !host.timers.isEmpty }
    journal.setOutage(false)
    host.advance(to: host.timers.max() ?? 0)
    host.waitUntil { host.lines.count == 3 }
    #expect(host.lines[1...] == ["1 written 1", "1 written 2"])
    #expect(journal.storedBatches.map(\.firstPosition) == [1, 2])
    database.close()
  }

  @Test func `more writes are refused at once, with an error that they may be retried`() throws {
    let test = try StalledDatabase()
    let change = WriteOperation.Change.put(Location(path: Path("x")), WriteValue(Node(.int(1))))
    test.host.send(
      test.database, from: 3,
      [
        .connect, .put("b", 1), .onDisconnect(change), .cancelOnDisconnect(Location(path: Path("x"))),
        .deployRules(try RuleSet.compile(Self.open)),
      ])
    test.host.waitUntil { test.lines.count == 5 }
    #expect(test.lines == ["3 ok", "3 no-space", "3 no-space", "3 no-space", "3 no-space"])
    test.makeRoom()
    #expect(test.database.published.root == Node.empty.replacing("a", with: Node(.int(1))))
    test.host.send(test.database, from: 3, [.put("b", 1)])
    test.host.waitUntil { test.lines.count == 8 }
    #expect(test.lines.last == "3 written 1")
    test.database.close()
  }

  @Test func `reads continue, but data that is not durable is not shown and allows no request`() throws {
    let rules = """
      {"rules": {"a": {".read": true}, "c": {".read": "root.child('a').val() === 1"}, "d": {".read": true}}}
      """
    let test = try StalledDatabase(rules: rules, before: [.put("d", 4)])
    // A new connection is served while the write waits.
    test.host.send(
      test.database, from: 3,
      [.connect, .listen(ListenRequest(Path("d"))), .get(Path("d")), .unauthenticate, .unlisten(Path("d"))])
    test.host.waitUntil { test.lines.count == 6 }
    #expect(test.lines == ["3 ok", "3 < put /d 4", "3 ok", "3 value 4", "3 ok", "3 ok"])
    // Reads of the waiting value wait as well, and so do reads whose permission depends on it.
    test.host.send(test.database, from: 4, [.connect, .get(Path("a"))])
    test.host.send(test.database, from: 5, [.connect, .listen(ListenRequest(Path("c")))])
    // A connection that will receive the write gets its answers in order.
    test.host.send(test.database, from: 2, [.get(Path("d"))])
    test.host.waitUntil { test.lines.count == 8 }
    test.host.finish(test.database)
    #expect(test.lines[6...] == ["4 ok", "5 ok"])
    test.makeRoom()
    test.host.waitUntil { test.lines.count == 13 }
    #expect(
      test.lines[8...] == ["2 < put /a 1", "1 written 1", "4 value 1", "5 ok", "2 value 4"])
    test.database.close()
  }

  @Test func `commands are refused when the queue is full`() throws {
    var limits = DatabaseLimits()
    limits.commandsPendingMax = 3
    let test = try StalledDatabase(before: [.put("d", 4)], limits: limits)
    test.host.send(test.database, from: 3, [.connect, .get(Path("d"))])
    test.host.send(test.database, from: 4, [.connect] + (0..<5).map { _ in .get(Path("a")) })
    test.host.send(test.database, from: 3, [.get(Path("d"))])
    test.host.waitUntil { test.lines.count == 6 }
    test.host.finish(test.database)
    #expect(test.lines == ["3 ok", "3 value 4", "4 ok", "4 unavailable", "4 unavailable", "3 value 4"])
    test.makeRoom()
    #expect(test.lines[6...] == ["2 < put /a 1", "1 written 1", "4 value 1", "4 value 1", "4 value 1"])
    test.database.close()
  }

  @Test func `retries have growing delays, and the log is written once a minute`() throws {
    let test = try StalledDatabase()
    var moments: [Int64] = []
    for _ in 0..<30 {
      moments.append(test.host.timers.max() ?? 0)
      test.retry()
    }
    #expect(moments.prefix(8) == [100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300])
    #expect(test.host.notices == ["stalled", "stalled", "stalled"])
    #expect(test.journal.appendCount == 31)
    test.makeRoom()
    #expect(test.host.notices.last?.hasPrefix("resumed after 13") == true)
    test.database.close()
  }

  @Test func `a one-off request is answered with an unknown outcome after a time; a connection waits for the outcome`()
    throws
  {
    let test = try StalledDatabase()
    #expect(test.lines == [])
    // Submitted before the disk was found full, by a connection that is not connected.
    let other = DatabaseHost()
    let journal = MemoryJournal()
    let database = try other.database(journal, rules: Self.open)
    journal.setFull(true)
    other.send(database, [.put("a", 1)])
    for host in [test.host, other] {
      for _ in 0..<8 {
        host.waitUntil { !host.timers.isEmpty }
        host.advance(to: host.timers.max() ?? 0)
      }
      host.waitUntil { !host.timers.isEmpty }
    }
    other.expect(["1 outcome-unknown"])
    #expect(test.lines == [])
    journal.setFull(false)
    other.advance(to: other.timers.max() ?? 0)
    other.waitUntil { database.status == .running }
    #expect(database.published.root[Path("a")] == Node(.int(1)) && other.lines.count == 1)
    test.makeRoom()
    #expect(test.lines == ["2 < put /a 1", "1 written 1"])
    test.database.close()
    database.close()
  }

  @Test func `sign-ins and ends of connections during an outage are made durable afterwards`() throws {
    let rules = #"{"rules": {".read": true, "$u": {".write": "auth.uid == $u"}}}"#
    func person(_ uid: String) -> Command.Action {
      .authenticate(Principal(auth: .object([JSON.Member("uid", .string(uid))])))
    }
    func atEnd(_ path: String) -> Command.Action {
      .onDisconnect(.put(Location(path: Path(path)), WriteValue(Node(.bool(true)))))
    }
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: rules)
    for (number, uid) in [(UInt64(2), "bob"), (3, "cid"), (4, "dan")] {
      host.send(database, from: number, [.connect, person(uid), atEnd(uid)])
    }
    host.waitUntil { host.lines.count == 9 }
    journal.setFull(true)
    host.send(database, [.put("x", 1)])
    host.waitUntil { !host.timers.isEmpty }
    // bob disconnects, cid signs in without permission and disconnects, dan stays connected.
    host.send(database, from: 2, [.disconnect])
    host.send(database, from: 3, [person("eve"), .disconnect])
    host.send(database, from: 4, [person("eve")])
    host.waitUntil { host.lines.count == 11 }
    journal.setFull(false)
    host.advance(to: host.timers.max() ?? 0)
    host.waitUntil { database.status == .running && database.published.sessions.count == 1 }
    host.finish(database)
    let (bob, cid, dan): (Path, Path, Path) = (Path("bob"), Path("cid"), Path("dan"))
    #expect(database.published.root[bob] == Node(.bool(true)) && database.published.root[cid].isEmpty)
    // The on-disconnect write of dan's connection now has eve's permissions, also after the next start.
    let again = try host.database(journal.crash(), rules: rules)
    #expect(again.recovery.openSessionCount == 1)
    #expect(again.published.root[bob] == Node(.bool(true)) && again.published.root[dan].isEmpty)
    again.close()
    database.close()
  }

  @Test func `a database that closes without disk space refuses pending writes, after a last attempt`() throws {
    let test = try StalledDatabase()
    test.database.close()
    #expect(test.lines == ["1 unavailable"])
    let again = try test.host.database(test.journal.crash(), rules: Self.open)
    #expect(again.published.root.isEmpty)
    again.close()

    let lucky = try StalledDatabase()
    lucky.journal.setFull(false)
    lucky.database.close()
    #expect(lucky.lines == ["2 < put /a 1", "1 written 1"])
  }

  @Test func `a disk that fails while writes wait for space ends writing, with the known outcome of each`() throws {
    let test = try StalledDatabase()
    test.journal.setFull(false)
    test.journal.failAppend(2, MemoryJournal.Fault(.inputOutput))
    test.host.advance(to: test.host.timers.max() ?? 0)
    test.host.waitUntil { test.lines.count == 1 }
    #expect(test.lines == ["1 outcome-unknown"])
    #expect(test.host.notices == ["stalled", "halted"])
    test.host.send(test.database, [.put("b", 1)])
    test.host.waitUntil { test.lines.count == 2 }
    #expect(test.lines.last == "1 unavailable")
    test.database.close()
  }

  // MARK: Under load

  /// The messages to one connection.
  private struct Client {
    var replica = Node.empty
    var written: [Int32] = []
    var refused: Set<Int32> = []
  }

  @Test func `with a disk that is full repeatedly every client ends with the content of the tree`() throws {
    let clients = Mutex([ConnectionID: Client]())
    let journal = MemoryJournal()
    let rules = try RuleSet.compile(Self.open)
    var limits = DatabaseLimits()
    (limits.engine.batchCommandsMax, limits.batchesPendingMax, limits.appendRetryMillisecondsMin) = (7, 3, 1)
    let environment = DatabaseEnvironment(
      clock: { Instant(wallMilliseconds: 0, monotonicMilliseconds: 0) },
      schedule: { delay, work in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(min(delay, 2))), execute: work)
      },
      deliver: { effects, _ in
        clients.withLock { clients in
          for effect in effects { Self.follow(effect, &clients) }
        }
      })
    let database = try Database(
      name: "full", journals: SingleJournalFactory(journal), initialRules: rules, environment: environment,
      limits: limits)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      let connection = ConnectionID(rawValue: UInt64(thread + 1))
      var random = SeededRandom(seed: UInt64(thread) + 40)
      database.submit([
        Command(connection: connection, action: .connect),
        Command(connection: connection, action: .listen(ListenRequest(.root))),
      ])
      for number in Int32(1)...150 {
        let place = Path("k\(random.below(6))/k\(random.below(4))")
        let value = random.isOne(in: 4) ? Node.empty : Node(.int(Int64(number)))
        let operation = WriteOperation(.put(Location(path: place), WriteValue(value)))
        database.submit([Command(connection: connection, request: number, action: .write(operation))])
        if random.isOne(in: 20) { journal.setFull(true) }
        if random.isOne(in: 5) { journal.setFull(false) }
      }
    }
    journal.setFull(false)
    database.close()
    let seen = clients.withLock { $0 }
    #expect(seen.count == 4)
    for (connection, client) in seen {
      #expect(client.written == client.written.sorted(), "\(connection)")
      #expect(client.refused.union(client.written) == Set(1...150), "\(connection)")
      #expect(client.refused.count + client.written.count == 150, "\(connection)")
      #expect(client.replica == database.published.root, "\(connection)")
    }
    let again = try Database(
      name: "again", journals: SingleJournalFactory(journal.crash()), initialRules: rules, environment: environment,
      limits: limits)
    #expect(again.published.root == database.published.root)
    again.close()
  }

  private static func follow(_ effect: Effect, _ clients: inout [ConnectionID: Client]) {
    switch effect {
    case .event:
      effect.forEachPut { clients[$0, default: Client()].replica = $1.applied(to: clients[$0]?.replica ?? .empty) }
    case .reply(let connection, let request, .written): clients[connection, default: Client()].written.append(request)
    case .reply(let connection, let request, .failure(.noSpace)):
      clients[connection, default: Client()].refused.insert(request)
    case .queryEvent, .redecided, .reply, .authenticationEnded, .denied: break
    }
  }
}
