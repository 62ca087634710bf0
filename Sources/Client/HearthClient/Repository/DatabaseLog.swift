import Foundation

/// The severity of a log line.
public enum DatabaseLogLevel: Int, Sendable, Comparable, CaseIterable {
  /// Each step of a connection.
  case debug
  /// Information for operators.
  case info
  /// A problem to look at: a refused write without a callback, a query without an index.
  case warning
  /// No log line has this level; as a threshold it silences the log.
  case off

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The log of all databases of the process. It contains no tokens.
enum DatabaseLog {
  /// The lowest logged level and the handler of log lines.
  struct Sink: Sendable {
    var level = DatabaseLogLevel.warning
    var handler: @Sendable (DatabaseLogLevel, String) -> Void = { level, text in
      FileHandle.standardError.write(Data("[HearthClient] \(level): \(text)\n".utf8))
    }
  }

  static let sink = LockedValue(Sink())

  static func write(_ level: DatabaseLogLevel, _ text: @autoclosure () -> String) {
    let sink = sink.withLock { $0 }
    if level >= sink.level, level != .off { sink.handler(level, text()) }
  }
}
