import HearthPlugin
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts

/// A sink that accepts records, or fails on command.
private final class TestSink: AuditSink {
  private struct State {
    var taken: [Int64] = []
    var failures: [AuditSinkError] = []
    var isHolding = false
    var held: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  let name: String

  init(_ name: String = "sink") { self.name = name }

  var taken: [Int64] { state.withLock { $0.taken } }
  var heldCount: Int { state.withLock { $0.held.count } }
  func fail(_ errors: AuditSinkError...) { state.withLock { $0.failures = errors } }
  func hold() { state.withLock { $0.isHolding = true } }
  func release() {
    let held = state.withLock { state in
      defer { (state.isHolding, state.held) = (false, []) }
      return state.held
    }
    for one in held { one.resume() }
  }

  func record(_ entry: AuditEntry) async throws {
    await withCheckedContinuation { waiting in
      let isHeld = state.withLock { state in
        if state.isHolding { state.held.append(waiting) }
        return state.isHolding
      }
      if !isHeld { waiting.resume() }
    }
    let failure = state.withLock { $0.failures.isEmpty ? nil : $0.failures.removeFirst() }
    if let failure { throw failure }
    state.withLock { $0.taken.append(entry.sequence) }
  }
}

@Suite struct AuditFeedTests {
  private final class Fixture: Sendable {
    let sinks: Mutex<[TestSink]>
    let pauses = Mutex<[Int64]>([])
    let notices = Mutex<[String]>([])

    init(_ sinks: [TestSink]) { self.sinks = Mutex(sinks) }

    var told: [String] { notices.withLock { $0 } }

    func feed(waitingMax: Int = 1_000) -> AuditFeed {
      AuditFeed(
        waitingMax: waitingMax, sinks: { self.sinks.withLock { $0 } },
        pause: { milliseconds in self.pauses.withLock { $0.append(milliseconds) } },
        nowMilliseconds: { 1_000 }, notice: { notice in self.notices.withLock { $0.append(notice.text) } })
    }
  }

  static func record(_ sequence: Int64) -> AuditRecord {
    AuditRecord(
      sequence: sequence,
      fields: .object([
        .init("seq", .int(sequence)), .init("time", .string("2027-01-15T08:00:00.000Z")),
        .init("event", .string("sign_in_ok")), .init("email", .string("a***@example.com")),
      ]), after: AuditRecord.origin)
  }

  @Test("each sink gets every record in order; a slow sink delays no other")
  func inOrder() async throws {
    let (fast, slow) = (TestSink("fast"), TestSink("slow"))
    slow.hold()
    let feed = Fixture([fast, slow]).feed()
    for sequence: Int64 in 1...50 { feed.add([Self.record(sequence)]) }
    #expect(try await Polling.until { fast.taken == Array(1...50) })
    #expect(slow.taken.isEmpty)
    slow.release()
    #expect(try await Polling.until { slow.taken == Array(1...50) })
    #expect(feed.waitingCount == 0)
  }

  @Test("temporary failures are retried with doubling delays; a refused record is dropped with a log entry")
  func retries() async throws {
    let sink = TestSink()
    let busy = AuditSinkError("is busy", isTemporary: true)
    sink.fail(busy, busy, busy, AuditSinkError("no such index", isTemporary: false))
    let fixture = Fixture([sink])
    let feed = fixture.feed()
    feed.add([Self.record(1), Self.record(2)])
    #expect(try await Polling.until { sink.taken == [2] })
    #expect(fixture.pauses.withLock { $0 } == [500, 1_000, 2_000])
    #expect(fixture.told == ["audit sink sink refused record 1: no such index"])
  }

  @Test("beyond its bound a sink's records are dropped, counted and reported; queued ones are still sent")
  func bounded() async throws {
    let sink = TestSink()
    sink.hold()
    let fixture = Fixture([sink])
    let feed = fixture.feed(waitingMax: 100)
    feed.add([Self.record(0)])
    #expect(try await Polling.until { sink.heldCount == 1 })
    for sequence: Int64 in 1...104 { feed.add([Self.record(sequence)]) }
    #expect(feed.waitingCount == 100)
    #expect(fixture.told.count == 1 && fixture.told[0].contains("1 records were not sent"))
    sink.release()
    #expect(try await Polling.until { sink.taken.count == 100 })
    #expect(sink.taken == Array(0..<100))
    await feed.finish()
    #expect(fixture.told.count == 2 && fixture.told[1].contains("4 records were not sent"))
  }

  @Test("a disabled sink is no longer waited for, and its queued records are reported as dropped")
  func switchedOff() async throws {
    let sink = TestSink()
    sink.hold()
    let fixture = Fixture([sink])
    let feed = fixture.feed()
    feed.add([Self.record(1), Self.record(2), Self.record(3)])
    #expect(try await Polling.until { sink.heldCount == 1 })
    fixture.sinks.withLock { $0 = [] }
    sink.release()
    #expect(try await Polling.until { fixture.told == ["audit sink sink is disabled: 2 records were not sent"] })
    #expect(sink.taken == [1])
  }
}
