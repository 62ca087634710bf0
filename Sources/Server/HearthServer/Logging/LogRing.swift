import HearthSystem
import Logging
import Synchronization

/// The newest lines of the log, as JSON, for the console. In memory alone.
final class LogRing: Sendable {
  /// The maximum number of lines that are kept; with ``lineBytesMax`` some megabytes at most.
  static let countMax = 2_000
  /// The maximum size of a line in bytes; a longer one is in the log itself alone.
  static let lineBytesMax = 4 << 10

  private struct State {
    var lines: [(number: UInt64, level: Logger.Level, bytes: [UInt8])] = []
    var next = 0
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  func add(_ bytes: [UInt8], level: Logger.Level) {
    guard bytes.count <= Self.lineBytesMax else { return }
    state.withLock { state in
      state.last += 1
      let line = (state.last, level, bytes)
      if state.lines.count < Self.countMax {
        state.lines.append(line)
      } else {
        state.lines[state.next] = line
        state.next = (state.next + 1) % Self.countMax
      }
    }
  }

  /// The number of the newest line; 0 before the first.
  var last: UInt64 { state.withLock { $0.last } }

  /// Returns the lines after a number, the oldest first: the newest `limit` of them.
  func lines(
    after number: UInt64, from level: Logger.Level, limit: Int
  ) -> [(number: UInt64, level: Logger.Level, bytes: [UInt8])] {
    state.withLock { state in
      let ordered = state.lines[state.next...] + state.lines[..<state.next]
      return Array(ordered.filter { $0.number > number && $0.level >= level }.suffix(limit))
    }
  }
}

/// A log handler that passes lines to another one, and keeps the newest.
struct RingLogHandler: LogHandler {
  let label: String
  let ring: LogRing
  var inner: any LogHandler

  var logLevel: Logger.Level {
    get { inner.logLevel }
    set { inner.logLevel = newValue }
  }

  var metadata: Logger.Metadata {
    get { inner.metadata }
    set { inner.metadata = newValue }
  }

  var metadataProvider: Logger.MetadataProvider? {
    get { inner.metadataProvider }
    set { inner.metadataProvider = newValue }
  }

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { inner[metadataKey: key] }
    set { inner[metadataKey: key] = newValue }
  }

  func log(event: LogEvent) {
    inner.log(event: event)
    ring.add(JSONLogLine(event, of: self, logger: label).bytes, level: event.level)
  }
}

extension Logger {
  /// Returns a logger whose newest lines are kept as well.
  func keeping(in ring: LogRing) -> Logger {
    var logger = Logger(label: label) { RingLogHandler(label: $0, ring: ring, inner: handler) }
    logger.logLevel = logLevel
    return logger
  }
}
