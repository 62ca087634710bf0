import HearthJournal
import HearthMetrics
import HearthRules
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of a database's metrics.
@Suite struct DatabaseMetricsTests {
  private static let rules = """
    {"rules": {"open": {".read": true, ".write": true}, "numbers": {".write": true, ".validate": "newData.isNumber()"}}}
    """

  /// A registry with meters, whose clock advances a millisecond with each reading.
  private struct MeteredRegistry {
    let registry = MetricsRegistry()
    let meters: DatabaseMetrics

    init() {
      let ticks = SteppingClock()
      meters = DatabaseMetrics(registry, nanoseconds: { ticks.next() })
    }

    private final class SteppingClock: Sendable {
      private let count = Atomic<UInt64>(0)
      func next() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).newValue * 1_000_000 }
    }

    func number(_ metric: MetricDescription, _ label: String? = nil) -> Int {
      let series = registry.families().first { $0.description == metric }?.series
        .first { $0.labels.map(\.value) == (label.map { [$0] } ?? []) }
      switch series?.value {
      case .number(let value)?: return Int(exactly: value) ?? -1
      case .histogram(let counts)?: return Int(counts.counts.reduce(0, +))
      case nil: return 0
      }
    }
  }

  private static func command(_ action: Command.Action) -> Command {
    Command(connection: ConnectionID(rawValue: 1), request: 1, action: action)
  }

  @Test("each write and each listen is counted once, by its outcome")
  func outcomes() throws {
    let (host, metered) = (DatabaseHost(), MeteredRegistry())
    let database = try host.database(MemoryJournal(), rules: Self.rules, meters: metered.meters)
    let stale = WriteOperation(
      .put(Location(path: Path("open/a")), WriteValue(Node(.int(9)))), expectedHash: "not this")
    let actions: [Command.Action] = [
      .connect, .put("open/a", 1), .put("open/b", 2), .put("closed", 1), .put("numbers", 3), .write(stale),
      .listen(ListenRequest(Path("open"))), .listen(ListenRequest(Path("closed"))), .unlisten(Path("open")),
    ]
    database.submit(actions.map(Self.command))
    host.finish(database)
    #expect(metered.number(.writes, "written") == 3)
    #expect(metered.number(.writes, "denied") == 1)
    #expect(metered.number(.writes, "stale") == 1)
    #expect(metered.number(.writes, "unavailable") == 0)
    #expect(metered.number(.listenRequests, "granted") == 1)
    #expect(metered.number(.listenRequests, "denied") == 1)
    #expect(metered.number(.commits) == 3)
    let figures = database.figures()
    #expect(figures.isRunning && figures.connectionCount == 1 && figures.listenCount == 0 && figures.position == 3)
    #expect(metered.number(.journalWritten) == figures.journalBytes && figures.journalBytes > 0)
    database.close()
    #expect(!database.figures().isRunning)
  }

  @Test("batches that wait for the disk together are one sync")
  func syncs() throws {
    let (host, metered, journal) = (DatabaseHost(), MeteredRegistry(), MemoryJournal())
    let database = try host.database(journal, rules: Self.rules, meters: metered.meters)
    journal.gate.close()
    host.send(database, [.put("n0", 0)])
    host.waitUntil { journal.gate.waitingCount == 1 }
    for i in 1...20 {
      host.send(database, [.put("n\(i)", Int64(i))])
      host.settle(database)
    }
    #expect(metered.number(.writes, "written") == 0, "nothing is durable yet")
    #expect(metered.number(.decide) == 21 && metered.number(.batchCommands) == 21)
    #expect(database.figures().waitingBatchCount == 20)
    journal.gate.open()
    host.finish(database)
    #expect(metered.number(.writes, "written") == 21 && metered.number(.commits) == 21)
    #expect(metered.number(.sync) == 2 && metered.number(.syncBatches) == 2)
    database.close()
  }

  @Test("decisions lost with the disk count as not written")
  func failure() throws {
    let (host, metered, journal) = (DatabaseHost(), MeteredRegistry(), MemoryJournal())
    let database = try host.database(journal, rules: Self.rules, meters: metered.meters)
    journal.failAppend(1, MemoryJournal.Fault(.inputOutput))
    host.send(database, [.put("a", 1)])
    host.finish(database)
    #expect(metered.number(.writes, "written") == 0 && metered.number(.writes, "unavailable") == 1)
    host.send(database, [.put("b", 1)])
    host.finish(database)
    #expect(metered.number(.writes, "unavailable") == 2)
    #expect(!database.figures().isRunning)
    database.close()
  }

  @Test("the oldest command of a batch determines the start of its latency")
  func arrival() {
    var box = Mailbox(limits: DatabaseLimits())
    let tick = Command(connection: ConnectionID(rawValue: 0), action: .tick)
    _ = box.append([tick], sizeBytes: 0, arrivalNanoseconds: 5)
    _ = box.append([tick], sizeBytes: 0, arrivalNanoseconds: 9)
    #expect(box.take(1).count == 1 && box.takenArrivalNanoseconds == 5)
    #expect(box.take(10).count == 1 && box.takenArrivalNanoseconds == 5, "not earlier than it was, and not lost")
    _ = box.append([tick], sizeBytes: 0, arrivalNanoseconds: 12)
    #expect(box.take(10).count == 1 && box.takenArrivalNanoseconds == 12)
    #expect(box.take(10).isEmpty && box.takenArrivalNanoseconds == 0)
  }

  @Test("without metrics no clock is read and no request is counted")
  func none() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.rules)
    host.send(database, [.put("a", 1)])
    host.finish(database)
    #expect(host.lines == ["1 written 1"])
    database.close()
  }
}
