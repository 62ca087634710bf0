import HearthTree
import Logging
import Synchronization
import Testing

@testable import HearthEngine
@testable import HearthGateway
@testable import HearthTransport

@Suite struct DenialLogTests {
  /// Keeps what is logged.
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

  @Test func `a flood of denials takes a bounded number of lines, and the log says how many are missing`() {
    let lines = Lines()
    let now = Atomic<Int64>(5_000)
    let logger = Logger(label: "test") { _ in Handler(lines: lines) }
    let log = DenialLog(logger: logger, rate: LogRate(clock: { now.load(ordering: .relaxed) }))
    let denial = Denial(
      connection: ConnectionID(rawValue: 1), request: 7, operation: .get, path: .root, principal: .signedOut,
      decision: nil)
    for _ in 0..<1_000 { log.log(denial, database: "default") }
    #expect(lines.all.withLock { $0.count } == LogRate.linesPerSecondMax)
    now.store(6_000, ordering: .relaxed)
    log.log(denial, database: "default")
    let later = lines.all.withLock { $0.dropFirst(LogRate.linesPerSecondMax) }
    #expect(later.first?["missing"] == "\(1_000 - LogRate.linesPerSecondMax)")
    #expect(later.count == 2 && later.last?["operation"] == "get")
  }
}
