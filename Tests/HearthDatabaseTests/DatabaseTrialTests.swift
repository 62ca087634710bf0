import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import HearthTrial
import Synchronization
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of staged rules on a live database: they are evaluated outside the deciding queue and never delay it.
@Suite struct DatabaseTrialTests {
  private static let open = #"{"rules":{".read":true,".write":true}}"#
  private static let staged = #"{"rules":{"a":{".read":true},"n":{".validate":"newData.val() < 10"}}}"#

  /// Waits until no decisions are left to evaluate.
  private func settle(_ host: DatabaseHost, _ database: Database) {
    host.settle(database)
    database.trial?.queue.sync {}
  }

  @Test func `decisions of a live database are evaluated with the staged rules, and the trial ends with its report`()
    throws
  {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open)
    defer { database.close() }
    #expect(database.trial == nil && database.endTrial() == nil)
    host.send(database, [.connect, .get(Path("b"))])
    host.settle(database)
    let trial = database.beginTrial(of: try RuleSet.compile(Self.staged))
    host.send(database, [.get(Path("a")), .get(Path("b")), .listen(ListenRequest(Path("c")))])
    settle(host, database)
    let report = trial.report()
    #expect((report.judgedCount, report.equalCount, report.closedCount, report.droppedCount) == (3, 1, 2, 0))
    #expect(database.endTrial()?.judgedCount == 3)
    host.send(database, [.get(Path("b"))])
    settle(host, database)
    #expect(trial.report().judgedCount == 3)
    #expect(database.decider.engine.withLock { $0.decisionRecorder == nil })
  }

  @Test func `a stalled evaluation of staged rules delays no command, and skipped decisions are counted`() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open)
    defer { database.close() }
    var limits = TrialLimits()
    limits.waitingCountMax = 50
    let trial = database.beginTrial(of: try RuleSet.compile(Self.staged), limits: limits)
    trial.queue.suspend()
    host.send(database, [.connect] + (0..<500).map { .get(Path("k\($0)")) })
    host.waitUntil { host.lines.count >= 501 }
    #expect(host.lines.count == 501)
    #expect(trial.report().judgedCount == 0 && trial.report().droppedCount == 450)
    trial.queue.resume()
    settle(host, database)
    #expect(trial.report().judgedCount == 50 && trial.report().closedCount == 50)
  }

  @Test func `the evaluation of staged rules pauses for as long as it worked`() throws {
    let ticks = Atomic<Int64>(0)
    let rests = Mutex<[Int64]>([])
    let trial = RulesTrial(
      of: try RuleSet.compile(Self.staged), limits: TrialLimits(), of: "test",
      source: ForecastSource(
        connections: { [] }, listens: { _ in StandingListens(state: Self.state) }, state: { Self.state }),
      clock: {
        // Each reading of the clock is a millisecond later.
        let now = ticks.wrappingAdd(1, ordering: .relaxed).newValue
        return Instant(wallMilliseconds: now, monotonicMilliseconds: now)
      },
      schedule: { milliseconds, work in
        rests.withLock { $0.append(milliseconds) }
        work()
      })
    var decided = RecordedDecisions()
    for _ in 0..<12 {
      decided.cases.append(
        RecordedDecision(
          .get, Path("b"), query: nil, as: .signedOut, of: Self.state, nowMilliseconds: 0, isAllowed: true))
    }
    trial.enqueue(decided)
    for _ in 0..<8 { trial.queue.sync {} }
    #expect(trial.report().judgedCount == 12)
    #expect(rests.withLock { $0 } == [4, 4, 4])
  }

  private static let state = DatabaseState(root: .empty, rules: .denyAll, position: 0)

  @Test func `decisions are counted while a subscriber exists`() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: #"{"rules":{"a":{".read":true}}}"#)
    defer { database.close() }
    host.advance(to: 5_000)
    host.send(database, [.connect, .get(Path("a"))])
    host.settle(database)
    database.measureTraffic(true)
    host.send(database, [.get(Path("a")), .get(Path("a")), .get(Path("b")), .listen(ListenRequest(Path("a")))])
    host.settle(database)
    #expect(database.traffic(inLastMilliseconds: 1_000).allowedCount == 3)
    #expect(database.traffic(inLastMilliseconds: 1_000).deniedCount == 1)
    // The effect of the promotion on listeners is counted at once.
    host.send(database, [.deployRules(.denyAll)])
    host.settle(database)
    #expect(database.traffic(inLastMilliseconds: 1_000).cancelledCount == 1)
    host.advance(to: 7_000)
    #expect(database.traffic(inLastMilliseconds: 1_000).decidedCount == 0)
    #expect(database.traffic(inLastMilliseconds: 5_000).decidedCount == 5)
    database.measureTraffic(false)
    host.send(database, [.get(Path("a"))])
    host.settle(database)
    #expect(database.traffic(inLastMilliseconds: 5_000).decidedCount == 5)
    #expect(database.decider.engine.withLock { $0.decisionRecorder == nil })
  }

  @Test
  func `a forecast lists the listens that promoting would cancel and the writes it would refuse, and cancels none`()
    throws
  {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open)
    defer { database.close() }
    host.send(
      database, [.connect, .put("n", 50), .listen(ListenRequest(Path("a"))), .listen(ListenRequest(Path("b")))])
    host.waitUntil { database.published.position == 1 }
    let trial = database.beginTrial(of: try RuleSet.compile(Self.staged))
    let ended = Mutex<[TrialForecast]>([])
    trial.startForecast { forecast in ended.withLock { $0.append(forecast) } }
    host.waitUntil { ended.withLock { $0.count } == 1 }
    let forecast = try #require(trial.report().forecast)
    #expect(forecast.state == .complete)
    #expect((forecast.listeners.examinedCount, forecast.listeners.cancelledCount) == (2, 1))
    #expect(forecast.listeners.patterns.map(\.pattern) == ["/…"])
    #expect(forecast.data.failures.map(\.paths) == [["/n"]])
    #expect(database.decider.engine.withLock { $0.listenCount } == 2)
  }

  @Test func `a forecast ends when it is cancelled, when its trial ends, and when it takes too long`() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open)
    defer { database.close() }
    let ended = Mutex<[TrialForecast.State]>([])
    let note: @Sendable (TrialForecast) -> Void = { forecast in ended.withLock { $0.append(forecast.state) } }
    let trial = database.beginTrial(of: try RuleSet.compile(Self.staged))
    trial.queue.suspend()
    trial.startForecast(note)
    trial.startForecast(note)
    #expect(trial.forecast?.state == .running)
    trial.cancelForecast()
    trial.queue.resume()
    host.waitUntil { ended.withLock { $0.count } == 2 }
    trial.queue.suspend()
    trial.startForecast(note)
    host.advance(to: 601_000)
    trial.queue.resume()
    host.waitUntil { ended.withLock { $0.count } == 3 }
    trial.queue.suspend()
    trial.startForecast(note)
    _ = database.endTrial()
    trial.queue.resume()
    host.waitUntil { ended.withLock { $0.count } == 4 }
    #expect(ended.withLock { $0 } == [.cancelled, .cancelled, .timedOut, .cancelled])
  }

  @Test func `staged rules can be replaced by others`() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open)
    defer { database.close() }
    let first = database.beginTrial(of: try RuleSet.compile(Self.staged))
    let second = database.beginTrial(of: .denyAll)
    #expect(database.trial === second)
    host.send(database, [.connect, .get(Path("a"))])
    settle(host, database)
    #expect(first.report().judgedCount == 0 && second.report().closedCount == 1)
  }
}
