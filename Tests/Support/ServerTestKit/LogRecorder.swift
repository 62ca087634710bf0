import Logging
import Synchronization

/// A log handler that keeps every line.
// Unchecked because only the lines change, and a mutex protects them.
package final class LogRecorder: LogHandler, @unchecked Sendable {
  private let recorded = Mutex<[String]>([])

  package init() {}

  package var lines: [String] { recorded.withLock { $0 } }

  package var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  package var logLevel: Logger.Level {
    get { .debug }
    set {}
  }
  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  package func log(event: LogEvent) {
    let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    recorded.withLock { $0.append("\(event.level) \(event.message) " + fields.joined(separator: " ")) }
  }
}
