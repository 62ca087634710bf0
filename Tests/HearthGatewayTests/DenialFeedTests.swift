import HearthRules
import HearthTree
import Synchronization
import Testing

@testable import HearthEngine
@testable import HearthGateway

/// Tests of the feed of denials for the console.
@Suite struct DenialFeedTests {
  private final class ManualClock: Sendable {
    let now = Atomic<Int64>(1_000)
    var clock: @Sendable () -> Instant {
      {
        let now = self.now.load(ordering: .relaxed)
        return Instant(wallMilliseconds: now + 1_000_000, monotonicMilliseconds: now)
      }
    }

    func advance(_ milliseconds: Int64) { now.wrappingAdd(milliseconds, ordering: .relaxed) }
  }

  private static func add(_ feed: DenialFeed, _ path: String, uid: String? = nil, connection: UInt64 = 256) {
    feed.add(
      operation: "get", cause: nil, decision: nil, path: Path(path), principal: Principal(auth: nil, uid: uid),
      database: "default", connection: ConnectionID(rawValue: connection), trace: "t")
  }

  @Test("equal denials within a second are one entry, which is delivered again with its count")
  func folding() throws {
    let time = ManualClock()
    let feed = DenialFeed(clock: time.clock)
    var cursor = feed.cursor(after: nil, newest: 10)
    for _ in 0..<3 { Self.add(feed, "a") }
    Self.add(feed, "a", uid: "kim")
    Self.add(feed, "a", connection: 512)
    let first = feed.read(&cursor, limit: 100)
    #expect(first.entries.map(\.count) == [3, 1, 1] && first.missed == 0)
    #expect(
      first.entries.map(\.uid) == [nil, "kim", nil]
        && first.entries.map(\.atMilliseconds) == [1_001_000, 1_001_000, 1_001_000])
    #expect(feed.read(&cursor, limit: 100).entries.isEmpty)
    Self.add(feed, "a")
    let again = feed.read(&cursor, limit: 100).entries
    #expect(again.map(\.id) == [first.entries[0].id] && again.map(\.count) == [4])
    time.advance(1_000)
    Self.add(feed, "a")
    let later = feed.read(&cursor, limit: 100).entries
    #expect(later.map(\.count) == [1] && later[0].id > again[0].id)
  }

  @Test("a later subscriber gets the newest denials, or those after a given one")
  func beginning() {
    let feed = DenialFeed(clock: ManualClock().clock)
    for number in 0..<10 { Self.add(feed, "\(number)") }
    var newest = feed.cursor(after: nil, newest: 3)
    #expect(feed.read(&newest, limit: 100).entries.map(\.path) == ["/7", "/8", "/9"])
    var behind = feed.cursor(after: 8, newest: 200)
    #expect(feed.read(&behind, limit: 100).entries.map(\.path) == ["/8", "/9"])
    var future = feed.cursor(after: 1_000, newest: 200)
    #expect(feed.read(&future, limit: 100).entries.isEmpty)
    Self.add(feed, "new")
    #expect(feed.read(&future, limit: 100).entries.map(\.path) == ["/new"])
  }

  @Test("denials over the limit are counted")
  func bounds() {
    let time = ManualClock()
    let feed = DenialFeed(clock: time.clock)
    var cursor = feed.cursor(after: nil, newest: 200)
    for number in 0..<1_500 { Self.add(feed, "\(number)") }
    let read = feed.read(&cursor, limit: 100)
    #expect(read.entries.count == 100 && read.missed == 1_400 && read.entries.last?.path == "/999")
    for _ in 0..<8 {
      time.advance(1_000)
      for number in 0..<1_000 { Self.add(feed, "\(number)") }
    }
    var all = feed.cursor(after: 0, newest: 10_000)
    let kept = feed.read(&all, limit: 10_000).entries
    #expect(kept.count == DenialFeed.countMax)
    #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.id < $1.id }, "in the order in which they came")
  }

  @Test("long keys are truncated")
  func cutting() {
    let feed = DenialFeed(clock: ManualClock().clock)
    Self.add(feed, String(repeating: "é", count: 700), uid: String(repeating: "u", count: 10_000))
    var cursor = feed.cursor(after: 0, newest: 10)
    let entry = feed.read(&cursor, limit: 10).entries.first
    #expect(entry?.path.count == 513 && entry?.uid?.count == 513)
  }

  @Test("the explanation of a denial is one sentence")
  func sentences() throws {
    let rules = try RuleSet.compile(#"{"rules":{"a":{".read":"auth != null"}}}"#)
    let log = DenialFeed(clock: ManualClock().clock)
    for (path, sentence) in [
      ("a", "No rule was true; the last one evaluated was .read at /a."), ("b", "No rule applies to this path."),
    ] {
      let request = ReadRequest(path: Path(path), root: .empty, auth: nil, nowMilliseconds: 0)
      let decision = try #require(rules.refusal(of: request))
      log.add(
        operation: "read", cause: nil, decision: decision, path: Path(path), principal: .signedOut, database: "d",
        connection: nil, trace: nil)
      var cursor = log.cursor(after: 0, newest: 1)
      #expect(log.read(&cursor, limit: 1).entries.first?.sentence == sentence)
    }
  }

  @Test("the details of a denial are stored before it is delivered, once for equal ones")
  func records() throws {
    let feed = DenialFeed(clock: ManualClock().clock)
    var (made, kept): (Int, [UInt64]) = (0, [])
    for uid in ["kim", "kim", "mira"] {
      feed.add(
        operation: "get", cause: nil, decision: nil, path: Path("a"), principal: Principal(auth: nil, uid: uid),
        database: "default", connection: nil, trace: "t",
        record: {
          made += 1
          return DenialRecords.Record(
            trace: "t", database: "default", operation: "get", path: Path("a"), request: nil, hasRules: false)
        },
        keep: { _, id in kept.append(id) })
    }
    #expect(made == 2 && kept == [1, 2])
    #expect(feed.entry(2)?.uid == "mira" && feed.entry(3) == nil)
  }
}
