import HearthRules
import HearthTree
import Logging
import Synchronization
import Testing

@testable import HearthEngine
@testable import HearthGateway
@testable import HearthTransport

@Suite struct DenialLogTests {
  /// A recorder of log metadata.
  final class Lines: Sendable {
    let all = Mutex<[Logger.Metadata]>([])
  }

  struct Handler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      lines.all.withLock { $0.append(event.metadata ?? [:]) }
    }
  }

  @Test func `keys and ids cannot forge fields, lines or terminal codes`() throws {
    let lines = Lines()
    let log = DenialLog(logger: Logger(label: "test") { _ in Handler(lines: lines) })
    let hostile = "a uid=admin\u{85}b\u{9B}2Jc\u{2028}d\u{202E}e"
    log.log(
      Denial(
        connection: ConnectionID(rawValue: 1), request: 7, operation: .get, path: Path([Key(hostile)]),
        principal: Principal(auth: nil, uid: hostile), decision: nil), database: "default")
    let metadata = try #require(lines.all.withLock { $0 }.first)
    #expect(metadata["path"] == "/a?uid?admin?b?2Jc?d?e")
    #expect(metadata["uid"] == "a?uid?admin?b?2Jc?d?e")
    #expect(metadata["trace"] == "1-7")
    #expect(metadata["operation"] == "get")
  }

  @Test func `a flood of denials takes a bounded number of lines, and the log has the number of missing ones`() {
    let lines = Lines()
    let now = Atomic<Int64>(5_000)
    let logger = Logger(label: "test") { _ in Handler(lines: lines) }
    let log = DenialLog(logger: logger, rate: LogRateLimiter(clock: { now.load(ordering: .relaxed) }))
    let denial = Denial(
      connection: ConnectionID(rawValue: 1), request: 7, operation: .get, path: .root, principal: .signedOut,
      decision: nil)
    for _ in 0..<1_000 { log.log(denial, database: "default") }
    #expect(lines.all.withLock { $0.count } == LogRateLimiter.linesPerSecondMax)
    now.store(6_000, ordering: .relaxed)
    log.log(denial, database: "default")
    let later = lines.all.withLock { $0.dropFirst(LogRateLimiter.linesPerSecondMax) }
    #expect(later.first?["missing"] == "\(1_000 - LogRateLimiter.linesPerSecondMax)")
    #expect(later.count == 2 && later.last?["operation"] == "get")
  }

  private static func log(keepsValues: Bool = true) -> DenialLog {
    let rate = LogRateLimiter(clock: { 5_000 })
    let time = Instant(wallMilliseconds: 5_000, monotonicMilliseconds: 5_000)
    return DenialLog(
      logger: Logger(label: "test") { _ in Handler(lines: Lines()) }, rate: LogRateLimiter(),
      feed: DenialFeed(clock: { time }),
      keepsValues: keepsValues, shownRate: rate)
  }

  /// Returns a denied read whose rules read `bytes` bytes of data.
  private static func refused(_ number: Int, bytes: Int = 1) throws -> Decision {
    let rules = try RuleSet.compile(#"{"rules":{".read":"root.child('a').val() == auth.uid"}}"#)
    let root = Node.empty.replacing(Path("a"), with: Node(.string(String(repeating: "x", count: bytes))))
    return rules.decideRead(ReadRequest(path: Path("p\(number)"), root: root, auth: nil, nowMilliseconds: 0))
  }

  @Test func `each logged denial of a second can be explained, and the others are counted`() throws {
    let log = Self.log()
    let feed = try #require(log.feed)
    for number in 0..<LogRateLimiter.linesPerSecondMax + 5 {
      log.log(
        try Self.refused(number), path: Path("p\(number)"), principal: .signedOut, database: "default", trace: "t")
    }
    let ids = (1...UInt64(LogRateLimiter.linesPerSecondMax + 5))
    #expect(ids.allSatisfy { feed.entry($0) != nil })
    #expect(ids.filter { log.records.record(ofEntry: $0)?.request != nil } == Array(ids.dropLast(5)))
    #expect(log.records.record(ofEntry: 7)?.path == Path("p6"))
  }

  @Test func `no details are kept when the options forbid to keep values`() throws {
    let log = Self.log(keepsValues: false)
    log.log(try Self.refused(1), path: Path("p1"), principal: .signedOut, database: "default", trace: "t")
    #expect(log.feed?.entry(1)?.path == "/p1")
    #expect(log.records.record(ofEntry: 1) == nil && log.records.record(of: "t") == nil)
  }

  @Test func `stored details of denials are bounded by size and number`() throws {
    let records = DenialRecords()
    let request = try #require(try Self.refused(1, bytes: 60_000).denied?.recorded())
    #expect((60_000...70_000).contains(request.heldBytes))
    let large = DenialRecords.Record(
      trace: "t", database: "default", operation: "read", path: .root, request: request, hasRules: true)
    let small = DenialRecords.Record(
      trace: "t", database: "default", operation: "read", path: .root, request: nil, hasRules: true)
    for id in 1...1_000 { records.add(large, ofEntry: UInt64(id)) }
    let held = (1...1_000).filter { records.record(ofEntry: UInt64($0)) != nil }
    #expect((400...600).contains(held.count) && held.last == 1_000, "\(held.count)")
    for id in 1_001...20_000 { records.add(small, ofEntry: UInt64(id)) }
    let later = (1...20_000).filter { records.record(ofEntry: UInt64($0)) != nil }
    #expect(later == Array(20_001 - DenialFeed.countMax...20_000))
  }
}
