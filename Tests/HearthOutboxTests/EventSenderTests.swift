import Dispatch
import Glibc
import HearthDatabase
import HearthEngine
import HearthJournal
import HearthOutbound
import HearthOutbox
import HearthPlugin
import HearthRules
import HearthTree
import HearthTriggers
import Logging
import Synchronization
import Testing

/// A database, its outbox and a sender, with a receiver and a clock that the test controls.
private final class Fixture: Sendable {
  private struct State {
    var now: Int64 = 1_795_329_000_000
    var timers: [(due: Int64, work: @Sendable () -> Void)] = []
    var requests: [OutboundRequest] = []
    var answer: @Sendable (Int, OutboundRequest) -> Result<OutboundResponse, OutboundError> = { _, _ in
      .success(OutboundResponse(status: 204))
    }
    var notices: [TriggerNotice] = []
    var receivers: [String: any WriteReceiver] = [:]
  }

  private struct Client: OutboundHTTP {
    let fixture: Fixture

    func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
      let (number, answer) = fixture.state.withLock { state in
        state.requests.append(request)
        return (state.requests.count, state.answer)
      }
      return try answer(number, request).get()
    }
  }

  private let state = Mutex(State())
  let journal: OutboxInMemory

  init(_ journal: OutboxInMemory = OutboxInMemory()) { self.journal = journal }

  var requests: [OutboundRequest] { state.withLock { $0.requests } }
  var bodies: [JSON] { requests.compactMap { JSON(parsing: $0.body) } }
  var notices: [TriggerNotice] { state.withLock { $0.notices } }

  func answer(_ answer: @escaping @Sendable (Int, OutboundRequest) -> Result<OutboundResponse, OutboundError>) {
    state.withLock { $0.answer = answer }
  }

  func run(_ receiver: (any WriteReceiver)?, as name: String) { state.withLock { $0.receivers[name] = receiver } }

  func sender(isSending: Bool = true) -> EventSender {
    EventSender(
      environment: SenderEnvironment(
        clock: { self.state.withLock { $0.now } }, chance: { 0.5 },
        schedule: { delay, work in self.state.withLock { $0.timers.append(($0.now + delay, work)) } },
        client: { _ in Client(fixture: self) },
        receiver: { name in self.state.withLock { $0.receivers[name] } }, project: "demo-proj", host: "db.example.org"),
      isSending: isSending,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { notice in self.state.withLock { $0.notices.append(notice) } }
  }

  func database(_ sender: EventSender, isStrict: Bool = true) throws -> Database {
    var environment = DatabaseEnvironment(
      clock: {
        let now = self.state.withLock { $0.now }
        return Instant(wallMilliseconds: now, monotonicMilliseconds: now)
      },
      schedule: { _, _ in },
      deliver: { _, _ in })
    environment.outbox = sender.outbox(of: "demo", isStrict: isStrict)
    let database = try Database(
      name: "demo", journals: OneOutbox(journal: journal),
      initialRules: try RuleSet.compile(#"{"rules":{".write":true}}"#), environment: environment)
    try sender.attach(database)
    return database
  }

  func put(_ database: Database, _ path: String, _ value: Int64) {
    let operation = WriteOperation(.put(Location(path: Path(path)), WriteValue(Node(.int(value)))))
    database.submit([
      Command(
        connection: ConnectionID(rawValue: 1), request: 1, principal: .administrator, action: .write(operation))
    ])
  }

  /// Advances the clock and fires the timers that are due.
  func advance(_ milliseconds: Int64) {
    let due = state.withLock { state in
      state.now += milliseconds
      let now = state.now
      defer { state.timers.removeAll { $0.due <= now } }
      return state.timers.filter { $0.due <= now }
    }
    for timer in due { timer.work() }
  }

  /// Waits until a condition is true; gives up after a time that only a deadlock would take.
  func until(_ isSo: () throws -> Bool) async throws {
    for _ in 0..<20_000 {
      if try isSo() { return }
      try await Task.sleep(for: .milliseconds(1))
    }
    Issue.record("it did not come so far")
  }
}

@Suite struct EventSenderTests {
  private static func trigger(
    _ eventType: TriggerEventType = .write, url: String = "http://127.0.0.1:1/", retries: Bool = false
  ) throws -> TriggerDefinition {
    var definition = try TriggerDefinition(
      name: "t", .writes(databases: .all, pattern: try TriggerPattern("/n/{id}"), eventType: eventType), to: .url(url),
      form: .webhook)
    definition.retries = retries
    return definition
  }

  @Test("events of writes arrive in order for each location, and delivered ones are removed")
  func delivery() async throws {
    let fixture = Fixture()
    let sender = fixture.sender()
    sender.set([try Self.trigger()])
    let database = try fixture.database(sender)
    for number in Int64(0)..<1_000 { fixture.put(database, "n/k\(number % 7)", number) }
    try await fixture.until { fixture.requests.count == 1_000 }
    for key in 0..<7 {
      let values = fixture.bodies.filter { $0["data"]?["path"]?.string == "/n/k\(key)" }
        .compactMap { $0["data"]?["values"]?["after"]?.int }
      #expect(values == values.sorted() && values.count >= 142)
    }
    #expect(Set(fixture.bodies.compactMap { $0["id"]?.string }).count == 1_000)
    try await fixture.until {
      fixture.advance(50)
      return try fixture.journal.outboxFigures(of: "t").waitingCount == 0
    }
    #expect(fixture.requests.count == 1_000)
    sender.stop()
    database.close()
  }

  @Test("unsent events are sent by the next server with the same id")
  func restart() async throws {
    let journal = OutboxInMemory()
    let first = Fixture(journal)
    let idle = first.sender(isSending: false)
    idle.set([try Self.trigger()])
    let database = try first.database(idle)
    for number in Int64(0)..<3 { first.put(database, "n/a", number) }
    try await first.until { try journal.outboxFigures(of: "t").waitingCount == 3 }
    #expect(first.requests.isEmpty)
    idle.stop()

    let second = Fixture(journal)
    let sender = second.sender()
    sender.set([try Self.trigger()])
    try sender.attach(database)
    try await second.until { second.requests.count == 3 }
    #expect(second.bodies.compactMap { $0["data"]?["values"]?["after"]?.int } == [0, 1, 2])
    sender.stop()
    database.close()
  }

  @Test("an unreachable receiver gets all events once it is reachable")
  func downAndUp() async throws {
    let fixture = Fixture()
    fixture.answer { _, _ in .failure(OutboundError(.unreachable, "no")) }
    let sender = fixture.sender()
    sender.set([try Self.trigger()])
    let database = try fixture.database(sender)
    for number in Int64(0)..<100 { fixture.put(database, "n/k\(number)", number) }
    try await fixture.until { try fixture.journal.outboxFigures(of: "t").waitingCount == 100 }
    try await fixture.until { fixture.requests.count >= 5 }
    try await fixture.until { (try? sender.status.json(of: "t")["isUnreachable"]?.bool) == true }
    fixture.answer { _, _ in .success(OutboundResponse(status: 200)) }
    try await fixture.until {
      fixture.advance(1_000)
      return try fixture.journal.outboxFigures(of: "t").waitingCount == 0
    }
    let ids = Dictionary(grouping: fixture.bodies.compactMap { $0["id"]?.string }, by: \.self)
    #expect(ids.count == 100)
    #expect(try fixture.journal.outboxFigures(of: "t").deadCount == 0)
    sender.stop()
    database.close()
  }

  @Test("events that the disk delays arrive later, in order", arguments: [1, 2, 3, 4])
  func unreadable(count: Int) async throws {
    let fixture = Fixture()
    let sender = fixture.sender()
    sender.set([try Self.trigger()])
    let database = try fixture.database(sender)
    fixture.journal.failReads(count)
    for number in Int64(0)..<20 { fixture.put(database, "n/a", number) }
    try await fixture.until {
      fixture.advance(1_000)
      return try fixture.requests.count >= 20 && fixture.journal.outboxFigures(of: "t").waitingCount == 0
    }
    #expect(fixture.bodies.compactMap { $0["data"]?["values"]?["after"]?.int } == Array(0..<20))
    #expect(try fixture.journal.outboxFigures(of: "t").deadCount == 0)
    sender.stop()
    database.close()
  }

  @Test("a failing handler leaves a dead letter, which is sent again with its id")
  func replay() async throws {
    let fixture = Fixture()
    fixture.answer { number, _ in .success(OutboundResponse(status: number == 1 ? 500 : 204)) }
    let sender = fixture.sender()
    sender.set([try Self.trigger()])
    let database = try fixture.database(sender)
    fixture.put(database, "n/a", 1)
    try await fixture.until {
      fixture.advance(50)
      return try fixture.journal.outboxFigures(of: "t").deadCount == 1
    }
    let letter = try #require(try sender.deadLetters.list(of: "t").first)
    #expect(letter["reason"]?.string == "the handler failed: status 500")
    #expect(try sender.deadLetters.replay("t", letter: "nonsense") == nil)
    #expect(try sender.deadLetters.replay("t", letter: letter["letter"]?.string) == 1)
    try await fixture.until { fixture.requests.count == 2 }
    #expect(fixture.bodies[0]["id"]?.string == fixture.bodies[1]["id"]?.string)
    #expect(fixture.requests[0].body == fixture.requests[1].body)
    sender.stop()
    database.close()
  }

  @Test("an event that completes during a rescan is not sent again")
  func rereadQueues() async throws {
    let (fixture, gate) = (Fixture(), DispatchSemaphore(value: 0))
    fixture.answer { number, _ in
      if number == 2 { gate.wait() }
      return .success(OutboundResponse(status: 204))
    }
    let sender = fixture.sender()
    sender.set([try Self.trigger()])
    let database = try fixture.database(sender)
    fixture.put(database, "n/a", 1)
    try await fixture.until { sender.status.statuses().first?.figures.deliveredCount == 1 }
    fixture.put(database, "n/b", 1)
    try await fixture.until { fixture.requests.count == 2 }
    // The first outcome is being stored; the second arrives too late to be stored with it.
    fixture.journal.beforeSettling {
      gate.signal()
      while sender.status.statuses().first?.figures.deliveredCount != 2 { usleep(1_000) }
    }
    sender.rereadQueues()
    try await fixture.until { sender.status.statuses().first?.figures.deliveredCount == 2 }
    fixture.put(database, "n/c", 1)
    try await fixture.until { fixture.requests.count >= 3 }
    try await fixture.until {
      fixture.advance(50)
      return try fixture.journal.outboxFigures(of: "t").waitingCount == 0
    }
    #expect(fixture.bodies.compactMap { $0["data"]?["path"]?.string } == ["/n/a", "/n/b", "/n/c"])
    sender.stop()
    database.close()
  }

  @Test("a paused trigger keeps its events; a missing one is reported")
  func pauseAndGone() async throws {
    let fixture = Fixture()
    fixture.answer { _, _ in .success(OutboundResponse(status: 410)) }
    let sender = fixture.sender()
    var paused = try Self.trigger()
    paused.pause = "by hand"
    sender.set([paused])
    let database = try fixture.database(sender)
    fixture.put(database, "n/a", 1)
    try await fixture.until { try fixture.journal.outboxFigures(of: "t").waitingCount == 1 }
    #expect(fixture.requests.isEmpty)
    sender.set([try Self.trigger()])
    try await fixture.until { fixture.notices.contains(.gone(trigger: "t")) }
    #expect(try fixture.journal.outboxFigures(of: "t").waitingCount == 1)
    sender.stop()
    database.close()
  }

  /// A plugin that accepts events, or throws the errors that the test sets.
  private final class TestPlugin: WriteReceiver {
    let name = "index"
    private let failure: (any Error)?
    private let taken = Mutex<[WriteEvent]>([])

    init(_ failure: (any Error)? = nil) { self.failure = failure }

    var all: [WriteEvent] { taken.withLock { $0 } }

    func take(_ event: WriteEvent) async throws {
      taken.withLock { $0.append(event) }
      if let failure { throw failure }
    }
  }

  private static func pluginTrigger() throws -> TriggerDefinition {
    try TriggerDefinition(
      name: "t", .writes(databases: .all, pattern: try TriggerPattern("/n/{id}"), eventType: .write),
      to: .plugin("index"),
      form: .webhook)
  }

  @Test("a plugin that does not run yet gets its events, in order, once it runs")
  func plugin() async throws {
    let fixture = Fixture()
    let sender = fixture.sender()
    sender.set([try Self.pluginTrigger()])
    let database = try fixture.database(sender)
    for number in Int64(0)..<20 { fixture.put(database, "n/a", number) }
    try await fixture.until { try sender.status.json(of: "t")["notRun"]?.int == 1 }
    let plugin = TestPlugin()
    fixture.run(plugin, as: "index")
    sender.pluginsChanged()
    try await fixture.until { plugin.all.count == 20 }
    #expect(plugin.all.map(\.data.values?.after) == (0..<20).map { .int($0) })
    #expect(plugin.all[1].data.values?.before == .int(0))
    #expect(Set(plugin.all.map(\.id)).count == 20)
    let first = try #require(plugin.all.first)
    #expect((first.type, first.data.path, first.data.params) == ("database.created", "/n/a", ["id": "a"]))
    #expect((first.data.author.type, first.data.trigger, first.data.database) == ("admin", "t", "demo"))
    #expect(fixture.requests.isEmpty)
    sender.stop()
    database.close()
  }

  @Test(
    "a plugin's reason for a refused event is reported",
    arguments: [
      (WriteReceiverFailure.failed("x") as any Error & Sendable, "the handler failed: x"),
      (WriteReceiverFailure.unknown("y"), "the handler may have run: y"),
      (CancellationError(), "the handler failed: plugin index failed"),
    ])
  func pluginFails(failure: any Error & Sendable, reason: String) async throws {
    let fixture = Fixture()
    fixture.run(TestPlugin(failure), as: "index")
    let sender = fixture.sender()
    sender.set([try Self.pluginTrigger()])
    let database = try fixture.database(sender)
    fixture.put(database, "n/a", 1)
    try await fixture.until {
      fixture.advance(50)
      return try fixture.journal.outboxFigures(of: "t").deadCount == 1
    }
    #expect(try sender.deadLetters.list(of: "t").first?["reason"]?.string == reason)
    sender.stop()
    database.close()
  }

  @Test("an event that a plugin cannot accept at the moment is sent to it again")
  func pluginIsBusy() async throws {
    let fixture = Fixture()
    let busy = TestPlugin(WriteReceiverFailure.notRun("busy"))
    fixture.run(busy, as: "index")
    let sender = fixture.sender()
    sender.set([try Self.pluginTrigger()])
    let database = try fixture.database(sender)
    fixture.put(database, "n/a", 1)
    try await fixture.until { busy.all.count == 1 }
    let plugin = TestPlugin()
    fixture.run(plugin, as: "index")
    try await fixture.until {
      fixture.advance(1_000)
      return plugin.all.count == 1
    }
    #expect(plugin.all == busy.all)
    sender.stop()
    database.close()
  }
}
