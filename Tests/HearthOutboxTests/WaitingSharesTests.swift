import HearthJournal
import HearthOutbound
import HearthTree
import HearthTriggers
import Logging
import Testing

@testable import HearthEngine
@testable import HearthOutbox

/// Tests of each account's share of a trigger's queue.
@Suite struct WaitingSharesTests {
  private static let eventsMax = 640

  /// A sender with one trigger that delivers nothing, and the outbox of a database.
  private final class Fixture {
    let sender: EventSender
    let outbox: DatabaseOutboxOfTest
    private var position: Int64 = 0

    init(bytesMax: Int = TriggerLimits.waitingBytesMax) throws {
      var environment = SenderEnvironment(
        clock: { 1_795_329_000_000 }, chance: { 0.5 }, schedule: { _, _ in }, client: { _ in NoClient() },
        project: "demo-proj", host: "db.example.org")
      (environment.waitingEventsMax, environment.waitingBytesMax) = (WaitingSharesTests.eventsMax, bytesMax)
      sender = EventSender(
        environment: environment, isSending: false, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { _ in }
      let pattern = try TriggerPattern("/n/{id}")
      sender.set([
        try TriggerDefinition(
          name: "t", .writes(databases: .all, pattern: pattern, eventType: .write), to: .url("http://127.0.0.1:1/"),
          form: .webhook)
      ])
      try sender.attach(OutboxInMemory(), as: "demo")
      let made = try #require(sender.outbox(of: "demo", isStrict: true))
      outbox = DatabaseOutboxOfTest(entries: made.entries, stored: made.stored)
    }

    /// Returns true when the event of a write waits, and false when it becomes a dead letter.
    func write(_ principal: Principal, bytes: Int = 1) -> Bool {
      position += 1
      let root = Node.empty.replacing(Path("n/a"), with: Node(.string(String(repeating: "x", count: bytes))))
      let change = CommittedChange(
        position: position, wallMilliseconds: 1, paths: [Path("n/a")], oldRoot: .empty, newRoot: root,
        principal: principal)
      let entries = outbox.entries([change])
      #expect(outbox.entries([change]) == entries, "made again when storing them failed, with the same outcome")
      outbox.stored(entries)
      return entries.allSatisfy { $0.deadReason == nil } && entries.count == 1
    }
  }

  private struct DatabaseOutboxOfTest {
    let entries: @Sendable ([CommittedChange]) -> [OutboxEntry]
    let stored: @Sendable ([OutboxEntry]) -> Void
  }

  private struct NoClient: OutboundHTTP {
    func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
      OutboundResponse(status: 500)
    }
  }

  private static func user(_ uid: String) -> Principal {
    Principal(auth: .object([JSON.Member("uid", .string(uid))]))
  }

  @Test func `an account whose writes have filled a trigger's queue leaves room for the events of others`() throws {
    let fixture = try Fixture()
    let waiting = (0..<1_000).count { _ in fixture.write(Self.user("hog")) }
    #expect(waiting == Self.eventsMax * 7 / 8)
    for number in 0..<20 { #expect(fixture.write(Self.user("guest \(number)"))) }
    #expect(fixture.write(.signedOut) && !fixture.write(.signedOut), "signed-out clients are one account")
    #expect(!fixture.write(Self.user("hog")))
    #expect(fixture.write(.administrator))
    // Many accounts together leave administrators the last part of the queue.
    let others = (0..<1_000).count { fixture.write(Self.user("other \($0)")) }
    #expect(others > 0 && others < Self.eventsMax / 8)
    #expect(fixture.write(.administrator))
  }

  @Test func `an account whose large events have filled a trigger's queue leaves room for the events of others`()
    throws
  {
    let fixture = try Fixture(bytesMax: 1 << 20)
    let waiting = (0..<400).count { _ in fixture.write(Self.user("hog"), bytes: 8_000) }
    #expect(waiting > 50 && waiting < 150)
    #expect(fixture.write(Self.user("guest"), bytes: 8_000))
    #expect(!fixture.write(Self.user("hog"), bytes: 8_000))
  }

  @Test func `a completed event frees its share, and an empty account is removed`() throws {
    var environment = SenderEnvironment(
      clock: { 0 }, chance: { 0 }, schedule: { _, _ in }, client: { _ in NoClient() }, project: "p", host: "h")
    environment.waitingEventsMax = 8
    var shares = WaitingShares()
    let hog = ShareClaimant(account: "hog")
    func entry(_ number: Int64) -> OutboxEntry {
      OutboxEntry(
        queue: "t", place: OutboxPlace(position: number, ordinal: 1), lane: "", milliseconds: 0, content: [1, 2, 3])
    }
    func isAdmitted(_ number: Int64) -> Bool {
      var batch = WaitingShares.Batch()
      let isAdmitted = shares.admit(entry(number), of: hog, in: &batch, environment)
      if isAdmitted { shares.stored(entry(number)) }
      return isAdmitted
    }
    #expect((Int64(0)..<7).allSatisfy(isAdmitted) && !isAdmitted(7))
    for number in Int64(0)..<7 { shares.release(entry(number).place, sizeBytes: 3) }
    #expect(shares.total.count == 0 && shares.total.bytes == 0 && shares.writerCount == 0)
    shares.release(entry(99).place, sizeBytes: 3)
    #expect(shares.total.count == 0 && isAdmitted(8))
  }
}
