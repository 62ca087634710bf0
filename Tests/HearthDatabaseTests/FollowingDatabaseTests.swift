import HearthEngine
import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthDatabase

/// Tests of a database that follows a log: local decisions, requests to the owner, and the order of delivery.
@Suite struct FollowingDatabaseTests {
  private static let open = #"{"rules": {".read": true, ".write": true}}"#

  /// A fake owner of the log, which answers when the test says so.
  private final class TestOwner: OwnerConnection {
    private struct State {
      var decider: ChangeDecider
      var position: Int64 = 0
      var asked: [(session: UInt64, ticket: UInt64, question: OwnerRequest)] = []
      var said: [String] = []
    }

    private let state: Mutex<State>

    init(rules: RuleSet) {
      state = Mutex(State(decider: ChangeDecider(state: DatabaseState(root: .empty, rules: rules, position: 0))))
    }

    var said: [String] { state.withLock { $0.said } }
    var openQuestions: Int { state.withLock { $0.asked.count } }

    func open(_ session: UInt64) { state.withLock { $0.said.append("open \(session)") } }
    func close(_ session: UInt64) { state.withLock { $0.said.append("close \(session)") } }
    func snapshotIsDue() {}

    func send(_ session: UInt64, ticket: UInt64, _ question: OwnerRequest) {
      state.withLock { $0.asked.append((session, ticket, question)) }
    }

    /// Decides the next request.
    ///
    /// - Returns: The events for the database, in order.
    func answerNext() -> [ReplicationEvent] {
      state.withLock { state in
        let (session, ticket, question) = state.asked.removeFirst()
        let now = Instant(wallMilliseconds: 5, monotonicMilliseconds: 5)
        let decided: ChangeDecider.Decided
        switch question {
        case .newest: return [.answered(ticket: ticket, .newest)]
        case .change(let change):
          decided = state.decider.decide(change, of: session, at: state.position + 1, now)
        case .transaction(let transaction):
          decided = state.decider.transact(transaction, of: session, at: state.position + 1, now)
        }
        guard let content = decided.content else { return [.answered(ticket: ticket, .refused(decided.reply))] }
        state.position += 1
        let record = CommitRecord(
          wallMilliseconds: 5,
          content: .joint(
            (try? CommitRecord.decode(content)) ?? [], of: .request(session: session, request: ticket, answered: 0)))
        var payload: [UInt8] = []
        record.append(to: &payload)
        return [
          .commits(firstPosition: state.position, lastPosition: state.position, payload: payload, isOwn: true),
          .answered(ticket: ticket, .made(decided.reply)),
        ]
      }
    }
  }

  /// Session numbers 101, 102 and so on.
  private final class Numbers: Sendable {
    private let last = Atomic<UInt64>(100)
    func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
  }

  private struct Fixture {
    let host = DatabaseHost()
    let owner: TestOwner
    let database: Database

    init(rules: String = open) throws {
      let compiled = try RuleSet.compile(rules)
      let (owner, host) = (TestOwner(rules: compiled), host)
      self.owner = owner
      var environment = host.environment
      environment.closeConnection = { host.note("closed \($0.rawValue)") }
      environment.servingChanged = { host.note($0 ? "serving" : "away") }
      let numbers = Numbers()
      database = Database(
        name: "test", following: owner, of: MemoryJournal(), from: ReplicationStart(initialRules: compiled),
        environment: environment, makeSession: { numbers.next() })
    }

    /// Decides all requests and delivers their effects.
    func answerAll() {
      host.settle(database)
      while owner.openQuestions > 0 {
        for event in owner.answerNext() { database.follower?.take(event) }
        host.settle(database)
      }
      host.finish(database)
    }
  }

  @Test func `a write is forwarded to the owner, and delivered before it is acknowledged`() throws {
    let fixture = try Fixture()
    fixture.host.send(
      fixture.database, [.connect, .listen(ListenRequest(Path("a"))), .put("a", 1)])
    fixture.host.finish(fixture.database)
    fixture.host.finish(fixture.database)
    let before = fixture.host.lines
    #expect(!before.contains { $0.contains("written") })
    fixture.answerAll()
    #expect(fixture.host.lines.dropFirst(before.count).map { $0 } == ["1 < put /a 1", "1 written 1"])
    #expect(fixture.database.published.position == 1)
    fixture.database.close()
  }

  @Test func `a read sees the commits that the owner requires`() throws {
    let fixture = try Fixture()
    fixture.host.send(fixture.database, [.connect, .put("a", 7), .get(Path("a"))])
    fixture.host.finish(fixture.database)
    #expect(fixture.owner.openQuestions == 2)
    fixture.answerAll()
    #expect(fixture.host.lines.last == "1 value 7")
    fixture.database.close()
  }

  @Test func `a session begins with the first request and ends with its connection`() throws {
    let fixture = try Fixture()
    fixture.host.send(fixture.database, [.connect, .listen(ListenRequest(Path("a")))])
    fixture.answerAll()
    #expect(fixture.owner.said == [])
    fixture.host.send(fixture.database, [.onDisconnect(.put(Location(path: Path("a")), WriteValue(Node(.int(1)))))])
    fixture.answerAll()
    fixture.host.send(fixture.database, [.disconnect])
    fixture.answerAll()
    #expect(fixture.owner.said == ["open 101", "close 101"])
    fixture.database.close()
  }

  @Test func `when another node ends a session, its connection is closed`() throws {
    let fixture = try Fixture()
    fixture.host.send(fixture.database, [.connect, .get(Path("a"))])
    fixture.host.finish(fixture.database)
    fixture.database.follower?.take(.sessionEnded(101))
    fixture.host.finish(fixture.database)
    #expect(fixture.host.lines.last == "closed 1")
    // The answer is too late and has no recipient.
    for event in fixture.owner.answerNext() { fixture.database.follower?.take(event) }
    fixture.host.finish(fixture.database)
    #expect(fixture.host.lines.last == "closed 1")
    fixture.database.close()
  }

  @Test func `a connection whose session was ended by another node sends no further command`() throws {
    let fixture = try Fixture()
    let onDisconnectWrite = Command.Action.onDisconnect(.put(Location(path: Path("a")), WriteValue(Node(.int(1)))))
    fixture.host.send(fixture.database, [.connect, onDisconnectWrite])
    fixture.host.finish(fixture.database)
    fixture.database.follower?.take(.sessionEnded(101))
    // Commands that the connection had sent before it was closed.
    fixture.host.send(fixture.database, [onDisconnectWrite, .get(Path("b")), .listen(ListenRequest(Path("b")))])
    fixture.host.finish(fixture.database)
    fixture.host.send(fixture.database, [.disconnect])
    fixture.host.finish(fixture.database)
    fixture.host.finish(fixture.database)
    #expect(fixture.owner.said == ["open 101"])
    #expect(fixture.owner.openQuestions == 1)
    #expect(fixture.host.lines == ["1 ok", "closed 1"])
    fixture.database.close()
  }

  @Test func `a database that restarts disconnects every client`() throws {
    let fixture = try Fixture()
    fixture.database.follower?.take(.serving(true))
    fixture.host.send(fixture.database, [.connect, .put("a", 1)])
    fixture.answerAll()
    fixture.host.send(fixture.database, [.get(Path("a"))])
    fixture.host.finish(fixture.database)
    fixture.database.follower?.take(.replaced(ReplicationStart(initialRules: try RuleSet.compile(Self.open))))
    fixture.host.finish(fixture.database)
    #expect(fixture.host.lines.contains("away"))
    #expect(fixture.database.published.root.isEmpty)
    #expect(fixture.database.published.position == 0)
    // The session has already ended: the end of its connection changes nothing.
    #expect(fixture.owner.said.filter { $0 == "close 101" } == ["close 101"])
    fixture.host.send(fixture.database, [.disconnect])
    fixture.host.finish(fixture.database)
    #expect(fixture.owner.said.filter { $0 == "close 101" } == ["close 101"])

    // The answer to an earlier request must not be taken for the answer to this one.
    fixture.host.send(fixture.database, from: 2, [.connect, .get(Path("a"))])
    fixture.host.finish(fixture.database)
    let count = fixture.host.lines.count
    for event in fixture.owner.answerNext() { fixture.database.follower?.take(event) }
    fixture.host.finish(fixture.database)
    #expect(fixture.host.lines.count == count)
    for event in fixture.owner.answerNext() { fixture.database.follower?.take(event) }
    fixture.host.finish(fixture.database)
    #expect(fixture.host.lines.last?.hasPrefix("2 value") ?? false)
    fixture.database.close()
  }

  @Test func `rows that cannot be followed stop the database, and are not applied`() throws {
    let fixture = try Fixture()
    fixture.database.follower?.take(.commits(firstPosition: 3, lastPosition: 3, payload: [1, 2, 3], isOwn: false))
    fixture.host.finish(fixture.database)
    #expect(fixture.host.notices == ["halted"])
    fixture.host.send(fixture.database, [.connect, .get(Path("a"))])
    fixture.host.finish(fixture.database)
    #expect(fixture.owner.openQuestions == 0)
    fixture.database.close()
  }
}
