import Glibc
import Logging
import Synchronization

/// A log handler that writes each line as a JSON object: see ``JSONLogLine``.
struct JSONLogHandler: LogHandler {
  let label: String
  /// Writes a complete line, from any thread.
  let write: @Sendable ([UInt8]) -> Void
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    write(JSONLogLine(event, of: self, logger: label).bytes)
  }

  /// Writes to standard error, each line in one piece. A line that cannot be written is lost.
  static let standardError: @Sendable ([UInt8]) -> Void = { line in
    writeLock.withLock { _ in
      var rest = line[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// A lock that keeps lines apart.
  private static let writeLock = Mutex(())
}
