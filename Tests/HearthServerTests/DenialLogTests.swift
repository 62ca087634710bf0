import HearthTree
import Logging
import Synchronization
import Testing

@testable import HearthEngine
@testable import HearthServer

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
        identity: Identity(auth: nil, uid: hostile), decision: nil), database: "default")
    let metadata = try #require(lines.all.withLock { $0 }.first)
    #expect(metadata["path"] == "/a?uid?admin?b?2Jc?d?e")
    #expect(metadata["uid"] == "a?uid?admin?b?2Jc?d?e")
    #expect(metadata["trace"] == "1-7")
    #expect(metadata["operation"] == "get")
  }
}
