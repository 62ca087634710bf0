import Foundation
import Synchronization

/// How much a line of the log matters.
public enum DatabaseLogLevel: Int, Sendable, Comparable, CaseIterable {
  /// Every step of a connection.
  case debug
  /// What an operator may want to know.
  case info
  /// What somebody should look at: a write that was refused and that nobody waits for, a query without an index.
  case warning
  /// Nothing is logged at this level; as a threshold it silences the log.
  case off

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The log of all databases of the process. No token is in it.
enum DatabaseLog {
  /// From where on lines are logged, and who takes them.
  struct Sink: Sendable {
    var level = DatabaseLogLevel.warning
    var handler: @Sendable (DatabaseLogLevel, String) -> Void = { level, text in
      FileHandle.standardError.write(Data("[HearthClient] \(level): \(text)\n".utf8))
    }
  }

  static let sink = Mutex(Sink())

  static func write(_ level: DatabaseLogLevel, _ text: @autoclosure () -> String) {
    let sink = sink.withLock { $0 }
    if level >= sink.level, level != .off { sink.handler(level, text()) }
  }
}
